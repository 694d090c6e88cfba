// Runs in a process of their own, so that they can be killed. Started ahead of time, it has loaded everything when it
// is told what to do: one line of JSON on its input is one run; one line of JSON on its output says how it ended.
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { asJson, isObject, type JsonObject } from '../src/contract/base/json.ts';
import { loadPipeline } from '../src/runner/operations/pipeline/load.ts';
import { renderProblem } from '../src/runner/operations/pipeline/problem.ts';
import { type RunInternals, runWith } from '../src/runner/operations/run.ts';
import { type Crash, isCrashPoint } from './crash-points.ts';
import { deadlyPlugs } from './deadly-plugs.ts';
import type { RunEnd } from './run-process.ts';
import { witness } from './witness.ts';

/** Of the run that lasts. */
let controller: AbortController | undefined;

/** Like the command: a signal once ends it soon, a second time at once. */
function onSignal(): void {
  if (controller === undefined || controller.signal.aborted) process.exit(130);
  controller.abort();
}

interface Order {
  readonly file: string;
  readonly service: string;
  readonly state: string;
  readonly crash: Crash | undefined;
}

function readOrder(line: string): Order {
  const order = asJson(JSON.parse(line));
  if (!isObject(order)) throw new Error(`this is no order: ${line}`);
  const { file, service, state, crash } = order;
  if (typeof file !== 'string' || typeof service !== 'string' || typeof state !== 'string')
    throw new Error(`this order is not whole: ${line}`);
  return { file, service, state, crash: isObject(crash) ? readCrash(crash) : undefined };
}

function readCrash({ point, at, share }: JsonObject): Crash {
  if (!isCrashPoint(point) || typeof at !== 'number' || typeof share !== 'number')
    throw new Error(`there is no crash point ${JSON.stringify(point)}`);
  return { point, at, share };
}

/** The witness stands nearest to the run; what kills it stands behind. */
function plugsFor(state: string, crash: Crash | undefined): RunInternals {
  const { lines, api } = witness(state);
  if (crash === undefined) return { lines, api };
  const deadly = deadlyPlugs(crash, state);
  return {
    lines: (file) => lines(deadly.lines(file)),
    api: (client) => api(deadly.api(client)),
    disk: deadly.disk,
  };
}

async function perform({ file, service, state, crash }: Order): Promise<RunEnd> {
  const loaded = await loadPipeline(file);
  if (!loaded.ok) return { problem: 'input', text: renderProblem(loaded.error) };
  controller = new AbortController();
  const options = { service, signal: controller.signal };
  const ran = await runWith(loaded.value, options, {
    ...{ backoffMs: 1, speedFactor: 100 },
    ...plugsFor(state, crash),
  });
  controller = undefined;
  if (!ran.ok) return { problem: ran.error.reason, text: renderProblem(ran.error) };
  return { summary: ran.value.summary };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await perform(readOrder(line)))}\n`);
  // A killed process leaves its compiled code to nobody: the next one would begin anew.
  flushCompileCache();
}
