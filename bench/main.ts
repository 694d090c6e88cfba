// `npm run bench -- wire` and `-- memory`: what the runner costs beside the requests themselves; `-- service`: what
// the local service bears; `-- answers`: how soon it answers while it renders; `-- render`: how long
// renderings take; `-- start`: how long short commands take.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureAnswers } from './answers.ts';
import { type EngineBench, measureEngine, tableHead, tableLine } from './engine.ts';
import { forget, photoFolder } from './folders.ts';
import { measureLive } from './live.ts';
import { measureRenderers } from './render.ts';
import { measureService } from './service.ts';
import { measureStarts } from './start.ts';
import { startStub } from './stub-process.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    items: { type: 'string' },
    pairs: { type: 'string', default: '5' },
    concurrency: { type: 'string', default: '32' },
    pipeline: { type: 'string', default: 'photos,prompts' },
    workers: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '32' },
    window: { type: 'string', default: '500' },
    'delay-ms': { type: 'string', default: '0' },
    'engine-only': { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
    'plan-only': { type: 'boolean', default: false },
  },
});

const env = { ...process.env, SHOTLIST_API_KEY: 'bench' };

interface Measured {
  readonly seconds: number;
  readonly items: number;
  readonly peakMb: number;
}

function measure(script: string, args: readonly string[]): Measured {
  const text = execFileSync(process.execPath, [here(script), ...args], { env, encoding: 'utf8' });
  const line = text.trim().split('\n').at(-1) ?? '';
  const measured: Measured = JSON.parse(line);
  return measured;
}

const runRunner = (folder: string, address: string): Measured => {
  forget(folder);
  return measure('runner.ts', [join(folder, 'pipeline.yaml'), address]);
};

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Items a second of a whole pipeline against a bare loop that makes the same requests and keeps nothing. */
async function wire(): Promise<void> {
  const items = Number(values.items ?? 2000);
  const concurrency = Number(values.concurrency);
  const folder = photoFolder(items, 20_000, concurrency);
  const stub = await startStub();
  try {
    print(
      `${items} items of 20 KB, ${concurrency} in the works, 8 requests an item; runner and bare loop in turn`,
    );
    const saved = join(folder, 'saved');
    const rates: { readonly runner: number; readonly bare: number; readonly saving: number }[] = [];
    for (let pair = 1; pair <= Number(values.pairs); pair++) {
      const bareArgs = [
        '--address',
        stub.address,
        '--files',
        join(folder, 'photos'),
        '--concurrency',
        String(concurrency),
      ];
      const bare = measure('bare.ts', bareArgs);
      rmSync(saved, { recursive: true, force: true });
      mkdirSync(saved);
      const saving = measure('bare.ts', [...bareArgs, '--save', saved]);
      const runner = runRunner(folder, stub.address);
      const rate = {
        runner: items / runner.seconds,
        bare: items / bare.seconds,
        saving: items / saving.seconds,
      };
      rates.push(rate);
      print(
        `  pair ${pair}: runner ${rate.runner.toFixed(0)} items/s, bare loop ${rate.bare.toFixed(0)}, bare loop that saves ${rate.saving.toFixed(0)} items/s, ratio ${(rate.runner / rate.bare).toFixed(2)}`,
      );
    }
    const ratios = rates.map(({ runner, bare }) => runner / bare);
    const saving = median(rates.map((rate) => rate.runner / rate.saving));
    print(
      `median: runner ${median(rates.map(({ runner }) => runner)).toFixed(0)} items/s, ` +
        `bare loop ${median(rates.map(({ bare }) => bare)).toFixed(0)} items/s, ` +
        `ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}); ` +
        `against a bare loop that saves its downloads: ${saving.toFixed(2)}`,
    );
  } finally {
    stub.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Peak memory of a whole run, by the number of items. */
async function memory(): Promise<void> {
  const sizes =
    values.items === undefined ? [1_000, 10_000, 50_000] : values.items.split(',').map(Number);
  const stub = await startStub();
  try {
    const peaks = sizes.map((items) => {
      const folder = photoFolder(items, 2_000, Number(values.concurrency));
      try {
        const { peakMb, seconds } = runRunner(folder, stub.address);
        print(
          `  ${items} items: peak ${peakMb.toFixed(0)} MB, ${(items / seconds).toFixed(0)} items/s`,
        );
        return peakMb;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
    const [before, last] = [peaks.at(-2), peaks.at(-1)];
    if (before !== undefined && last !== undefined)
      print(
        `${sizes.at(-1)} items take ${(last / before).toFixed(2)} × the memory of ${sizes.at(-2)}`,
      );
  } finally {
    stub.process.kill();
  }
}

/** Requests a second of the local service itself. */
async function service(): Promise<void> {
  const count = Number(values.items ?? 10_000);
  for (const stored of [false, true]) {
    const place = stored ? 'with a data folder' : 'in memory';
    for (let round = 1; round <= Number(values.pairs); round++) {
      const { creations, reads } = await measureService(count, stored);
      print(
        `  ${place}, round ${round}: ${creations.toFixed(0)} creations/s, ${reads.toFixed(0)} reads/s ` +
          `(${count} each over 64 connections, rendering meanwhile; ledger exact)`,
      );
    }
  }
}

/** How soon the service answers while fifty renderings are under way. */
async function answers(): Promise<void> {
  for (let round = 1; round <= Number(values.pairs); round++) {
    const { times, rendered } = await measureAnswers(50, Number(values.items ?? 20_000));
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): string =>
      (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
    print(
      `  round ${round}: ${times.length} answers, median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, ` +
        `longest ${at(1)} ms; 50 renderings at a time, ${rendered} ended meanwhile`,
    );
  }
}

/** How long each photo and each tool takes. */
async function render(): Promise<void> {
  for await (const { what, ms, seconds } of measureRenderers()) {
    const pace =
      seconds === undefined ? '' : ` (${(ms / 1000 / seconds).toFixed(2)} s a second of clip)`;
    print(`  ${what}: ${ms.toFixed(0)} ms${pace}`);
  }
}

/** How long short commands of the built package take, beside Node.js itself. */
function start(): Promise<void> {
  for (const { what, wall, processor, ratio } of measureStarts(Number(values.pairs)))
    print(
      `  ${what}: ${wall.toFixed(0)} ms, processor ${processor.toFixed(0)} ms, ${ratio.toFixed(2)} × node -e 0`,
    );
  return Promise.resolve();
}

/** One coordinator, workers and Postgres, beside the local runner on the same pipeline. */
async function engine(): Promise<void> {
  for (const pipeline of ['photos', 'prompts'] as const) {
    if (!values.pipeline.split(',').includes(pipeline)) continue;
    const bench: EngineBench = {
      pipeline,
      items: Number(values.items ?? 5_000),
      workers: Number(values.workers),
      jobs: Number(values.jobs),
      window: Number(values.window),
      delayMs: Number(values['delay-ms']),
      rounds: Number(values.pairs),
      local: !values['engine-only'],
      statements: values.statements,
      planOnly: values['plan-only'],
    };
    print(
      `\n${pipeline}: ${bench.workers} workers with ${bench.jobs} places, ${bench.window} items in progress\n\n${tableHead}`,
    );
    for await (const row of measureEngine(bench)) print(tableLine(row));
  }
}

const benches: Readonly<Record<string, () => Promise<void>>> = {
  wire,
  memory,
  service,
  answers,
  render,
  start,
  engine,
  live: async () => print(measureLive(Number(values.items ?? 100_000))),
};
const bench = benches[positionals[0] ?? ''];
if (bench === undefined) {
  print(
    `usage: npm run bench -- ${Object.keys(benches).join(' | ')} [--items N] [--pairs N] [--concurrency N]`,
  );
  process.exitCode = 2;
} else await bench();
