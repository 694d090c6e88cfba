// The environment of one disk trial: a folder, a home, a service, and the real command as a child process.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { chanceOf } from '../src/base/chance.ts';
import type { FaultRule } from '../src/service/faults/schema.ts';
import { type LocalService, startService } from '../src/service/start.ts';
import { photo } from '../test/photo.ts';
import { swapAssets, uploadAndDetect, writePhotos } from '../test/photo-pipeline.ts';
import { type Call, callsIn, type FaultInjection, straceArgs, wasHit } from './strace.ts';
import type { Workspace } from './workspace.ts';

export const photos = 2;
/** The price of one photo in credits. */
export const price = 10;

/** The second download of a swap is a copy of the first one. */
const pipelineText = `pipeline: torture
inputs:
  actor: { type: file, default: actor.png }
items: { glob: "photos/*.png" }
budget: { credits: ${photos * price} }
output: out
steps:
${uploadAndDetect}\
  swap:
    uses: face-swap-photo
    with:
${swapAssets}\
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
  copy: { uses: download, needs: [save], with: { of: swap, to: "copies/\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const knownNames = fileURLToPath(new URL('./fixed-names.ts', import.meta.url));
/** A command that takes longer than this hangs. In milliseconds. */
const timeoutMs = 120_000;

/** `large`: a download arrives in pieces and can be resumed. */
export type PhotoSize = 'small' | 'large';

/** Noise, which does not compress: more than one MiB. */
async function largePhoto(number: number): Promise<Buffer> {
  const chance = chanceOf(number, 0);
  const side = 640;
  const pixels = Buffer.from(Array.from({ length: side * side * 3 }, () => chance() * 256));
  return await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

export interface CommandResult {
  /** Null: it was killed, or it hung. */
  readonly code: number | null;
  readonly hung: boolean;
  /** Everything that it printed. */
  readonly output: string;
}

/** The result of a command whose system calls were traced. */
export interface TracedResult extends CommandResult {
  readonly calls: readonly Call[];
  /** The fault was injected. */
  readonly hit: boolean;
}

export class DiskTestbed {
  /** Contains everything that a command writes. */
  readonly root: string;
  readonly workspace: Workspace;
  readonly service: LocalService;
  readonly #cache: string;

  private constructor(root: string, service: LocalService, cache: string) {
    const folder = join(root, 'pipeline');
    this.root = root;
    this.service = service;
    this.#cache = cache;
    this.workspace = {
      folder,
      file: join(folder, 'pipeline.yaml'),
      state: join(folder, 'torture.state.jsonl'),
      output: join(folder, 'out'),
      receipts: join(root, 'receipts'),
      remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }),
    };
  }

  /** `cache`: a folder for compiled code, shared by all testbeds. */
  static async open(
    cache: string,
    { size, faults }: { readonly size: PhotoSize; readonly faults: readonly FaultRule[] },
  ): Promise<DiskTestbed> {
    const service = await startService({
      pictures: 'plain',
      tier: 'business',
      credits: 1000,
      faults: { faults },
    });
    const testbed = new DiskTestbed(
      mkdtempSync(join(tmpdir(), 'shotlist-torture-')),
      service,
      cache,
    );
    const { folder, file } = testbed.workspace;
    mkdirSync(folder);
    mkdirSync(join(testbed.root, 'home'));
    writeFileSync(file, pipelineText);
    await writePhotos(folder, photos, size === 'large' ? largePhoto : photo);
    return testbed;
  }

  /** Changes the actor, so that every swap has to be made again. */
  async replaceActor(number: number): Promise<void> {
    writeFileSync(join(this.workspace.folder, 'actor.png'), await photo(number));
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.workspace.remove();
  }

  command(...args: readonly string[]): Promise<CommandResult> {
    return this.#start(process.execPath, [main, ...args]);
  }

  run(): Promise<CommandResult> {
    return this.command('run', 'pipeline.yaml');
  }

  /** `run` under strace. */
  async tracedRun(injection?: FaultInjection): Promise<TracedResult> {
    const log = join(this.root, 'strace.log');
    const told = await this.#start('strace', [
      ...straceArgs(log, this.root, injection),
      ...[process.execPath, '--import', knownNames, main, 'run', 'pipeline.yaml'],
    ]);
    const text = readFileSync(log, 'utf8');
    await rm(log);
    return { ...told, calls: callsIn(text, this.root), hit: wasHit(text) };
  }

  #start(command: string, args: readonly string[]): Promise<CommandResult> {
    const home = join(this.root, 'home');
    const child = spawn(command, args, {
      cwd: this.workspace.folder,
      // A process group of its own, so that killing it also ends the command below strace.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        XDG_STATE_HOME: join(home, 'state'),
        SHOTLIST_RECEIPTS: this.workspace.receipts,
        NODE_COMPILE_CACHE: this.#cache,
        // strace counts calls per thread, and does not see io_uring.
        UV_THREADPOOL_SIZE: '1',
        UV_USE_IO_URING: '0',
        SHOTLIST_BASE_URL: this.service.address,
        SHOTLIST_API_KEY: this.service.key,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    return new Promise((resolve, reject) => {
      let hung = false;
      const timeout = setTimeout(() => {
        hung = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, timeoutMs);
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timeout);
        resolve({ code, hung, output });
      });
    });
  }
}
