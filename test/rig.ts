// Makes an end-to-end test a pleasure to write: a temporary folder with a pipeline and photos, a real local
// service, and the real command in a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../src/core/run-event.ts';
import { type Ran, type RunInternals, type RunOptions, runWith } from '../src/features/run/run.ts';
import { loadPipeline } from '../src/language/load/load.ts';
import { type LocalService, type ServiceOptions, startService } from '../src/service/start.ts';
import { privateFolderOf } from '../src/state/private-folder.ts';
import { main } from './built.ts';
import { type Ended, ended, ownEnvironment, runCommand } from './command.ts';
import { contentFor, photo } from './photo.ts';
import { swapAssets, uploadAndDetect, writePhotos } from './photo-pipeline.ts';

export { type Ended, ended, photo };

/** Upload, detect, swap, download, delete, for each photo in photos/. */
export const photoPipeline = `pipeline: photos
inputs:
  actor: { type: file, default: actor.png }
items:
  glob: photos/**/*.png
output: out
steps:
${uploadAndDetect}\
  swap:
    uses: face-swap-photo
    if: size(steps.faces.faces) > 0
    with:
      name: \${{ item.stem }}
${swapAssets}\
  save: { uses: download, with: { of: swap, to: "\${{ item.dir }}/\${{ item.stem }}.png" } }
  tidy: { uses: delete, with: { of: swap } }
`;

export class Rig {
  readonly folder: string;
  readonly file: string;
  #others: string | undefined;

  constructor(pipeline: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    this.file = join(this.folder, 'pipeline.yaml');
    writeFileSync(this.file, pipeline);
    const privateFolder = privateFolderOf(this.folder);
    onTestFinished(() => {
      for (const folder of [this.folder, privateFolder])
        rmSync(folder, { recursive: true, force: true });
    });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Of a file in which runs remember something about this folder. */
  privatePath(name: string): string {
    return join(privateFolderOf(this.folder), name);
  }

  /** A text under the name of a picture becomes a picture that carries it. */
  write(name: string, content: string | Buffer): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), contentFor(name, content));
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** All files below a folder, sorted, with "/" between names. */
  files(below: string): readonly string[] {
    return readdirSync(this.path(below), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.path(below).length + 1))
      .sort();
  }

  /** Runs in this process, against a service. The pipeline must be valid and the run must begin. */
  async run(
    service: LocalService,
    { backoffMs = 1, speedFactor = 1000, ...options }: RigOptions = {},
    internals: RunInternals = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<Told> {
    const events: RunEvent[] = [];
    const loaded = await loadPipeline(this.file);
    const all = {
      ...options,
      env: { ...options.env, ...envOf(service), ...env },
      onEvent: (event: RunEvent) => void events.push(event),
    };
    const ran = await runWith(loaded, all, { backoffMs, speedFactor, ...internals });
    return { ...ran, events };
  }

  /** Starts the real command in a process of its own. */
  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    user: { readonly uid?: number; readonly gid?: number } = {},
    stdin: 'ignore' | 'pipe' = 'ignore',
  ): ChildProcess {
    const child = spawn(process.execPath, [main, ...withPlainPictures(args)], {
      cwd: this.folder,
      env: {
        ...ownEnvironment(),
        ...(user.uid === undefined ? {} : { XDG_STATE_HOME: this.#othersState() }),
        ...env,
      },
      ...user,
      stdio: [stdin, 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** For another user, who may not write to that of the tests. */
  #othersState(): string {
    if (this.#others === undefined) {
      const folder = mkdtempSync(join(tmpdir(), 'shotlist-state-'));
      chmodSync(folder, 0o777);
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      this.#others = folder;
    }
    return this.#others;
  }

  /** Runs the real command to its end, outside this process. What Node.js reads when it starts needs `start`. */
  async command(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    return await runCommand({
      args: withPlainPictures(args),
      cwd: this.folder,
      env: { ...ownEnvironment(), ...env },
    });
  }
}

/** The pace of a test is an option here, so that each test need not make its own internals. */
type RigOptions = RunOptions & Pick<RunInternals, 'backoffMs' | 'speedFactor'>;

export interface Told extends Ran {
  readonly events: readonly RunEvent[];
}

/** Tests that are about money and files do without previews that take their time; render/ has tests of its own. */
export const plainly = { pictures: 'plain' } as const;

/** A folder with the photo pipeline, an actor and so many photos. */
export async function photoRig(count: number, pipeline = photoPipeline): Promise<Rig> {
  const rig = new Rig(pipeline);
  await writePhotos(rig.folder, count);
  return rig;
}

/** A plan without a limit, unless a test is about plans: so the items alone decide how much is under way at once. */
export async function service(options: ServiceOptions = {}): Promise<LocalService> {
  const started = await startService({ ...plainly, tier: 'business', ...options });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= started.close();
    return closing;
  };
  onTestFinished(close);
  return { ...started, close };
}

/** What every environment of a test needs: see `own-receipts.ts`. */
export function ownReceipts(): Readonly<Record<string, string>> {
  return { SHOTLIST_RECEIPTS: process.env['SHOTLIST_RECEIPTS'] ?? '' };
}

export function envOf({ address, key }: LocalService): Readonly<Record<string, string>> {
  return { ...ownReceipts(), SHOTLIST_BASE_URL: address, SHOTLIST_API_KEY: key };
}

/** What the service charged for each project's name without its token, refunds taken off. */
export function bill(entries: ReturnType<LocalService['ledger']>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { kind, name, credits } of entries) {
    if (kind === 'adjustment' || name === null) continue;
    const plain = name.replace(/ #[0-9a-z]+$/, '');
    sums.set(plain, (sums.get(plain) ?? 0) + (kind === 'charge' ? credits : -credits));
  }
  return sums;
}

/** Waits until something is so, looking every few milliseconds; an error after two minutes. */
export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`it never came to be that ${what}`);
    await wait(5);
  }
}

/** Hears every line of a run's journal, in the order in which they were appended. */
export function journalInto(lines: string[]): RunInternals {
  return {
    lines: (file) => ({
      append(line) {
        lines.push(line);
        file.append(line);
      },
      sync: () => file.sync(),
    }),
  };
}

function withPlainPictures(args: readonly string[]): readonly string[] {
  const [command = '', ...rest] = args;
  const renders = ['run', 'serve', 'watch'].includes(command);
  return renders && !rest.includes('--pictures') ? [command, '--pictures', 'plain', ...rest] : args;
}
