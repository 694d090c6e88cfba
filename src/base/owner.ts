// Recognizes the folders that shotlist made for this user, such as `.shotlist`. shotlist trusts and
// removes their content, so a folder that came with a repository must not pass for one. A marker in
// the folder is signed with a secret outside all repositories. The marker stays valid if the folder
// is moved or mounted elsewhere, but not for a copy. A folder may belong to several users, or to one
// user on several hosts: each has a marker of their own.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { removeLeftoverNow } from './leftover.ts';
import { makeFolder } from './make-folder.ts';
import { readOwnFile, readRegularFile } from './regular-file.ts';
import { validatorOf } from './schema.ts';
import { isSystemProblem, systemCode, systemReason } from './system-error.ts';
import { userFolder } from './user-folder.ts';

/**
 * `empty`: nothing is in the folder yet, so shotlist may claim it. `link`: it is a link, to
 * anything.
 */
export type Ownership = 'absent' | 'empty' | 'ours' | 'foreign' | 'link';

const markerName = 'owner.json';
const draftName = /^owner\.json\.[0-9a-f]{16}$/;

interface Marker {
  readonly id: string;
  /** Signatures of the folder's place: one valid signature is enough. */
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

/**
 * Thrown if the key for the markers is not available. The message is a sentence that names the key
 * file.
 */
export class OwnerKeyError extends Error {
  readonly code = 'OWNER_KEY';
}

/** The owner of a folder. Writes nothing. Throws system errors, except for a missing folder. */
export function ownershipOf(folder: string): Ownership {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (stats.isSymbolicLink()) return 'link';
  const secret = readSecret(keyFile());
  const markers = markersIn(folder, secret);
  if (markers.length === 0) return hasNothingElse(folder) ? 'empty' : 'foreign';
  // Without a key, this user has never marked a folder on this machine.
  if (secret === undefined) return 'foreign';
  return markers.some((marker) => isValid(marker, folder, secret)) ? 'ours' : 'foreign';
}

/**
 * A secret of a folder that is ours, as 32 characters: the same each time, for each purpose another. It is nowhere on disk,
 * so a copy of the folder does not give it to anybody else.
 */
export function secretOfFolder(folder: string, purpose: string): string {
  const secret = userSecret();
  const marker = markersIn(folder, secret).find((one) => isValid(one, folder, secret));
  if (marker === undefined) throw new Error(`bug: the folder ${folder} is not ours`);
  const text = `${marker.id}\nsecret ${purpose}`;
  return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 32);
}

function markersIn(folder: string, secret: Buffer | undefined): readonly Marker[] {
  const names = [markerName, ...(secret === undefined ? [] : [ownMarkerName(secret)])];
  return names.flatMap((name) => readMarker(join(folder, name)) ?? []);
}

function isValid({ id, inode, path }: Marker, folder: string, secret: Buffer): boolean {
  const wanted = markerOf(folder, id, secret);
  return isSame(inode, wanted.inode) || isSame(path, wanted.path);
}

/**
 * Claims a folder that is missing or empty. Any other folder stays unchanged. Returns the ownership that the folder
 * had before the call. Throws system errors, and `OwnerKeyError`.
 */
export function claimFolder(folder: string, mode = 0o777): Ownership {
  const was = ownershipOf(folder);
  if (was === 'absent') makeFolder(folder, mode);
  if (was === 'absent' || was === 'empty') mark(folder);
  return was;
}

/** Claims a folder with any content, because the user says so. Throws like `claimFolder`. */
export function adoptFolder(folder: string): void {
  mark(folder);
}

/** True if the folder contains only incomplete markers. */
function hasNothingElse(folder: string): boolean {
  return readdirSync(folder).every((name) => name === markerName || draftName.test(name));
}

function readMarker(file: string): Marker | undefined {
  const read = readOwnFile(file, { max: 4_000 });
  if (!read.ok) return undefined;
  try {
    const value: unknown = JSON.parse(read.value.toString('utf8'));
    return validatorOf<Marker>(markerSchema)(value) ? value : undefined;
  } catch {
    // Not JSON, so shotlist did not write it.
    return undefined;
  }
}

/** Creates the marker atomically, as a link to a complete draft. */
function mark(folder: string): void {
  const file = join(folder, markerName);
  const secret = userSecret();
  const marker = markerOf(folder, randomBytes(16).toString('hex'), secret);
  withDraft(file, JSON.stringify(marker), (draft) => {
    if (linked(draft, file)) return;
    // Another run of this user has just claimed the folder, or the existing marker is invalid.
    if (ownershipOf(folder) === 'ours') return;
    // The marker of somebody else stays valid for them.
    if (readMarker(file) !== undefined)
      return renameSync(draft, join(folder, ownMarkerName(secret)));
    unlinkSync(file);
    linked(draft, file);
  });
}

/** For a folder whose first marker is somebody else's. */
const ownMarkerName = (secret: Buffer): string =>
  `owner-${createHmac('sha256', secret).update('marker').digest('hex').slice(0, 16)}.json`;

/** False if the name is already taken. */
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

/** Created at first use, readable only by the user. Throws `OwnerKeyError`. */
function userSecret(): Buffer {
  const file = keyFile();
  try {
    return readSecret(file) ?? makeSecret(file);
  } catch (cause) {
    if (!isSystemProblem(cause)) throw cause;
    throw new OwnerKeyError(`${file} ${systemReason(cause)}`, { cause });
  }
}

function makeSecret(file: string): Buffer {
  makeFolder(dirname(file), 0o700);
  withDraft(file, randomBytes(32).toString('hex'), (draft) => linked(draft, file));
  const made = readSecret(file);
  if (made === undefined) throw new OwnerKeyError(`${file} contains no key: remove the file`);
  return made;
}

function readSecret(file: string): Buffer | undefined {
  const read = readRegularFile(file, { max: 4_000 });
  if (!read.ok) return undefined;
  const text = read.value.toString('utf8').trim();
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/**
 * Provides a temporary file beside another while `use` runs. A draft that cannot be removed does no
 * harm.
 */
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
