// A second run, for which nothing is left to do, as a whole process: what it takes, and how many requests it sends.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { privateFolderOf } from '../src/state/private-folder.ts';
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

const memory = 'bench.state.jsonl.up-to-date';
/** In milliseconds: a run remembers no file that is younger than two seconds. */
const settled = 2500;

const starting =
  'Starting the process and loading its modules take most of it; then a look at each file.';
const slow =
  'The first such run plans: a look at each file, and the fingerprint of each task, because the record is compared with what the pipeline file says now.';

export const again = defineBench({
  name: 'again',
  description:
    'A run for which nothing is left to do, as a whole process (`npm run build` first). The first one compares everything; the next ones, that nothing has changed since.',
  full: { items: '500,10000,100000', bytes: 2_000, concurrency: 32, pairs: 5, of: 'dist', seed: 1 },
  tiny: { items: '3', pairs: 1, of: 'src' },
  goals: [
    goal(500, 'wall s', 0.25, starting),
    goal(10_000, 'wall s', 0.8, starting),
    goal(100_000, 'wall s', 6, starting),
    goal(500, 'first wall s', 0.3, slow),
    goal(10_000, 'first wall s', 1, slow),
    goal(100_000, 'first wall s', 6, slow),
    goal(10_000, 'peak MB', 150, ''),
    goal(
      10_000,
      'first peak MB',
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
          await wait(settled);
          const [first, later]: [CommandRun[], CommandRun[]] = [[], []];
          for (let pair = 0; pair < pairs; pair += 1) {
            rmSync(join(privateFolderOf(folder), memory), { force: true });
            for (const runs of [first, later])
              runs.push(
                runCommand(folder, of, ['run', 'pipeline.yaml', '--service', stub.address]),
              );
            if (!existsSync(join(privateFolderOf(folder), memory)))
              throw new Error('nothing was remembered');
          }
          const { requests } = await stub.counts();
          yield {
            ...{ items, 'first wall s': spread(first, ({ wall }) => wall) },
            'wall s': spread(later, ({ wall }) => wall),
            'processor s': spread(later, ({ processor }) => processor),
            'first peak MB': spread(first, ({ peakMb }) => peakMb),
            ...{ 'peak MB': spread(later, ({ peakMb }) => peakMb), requests },
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

function spread(runs: readonly CommandRun[], figure: (run: CommandRun) => number): Spread {
  const found = spreadOf(runs.map(figure));
  if (found === undefined) throw new Error('again needs at least one pair');
  return found;
}
