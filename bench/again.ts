// A second run, for which nothing is left to do, as a whole process: what it takes, and how many requests it sends.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
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

const slow =
  'Starting the process, a look at each file, and the fingerprint of each task: the record is compared with what the pipeline file says now, not with what it said before.';

export const again = defineBench({
  name: 'again',
  description: 'A run for which nothing is left to do, as a whole process (`npm run build` first).',
  full: { items: '500,10000,100000', bytes: 2_000, concurrency: 32, pairs: 5, of: 'dist', seed: 1 },
  tiny: { items: '3', pairs: 1, of: 'src' },
  goals: [
    goal(500, 'wall s', 0.25, slow),
    goal(10_000, 'wall s', 0.8, slow),
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
  async *run({ items: sizes, bytes, concurrency, pairs, of, seed }) {
    const stub = await startStub();
    try {
      for (const items of sizes.split(',').map(Number)) {
        const folder = photoFolder(items, bytes, concurrency, seed);
        try {
          inProcess('runner', [join(folder, 'pipeline.yaml'), stub.address]);
          await stub.reset();
          const runs = Array.from({ length: pairs }, () =>
            runCommand(folder, of, ['run', 'pipeline.yaml', '--service', stub.address]),
          );
          const { requests } = await stub.counts();
          const spread = (figure: (run: CommandRun) => number): Spread => {
            const found = spreadOf(runs.map(figure));
            if (found === undefined) throw new Error('again needs at least one pair');
            return found;
          };
          yield {
            ...{ items, 'wall s': spread(({ wall }) => wall) },
            'processor s': spread(({ processor }) => processor),
            ...{ 'peak MB': spread(({ peakMb }) => peakMb), requests },
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
