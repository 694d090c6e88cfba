// A problem with a task, in terms of its item: which value of which row, and why a field of a file is missing.
import type { Code } from '../contract/codes.ts';
import type { Path } from '../contract/yaml/diagnostic.ts';
import { expressionsIn, type Step } from '../language/pipeline.ts';
import type { TemplateError } from '../language/template.ts';
import type { Cell, Item } from '../model/item.ts';

/** A problem with a task before anything is sent: a sentence, and its place in the pipeline file. */
export interface TaskProblem {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
  /** Local files that the message names. */
  readonly named?: readonly string[];
  readonly expression?: TemplateError;
  readonly at?: Path;
  /** The place of the value in the table of its item. */
  readonly cell?: Cell;
}

/** Adds the place in the item's table, and the reason for a missing field. */
export function problemOfItem(
  problem: TaskProblem,
  step: Step,
  item: Item | undefined,
): TaskProblem {
  if (item === undefined) return problem;
  const columns = columnsIn(problem, step);
  const cell = columns.length === 0 ? undefined : item.cell?.(columns);
  const message = withReason(problem, item);
  return { ...problem, message, cell };
}

/** The sentence about a problem, with its place in a table. */
export const sentenceOf = ({ message, cell }: TaskProblem): string =>
  cell === undefined ? message : `${message} (${placeOf(cell)})`;

const placeOf = ({ name, span }: Cell): string => `${name}:${span.line}:${span.column}`;

/** The fields of the item that the wrong value comes from. */
function columnsIn({ expression, at }: TaskProblem, step: Step): readonly string[] {
  const path = (expression?.path ?? at)?.join('.');
  return expressionsIn(step)
    .filter(({ path: own }) => path === undefined || `${own.join('.')}.`.startsWith(`${path}.`))
    .flatMap(({ expression: { references } }) =>
      references.flatMap(({ root, key }) => (root === 'item' && key !== undefined ? [key] : [])),
    );
}

function withReason({ message, expression }: TaskProblem, { lacks = {}, fields }: Item): string {
  const name = /^there is no "(\w+)"$/.exec(expression?.message ?? '')?.[1] ?? '';
  const why = Object.hasOwn(lacks, name) ? lacks[name] : undefined;
  return why === undefined ? message : `${message}: ${String(fields['path'])} ${why}`;
}
