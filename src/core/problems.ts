// Why a task cannot run as it is, with the place of what is wrong: found before anything is sent.
import { isObject, type Json } from '../base/json.ts';
import { extensionOf, knownExtensions, mediaTypeOf } from '../contract/api/asset.ts';
import type { Code } from '../contract/codes.ts';
import type { Path } from '../contract/yaml/diagnostic.ts';
import { knownBodyErrors } from '../language/body.ts';
import { expressionsIn, type Step } from '../language/pipeline.ts';
import { expressionRemedy, type TemplateError } from '../language/template.ts';
import type { Cell, Item } from '../model/item.ts';
import type { End } from './ending.ts';
import type { FileFact } from './facts.ts';
import { normalized } from './output-path.ts';

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

/** In terms of the task's item: adds the place of the value in its table, and why a field of a file is missing. */
export function problemOf(problem: TaskProblem, step: Step, item: Item | undefined): TaskProblem {
  if (item === undefined) return problem;
  const columns = columnsIn(problem, step);
  const cell = columns.length === 0 ? undefined : item.cell?.(columns);
  const message = withReason(problem, item);
  return { ...problem, message, cell };
}

/** The sentence about a problem, with its place in a table. */
const sentenceOf = ({ message, cell }: TaskProblem): string =>
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
  const name = /there is no "(\w+)"$/.exec(expression?.message ?? '')?.[1] ?? '';
  const why = Object.hasOwn(lacks, name) ? lacks[name] : undefined;
  return why === undefined ? message : `${message}: ${String(fields['path'])} ${why}`;
}

export const endOf = (problem: TaskProblem): End => ({
  ending: 'failed',
  why: sentenceOf(problem),
  diagnostic: problem.code,
  named: problem.named,
});

const remedies = {
  SL506: 'convert the file, or leave it out',
  SL507: 'paths are relative to the pipeline file; check the spelling and the case',
  SL508: 'replace the file, or leave it out',
  SL531: 'replace the file, or leave it out',
  SL702: 'if you trust the pipeline, use --allow-outside',
} as const satisfies Readonly<Partial<Record<Code, string>>>;

function problem(code: keyof typeof remedies, message: string, file?: string): TaskProblem {
  return { code, message, hint: remedies[code], ...(file === undefined ? {} : { named: [file] }) };
}

/** Why a file cannot be uploaded. */
export function problemOfFile(file: string, fact: FileFact): TaskProblem | undefined {
  const extension = extensionOf(file);
  if (mediaTypeOf(extension) === undefined) {
    if (mediaTypeOf(extension.trim()) !== undefined)
      return problem('SL507', `${JSON.stringify(file)} ends with spaces`, file);
    const kind = extension === '' ? 'file without an extension' : `.${extension} file`;
    const takes = `it takes ${knownExtensions.join(' ')}`;
    return problem('SL506', `${file}: the service takes no ${kind}; ${takes}`, file);
  }
  if (fact.is === 'absent')
    return problem(fact.barred === true ? 'SL702' : 'SL507', `${file} ${fact.why}`, file);
  if (fact.bytes === 0) return problem('SL508', `${file} is empty`, file);
  if (fact.unusable !== undefined) return problem('SL531', `${file} ${fact.unusable}`, file);
  return undefined;
}

/** A file that could not be read although it is there. `why`: the end of a sentence about it. */
export const unreadable = (file: string, why: string): TaskProblem =>
  problem('SL507', `${file} ${why}`, file);

/** Why a result cannot be put at a place, whatever the machine. */
export function problemOfPlace(step: Step, to: string): TaskProblem | undefined {
  const place = normalized(to);
  return place.ok ? undefined : unusablePlace(step, `to: ${place.error}`);
}

/** A place below the output folder that this machine cannot have. */
export const unusablePlace = ({ name }: Step, message: string): TaskProblem => ({
  code: 'SL509',
  message,
  hint: 'write another path in to:',
  at: ['steps', name, 'with', 'to'],
});

/** A file that shotlist did not make stands where a result would go. `path`: relative to the pipeline file. */
export const foreignFile = ({ name }: Step, path: string): TaskProblem => ({
  code: 'SL511',
  message: `${path} is there already, and shotlist did not make it: move it away, or run with --replace-files`,
  hint: 'to keep both, write another path in to:',
  named: [path],
  at: ['steps', name, 'with', 'to'],
});

/** The first value of a request that cannot be sent. `body`: with expressions in place of what only the run knows. */
export function problemOfBody(step: Step, body: Json): TaskProblem | undefined {
  const [first] = knownBodyErrors(step, isObject(body) ? body : {});
  if (first === undefined) return undefined;
  const { code, message, hint, path } = first;
  return { code, message, hint, at: ['steps', step.name, 'with', ...path] };
}

export function problemAt(error: TemplateError): TaskProblem {
  return {
    code: error.code,
    hint: expressionRemedy(error),
    message: `in the expression ${error.text.trim()}: ${error.message}`,
    expression: error,
  };
}
