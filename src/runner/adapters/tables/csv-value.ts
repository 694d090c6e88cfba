// The value of a CSV cell. Without a type, it is text: a postal code such as 01234 is not the number 1234.
import type { Json } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { ColumnType } from '../../language/items.ts';

/** An empty cell of a number or boolean column is null. The error is the end of a sentence about the column. */
export function cellValue(cell: string, type: ColumnType): Result<Json, string> {
  const text = cell.trim();
  switch (type) {
    case 'string':
      return ok(cell);
    case 'number': {
      if (text === '') return ok(null);
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
        ? ok(Number(text))
        : err(`${JSON.stringify(shortened(cell))} is not a number`);
    }
    case 'boolean':
      if (text === '') return ok(null);
      if (/^true$/i.test(text)) return ok(true);
      if (/^false$/i.test(text)) return ok(false);
      return err(`${JSON.stringify(shortened(cell))} is neither true nor false`);
  }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
