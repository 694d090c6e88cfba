// A second run, for which nothing is left to do, as a whole process: what it takes, and how many requests it sends.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type CommandRun, runCommand } from './command.ts';
import { photoFolder } from './folders.ts';
import { defineBench, type Goal, type Spread, spreadOf } from './frame/bench.ts';
import { inProcess } from './process.ts';
import { startStub } from './stub-process.ts';

const goal = (items: number, name: string, atMost: number, obstacle: string): Goal => ({
  ...{ what: `${name}, ${items.toLocaleString('en')} items`, bound: { atMost }, obstacle },
  figure: (rows) => {
    const cell = rows.find((row) => row['items'] === items)?.[name];
    return typeof cell === 'string' ? undefined : cell;
  },
});

/** In milliseconds: the hash of a file that is younger than two seconds is not remembered. */
const settled = 2500;

const slow =
  'The run plans: a look at each file, and the fingerprint of each task, because the record is compared with what the pipeline file says now.';

export const again = defineBench({
  name: 'again',
  description:
    'A run for which nothing is left to do, as a whole process (`npm run build` first). It compares everything.',
  full: { items: '500,10000,100000', bytes: 2_000, concurrency: 32, runs: 5, of: 'dist', seed: 1 },
  tiny: { items: '3', runs: 1, of: 'src' },
  goals: [
    goal(500, 'wall s', 0.3, slow),
    goal(10_000, 'wall s', 1, slow),
    goal(100_000, 'wall s', 6, slow),
    goal(
      10_000,
      'peak MB',
      150,
      'Node.js itself takes 45 MB; the rest is mostly room that V8 takes and does not need (PROFILES.md).',
    ),
    {
      ...{ what: 'requests', bound: { atMost: 0 }, obstacle: 'A read of the account.' },
      figure: (rows) => {
        const cells = rows.flatMap(({ requests }) =>
          typeof requests === 'number' ? [requests] : [],
        );
        return cells.length === 0 ? undefined : Math.max(...cells);
      },
    },
  ],
  async *run({ items: sizes, bytes, concurrency, runs, of, seed }) {
    const stub = await startStub();
    try {
      for (const items of sizes.split(',').map(Number)) {
        const folder = photoFolder(items, bytes, concurrency, seed);
        try {
          inProcess('runner', [join(folder, 'pipeline.yaml'), stub.address]);
          await stub.reset();
          await wait(settled);
          const all: CommandRun[] = [];
          for (let run = 0; run < runs; run += 1)
            all.push(runCommand(folder, of, ['run', 'pipeline.yaml', '--service', stub.address]));
          const { requests } = await stub.counts();
          yield {
            ...{ items, 'wall s': spread(all, ({ wall }) => wall) },
            'processor s': spread(all, ({ processor }) => processor),
            ...{ 'peak MB': spread(all, ({ peakMb }) => peakMb), requests },
          };
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
    } finally {
      stub.process.kill();
    }
  },
});

function spread(all: readonly CommandRun[], figure: (run: CommandRun) => number): Spread {
  const found = spreadOf(all.map(figure));
  if (found === undefined) throw new Error('again needs at least one run');
  return found;
}
