// Peak memory of whole runs, by the number of items.
import { rmSync } from 'node:fs';
import { runCommand } from './command.ts';
import { photoFolder, promptFolder } from './folders.ts';
import { column, defineBench } from './frame/bench.ts';
import { startStub } from './stub-process.ts';

const most = 'MB at 100,000 items';

export const memory = defineBench({
  name: 'memory',
  description:
    'Peak memory of the commands run and plan, by the number of items (`npm run build` first).',
  full: {
    items: '1000,10000,100000',
    planned: '10000,1000000',
    bytes: 2_000,
    concurrency: 32,
    of: 'dist',
    seed: 1,
  },
  tiny: { items: '4,8', planned: '9', of: 'src' },
  goals: [
    {
      what: most,
      bound: { atMost: 300 },
      figure: (rows) =>
        column(
          rows.filter(({ items }) => items === 100_000),
          'peak MB',
        )[0],
      obstacle:
        'V8 takes room that it does not need: after a collection, 20,000 items in progress leave 40 MB in use of 250. Records take 0.5 KB an item.',
    },
    {
      what: 'MB for a plan of 1,000,000 items',
      bound: { atMost: 400 },
      figure: (rows) =>
        column(
          rows.filter(({ items }) => items === 1_000_000),
          'peak MB',
        )[0],
      obstacle: 'The keys of all items, and which of them cost the same, are known at once.',
    },
    {
      what: 'memory of the largest run, × that of the run before it',
      bound: { atMost: 1.2 },
      figure: (rows) => {
        const runs = rows.filter(({ what }) => what === 'run');
        const [before, last] = column(runs, 'peak MB').slice(-2);
        return before === undefined || last === undefined ? undefined : last / before;
      },
      obstacle: 'The heap grows as long as the garbage collector finds room.',
    },
  ],
  async *run({ items: sizes, planned, bytes, concurrency, of, seed }) {
    const stub = await startStub();
    const args = ['pipeline.yaml', '--service', stub.address];
    try {
      for (const items of sizes.split(',').map(Number)) {
        const folder = photoFolder(items, bytes, concurrency, seed);
        try {
          const { peakMb, wall } = runCommand(folder, of, ['run', ...args]);
          yield { what: 'run', items, 'peak MB': peakMb, 'items/s': items / wall };
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
      for (const items of planned.split(',').map(Number)) {
        const folder = await promptFolder(items, concurrency);
        try {
          const { peakMb, wall } = runCommand(folder, of, ['plan', ...args]);
          yield { what: 'plan', items, 'peak MB': peakMb, 'items/s': items / wall };
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
    } finally {
      stub.process.kill();
    }
  },
});
