// The runner's own client with one big file, in a process of its own: `node bench/big-client.ts up|down ADDRESS FILE`.
import { statSync } from 'node:fs';
import { realClock } from '../src/core/clock.ts';
import { httpClient } from '../src/service-api/http-client.ts';

const [way = '', base = '', path = ''] = process.argv.slice(2);
const client = httpClient({ base, key: 'bench', clock: realClock });
const before = process.cpuUsage();
const began = performance.now();
const answer =
  way === 'up'
    ? await client.put({ uploadUrl: `${base}/file`, filePath: 'file' }, { path })
    : await client.download(`${base}/file`, { path });
if (!answer.ok) throw new Error(JSON.stringify(answer.error));
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(before);
await client.close();
const peakMb = process.resourceUsage().maxRSS / 1024;
const measured = { seconds, items: statSync(path).size, peakMb, processor: (user + system) / 1e6 };
process.stdout.write(`${JSON.stringify(measured)}\n`);
