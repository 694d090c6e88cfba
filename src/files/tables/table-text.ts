// The text of a table. A table must be UTF-8: a wrong character would be sent and paid for.

import type { Snapshot } from './snapshot.ts';
import { placeIn, type TableProblem } from './table.ts';

const remedy = 'save it as UTF-8; in a spreadsheet program, choose "CSV UTF-8"';

/** Decodes a table chunk by chunk. */
export class TableText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #snapshot: Snapshot;
  #begun = false;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The text of the next chunk, without a byte order mark; undefined if it is not text: then `problem` says why. */
  next(chunk: Buffer | undefined): string | undefined {
    try {
      const text =
        chunk === undefined
          ? this.#decoder.decode()
          : this.#decoder.decode(chunk, { stream: true });
      if (text.includes('\0')) return undefined;
      const isFirst = !this.#begun && text !== '';
      if (isFirst) this.#begun = true;
      return isFirst ? text.replace(/^\ufeff/, '') : text;
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  /** Why the last chunk, of this length, is not text. */
  problem(chunk: number): TableProblem {
    const [first, second] = this.#snapshot.read(0, 2);
    const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const { size } = this.#snapshot;
    const from = Math.max(0, size - chunk - 4);
    const tail = this.#snapshot.read(from, size);
    const bad = wide ? 0 : firstBad(tail);
    const lineStart = tail.lastIndexOf(0x0a, Math.max(0, bad - 1)) + 1;
    const text = tail.subarray(lineStart, bad).toString();
    const byte = (tail[bad] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    const cell = placeIn(this.#snapshot, from + lineStart, `${text}?`, {
      start: text.length,
      end: text.length + 1,
    });
    if (wide || tail[bad] === 0)
      return {
        code: 'SL001',
        message: `the table is not UTF-8 but UTF-16, or no text at all`,
        hint: remedy,
      };
    const message = `the table is not UTF-8 text: 0x${byte}, at byte ${from + bad}, is not part of a character`;
    return { code: 'SL001', message, hint: remedy, cell };
  }
}

/** The offset of the first byte that is no text. The first bytes may be the end of a character. */
function firstBad(bytes: Buffer): number {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  let [low, high] = [start, bytes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isText(bytes.subarray(start, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True if the bytes are text, perhaps without the end of the last character. */
function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !text.includes('\0');
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
