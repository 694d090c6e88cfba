// A whole pipeline beside two loops that make the same requests, in turn: one that keeps nothing, and one that saves
// each download durably, as the runner must.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshFolder, photoFolder } from './folders.ts';
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
      bound: { atMost: 0.15 },
      figure: spreadIn(own),
      obstacle: 'The journal, the checks of answers and the files of each task.',
    },
  ],
  async *run({ items, bytes, concurrency, pairs, seed }) {
    // Nothing is removed until the end: ext4 saves files more slowly right after a folder was removed.
    const template = photoFolder(items, bytes, concurrency, seed);
    const folders = [template];
    const newFolder = (make: () => string): string => {
      const folder = make();
      folders.push(folder);
      return folder;
    };
    const stub = await startStub();
    const measure = async (script: string, args: readonly string[]) => {
      await stub.reset();
      const measured = inProcess(script, args);
      return { ...measured, rate: items / measured.seconds, counts: await stub.counts() };
    };
    const bare = (...args: readonly string[]) =>
      measure('bare', [
        ...['--address', stub.address, '--files', join(template, 'photos')],
        ...['--concurrency', `${concurrency}`, ...args],
      ]);
    const save = () => bare('--save', newFolder(savedFolder));
    const run = () => {
      const folder = newFolder(() => freshFolder(template));
      return measure('runner', [join(folder, 'pipeline.yaml'), stub.address]);
    };
    try {
      for (let pair = 1; pair <= pairs; pair++) {
        const nothing = await bare();
        // Each goes first in turn: what the first one saved may still be on its way to the disk.
        const isSavingFirst = pair % 2 === 1;
        const early = isSavingFirst ? await save() : undefined;
        const runner = await run();
        const saving = early ?? (await save());
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
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }
  },
});

const savedFolder = (): string => mkdtempSync(join(tmpdir(), 'shotlist-bench-'));
