// Lists the files below a folder that are in git's index. We read the index ourselves and do not run git: git obeys the
// configuration of the repository that it looks at (core.fsmonitor, a promisor remote with its own command), so in a
// stranger's repository it could run a stranger's program. Git may also be missing, or refuse the folder's owner. The
// format: https://git-scm.com/docs/index-format.
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readRegularFile } from '../base/regular-file.ts';

/** In bytes: enough for ten million files. */
const largestIndex = 1 << 30;

/**
 * The first tracked file at or below `path`, which is absolute; the result is relative to the repository. Undefined if
 * there is none, or no repository. An unreadable index counts as empty, because git could not have used it either.
 */
export function trackedAt(path: string): string | undefined {
  const real = join(realpathSync(dirname(path)), relative(dirname(path), path));
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const git = gitFolder(join(folder, '.git'));
    const found = git === undefined ? undefined : firstBelow(relative(folder, real), git);
    // A nested repository must not hide the files that the outer repository tracks.
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

/** `.git` itself, or for a worktree or a submodule, the folder that it names. */
function gitFolder(dotGit: string): string | undefined {
  const stats = lstatSync(dotGit, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!stats.isFile()) return dotGit;
  const named = /^gitdir: (.+?)\r?\n?$/.exec(textOf(dotGit) ?? '')?.[1];
  return named === undefined ? undefined : resolve(dirname(dotGit), named);
}

function firstBelow(path: string, git: string): string | undefined {
  const wanted = path.split(sep).join('/').toLowerCase();
  const hashBytes = usesSha256(git) ? 32 : 20;
  for (const name of namesIn(git, hashBytes)) {
    // On a case-insensitive file system, ".Shotlist" is the same folder.
    const lower = name.toLowerCase();
    if (lower === wanted || lower.startsWith(`${wanted}/`)) return name;
  }
  return undefined;
}

function usesSha256(git: string): boolean {
  const common = textOf(join(git, 'commondir'))?.trim() ?? '.';
  return /^\s*objectformat\s*=\s*"?sha256/im.test(
    textOf(join(resolve(git, common), 'config')) ?? '',
  );
}

function textOf(file: string): string | undefined {
  const read = readRegularFile(file, { max: 1_000_000 });
  return read.ok ? read.value.toString('utf8') : undefined;
}

interface Index {
  /** The names of the entries. An entry that replaces another one has no name. */
  readonly names: readonly string[];
  /** The shared part of a split index, which keeps most of the entries in another file. */
  readonly shared:
    | { readonly hash: string; readonly gone: (position: number) => boolean }
    | undefined;
}

function* namesIn(git: string, hashBytes: number): Generator<string> {
  const own = indexOf(join(git, 'index'), hashBytes);
  if (own === undefined) return;
  yield* own.names;
  if (own.shared === undefined) return;
  const { hash, gone } = own.shared;
  const base = indexOf(join(git, `sharedindex.${hash}`), hashBytes);
  for (const [position, name] of (base?.names ?? []).entries()) if (!gone(position)) yield name;
}

function indexOf(file: string, hashBytes: number): Index | undefined {
  const read = readRegularFile(file, { max: largestIndex });
  if (!read.ok) return undefined;
  try {
    return parseIndex(read.value, hashBytes);
  } catch (error) {
    // The index is truncated.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The bytes before the hash of an entry: times, device, inode, mode, owner and size. */
const statBytes = 40;
const extended = 0x4000;

function parseIndex(bytes: Buffer, hashBytes: number): Index | undefined {
  const version = bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes.readUInt32BE(4) : 0;
  if (version < 2 || version > 4) return undefined;
  const names: string[] = [];
  let at = 12;
  let last = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statBytes + hashBytes;
    let nameAt = flagsAt + ((bytes.readUInt16BE(flagsAt) & extended) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const strip = variableInteger(bytes, nameAt);
      nameAt = strip.next;
      kept = last.length - strip.value;
      if (kept < 0) return undefined;
    }
    const end = bytes.indexOf(0, nameAt);
    if (end < 0) return undefined;
    last = Buffer.concat([last.subarray(0, kept), bytes.subarray(nameAt, end)]);
    names.push(last.toString('utf8'));
    // Up to version 3, an entry is padded with one to eight zeros.
    at = version === 4 ? end + 1 : at + (((end - at) >> 3) + 1) * 8;
  }
  return { names, shared: sharedIn(bytes, at, hashBytes) };
}

/** The encoding of offsets in packs: seven bits per byte, the highest first, with one added at each step. */
function variableInteger(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(next++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}

/** Looks for the extension `link`: a hash, the deleted entries and the replaced entries. */
function sharedIn(bytes: Buffer, from: number, hashBytes: number): Index['shared'] {
  for (let at = from; at + 8 <= bytes.length - hashBytes; ) {
    const [name, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 4)];
    const content = bytes.subarray(at + 8, at + 8 + length);
    at += 8 + length;
    if (name !== 'link') continue;
    const hash = content.toString('hex', 0, hashBytes);
    const gone = content.length > hashBytes ? bitsOf(content.subarray(hashBytes)) : new Set();
    return { hash, gone: (position) => gone.has(position) };
  }
  return undefined;
}

const allSet = (1n << 64n) - 1n;

/** The first bitmap, as EWAH: words that say how many equal words and how many literal words follow. */
function bitsOf(bytes: Buffer): ReadonlySet<number> {
  const bits = new Set<number>();
  const words = bytes.readUInt32BE(4);
  let position = 0;
  const take = (word: bigint): void => {
    for (let bit = 0; word !== 0n && bit < 64; bit++)
      if (((word >> BigInt(bit)) & 1n) === 1n) bits.add(position + bit);
    position += 64;
  };
  for (let word = 0; word < words; word++) {
    const marker = bytes.readBigUInt64BE(8 + word * 8);
    const equal = Number((marker >> 1n) & 0xffff_ffffn);
    // Git never writes a longer one.
    if (equal > 1 << 24) return bits;
    for (let left = equal; left > 0; left--) take((marker & 1n) === 1n ? allSet : 0n);
    for (let left = Number(marker >> 33n); left > 0 && word + 1 < words; left--)
      take(bytes.readBigUInt64BE(8 + ++word * 8));
  }
  return bits;
}
