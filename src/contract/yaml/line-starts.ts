// Converts offsets in a text to lines and columns. The counter of the YAML library misses the line ends inside what the
// library could not read.
import type { Span } from './place.ts';

export class LineStarts {
  readonly #length: number;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#length = text.length;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** Offsets outside of the text are moved to its ends. */
  spanOf([start, end]: readonly [number, number]): Span {
    const from = this.#placeOf(start);
    const to = this.#placeOf(Math.max(start, end));
    return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  #placeOf(offset: number): { readonly line: number; readonly column: number } {
    const inside = Math.min(Math.max(offset, 0), this.#length);
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= inside) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: inside - (this.#starts[low] ?? 0) + 1 };
  }
}
