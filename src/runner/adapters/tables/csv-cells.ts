// Where the values of a CSV row are in its text. The parser knows the values but not their places.

/** Offsets in a text; the end is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** `row`: the text of one row, with or without its line end. */
export function cellsOf(row: string, delimiter: string): readonly Range[] {
  const found: Range[] = [];
  for (let start = 0; ; ) {
    let end = row[start] === '"' ? closeOf(row, start + 1) : start;
    while (end < row.length && row[end] !== delimiter && row[end] !== '\n') end += 1;
    const ends = row[end] !== delimiter || end >= row.length;
    found.push({ start, end: ends && row[end - 1] === '\r' ? Math.max(start, end - 1) : end });
    if (ends) return found;
    start = end + 1;
  }
}

/** The offset after the closing quotation mark. */
function closeOf(row: string, from: number): number {
  for (let at = row.indexOf('"', from); at >= 0; at = row.indexOf('"', at + 2))
    if (row[at + 1] !== '"') return at + 1;
  return row.length;
}
