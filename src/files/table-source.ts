// The rows of a table as items.
import { readdirSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { NotRegularFile } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import { count } from '../base/text.ts';
import type { Code } from '../contract/codes.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';
import type { Items } from '../language/items.ts';
import { type Cell, type Item, valueItem } from '../model/item.ts';
import {
  type ItemListProblem,
  type ItemSource,
  type ListContext,
  outsideHint,
} from './item-source.ts';
import type { EmptyRows, Table } from './tables/table.ts';

/** The rows of a table. Paths in it are relative to the pipeline file, as all paths are. */
export async function tableSource(
  items: Extract<Items, { readonly kind: 'csv' | 'jsonl' }>,
  folder: string,
  { refusal, spanOf, file: pipelineFile = '', checkColumns = () => [] }: ListContext,
): Promise<Result<ItemSource, readonly ItemListProblem[]>> {
  const { kind, file: written } = items;
  const ofFile = (code: Code, message: string, hint: string): ItemListProblem => {
    const span = spanOf?.(['items', kind]);
    const whole = `items.${kind} ${JSON.stringify(written)}${message}`;
    return { code, message: whole, hint, span };
  };
  const path = resolve(folder, written);
  const refused = refusal?.(path);
  if (refused !== undefined) return err([ofFile('SL702', ` ${refused}`, outsideHint)]);
  const file = isAbsolute(written) ? written : join(dirname(pipelineFile), written);
  const wrong: ItemListProblem[] = [];
  const check = (columns: readonly string[]): boolean => {
    wrong.push(...checkColumns(columns));
    return wrong.length === 0;
  };
  try {
    const opened =
      kind === 'csv'
        ? await (await import('./tables/csv-table.ts')).openCsv(path, { ...items, check })
        : await (await import('./tables/jsonl-table.ts')).openJsonl(path, { check });
    if (!opened.ok)
      return err([
        ...opened.error.map(({ cell, ...problem }) =>
          cell === undefined
            ? ofFile(problem.code, `: ${problem.message}`, problem.hint)
            : { ...problem, ...cell, file },
        ),
        ...wrong,
      ]);
    const table = opened.value;
    if (table.count === 0) {
      table.close();
      return err([
        ofFile('SL516', ' has a header but no rows', 'add a row for each item below the header'),
      ]);
    }
    return ok({
      count: table.count,
      blind: false,
      close: () => table.close(),
      warnings: leftOut(table.emptyRows).map(
        (said) => `items.${kind} ${JSON.stringify(written)}: ${said}`,
      ),
      at: (index) =>
        rowItem(table, index, { file, name: isAbsolute(written) ? basename(written) : written }),
      placeOf: ({ fields }) => `row ${Number(fields['index']) + 1}`,
    });
  } catch (error) {
    if (!isSystemProblem(error) && !(error instanceof NotRegularFile)) throw error;
    const near = systemCode(error) === 'ENOENT' ? nearFile(path) : undefined;
    const hint = near ?? 'paths are relative to the pipeline file; check the spelling and the case';
    return err([ofFile('SL507', ` ${systemReason(error)}`, hint)]);
  }
}

/** "did you mean …?" for a file that does not exist. Undefined if the file is there. */
function nearFile(path: string): string | undefined {
  const names = namesBeside(path);
  return names.includes(basename(path)) ? undefined : suggestion(basename(path), names);
}

function namesBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path));
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}

function leftOut({ count: all, lines }: EmptyRows): readonly string[] {
  const [first] = lines;
  if (first === undefined) return [];
  const every = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
  const where = lines.length === all ? every : `the first is line ${first}`;
  return [`left out ${count(all, 'empty row')}: ${where}`];
}

function rowItem(table: Table, index: number, names: Pick<Cell, 'file' | 'name'>): Item {
  const row = table.row(index);
  const { key, fields } = valueItem(row, index);
  // A column that is named index belongs to the user.
  const own = Object.hasOwn(row, 'index') ? { ...fields, index: row['index'] ?? null } : fields;
  return { key, fields: own, cell: (columns) => ({ ...names, ...table.cell(index, columns) }) };
}
