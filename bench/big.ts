// One big file up and down through the runner's own client, beside curl, in turn. The runner hashes what it sends and
// receives, and syncs what it has received; a second curl does the same afterwards, with sha256sum and sync.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noise } from './folders.ts';
import { column, defineBench, type Goal, spreadOf } from './frame/bench.ts';
import { inProcess } from './process.ts';
import { startServer } from './stub-process.ts';

const ratio = '× curl';
const safeRatio = '× curl that syncs and hashes';
const peak = 'peak MB';

const ratioOf = (way: string, name: string): Goal['figure'] => {
  return (rows) =>
    spreadOf(
      column(
        rows.filter((row) => row['way'] === way),
        name,
      ),
    );
};

export const big = defineBench({
  name: 'big',
  description:
    'One big file up and down through the runner’s own client, beside curl, and beside curl followed by sync and sha256sum.',
  full: { mb: 2_048, pairs: 5, seed: 1, folder: '' },
  tiny: { mb: 2, pairs: 1 },
  goals: [
    ...['up', 'down'].map((way) => ({
      what: `rate ${way}, ${ratio}`,
      bound: { atLeast: 0.9 },
      figure: ratioOf(way, ratio),
      obstacle:
        'curl neither hashes nor syncs, which the runner must: the goal after this one is the fair one.',
    })),
    ...['up', 'down'].map((way) => ({
      what: `rate ${way}, ${safeRatio}`,
      bound: { atLeast: 0.9 },
      figure: ratioOf(way, safeRatio),
      obstacle: 'Each piece of 64 KB comes as a stream event of its own.',
    })),
    {
      what: peak,
      bound: { atMost: 120 },
      figure: (rows) => Math.max(...column(rows, peak)),
      obstacle:
        'The modules, and the compiler that strips their types, take 100 MB before the first byte; pieces of the socket that wait for the garbage collector take the rest.',
    },
  ],
  async *run({ mb, pairs, seed, folder: place }) {
    const folder = mkdtempSync(join(place === '' ? tmpdir() : place, 'shotlist-bench-'));
    const server = await startServer('big-server', ['--mb', `${mb}`]);
    const file = join(folder, 'big.mp4');
    const url = `${server.address}/file`;
    const seconds = (...commands: readonly (readonly string[])[]): number => {
      const began = performance.now();
      for (const [command = '', ...args] of commands) execFileSync(command, args);
      return (performance.now() - began) / 1000;
    };
    // Without `Expect: 100-continue`, as the runner sends it.
    const curl = ['curl', '-sS', '-f', '-H', 'Expect:', '-o'];
    const ways = {
      up: { send: [...curl, '/dev/null', '-T', file, url], safe: [['sha256sum', file]] },
      down: {
        send: [...curl, file, url],
        safe: [
          ['sync', file],
          ['sha256sum', file],
        ],
      },
    };
    try {
      for (let piece = 0; piece < mb; piece++)
        appendFileSync(file, noise(seed, `${piece}`, 1 << 20));
      for (let pair = 1; pair <= pairs; pair++)
        for (const way of ['up', 'down'] as const) {
          const { send, safe } = ways[way];
          // Every download makes a new file.
          const clear = (): void => (way === 'down' ? rmSync(file, { force: true }) : undefined);
          clear();
          const bare = seconds(send);
          clear();
          const careful = seconds(send, ...safe);
          clear();
          const runner = inProcess('big-client', [way, server.address, file]);
          yield {
            ...{ pair, way, 'runner MB/s': mb / runner.seconds, 'curl MB/s': mb / bare },
            ...{ [ratio]: bare / runner.seconds, [safeRatio]: careful / runner.seconds },
            ...{
              [peak]: runner.peakMb,
              'processor s': runner.processor,
              MB: runner.items / 2 ** 20,
            },
          };
        }
    } finally {
      server.process.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
