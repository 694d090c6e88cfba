// Why a run must not begin: tasks that cannot run, and places that two tasks would write.
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Complaint, Diagnostic, Span } from '../../contract/yaml/diagnostic.ts';
import { type Conflict, hintOf, type Machine, OutputClaims } from '../../core/output-claims.ts';
import type { TaskProblem } from '../../core/problems.ts';
import { type Scope, toCel } from '../../language/expression.ts';
import { tooManyFailed } from '../../language/failure-limits.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Pipeline, Step } from '../../language/pipeline.ts';
import { withMarkShown } from '../../language/result-name.ts';
import { type RunValues, runValues } from '../../language/schedule.ts';
import { expressionsOf } from '../../language/template.ts';
import type { Item } from '../../model/item.ts';
import { fannedOutIn, itemOf } from '../../model/task.ts';

/** `run` in expressions. `due`: ISO 8601; `now`: epoch milliseconds. */
const valuesAt = ({ schedule }: Pipeline, due: string | undefined, now: number): RunValues =>
  runValues(schedule, { due: due === undefined ? undefined : Date.parse(due), now });

/** The names in expressions that are the same for all items of a run. */
export const baseAt = (
  { base, pipeline }: BoundPipeline,
  due: string | undefined,
  now: number,
): Pick<Scope, 'inputs' | 'env' | 'run'> => ({ ...base, run: toCel(valuesAt(pipeline, due, now)) });

export const atTo = (to: string, problem: string | undefined): string | undefined =>
  problem === undefined ? undefined : `to: ${JSON.stringify(withMarkShown(to))}: ${problem}`;

/** The real path of a folder; the path itself if the folder does not exist yet. */
export async function reallyAt(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    // Any other problem is reported when the folder is opened for writing.
    if (isSystemProblem(error)) return folder;
    throw error;
  }
}

/** A text from a table where a field needs something else. */
const textForOther = / must be (a|an) (number|integer|boolean)\b.*, not the text /;

/** Of each kind. */
const maxDiagnostics = 100;

interface Outputs extends Machine {
  /** A path of the pipeline as one below the output folder; undefined if it is not there. */
  readonly below: (path: string) => string | undefined;
}

/** `folder`: the pipeline's own folder, absolute. `root`: the output folder. */
export function belowOutput({ root, folder }: { root: string; folder: string }): Outputs['below'] {
  // The item, the upload of its file and the references all ask about one path in a row.
  let last: { readonly path: string; readonly below: string | undefined } | undefined;
  return (path) => {
    if (last?.path === path) return last.below;
    const from = relative(root, resolve(folder, path));
    const isOutside =
      from === '' || from === '..' || from.startsWith(`..${sep}`) || isAbsolute(from);
    const below = isOutside ? undefined : sep === '/' ? from : from.split(sep).join('/');
    last = { path, below };
    return below;
  };
}

/** What is judged of a task. */
interface Judged {
  readonly step: Step;
  readonly task: string;
  readonly problem?: TaskProblem;
  /** The place that it writes, below the output folder. */
  readonly to?: string;
  /** The file that it uploads. */
  readonly file?: string;
}

const placeOf = ({ line, column }: Span): string => `${line}:${column}`;

export class PlanProblems {
  /** Problems because of which the run must not begin. */
  readonly #refused: Diagnostic[] = [];
  /** Problems of single items; the other items can run. */
  readonly #ofItems: Diagnostic[] = [];
  readonly #loaded: BoundPipeline;
  readonly #outputs: Outputs;
  readonly #claims: OutputClaims;
  /** Places in the pipeline that are wrong because of what the file reads or writes elsewhere. */
  readonly #contested = new Set<string>();
  readonly #items: Iterable<Item>;
  #isHinted = false;
  readonly #isFannedOut: (task: string) => boolean;

  /** `all`: the items, to be gone through again where two of them conflict. */
  constructor(loaded: BoundPipeline, outputs: Outputs, all: Iterable<Item> = []) {
    this.#items = all;
    this.#isFannedOut = fannedOutIn(loaded.pipeline.steps);
    this.#loaded = loaded;
    this.#outputs = outputs;
    const someOpen = loaded.pipeline.steps.some((step) =>
      expressionsOf(step.with).some(({ expression }) =>
        expression.references.some(({ root }) => root === 'result'),
      ),
    );
    this.#claims = new OutputClaims(someOpen);
    const { name, items } = loaded.pipeline;
    this.#read('the pipeline file', basename(loaded.file));
    this.#read('the state file', `${name}.state.jsonl`);
    if (items.kind === 'csv' || items.kind === 'jsonl')
      this.#read('the table of items', items.file);
  }

  /**
   * Why a run must not begin: conflicts and problems of shared steps. Problems of items count only if no item is left,
   * or if more items fail than the pipeline allows.
   */
  refusals({ items, unrunnable }: { items: number; unrunnable: number }): readonly Complaint[] {
    if (unrunnable === 0) return this.#refused;
    const { failureLimits } = this.#loaded.pipeline;
    const tooMany = tooManyFailed(failureLimits, unrunnable, items);
    if (unrunnable < items && tooMany === undefined) return this.#refused;
    const { file } = this.#loaded;
    const why: Complaint[] =
      tooMany === undefined || unrunnable === items
        ? []
        : [
            {
              severity: 'error',
              file,
              message: `the run does not begin: ${tooMany}`,
              hint: 'fix these items, exclude them with --exclude, or allow more with max_failures',
            },
          ];
    return [...this.#refused, ...this.#ofItems, ...why];
  }

  addItem({ key, fields }: Item): void {
    const { path } = fields;
    if (this.#loaded.pipeline.items.kind === 'glob' && typeof path === 'string')
      this.#conflict(this.#read(`the item ${key}`, path), ['items']);
  }

  /** Adds a task that cannot run. `item` is the task's item; undefined if the task is shared. */
  addTask({ step, task, problem }: Judged, item: Item | undefined): void {
    if (problem === undefined) return;
    const { code, expression, at, message, hint, cell } = problem;
    const { source } = this.#loaded.pipeline;
    const span =
      expression !== undefined
        ? source.spanInside(expression.path, expression.text, expression.start, expression.end)
        : at === undefined
          ? source.keySpanOf(['steps', step.name])
          : source.spanOf(at);
    // That a file is in the way there is said already.
    if (code === 'SL511' && this.#contested.has(placeOf(span))) return;
    const list = item === undefined ? this.#refused : this.#ofItems;
    const about = { code, message: `${task}: ${message}` };
    if (cell === undefined) return this.#note(list, { ...about, span, hint });
    const where = `${this.#loaded.file}:${span.line}:${span.column}`;
    const use = `step "${step.name}" uses the value: ${where}`;
    const cure = textForOther.test(message)
      ? 'a column is text unless items.types says otherwise'
      : hint;
    const { file, span: place, excerpt } = cell;
    this.#note(list, { ...about, file, span: place, excerpt, hint: `${cure}; ${use}` });
  }

  addOutputs({ step, task, to, file }: Judged): void {
    if (to !== undefined)
      this.#conflict(this.#claims.write(task, to), ['steps', step.name, 'with', 'to']);
    // A step that follows a download may read the downloaded file on purpose.
    if (file !== undefined && !this.#followsDownload(step))
      this.#conflict(this.#read(`what ${task} uploads`, file), [
        'steps',
        step.name,
        'with',
        'file',
      ]);
  }

  #followsDownload({ after }: Step): boolean {
    return this.#loaded.pipeline.steps.some(
      ({ name, kind }) => kind.operation === 'download' && after.includes(name),
    );
  }

  /** A path from the pipeline. Only paths below the output folder can be overwritten. */
  #read(what: string, path: string): Conflict | undefined {
    const below = this.#outputs.below(path);
    return below === undefined ? undefined : this.#claims.read(what, below);
  }

  #conflict(conflict: Conflict | undefined, at: readonly string[]): void {
    if (conflict === undefined) return;
    const span = this.#loaded.pipeline.source.spanOf(at);
    if (this.#refused.length >= maxDiagnostics) return;
    const { between, code, message } = conflict;
    this.#contested.add(placeOf(span));
    // One look through all items is enough: the cure is the same for all.
    const isFirst = between !== undefined && !this.#isHinted;
    const hint = isFirst ? this.#differenceHint(between) : conflict.hint;
    this.#note(this.#refused, { code, message, hint, span });
  }

  #differenceHint([task, other]: readonly [string, string]): string {
    this.#isHinted = true;
    const keys = [task, other].map((name) => itemOf(name, this.#isFannedOut(name)));
    const found = new Map<string, Item>();
    for (const item of this.#items) if (keys.includes(item.key)) found.set(item.key, item);
    const [mine, yours] = keys.map((key) => (key === undefined ? undefined : found.get(key)));
    return hintOf({ task, item: mine }, { task: other, item: yours });
  }

  #note(
    list: Diagnostic[],
    found: Omit<Diagnostic, 'severity' | 'file'> & { readonly file?: string },
  ): void {
    if (list.length >= maxDiagnostics) return;
    list.push({ severity: 'error', file: this.#loaded.file, ...found });
  }
}
