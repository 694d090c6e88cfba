// A disk that loses at a power cut what was not synced: renames whose folder was not, and the content of files that were not. While
// the power is on, everything happens as asked.
import fs, {
  existsSync,
  fstatSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  statSync,
  truncateSync,
} from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { fileHandles, replaceUntilEnd } from '../files/patched-fs.ts';

export interface LossyDisk {
  /** From now on it is about the files in this folder, and in those below. */
  watch(root: string): void;
  /** The power is cut. Nobody may be writing any more. */
  cut(): void;
}

interface Rename {
  readonly from: string;
  readonly to: string;
  /** The folder's inode. */
  readonly folder: number;
  /** Another name of what was at `to` before. */
  readonly replaced: string | undefined;
}

export async function lossyDisk(): Promise<LossyDisk> {
  const aside = mkdtempSync(join(tmpdir(), 'shotlist-replaced-'));
  onTestFinished(() => fs.rmSync(aside, { recursive: true }));
  const renames = new Set<Rename>();
  /** By inode: the bytes that a sync has made durable. Files that were renamed and never synced have none. */
  const durable = new Map<number, number>();
  let [root, replaced] = ['', 0];
  const { renameSync, fdatasync } = fs;

  const renamed = (from: string, to: string): Rename => {
    const folder = statSync(dirname(to)).ino;
    const { ino } = statSync(from);
    if (!durable.has(ino)) durable.set(ino, 0);
    if (!existsSync(to)) return { from, to, folder, replaced: undefined };
    replaced += 1;
    const other = join(aside, `${replaced}`);
    linkSync(to, other);
    return { from, to, folder, replaced: other };
  };
  /** What is durable when the sync that begins now has ended. */
  const beginSync = (fd: number): (() => void) => {
    const stats = fstatSync(fd);
    const covered = [...renames].filter(({ folder }) => folder === stats.ino);
    return () => {
      if (stats.isFile()) durable.set(stats.ino, stats.size);
      for (const rename of covered) renames.delete(rename);
    };
  };
  const isBelow = (path: fs.PathLike): boolean => root !== '' && `${path}`.startsWith(root);

  const { rename } = files;
  replaceUntilEnd(files, {
    rename: async (from: fs.PathLike, to: fs.PathLike): Promise<void> => {
      if (isBelow(to)) renames.add(renamed(`${from}`, `${to}`));
      await rename(from, to);
    },
  });
  replaceUntilEnd(fs, {
    renameSync: (from: fs.PathLike, to: fs.PathLike): void => {
      if (isBelow(to)) renames.add(renamed(`${from}`, `${to}`));
      renameSync(from, to);
    },
    fdatasync: (fd: number, done: fs.NoParamCallback): void => {
      const synced = beginSync(fd);
      fdatasync(fd, (error) => {
        if (error === null) synced();
        done(error);
      });
    },
  });
  const handles = await fileHandles();
  const { sync, datasync } = handles;
  const syncing = (how: () => Promise<void>) =>
    async function (this: FileHandle): Promise<void> {
      const synced = beginSync(this.fd);
      await how.call(this);
      synced();
    };
  Object.assign(handles, { sync: syncing(sync), datasync: syncing(datasync) });
  onTestFinished(() => void Object.assign(handles, { sync, datasync }));

  return {
    watch(folder) {
      root = folder;
      renames.clear();
      durable.clear();
    },
    cut() {
      for (const { from, to, replaced: other } of [...renames].toReversed()) {
        if (existsSync(to)) renameSync(to, from);
        if (other !== undefined) renameSync(other, to);
      }
      renames.clear();
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const { ino, size } = statSync(path);
        const bytes = durable.get(ino) ?? size;
        if (bytes < size) truncateSync(path, bytes);
      }
    },
  };
}
