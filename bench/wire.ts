// A whole pipeline beside two loops that make the same requests, in turn: one that keeps nothing, and one that saves
// each download durably, as the runner must.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { forget, photoFolder } from './folders.ts';
import { defineBench, spreadIn } from './frame/bench.ts';
import { inProcess } from './process.ts';
import { startStub } from './stub-process.ts';

const tasksAnItem = 5;
const loop = '× the loop';
const savingLoop = '× the loop that saves';
const own = 'own ms of processor a task';

export const wire = defineBench({
  name: 'wire',
  description:
    'Items a second of a whole pipeline, beside a bare loop with the same requests that keeps nothing, and one that saves each download durably.',
  full: { items: 2_000, bytes: 20_000, concurrency: 32, pairs: 5, seed: 1 },
  tiny: { items: 8, bytes: 2_000, pairs: 1 },
  goals: [
    {
      what: `items/s of the runner, ${savingLoop}`,
      bound: { atLeast: 0.85 },
      figure: spreadIn(savingLoop),
      obstacle:
        'The runner also records every step durably before the next, hashes every file and checks every answer.',
    },
    {
      what: `items/s of the runner, ${loop}`,
      bound: { atLeast: 0.55 },
      figure: spreadIn(loop),
      obstacle: 'The loop that saves is itself that far from the loop that keeps nothing.',
    },
    {
      what: own,
      bound: { atMost: 0.25 },
      figure: spreadIn(own),
      obstacle: 'The journal, the checks of answers and the files of each task.',
    },
  ],
  async *run({ items, bytes, concurrency, pairs, seed }) {
    const folder = photoFolder(items, bytes, concurrency, seed);
    const saved = join(folder, 'saved');
    const stub = await startStub();
    const measure = async (script: string, args: readonly string[]) => {
      await stub.reset();
      const measured = inProcess(script, args);
      return { ...measured, rate: items / measured.seconds, counts: await stub.counts() };
    };
    const bare = (...args: readonly string[]) =>
      measure('bare', [
        ...['--address', stub.address, '--files', join(folder, 'photos')],
        ...['--concurrency', `${concurrency}`, ...args],
      ]);
    try {
      for (let pair = 1; pair <= pairs; pair++) {
        const nothing = await bare();
        rmSync(saved, { recursive: true, force: true });
        mkdirSync(saved);
        const saving = await bare('--save', saved);
        forget(folder);
        const runner = await measure('runner', [join(folder, 'pipeline.yaml'), stub.address]);
        const ownSeconds = runner.processor - saving.processor;
        yield {
          ...{ pair, 'runner items/s': runner.rate, 'loop items/s': nothing.rate },
          'saving loop items/s': saving.rate,
          [loop]: runner.rate / nothing.rate,
          [savingLoop]: runner.rate / saving.rate,
          [own]: (1000 * ownSeconds) / (tasksAnItem * items),
          requests: runner.counts.requests,
          'requests of the loop': nothing.counts.requests,
          creations: runner.counts.creations,
        };
      }
    } finally {
      stub.process.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
