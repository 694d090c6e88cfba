// A disk so small that it can be filled: a tmpfs of its own, which needs root, if only that of `unshare -rm`.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const system = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args).status === 0;

/** Makes a named pipe: it takes bytes, and cannot be synced. */
export const makePipe = (file: string): boolean => system('mkfifo', file);

const mountSmall = (folder: string, bytes: number): boolean =>
  system('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder);

/** Where it cannot: `unshare -rm npx vitest run` can. */
export const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-mount-'));
  const can = mountSmall(folder, 1 << 16) && system('umount', folder);
  rmSync(folder, { recursive: true, force: true });
  return can;
})();

export interface SmallDisk {
  readonly folder: string;
  /** Takes all the room but so many bytes, in pages of 4 KiB. */
  fill(but?: number): void;
  /** Gives back what `fill` took. */
  free(): void;
}

/** On a folder of its own, or over one that is there. */
export function smallDisk(
  bytes: number,
  folder = mkdtempSync(join(tmpdir(), 'shotlist-disk-')),
): SmallDisk {
  if (!mountSmall(folder, bytes)) throw new Error('a disk for the test could not be mounted');
  onTestFinished(() => {
    system('umount', '-l', folder);
    rmSync(folder, { recursive: true, force: true });
  });
  const fillers: string[] = [];
  return {
    folder,
    fill(but = 0) {
      const spare = join(folder, `spare-${fillers.length}`);
      takeAtMost(spare, but);
      const filler = join(folder, `filler-${fillers.length}`);
      fillers.push(filler);
      takeAtMost(filler, Number.POSITIVE_INFINITY);
      rmSync(spare);
    },
    free() {
      for (const filler of fillers.splice(0)) rmSync(filler);
    },
  };
}

/** Writes a file of so many bytes, or as many as there is room for. */
function takeAtMost(file: string, bytes: number): void {
  const page = Buffer.alloc(4096, 1);
  const descriptor = openSync(file, 'w');
  try {
    for (let taken = 0; taken < bytes; ) taken += writeSync(descriptor, page);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder read-only for everybody, also for root; what is open already stays so. */
export function makeReadOnly(folder: string): { undo(): void } {
  const done =
    system('mount', '--bind', folder, folder) && system('mount', '-o', 'remount,ro,bind', folder);
  if (!done) throw new Error('the folder could not be made read-only');
  let undone = false;
  const undo = (): void => {
    if (!undone) system('umount', '-l', folder);
    undone = true;
  };
  onTestFinished(undo);
  return { undo };
}
