// Records in which order a process writes, syncs and renames files. Everything still happens; a sync can be held back, as
// a slow disk does.
import fs from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export interface DiskRecorder {
  /** What was asked of the disk and done, such as `datasync p.state.jsonl`. */
  readonly done: readonly string[];
  /** From now on, data syncs wait. */
  hold(): void;
  /** Lets the oldest waiting sync go. */
  release(): void;
  /** How many syncs wait. */
  readonly waiting: number;
  /** The next data sync fails with this. */
  fail(error: Error): void;
}

/** `named` says which files are of interest, by their names; a folder that is synced is always one. */
export async function recordDisk(named: (name: string) => boolean): Promise<DiskRecorder> {
  const done: string[] = [];
  const names = new Map<number, string>();
  const gates: (() => void)[] = [];
  let [held, failure]: [boolean, Error | undefined] = [false, undefined];
  const note = (what: string, name: string | undefined): void => {
    if (name !== undefined) done.push(`${what} ${name}`);
  };
  const probe = await files.open(join(tmpdir(), `.probe-${process.pid}`), 'w');
  const handle: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  await files.unlink(join(tmpdir(), `.probe-${process.pid}`));

  const { writeSync, open: openDescriptor, openSync, renameSync, fdatasync } = fs;
  const { open, rename } = files;
  const { datasync, sync, appendFile, truncate } = handle;
  const gated = async (file: string | undefined, work: () => Promise<void>): Promise<void> => {
    if (held) await new Promise<void>((resolve) => gates.push(resolve));
    if (failure !== undefined) {
      const error = failure;
      failure = undefined;
      throw error;
    }
    await work();
    note('datasync', file);
  };
  /** The number may have been another file's. */
  const remember = (fd: number, path: unknown): void => {
    names.delete(fd);
    const isFolder = fs.fstatSync(fd).isDirectory();
    const base = basename(String(path));
    if (isFolder || named(base)) names.set(fd, isFolder ? 'folder' : base);
  };
  const patched = {
    open: async (...given: Parameters<typeof open>): Promise<FileHandle> => {
      const opened = await open(...given);
      remember(opened.fd, given[0]);
      return opened;
    },
    rename: async (from: fs.PathLike, to: fs.PathLike): Promise<void> => {
      await rename(from, to);
      note('rename', `${basename(String(from))} ${basename(String(to))}`);
    },
  };
  const write: typeof writeSync = (fd: number, ...rest: unknown[]): number => {
    const written: number = Reflect.apply(writeSync, fs, [fd, ...rest]);
    note('write', names.get(fd));
    return written;
  };
  Object.assign(handle, {
    async datasync(this: FileHandle): Promise<void> {
      await gated(names.get(this.fd), () => datasync.call(this));
    },
    async sync(this: FileHandle): Promise<void> {
      const name = names.get(this.fd);
      await sync.call(this);
      note('sync', name);
    },
    async appendFile(this: FileHandle, ...given: Parameters<typeof appendFile>): Promise<void> {
      await appendFile.apply(this, given);
      note('write', names.get(this.fd));
    },
    async truncate(this: FileHandle, length?: number): Promise<void> {
      await truncate.call(this, length);
      note('truncate', names.get(this.fd));
    },
  });
  const atOnce = {
    writeSync: write,
    openSync: (...given: Parameters<typeof openSync>): number => {
      const fd = openSync(...given);
      remember(fd, given[0]);
      return fd;
    },
    open: (
      path: fs.PathLike,
      flags: number,
      mode: number,
      callback: (error: NodeJS.ErrnoException | null, fd: number) => void,
    ): void =>
      openDescriptor(path, flags, mode, (error, fd) => {
        if (error === null) remember(fd, path);
        callback(error, fd);
      }),
    renameSync: (from: fs.PathLike, to: fs.PathLike): void => {
      renameSync(from, to);
      note('rename', `${basename(String(from))} ${basename(String(to))}`);
    },
    fdatasync: (fd: number, done: fs.NoParamCallback): void => {
      const synced = gated(names.get(fd), () => promisify(fdatasync)(fd));
      synced.then(() => done(null), done);
    },
  };
  Object.assign(fs, atOnce);
  Object.assign(files, patched);
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(handle, { datasync, sync, appendFile, truncate });
    Object.assign(fs, { writeSync, openSync, renameSync, fdatasync });
    Object.assign(files, { open, rename });
    syncBuiltinESMExports();
  });
  return {
    done,
    hold: () => {
      held = true;
    },
    release: () => gates.shift()?.(),
    get waiting() {
      return gates.length;
    },
    fail: (error) => {
      failure = error;
    },
  };
}
