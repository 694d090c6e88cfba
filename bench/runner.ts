// The runner under measurement, in a process of its own: `node bench/runner.ts PIPELINE ADDRESS` runs a pipeline
// once and prints one line of JSON: seconds, items, peak memory. The key comes from SHOTLIST_API_KEY. `--budget 0`: it plans, and buys nothing. `--realtime`: projects take their time; else they take none, and
// the runner knows that.
import { parseArgs } from 'node:util';
import { runWith } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/index.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: 'string' },
    realtime: { type: 'boolean' },
    engine: { type: 'string' },
  },
});
const [file = '', service = ''] = positionals;
const { budget, realtime = false, engine } = values;
const loaded = await loadPipeline(file);
const before = process.resourceUsage();
const began = performance.now();
const ran = await runWith(
  loaded,
  { service, engine, ...(budget === undefined ? {} : { budget: Number(budget) }) },
  { speedFactor: realtime ? 1 : 1000 },
);
const seconds = (performance.now() - began) / 1000;
const { items, outcome } = ran.summary;
if (outcome !== 'done' && budget === undefined) throw new Error(JSON.stringify(ran.summary));
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const measured = {
  ...{ seconds, items: items.done, peakMb: maxRSS / 1024 },
  processor: (userCPUTime + systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1e6,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
