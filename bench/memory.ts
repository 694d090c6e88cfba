// Peak memory of whole runs, by the number of items.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { photoFolder } from './folders.ts';
import { column, defineBench } from './frame/bench.ts';
import { inProcess } from './process.ts';
import { startStub } from './stub-process.ts';

const most = 'MB at 100,000 items';

export const memory = defineBench({
  name: 'memory',
  description: 'Peak memory of a whole run, by the number of items.',
  full: { items: '1000,10000,100000', bytes: 2_000, concurrency: 32, seed: 1 },
  tiny: { items: '4,8' },
  goals: [
    {
      what: most,
      bound: { atMost: 200 },
      figure: (rows) =>
        column(
          rows.filter(({ items }) => items === 100_000),
          'peak MB',
        )[0],
      obstacle: 'Node.js, the loaded modules and the ledger, of which a part stays in memory.',
    },
    {
      what: 'memory of the largest run, × that of the run before it',
      bound: { atMost: 1.1 },
      figure: (rows) => {
        const [before, last] = column(rows, 'peak MB').slice(-2);
        return before === undefined || last === undefined ? undefined : last / before;
      },
      obstacle: 'The heap grows as long as the garbage collector finds room.',
    },
  ],
  async *run({ items: sizes, bytes, concurrency, seed }) {
    const stub = await startStub();
    try {
      for (const items of sizes.split(',').map(Number)) {
        const folder = photoFolder(items, bytes, concurrency, seed);
        try {
          const place = join(folder, 'pipeline.yaml');
          const { peakMb, seconds } = inProcess('runner', [place, stub.address]);
          yield { items, 'peak MB': peakMb, 'items/s': items / seconds };
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }
    } finally {
      stub.process.kill();
    }
  },
});
