// Node's file functions, changed for one test: something happens in the middle of a read, or a file cannot be read, by root
// either, whom permissions do not bind. Everything else stays real.
import fs from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './places.ts';

/** The functions that all open files share. */
export async function fileHandles(): Promise<FileHandle> {
  await using handle = await files.open(join(temporaryFolder(), 'any'), 'w');
  return Object.getPrototypeOf(handle);
}

/** Puts functions in the place of others until the test is over. */
export function replaceUntilEnd(target: object, others: object): void {
  const before = { ...target };
  const names = Object.keys(others);
  Object.assign(target, others);
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const name of names) Reflect.set(target, name, Reflect.get(before, name));
    syncBuiltinESMExports();
  });
}

/** The next time that an open file has been read, this happens before the reader hears of it. */
export async function afterNextRead(happens: () => void): Promise<void> {
  const handles = await fileHandles();
  const { read } = handles;
  let waits = true;
  Object.assign(handles, {
    async read(this: FileHandle, ...given: unknown[]): Promise<unknown> {
      const got: unknown = await Reflect.apply(read, this, given);
      if (waits) happens();
      waits = false;
      return got;
    },
  });
  onTestFinished(() => void Object.assign(handles, { read }));
}

/** From the second read on, open files fail with this code. */
export async function failSecondRead(code: string): Promise<void> {
  const handles = await fileHandles();
  const { read } = handles;
  let reads = 0;
  Object.assign(handles, {
    async read(this: FileHandle, ...given: unknown[]): Promise<unknown> {
      reads += 1;
      if (reads > 1) throw Object.assign(new Error(code), { code });
      return await Reflect.apply(read, this, given);
    },
  });
  onTestFinished(() => void Object.assign(handles, { read }));
}

const denied = (): never => {
  throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
};

/** The user may see that the file is there, and may not read it. */
export function makeUnreadable(file: string): void {
  const { readFileSync, accessSync } = fs;
  const { open } = files;
  const isIt = (path: unknown): boolean => path === file;
  replaceUntilEnd(fs, {
    readFileSync: (...given: unknown[]) =>
      isIt(given[0]) ? denied() : Reflect.apply(readFileSync, fs, given),
    accessSync: (...given: unknown[]) =>
      isIt(given[0]) ? denied() : Reflect.apply(accessSync, fs, given),
  });
  replaceUntilEnd(files, {
    open: async (...given: Parameters<typeof open>) =>
      isIt(given[0]) ? denied() : await open(...given),
  });
}
