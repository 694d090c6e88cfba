// A worker process that performs runs and can be killed. It is started ahead of time and has loaded everything. Each line
// of JSON on its standard input starts a run; a line of JSON on its standard output says how the run ended.
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { asJson, isObject, type JsonObject } from '../src/base/json.ts';
import { type RunInternals, runWith } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { renderProblem, resultOf } from '../src/language/load/refusal.ts';
import { crashHooks } from './crash-hooks.ts';
import { type Crash, isCrashPoint } from './crash-points.ts';
import { orderChecker } from './order-checker.ts';
import type { RunEnd } from './worker-pool.ts';

/** Of the current run. */
let controller: AbortController | undefined;

/** As in the command, the first signal stops the run gracefully and the second one at once. */
function onSignal(): void {
  if (controller === undefined || controller.signal.aborted) process.exit(130);
  controller.abort();
}

interface Order {
  readonly file: string;
  readonly service: string;
  readonly state: string;
  readonly receipts: string;
  readonly crash: Crash | undefined;
}

function readOrder(line: string): Order {
  const order = asJson(JSON.parse(line));
  if (!isObject(order)) throw new Error(`not a valid order: ${line}`);
  const { file, service, state, receipts, crash } = order;
  if (typeof file !== 'string' || typeof service !== 'string' || typeof state !== 'string')
    throw new Error(`incomplete order: ${line}`);
  if (typeof receipts !== 'string') throw new Error(`incomplete order: ${line}`);
  return { file, service, state, receipts, crash: isObject(crash) ? readCrash(crash) : undefined };
}

function readCrash({ point, at, share }: JsonObject): Crash {
  if (!isCrashPoint(point) || typeof at !== 'number' || typeof share !== 'number')
    throw new Error(`unknown crash point ${JSON.stringify(point)}`);
  return { point, at, share };
}

/** The order checker is nearest to the run, so that it also sees the last call before a crash. */
function hooksFor(state: string, crash: Crash | undefined): RunInternals {
  const { lines, api } = orderChecker(state);
  if (crash === undefined) return { lines, api };
  const hooks = crashHooks(crash, state);
  return {
    lines: (file) => lines(hooks.lines(file)),
    api: (client) => api(hooks.api(client)),
    disk: hooks.disk,
  };
}

async function perform({ file, service, state, receipts, crash }: Order): Promise<RunEnd> {
  const loaded = await resultOf(() => loadPipeline(file));
  if (!loaded.ok) return { problem: 'input', text: renderProblem(loaded.error) };
  controller = new AbortController();
  const env = { ...process.env, SHOTLIST_RECEIPTS: receipts };
  const options = { service, signal: controller.signal, env };
  const ran = await resultOf(() =>
    runWith(loaded.value, options, {
      ...{ backoffMs: 1, speedFactor: 100 },
      ...hooksFor(state, crash),
    }),
  );
  controller = undefined;
  if (!ran.ok) return { problem: ran.error.reason, text: renderProblem(ran.error) };
  return { summary: ran.value.summary };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
const orders = createInterface({ input: process.stdin });
// Whoever gave the orders is gone. A run that went on would meet the next service at the same address.
orders.once('close', () => process.exit());
for await (const line of orders) {
  process.stdout.write(`${JSON.stringify(await perform(readOrder(line)))}\n`);
  // A process that is killed does not save its compiled code.
  flushCompileCache();
}
