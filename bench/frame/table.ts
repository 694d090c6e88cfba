// Rows as a Markdown table, which is also how a terminal shows them.
import type { Cell, Row, Spread, Verdict } from './bench.ts';

export function tableOf(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((name) => textOf(row[name] ?? '')))];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => cells[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const padded = lines.map((cells) => line(cells.map((cell, at) => cell.padEnd(widths[at] ?? 0))));
  padded.splice(1, 0, line(widths.map((width) => '-'.repeat(width))));
  return padded.join('');
}

/** Empty without goals. */
export const verdictTable = (verdicts: readonly Verdict[]): string =>
  verdicts.length === 0
    ? ''
    : tableOf(
        verdicts.map(({ goal, figure, reached, obstacle }) => ({
          ...{ goal, figure, reached: reached ? 'yes' : '**no**' },
          'in the way': reached ? '' : obstacle,
        })),
      );

export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return typeof cell === 'number' ? numberText(cell) : spreadText(cell);
}

function spreadText({ median, least, most }: Spread): string {
  if (least === most) return numberText(median);
  return `${numberText(median)} (${numberText(least)} to ${numberText(most)})`;
}

function numberText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return value.toFixed(0);
  return size >= 10 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : value.toPrecision(2);
}
