// The hash that shotlist uses everywhere: SHA-256, as 64 lower-case hexadecimal digits.
import { hash } from 'node:crypto';
import { canonical, type Json } from './json.ts';
import type { Brand } from './result.ts';

export type Digest = Brand<string, 'Digest'>;

export function digestOf(value: Json): Digest {
  return digestOfBytes(canonical(value));
}

/** The digest of content in memory; text is encoded as UTF-8. */
export function digestOfBytes(content: string | Uint8Array): Digest {
  return hash('sha256', content, 'hex') as Digest;
}

/** 52 bits of a digest, which a number holds exactly: for sets of very many digests. Two digests may share them. */
export const markOf = (digest: string): number => Number.parseInt(digest.slice(0, 13), 16);

/** Reads a digest that was stored earlier, for example in a state file. */
export function digestFrom(text: string): Digest {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`not a SHA-256 digest: ${text}`);
  return text as Digest;
}
