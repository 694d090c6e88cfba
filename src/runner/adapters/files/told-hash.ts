// The hash of a whole file, as its storage tells it in the headers of an answer, and the check of the bytes that came.
import { createHash } from 'node:crypto';
import { Crc32c } from '../../../contract/base/crc32c.ts';
import { openRegular } from '../../../contract/files/regular-file.ts';
import type { AnswerHeaders } from './content-range.ts';

export interface ToldHash {
  readonly algorithm: 'md5' | 'crc32c';
  /** Base64. */
  readonly value: string;
  /**
   * False for an entity tag: that it is the MD5 of the file is a custom of storages, and a tag that looks like one may
   * be something else.
   */
  readonly isPromised: boolean;
}

/**
 * Undefined if the storage tells none. `isWhole`: the answer is the whole file. With a range, `Content-MD5` is the hash
 * of the range; the other headers still describe the whole file.
 */
export function toldHash(headers: AnswerHeaders, isWhole: boolean): ToldHash | undefined {
  const content = isWhole ? text(headers['content-md5']) : '';
  if (isMd5.test(content)) return { algorithm: 'md5', value: content, isPromised: true };
  // What is stored may be compressed, and its hashes are those of the compressed bytes.
  if (!/^(identity)?$/.test(text(headers['x-goog-stored-content-encoding']))) return undefined;
  const named = text(headers['x-goog-hash']);
  const md5 = /\bmd5=([A-Za-z0-9+/]{22}==)/.exec(named)?.[1];
  if (md5 !== undefined) return { algorithm: 'md5', value: md5, isPromised: true };
  const crc32c = /\bcrc32c=([A-Za-z0-9+/]{6}==)/.exec(named)?.[1];
  if (crc32c !== undefined) return { algorithm: 'crc32c', value: crc32c, isPromised: true };
  const tag = /^"([0-9a-f]{32})"$/i.exec(text(headers['etag']))?.[1];
  if (tag === undefined || isEncrypted(headers)) return undefined;
  return {
    algorithm: 'md5',
    value: Buffer.from(tag, 'hex').toString('base64'),
    isPromised: false,
  };
}

const isMd5 = /^[A-Za-z0-9+/]{22}==$/;

/** A header may come several times. */
const text = (header: string | string[] | undefined): string => [header ?? ''].flat().join(',');

/** The entity tags of files that are encrypted with a key of their own look like MD5 hashes and are none. */
const isEncrypted = (headers: AnswerHeaders): boolean =>
  /kms/i.test(text(headers['x-amz-server-side-encryption'])) ||
  headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;

/** Follows the bytes of a file from its first one. */
export class RunningCheck {
  readonly told: ToldHash;
  readonly #hash: { update(bytes: Uint8Array): unknown; digest(): Buffer };

  constructor(told: ToldHash) {
    this.told = told;
    this.#hash = told.algorithm === 'md5' ? createHash('md5') : new Crc32c();
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Call once, after the last byte. */
  isRight(): boolean {
    return this.#hash.digest().toString('base64') === this.told.value;
  }
}

/** Reads a file that came in several answers. Throws system errors. */
export async function isAsTold(path: string, told: ToldHash): Promise<boolean> {
  const check = new RunningCheck(told);
  await using file = await openRegular(path);
  for await (const piece of file.createReadStream({ autoClose: false })) check.update(piece);
  return check.isRight();
}
