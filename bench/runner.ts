// The runner under measurement, in a process of its own: `node bench/runner.ts PIPELINE ADDRESS` runs a pipeline
// once and prints one line of JSON: seconds, items, peak memory. The key comes from SHOTLIST_API_KEY.
import { loadPipeline, renderProblem, run } from '../src/index.ts';

const [file = '', service = ''] = process.argv.slice(2);
const loaded = await loadPipeline(file);
if (!loaded.ok) throw new Error(renderProblem(loaded.error));
const began = performance.now();
const ran = await run(loaded.value, { service });
if (!ran.ok) throw new Error(renderProblem(ran.error));
const seconds = (performance.now() - began) / 1000;
const { items, outcome } = ran.value.summary;
if (outcome !== 'done') throw new Error(JSON.stringify(ran.value.summary));
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ seconds, items: items.done, peakMb })}\n`);
