// A second run, for which nothing is left to do, as a whole process: what it takes, and how many requests it sends.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { photoFolder } from './folders.ts';
import { defineBench, type Goal, type Spread, spreadOf } from './frame/bench.ts';
import { inProcess } from './process.ts';
import { startStub } from './stub-process.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const commands = { dist: here('../bin/shotlist.cjs'), src: here('../src/runner/cli/main.ts') };

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
      'Node.js itself takes 45 MB, and the garbage collector takes room.',
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
            once(folder, of === 'src' ? commands.src : commands.dist, stub.address),
          );
          const { requests } = await stub.counts();
          const spread = (figure: (run: Run) => number): Spread => {
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

interface Run {
  readonly wall: number;
  readonly processor: number;
  readonly peakMb: number;
}

/** A process tells its own figures when it ends, after everything that it prints. */
const reporter = `data:text/javascript,process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write('\\n' + JSON.stringify({ peakMb: maxRSS / 1024, processor: (userCPUTime + systemCPUTime) / 1e6 }));
});`;

function once(folder: string, command: string, service: string): Run {
  const flags = ['--import', reporter.replaceAll('\n', '')];
  const args = [...flags, command, 'run', 'pipeline.yaml', '--service', service];
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ cwd: folder, encoding: 'utf8' },
    env: { ...process.env, SHOTLIST_API_KEY: 'bench' },
  });
  const wall = (performance.now() - began) / 1000;
  if (status !== 0) throw new Error(`the run failed: ${stdout}${stderr}`);
  const told: Omit<Run, 'wall'> = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  return { wall, ...told };
}
