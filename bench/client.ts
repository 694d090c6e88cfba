// The same photos by a script with the vendor's published client (vendor-script.ts) and by shotlist, in turn, against a
// service that renders for some seconds: how long each takes, its requests of each kind, and what each is charged when it
// is killed half way and run again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { forget, photoFolder } from './folders.ts';
import { column, defineBench, type Goal, type Row } from './frame/bench.ts';
import { startStub } from './stub-process.ts';

interface ClientOptions {
  readonly photos: number;
  /** Photos in progress at the same time. */
  readonly atOnce: number;
  /** How long each project renders; the median of the tool is 4 seconds. */
  readonly delayMs: number;
  /** Whether shotlist is the built package or the sources. */
  readonly of: string;
}

type Who = 'script' | 'shotlist';
type Counts = Readonly<Record<string, number>>;

const pipeline = (atOnce: number): string => `pipeline: bench
items: { glob: photos/*.png }
limits: { items: ${atOnce} }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.png" } }
`;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function start(
  who: Who,
  { folder, address, atOnce, of }: ClientOptions & { folder: string; address: string },
): ChildProcess {
  const command = here(of === 'src' ? '../src/cli/main.ts' : '../bin/shotlist.cjs');
  const args =
    who === 'script'
      ? [here('vendor-script.ts'), folder, address, `${atOnce}`]
      : [command, 'run', join(folder, 'pipeline.yaml'), '--service', address, '--quiet'];
  return spawn(process.execPath, args, {
    env: { ...process.env, SHOTLIST_API_KEY: 'bench', MAGIC_HOUR_LOG_LEVEL: 'none' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${code}`);
}

const saved = (folder: string): number => {
  const out = join(folder, 'out');
  return existsSync(out) ? readdirSync(out).filter((name) => /^p\d+\.png$/.test(name)).length : 0;
};

/** Kills it in the middle of a rendering, when half of the photos are there. */
async function killHalfWay(
  child: ChildProcess,
  folder: string,
  { photos, delayMs }: ClientOptions,
): Promise<void> {
  const exited = once(child, 'exit');
  while (saved(folder) < photos / 2 && child.exitCode === null) await wait(20);
  await wait(delayMs / 2);
  if (child.exitCode !== null) throw new Error('it was over before it could be killed');
  child.kill('SIGKILL');
  await exited;
}

const ofShotlist = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(({ who }) => who === 'shotlist');

const least =
  (name: string, who: Who) =>
  (rows: readonly Row[]): number =>
    Math.min(
      ...column(
        rows.filter((row) => row['who'] === who),
        name,
      ),
    );

const ratio =
  (name: string): Goal['figure'] =>
  (rows) =>
    rows.length === 0 ? undefined : least(name, 'shotlist')(rows) / least(name, 'script')(rows);

export const client = defineBench({
  name: 'client',
  description:
    'The same photos by a script with the vendor’s published client and by shotlist, in turn: seconds, requests, and charges when each is killed half way and run again.',
  full: { photos: 40, atOnce: 5, delayMs: 4_000, pairs: 5, of: 'dist', seed: 1 },
  tiny: { photos: 4, atOnce: 1, delayMs: 300, pairs: 1, of: 'src' },
  goals: [
    {
      what: 'seconds, × the script (best of each)',
      ...{ bound: { atMost: 1 }, figure: ratio('seconds') },
      obstacle:
        'The start of the command, a third of a second. Both look at the same half seconds of a project.',
    },
    {
      ...{ what: 'requests, × the script', bound: { atMost: 0.5 }, figure: ratio('requests') },
      obstacle:
        'The first photos, as many as are in progress at once, are looked at as often as the script does: nobody knows how long they take.',
    },
    {
      ...{ what: 'charges when killed half way and run again', bound: { atMost: 40 } },
      figure: (rows) =>
        rows.length === 0 ? undefined : Math.max(...column(ofShotlist(rows), 'charges after kill')),
      obstacle: '',
    },
  ],
  async *run({ pairs, seed, ...options }) {
    const { photos, atOnce, delayMs } = options;
    const folder = photoFolder(photos, 20_000, atOnce, seed);
    writeFileSync(join(folder, 'pipeline.yaml'), pipeline(atOnce));
    const { address, process: stub } = await startStub(delayMs);
    const place = { ...options, folder, address };
    const counted = async (): Promise<Counts> => {
      const counts: Counts = await (await fetch(`${address}/stub/counts`)).json();
      return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    };
    const begin = async (who: Who): Promise<ChildProcess> => {
      forget(folder);
      await fetch(`${address}/stub/reset`, { method: 'POST' });
      return start(who, place);
    };
    try {
      for (let pair = 1; pair <= pairs; pair++)
        for (const who of ['script', 'shotlist'] as const) {
          const began = performance.now();
          await ended(await begin(who));
          const seconds = (performance.now() - began) / 1000;
          const counts = await counted();
          await killHalfWay(await begin(who), folder, options);
          await ended(start(who, place));
          const { create: charges = 0 } = await counted();
          const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
          if (saved(folder) !== photos) throw new Error(`${who} left photos out`);
          yield { pair, who, seconds, requests, ...counts, 'charges after kill': charges };
        }
    } finally {
      stub.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
