// Consent: whether the user lets a pipeline file send the API key to the service that the file names, call its hooks, and
// use its bucket. Consent covers the content of the file, so a changed file needs a new consent.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Digest, digestFrom, digestOfBytes } from '../base/digest.ts';
import { makeFolder } from '../base/folder.ts';
import { valueIn } from '../base/json.ts';
import { readRegularFile } from '../base/regular-file.ts';
import { validatorOf } from '../base/schema.ts';
import { isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import { type Env, userFolder } from '../base/user-folder.ts';
import type { ParsedPipeline } from '../language/load/parse.ts';
import { problem, Refusal, resultOf } from '../language/load/refusal.ts';
import type { Pipeline } from '../language/pipeline.ts';

/** `changed`: the user trusted this file, but with other content. */
type Trust = 'trusted' | 'changed' | 'never';

type Asking = Pick<ParsedPipeline, 'digest' | 'file'>;

export function consentTo({ digest, file }: Asking, address: string, env: Env): Trust {
  const consent = consentFor(digest, env);
  if (consent?.grants.includes('service') && consent.address === address) return 'trusted';
  return withoutConsent(file, env);
}

/** Whether the bucket that the file names in `outputs:` may be used. */
export function consentToStore({ digest, file }: Asking, env: Env): Trust {
  if (consentFor(digest, env)?.grants.includes('store')) return 'trusted';
  return withoutConsent(file, env);
}

/**
 * Whether the hooks of the file may act. A copy of the file elsewhere needs a consent of its own, because its hooks
 * would run other programs, and so does a file whose programs changed.
 */
export function consentToHooks(
  { digest, file, pipeline }: Asking & Pick<ParsedPipeline, 'pipeline'>,
  env: Env,
): Trust {
  const consent = consentFor(digest, env);
  const path = realPathOf(file);
  const known = consent?.grants.includes('hooks') ? consent.places : {};
  const agreed = Object.hasOwn(known, path) ? known[path] : undefined;
  if (agreed === undefined) return withoutConsent(file, env);
  const now = Object.entries(programsOf(pipeline, file));
  return now.every(([name, content]) => agreed[name] === content) ? 'trusted' : 'changed';
}

function withoutConsent(file: string, env: Env): Trust {
  const path = realPathOf(file);
  const known = resultOf(() =>
    withConsents(env, () => allConsents(env).some((consent) => consent.file === path)),
  );
  return known.ok && known.value ? 'changed' : 'never';
}

/** In bytes. A larger program counts as missing, and its consent does not notice changes. */
const largestProgram = 50_000_000;

/**
 * The files that the commands of a pipeline's hooks name: the program, if it is named by a path relative to the pipeline's
 * folder, because any other program belongs to this machine, and every argument that names a file. Which of them is a script,
 * and which one the script reads, only the program knows.
 */
export function programsOf({ onFinish, onDoubt }: Pipeline, file: string): Programs {
  const folder = dirname(resolve(file));
  return Object.fromEntries(
    [onFinish, onDoubt].flatMap((hook): readonly (readonly [string, string])[] => {
      if (hook?.kind !== 'command') return [];
      const [program = '', ...others] = hook.command;
      const isPath = /[/\\]/.test(program) && !isAbsolute(program);
      const known = others.flatMap(filesIn).flatMap((name): [string, string][] => {
        const content = contentOf(folder, name);
        return content === undefined ? [] : [[name, content]];
      });
      return isPath ? [[program, contentOf(folder, program) ?? ''], ...known] : known;
    }),
  );
}

/** The names of files that an argument may hold: `a.sh`, `--rcfile=a.sh`, `@a.json`. */
const filesIn = (argument: string): readonly string[] => [
  argument,
  ...(/^-[^=]*=(.+)$/s.exec(argument)?.slice(1) ?? []),
  ...(/^@(.+)$/s.exec(argument)?.slice(1) ?? []),
];

function contentOf(folder: string, name: string): string | undefined {
  const read = readRegularFile(resolve(folder, name), { max: largestProgram });
  return read.ok ? digestOfBytes(read.value) : undefined;
}

/** The path under which a consent is recorded. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (isSystemProblem(error)) return resolve(file);
    throw error;
  }
}

/** Reads or writes the user's list of consents. */
export function withConsents<T>(env: Env, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    const message = `the list of trusted files cannot be used: ${userFolder(env)} ${systemReason(error)}`;
    throw new Refusal({ ...problem(message), reason: 'system' });
  }
}

// The consents that the user gave: one file for each trusted pipeline file, named by the digest of the pipeline file.
// Consents are kept outside all repositories, so that no repository can bring its own.

/** The powers that a consent gives to a pipeline file. */
const grants = ['service', 'hooks', 'store'] as const;

/**
 * - `service`: the key may be sent to the address of `service:`.
 * - `hooks`: `on_finish:` and `on_doubt:` may act.
 * - `store`: the bucket of `outputs:` may be used.
 */
export type Grant = (typeof grants)[number];

/** The digests of files that hooks run, by the path in the pipeline file; `''` for a file that was missing. */
type Programs = Readonly<Record<string, string>>;

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

type Stored = Omit<Consent, 'digest' | 'grants'> & { readonly grants: readonly string[] };

const storedSchema = {
  type: 'object',
  required: ['grants', 'places', 'file', 'date'],
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
  const value = valueIn(read.value.toString('utf8'));
  if (!validatorOf<Stored>(storedSchema)(value)) return undefined;
  const { address, grants: given, places, file, date } = value;
  const known = grants.filter((grant) => given.includes(grant));
  return {
    digest,
    places,
    file,
    date,
    ...(address === undefined ? {} : { address }),
    grants: known.filter((grant) => grant !== 'service' || address !== undefined),
  };
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
