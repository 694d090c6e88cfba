// The same photos by a script with the vendor's published client (vendor-script.ts) and by shotlist, in turn, against a
// service that renders for some seconds: how long each takes, its requests of each kind, and what each is charged when it
// is killed half way and run again. `node bench/client.ts [--photos 40] [--at-once 8] [--delay-ms 4000] [--pairs 5]`
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { forget, photoFolder } from './folders.ts';
import { startStub } from './stub-process.ts';

export interface ClientOptions {
  readonly photos: number;
  /** Photos in progress at the same time. */
  readonly atOnce: number;
  /** How long each project renders; the median of the tool is 4 seconds. */
  readonly delayMs: number;
  readonly pairs: number;
}

type Counts = Readonly<Record<string, number>>;

export interface ClientRow {
  readonly pair: number;
  readonly who: 'script' | 'shotlist';
  /** From the start of the process to its end. */
  readonly seconds: number;
  readonly requests: number;
  /** Requests by kind. */
  readonly counts: Counts;
  /** Creations when the process is killed half way and run again. */
  readonly chargesAfterKill: number;
}

const pipeline = (atOnce: number): string => `pipeline: bench
items: { glob: photos/*.jpg }
limits: { items: ${atOnce} }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.png" } }
`;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function start(
  who: ClientRow['who'],
  folder: string,
  address: string,
  atOnce: number,
): ChildProcess {
  const args =
    who === 'script'
      ? [here('vendor-script.ts'), folder, address, `${atOnce}`]
      : [here('runner.ts'), join(folder, 'pipeline.yaml'), address];
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
) {
  while (saved(folder) < photos / 2) {
    if (child.exitCode !== null) throw new Error('it was over before it could be killed');
    await wait(20);
  }
  await wait(delayMs / 2);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

export async function* client(options: ClientOptions): AsyncGenerator<ClientRow> {
  const { photos, atOnce, delayMs, pairs } = options;
  const folder = photoFolder(photos, 20_000, atOnce);
  writeFileSync(join(folder, 'pipeline.yaml'), pipeline(atOnce));
  const { address, process: stub } = await startStub(delayMs);
  const counted = async (): Promise<Counts> => {
    const counts: Counts = await (await fetch(`${address}/stub/counts`)).json();
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  };
  const begin = async (who: ClientRow['who']): Promise<ChildProcess> => {
    forget(folder);
    await fetch(`${address}/stub/reset`, { method: 'POST' });
    return start(who, folder, address, atOnce);
  };
  try {
    for (let pair = 1; pair <= pairs; pair++)
      for (const who of ['script', 'shotlist'] as const) {
        const began = performance.now();
        await ended(await begin(who));
        const seconds = (performance.now() - began) / 1000;
        const counts = await counted();
        await killHalfWay(await begin(who), folder, options);
        await ended(start(who, folder, address, atOnce));
        const { create: chargesAfterKill = 0 } = await counted();
        const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
        if (saved(folder) !== photos) throw new Error(`${who} left photos out`);
        yield { pair, who, seconds, requests, counts, chargesAfterKill };
      }
  } finally {
    stub.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      photos: { type: 'string', default: '40' },
      'at-once': { type: 'string', default: '8' },
      'delay-ms': { type: 'string', default: '4000' },
      pairs: { type: 'string', default: '5' },
    },
  });
  const rows = client({
    photos: Number(values.photos),
    atOnce: Number(values['at-once']),
    delayMs: Number(values['delay-ms']),
    pairs: Number(values.pairs),
  });
  for await (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
}
