// Errands: what hands on other hosts are asked to do, and what they answer. Whoever can write to the database, and lacks the
// secret, can neither read nor order nor report anything: both are sealed, and bound to the errand that they are about.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { valueIn } from '../base/json.ts';
import { readSecretFile } from '../base/regular-file.ts';
import { ok } from '../base/result.ts';
import type { Env } from '../base/user-folder.ts';
import { version } from '../base/version.ts';
import type { Spot, StoredFile, UploadTarget } from '../core/ports.ts';
import { problem, Refusal } from '../language/load/refusal.ts';

/** What each says besides what it is. `replaces`: the contents that a place may have besides none and its own; SHA-256. */
interface Tasks {
  readonly upload: {
    readonly target: UploadTarget;
    readonly path: string;
    readonly content: string;
  };
  readonly save: {
    readonly url: string;
    readonly spot: Spot;
    readonly replaces: readonly string[];
  };
  readonly bring: {
    readonly file: StoredFile;
    readonly spot: Spot;
    readonly replaces: readonly string[];
  };
  readonly store: { readonly file: StoredFile };
}

/** Each may be done twice, and by anybody. */
export type Task<Do extends keyof Tasks = keyof Tasks> = {
  [One in Do]: Tasks[One] & { readonly do: One };
}[Do];

export interface Errand {
  readonly task: Task;
  /** The base address of the service: storage is where the service is, or public. */
  readonly service: string;
  /** What `.shotlist-run` in the output folder says. */
  readonly word: string;
  /** The output folder, as the record names it. */
  readonly under: string;
  /** Names the store of the run. */
  readonly store: string | undefined;
}

/** `unable`: this hand cannot do it, another one may, and why. `done`: what the method of `Hands` returned. */
export type Answer =
  | { readonly is: 'unable'; readonly why: string }
  | { readonly is: 'done'; readonly result: unknown };

/** Which errand a sealed text is about. */
export interface Bound {
  readonly epoch: number;
  /** A UUID. */
  readonly id: string;
  /** Nobody begins it later; epoch milliseconds. */
  readonly until: number;
}

const minSecretChars = 32;

/** What the run and its workers share, and nobody else knows. */
export function workerSecret(env: Env): string {
  const { SHOTLIST_WORKER_SECRET: own = '', SHOTLIST_WORKER_SECRET_FILE: file = '' } = env;
  const read = own === '' && file !== '' ? readSecretFile(file) : ok(own);
  const secret = read.ok ? read.value : '';
  if (secret.length >= minSecretChars) return secret;
  const short = secret === '' ? 'is not set' : `has fewer than ${minSecretChars} characters`;
  const wrong = read.ok
    ? `SHOTLIST_WORKER_SECRET ${short}`
    : `the secret file ${file} ${read.error}`;
  const hint = 'make one with openssl rand -hex 32, and give it to the run and to all its workers';
  throw new Refusal(problem(wrong, 'shotlist', hint));
}

/** The seal of one run, of one direction. Another version of shotlist has another one: it may mean something else. */
export class Seal {
  /** As bytes, it would be prepared anew for each text, which takes four times as long. */
  readonly #key: KeyObject;

  constructor(secret: string, run: string, of: 'errands' | 'answers') {
    const key = hkdfSync('sha256', secret, run, `shotlist ${version()} ${of}`, 32);
    this.#key = createSecretKey(new Uint8Array(key));
  }

  close(bound: Bound, value: Errand | Answer): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(boundText(bound));
    const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...text]).toString('base64');
  }

  /** Undefined if it was sealed by somebody else, for another errand, or changed on its way. */
  open<T extends Errand | Answer>(bound: Bound, sealed: string): T | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < 28) return undefined;
    const cipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12));
    cipher.setAAD(boundText(bound)).setAuthTag(bytes.subarray(12, 28));
    try {
      const text = Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]);
      return valueIn(text.toString('utf8')) as T | undefined;
    } catch {
      return undefined;
    }
  }
}

const boundText = ({ epoch, id, until }: Bound): Buffer => Buffer.from(`${epoch} ${id} ${until}`);
