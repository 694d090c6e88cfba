// The consents that the user gave: one file for each trusted pipeline file, named by the digest of the pipeline file.
// Consents are kept outside all repositories, so that no repository can bring its own.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../base/digest.ts';
import { digestFrom } from '../base/digest.ts';
import { makeFolder } from '../base/make-folder.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { validatorOf } from '../base/schema.ts';
import { systemCode } from '../base/system-error.ts';
import { type Env, userFolder } from '../base/user-folder.ts';

/** The powers that a consent gives to a pipeline file. */
export const grants = ['service', 'hooks', 'store'] as const;

/**
 * - `service`: the key may be sent to the address of `service:`.
 * - `hooks`: `on_finish:` and `on_doubt:` may act.
 * - `store`: the bucket of `outputs:` may be used.
 */
export type Grant = (typeof grants)[number];

/** The digests of files that hooks run, by the path in the pipeline file; `''` for a file that was missing. */
export type Programs = Readonly<Record<string, string>>;

export interface Consent {
  /** Of the pipeline file's bytes. */
  readonly digest: Digest;
  /** Where the key may be sent; undefined without the grant `service`. */
  readonly address?: string;
  /** Only what the file asked for when the user trusted it. */
  readonly grants: readonly Grant[];
  /** Where hooks may act: the paths of the pipeline file, each with the programs that its hooks run from there. */
  readonly places: Readonly<Record<string, Programs>>;
  /** Absolute, links followed: where the pipeline file was when the user trusted it. */
  readonly file: string;
  /** ISO 8601. */
  readonly date: string;
}

/** The first version stored consents for services only, without `grants`. */
interface Stored {
  readonly address?: string;
  readonly grants?: readonly string[];
  readonly places?: Readonly<Record<string, Programs>>;
  readonly file: string;
  readonly date: string;
}

const storedSchema = {
  type: 'object',
  required: ['file', 'date'],
  anyOf: [{ required: ['address'] }, { required: ['grants'] }],
  properties: {
    address: { type: 'string', minLength: 1 },
    grants: { type: 'array', items: { type: 'string' } },
    places: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
    },
    file: { type: 'string', minLength: 1 },
    date: { type: 'string', minLength: 1 },
  },
} as const;

const consentName = /^([0-9a-f]{64})\.json$/;

const folderOf = (env: Env): string => join(userFolder(env), 'trusted');
const fileOf = (digest: Digest, env: Env): string => join(folderOf(env), `${digest}.json`);

/** The consent for a content. Undefined if there is none, or if shotlist did not write the file. */
export function consentFor(digest: Digest, env: Env): Consent | undefined {
  const read = readRegularFile(fileOf(digest, env), { max: 100_000 });
  if (!read.ok) return undefined;
  try {
    const value: unknown = JSON.parse(read.value.toString('utf8'));
    if (!validatorOf<Stored>(storedSchema)(value)) return undefined;
    const { address, grants: given = ['service'], places = {}, file, date } = value;
    const known = grants.filter((grant) => given.includes(grant));
    return {
      ...{ digest, places, file, date },
      ...(address === undefined ? {} : { address }),
      grants: known.filter((grant) => grant !== 'service' || address !== undefined),
    };
  } catch {
    // Not JSON, so shotlist did not write it.
    return undefined;
  }
}

/** All consents, oldest first. Throws system errors, except for a missing folder. */
export function allConsents(env: Env): readonly Consent[] {
  const consents = namesIn(folderOf(env)).flatMap((name) => {
    const digest = consentName.exec(name)?.[1];
    return digest === undefined ? [] : (consentFor(digestFrom(digest), env) ?? []);
  });
  return consents.sort((a, b) => a.date.localeCompare(b.date));
}

/** Written atomically, and on disk when this function returns. Throws system errors. */
export function keepConsent({ digest, ...stored }: Consent, env: Env): void {
  makeFolder(folderOf(env), 0o700);
  const file = fileOf(digest, env);
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, `${JSON.stringify(stored)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Throws system errors. A missing consent is not an error. */
export function dropConsent(digest: Digest, env: Env): void {
  const file = fileOf(digest, env);
  // Not rmSync: on a read-only file system, its error has no code.
  if (existsSync(file)) unlinkSync(file);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
