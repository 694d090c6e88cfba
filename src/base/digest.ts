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

// A set of very many digests that takes some twenty bytes for each, where a set of texts takes over a hundred.

const minSlots = 1 << 10;

/**
 * Keeps 64 bits of each digest: among a million different ones, two are taken for one with a probability of 1 in 30
 * million. So it is for counts that people read, never for what is paid.
 */
export class DigestSet {
  /** Two numbers for each slot, with open addressing. A slot with two zeros is empty. */
  #slots = new Uint32Array(2 * minSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `digest`: hexadecimal, at least 16 digits. False if the set has it already. */
  add(digest: string): boolean {
    const high = Number.parseInt(digest.slice(0, 8), 16);
    // Never 0, so that no digest looks like an empty slot.
    const low = Number.parseInt(digest.slice(8, 16), 16) || 1;
    if (!this.#enter(high, low)) return false;
    this.#size += 1;
    if (this.#size * 4 > this.#slots.length) this.#grow();
    return true;
  }

  #enter(high: number, low: number): boolean {
    const mask = this.#slots.length / 2 - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const [first, second] = [this.#slots[2 * slot], this.#slots[2 * slot + 1]];
      if (first === high && second === low) return false;
      if (second !== 0) continue;
      this.#slots[2 * slot] = high;
      this.#slots[2 * slot + 1] = low;
      return true;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      const low = before[at + 1] ?? 0;
      if (low !== 0) this.#enter(before[at] ?? 0, low);
    }
  }
}
