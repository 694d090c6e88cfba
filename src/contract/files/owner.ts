// Knows the folders that shotlist made for this user, such as `.shotlist`: what lies in them is trusted and removed, so
// a folder that came with a repository must not pass for one. A marker in the folder is signed with a secret that is
// kept outside all repositories; it holds for the folder that it was made in, moved or mounted elsewhere, not for a copy.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { validatorOf } from '../base/schema.ts';
import { removeLeftoverNow } from './leftover.ts';
import { makeFolder } from './make-folder.ts';
import { readOwnFile, readRegularFile } from './regular-file.ts';
import { isSystemTrouble, systemCode, systemReason } from './system-error.ts';
import { userFolder } from './user-folder.ts';

/** - `empty`: nothing is in it yet; whoever needs it may claim it. - `link`: it is a link, wherever that leads. */
export type Ownership = 'absent' | 'empty' | 'ours' | 'foreign' | 'link';

const markerName = 'owner.json';
const draftName = /^owner\.json\.[0-9a-f]{16}$/;

interface Marker {
  readonly id: string;
  /** Signatures of where the folder is: one that holds is enough. */
  readonly inode: string;
  readonly path: string;
}

const markerSchema = {
  type: 'object',
  required: ['id', 'inode', 'path'],
  properties: {
    id: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    inode: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    path: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
} as const;

/** Thrown: the key that folders are marked with cannot be had. The message is a sentence that names its place. */
export class OwnerKeyTrouble extends Error {
  readonly code = 'OWNER_KEY';
}

/** Whose folder this is. Writes nothing; throws what the system throws, except for a folder that is not there. */
export function ownershipOf(folder: string): Ownership {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (stats.isSymbolicLink()) return 'link';
  const marker = readMarker(folder);
  if (marker === undefined) return hasNothingElse(folder) ? 'empty' : 'foreign';
  const secret = readSecret(keyFile());
  // Without a key nothing was ever marked by this user on this machine.
  if (secret === undefined) return 'foreign';
  const wanted = markerOf(folder, marker.id, secret);
  const holds = isSame(marker.inode, wanted.inode) || isSame(marker.path, wanted.path);
  return holds ? 'ours' : 'foreign';
}

/**
 * Makes a folder ours: one that is not there yet or has nothing in it. One that is ours already stays as it is. Answers
 * what it was before; `foreign` and `link` are left alone. Throws what the system throws, and `OwnerKeyTrouble`.
 */
export function claimFolder(folder: string, mode = 0o777): Ownership {
  const was = ownershipOf(folder);
  if (was === 'absent') makeFolder(folder, mode);
  if (was === 'absent' || was === 'empty') mark(folder);
  return was;
}

/** Makes a folder ours whatever is in it: the user says so. Throws as `claimFolder` does. */
export function adoptFolder(folder: string): void {
  mark(folder);
}

/** Nothing but markers that were cut off while they were written. */
function hasNothingElse(folder: string): boolean {
  return readdirSync(folder).every((name) => name === markerName || draftName.test(name));
}

function readMarker(folder: string): Marker | undefined {
  const read = readOwnFile(join(folder, markerName), { max: 4_000 });
  if (!read.ok) return undefined;
  try {
    const value: unknown = JSON.parse(read.value.toString('utf8'));
    return validatorOf<Marker>(markerSchema)(value) ? value : undefined;
  } catch {
    // Not JSON: nothing that was written here.
    return undefined;
  }
}

/** Comes into being whole, by a link to a file that was written first. */
function mark(folder: string): void {
  const file = join(folder, markerName);
  const marker = markerOf(folder, randomBytes(16).toString('hex'), userSecret());
  withDraft(file, JSON.stringify(marker), (draft) => {
    if (linked(draft, file)) return;
    // Another run of this user claims it at the same time, or a marker that is no good stands there.
    if (ownershipOf(folder) === 'ours') return;
    unlinkSync(file);
    linked(draft, file);
  });
}

/** False: something has the name already. */
function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

function markerOf(folder: string, id: string, secret: Buffer): Marker {
  const { ino } = lstatSync(folder, { bigint: true });
  const sign = (what: string): string =>
    createHmac('sha256', secret).update(`${id}\n${what}`).digest('hex');
  return { id, inode: sign(`inode ${ino}`), path: sign(`path ${realpathSync(folder)}`) };
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const keyFile = (): string => join(userFolder(), 'owner-key');

/** Made when it is first needed, readable by the user alone. Throws `OwnerKeyTrouble`. */
function userSecret(): Buffer {
  const file = keyFile();
  try {
    return readSecret(file) ?? makeSecret(file);
  } catch (cause) {
    if (!isSystemTrouble(cause)) throw cause;
    throw new OwnerKeyTrouble(`${file} ${systemReason(cause)}`, { cause });
  }
}

function makeSecret(file: string): Buffer {
  makeFolder(dirname(file), 0o700);
  withDraft(file, randomBytes(32).toString('hex'), (draft) => linked(draft, file));
  const made = readSecret(file);
  if (made === undefined) throw new OwnerKeyTrouble(`${file} holds no key: remove it`);
  return made;
}

function readSecret(file: string): Buffer | undefined {
  const read = readRegularFile(file, { max: 4_000 });
  if (!read.ok) return undefined;
  const text = read.value.toString('utf8').trim();
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** A file beside another, for as long as `use` takes. One that cannot be removed is in nobody's way. */
function withDraft(file: string, text: string, use: (draft: string) => void): void {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    writeNew(draft, text);
    use(draft);
  } finally {
    removeLeftoverNow(draft);
  }
}

function writeNew(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
