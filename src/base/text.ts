// Numbers, durations and tables as text, without color.
import { printable } from './printable.ts';

/** A number for people: 12,000. `toLocaleString` takes 30 ms when it is first used, so whole numbers do without. */
export const grouped = (n: number): string =>
  Number.isSafeInteger(n) ? String(n).replace(/\B(?=(\d{3})+$)/g, ',') : n.toLocaleString('en-US');

export function count(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;
}

export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A number of bytes, such as `34 MB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [amount, unit] = [bytes, 0];
  while (amount >= 999.5 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  return `${unit === 0 || amount >= 9.95 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** The lines of a text, none longer than `width` unless it is a single word. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Prose for a terminal: longer lines go on below, a little to the right. A word is never cut. */
export function folded(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.length <= width) return [line];
      const indent = ' '.repeat(/^ */.exec(line)?.[0].length ?? 0);
      const [first = '', ...rest] = wrapped(line.trimStart(), width - indent.length - 2);
      return [`${indent}${first}`, ...rest.map((part) => `${indent}  ${part.trimStart()}`)];
    })
    .join('\n');
}

/**
 * A table. Each column is as wide as its widest cell; the columns in `right` are right-aligned. The
 * last column is wrapped, so that no line is longer than `width`.
 */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
  width = Number.POSITIVE_INFINITY,
): string {
  const widths: number[] = [];
  const printed = rows.map((row) => row.map((cell) => printable(cell)));
  const shown = printed.flatMap((row) => inLines(row, width - 2 - leftOf(printed)));
  for (const row of shown)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  const lines = shown.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column)
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `  ${line}`).join('\n');
}

/** A row as several, with the last cell wrapped. */
function inLines(row: readonly string[], room: number): readonly (readonly string[])[] {
  const last = row.at(-1);
  if (last === undefined || last.length <= room) return [row];
  const before = row.slice(0, -1);
  return wrapped(last, room).map((line, index) =>
    index === 0 ? [...before, line] : [...before.map(() => ''), line],
  );
}

/** The width of all columns but the last, with the gaps after them. */
function leftOf(rows: readonly (readonly string[])[]): number {
  const columns = Math.max(0, ...rows.map((row) => row.length - 1));
  return Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  ).reduce((sum, widest) => sum + widest + 2, 0);
}
