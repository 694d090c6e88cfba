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
export const markOf = (digest: string): number =>
  numberIn(digest, 0, 6) * 0x1000_0000 + numberIn(digest, 6, 13);

/** Up to seven hexadecimal digits as a number. Ten times as fast as parsing a slice, and loading a journal does it for each event. */
function numberIn(digest: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const code = digest.charCodeAt(at);
    // 0 to 9 are 48 to 57, and a to f are 97 to 102.
    number = number * 16 + (code < 58 ? code - 48 : code - 87);
  }
  return number;
}

/** Reads a digest that was stored earlier, for example in a state file. */
export function digestFrom(text: string): Digest {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`not a SHA-256 digest: ${text}`);
  return text as Digest;
}
