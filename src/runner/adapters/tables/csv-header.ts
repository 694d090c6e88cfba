// The header of a CSV file: a name for each column, each name once.
import type { CellPlace } from '../../task/item.ts';
import type { TableProblem } from './table.ts';

export const namesOf = (cells: readonly string[]): readonly string[] =>
  cells.map((cell) => cell.trim());

/** `placeOf`: the place of a column's name, by the number of the column from 0. */
export function checkHeader(
  cells: readonly string[],
  { delimiter }: { readonly delimiter: string },
  placeOf: (column: number) => CellPlace,
): readonly TableProblem[] {
  const names = namesOf(cells);
  const [only = ''] = names;
  if (names.length === 1) {
    const other = [';', '\t', '|', ','].find((sign) => sign !== delimiter && only.includes(sign));
    if (other !== undefined)
      return [
        {
          code: 'SL517',
          message: `the header has one column: the table seems to use ${signs[other]} between values`,
          hint: `add delimiter: ${JSON.stringify(other)} to items`,
          cell: placeOf(0),
        },
      ];
  }
  if (names.some((name) => name.includes('\r')))
    return [
      {
        code: 'SL003',
        message: 'the lines end with CR alone',
        hint: 'save the table with LF or CRLF',
      },
    ];
  return names.flatMap((name, index): readonly TableProblem[] => {
    if (name === '')
      return [
        {
          code: 'SL518',
          message: `column ${index + 1} has no name in the header`,
          hint: 'name the column, or remove it',
          cell: placeOf(index),
        },
      ];
    const first = names.indexOf(name);
    if (first === index) return [];
    const { line, column } = placeOf(first).span;
    return [
      {
        code: 'SL518',
        message: `the header has the column ${JSON.stringify(name)} twice: also at ${line}:${column}`,
        hint: 'rename one of them',
        cell: placeOf(index),
      },
    ];
  });
}

const signs: Readonly<Record<string, string>> = {
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
  ',': 'commas',
};
