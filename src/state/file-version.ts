// Notices that another program changed the state file: git, an editor, or a program that synchronizes folders. Such
// programs do not take the lock.
import { createHash, type Hash } from 'node:crypto';
import { constants, fstatSync, lstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openOwn } from '../files/new-file.ts';

/** All bytes of a file at the time when it was read. */
export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** Computes the content of a file while it is read for another purpose. */
export class ContentHash {
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  get content(): Content {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }
}

/** The content of an open file, from its first byte. */
export async function contentOf(handle: FileHandle): Promise<Content> {
  const hash = new ContentHash();
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false }))
    hash.add(chunk);
  return hash.content;
}

export const sinceRead = 'after this command had read it';
export const sinceWritten = 'while this command was writing to it';

/** The message is a sentence about the file. */
export class StateFileChanged extends Error {
  readonly code = 'STATE_FILE_CHANGED';

  constructor(file: string, since: string) {
    super(
      `${file} was changed, replaced or removed by another program (git, an editor, a program that synchronizes folders) ${since}`,
    );
  }
}

/**
 * True if `file` still names the open file, and the file has so many bytes. Takes some microseconds. An edit in place
 * that keeps the length to the byte is not noticed: times are no help, because file systems update them late.
 */
export function isStill(file: string, handle: FileHandle, bytes: number): boolean {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return false;
  const open = fstatSync(handle.fd, { bigint: true });
  return found.ino === open.ino && found.dev === open.dev && found.size === BigInt(bytes);
}

/** Throws `StateFileChanged` if the open file is not what was read, or no longer has its name. */
export async function assertSame(
  file: string,
  handle: FileHandle,
  expected: Content,
): Promise<void> {
  const { bytes, sha256 } = await contentOf(handle);
  if (bytes !== expected.bytes || sha256 !== expected.sha256 || !isStill(file, handle, bytes))
    throw new StateFileChanged(file, sinceRead);
}

/** The same for a file that is not open. */
export async function assertRead(file: string, expected: Content | undefined): Promise<void> {
  if (expected === undefined) return;
  await using handle = await openOwn(file, constants.O_RDONLY);
  await assertSame(file, handle, expected);
}
