// Numbers, durations and tables as text, without color.
import { printable } from '../../contract/base/printable.ts';

export function count(n: number, noun: string): string {
  return `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
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

/** A table. Each column is as wide as its widest cell; the columns in `right` are right-aligned. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = [];
  const shown = rows.map((row) => row.map((cell) => printable(cell)));
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
