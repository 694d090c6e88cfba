// Why a run must not begin: tasks that cannot run, and places that two tasks would write.
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Complaint, Diagnostic, Span } from '../../contract/yaml/diagnostic.ts';
import type { Complaints } from '../../core/findings.ts';
import { type Conflict, hintOf, OutputClaims, unusablePlace } from '../../core/output-claims.ts';
import type { Disk } from '../../core/ports.ts';
import type { Task } from '../../core/scope.ts';
import { OutputLinks } from '../../files/output-folders.ts';
import { tooManyFailed } from '../../language/failure-limits.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { withMarkShown } from '../../language/result-name.ts';
import { expressionsOf } from '../../language/template.ts';
import type { Item } from '../../model/item.ts';
import { fannedOutIn, itemOf } from '../../model/task.ts';

/** The real path of a folder; the path itself if the folder does not exist yet. */
async function reallyAt(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    // Any other problem is reported when the folder is opened for writing.
    if (isSystemProblem(error)) return folder;
    throw error;
  }
}

/** Where results go. `below`: a path of the pipeline as one below the output folder; undefined if it is not there. */
export async function outputsOf(output: string, folder: string) {
  const [root, from] = [await reallyAt(output), await reallyAt(folder)];
  // The item, the upload of its file and the references all ask about one path in a row.
  let last: { readonly path: string; readonly below: string | undefined } | undefined;
  const below = (path: string): string | undefined => {
    if (last?.path === path) return last.below;
    const place = relative(root, resolve(from, path));
    const inside = place !== '' && place.split(sep)[0] !== '..' && !isAbsolute(place);
    last = { path, below: inside ? place.replaceAll(sep, '/') : undefined };
    return last.below;
  };
  return { platform: process.platform, root, below };
}

/** A text from a table where a field needs something else. */
const textForOther = / must be (a|an) (number|integer|boolean)\b.*, not the text /;

/** Of each kind. */
const maxDiagnostics = 100;

const placeOf = ({ line, column }: Span): string => `${line}:${column}`;

export class PlanProblems implements Complaints {
  /** Problems because of which the run must not begin. */
  readonly #refused: Diagnostic[] = [];
  /** Problems of single items; the other items can run. */
  readonly #ofItems: Diagnostic[] = [];
  readonly #bound: BoundPipeline;
  readonly #outputs: Awaited<ReturnType<typeof outputsOf>>;
  readonly #links: OutputLinks;
  readonly #claims: OutputClaims;
  /** Places in the pipeline that are wrong because of what the file reads or writes elsewhere. */
  readonly #contested = new Set<string>();
  readonly #items: Iterable<Item>;
  #isHinted = false;

  /** `items`: to be gone through again where two of them conflict. */
  static async of(
    bound: BoundPipeline,
    disk: Pick<Disk, 'fileAt' | 'recordedAs'>,
    items: Iterable<Item>,
  ): Promise<PlanProblems> {
    const { path } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
    return new PlanProblems(bound, await outputsOf(path, bound.folder), path, items);
  }

  private constructor(
    bound: BoundPipeline,
    outputs: Awaited<ReturnType<typeof outputsOf>>,
    output: string,
    items: Iterable<Item>,
  ) {
    this.#bound = bound;
    this.#outputs = outputs;
    this.#links = new OutputLinks(output);
    this.#items = items;
    const { name, items: source, steps } = bound.pipeline;
    const someOpen = steps.some((step) =>
      expressionsOf(step.with).some(({ expression }) =>
        expression.references.some(({ root }) => root === 'result'),
      ),
    );
    this.#claims = new OutputClaims(someOpen);
    this.#read('the pipeline file', basename(bound.file));
    this.#read('the state file', `${name}.state.jsonl`);
    if (source.kind === 'csv' || source.kind === 'jsonl')
      this.#read('the table of items', source.file);
  }

  /**
   * Why a run must not begin: conflicts and problems of shared steps. Problems of items count only if no item is left,
   * or if more items fail than the pipeline allows.
   */
  refusals(items: number, unrunnable: number): readonly Complaint[] {
    if (unrunnable === 0) return this.#refused;
    const { file, pipeline } = this.#bound;
    const tooMany = tooManyFailed(pipeline.failureLimits, unrunnable, items);
    if (unrunnable < items && tooMany === undefined) return this.#refused;
    const all: Complaint[] = [...this.#refused, ...this.#ofItems];
    if (tooMany !== undefined && unrunnable < items)
      all.push({
        severity: 'error',
        file,
        message: `the run does not begin: ${tooMany}`,
        hint: 'fix these items, exclude them with --exclude, or allow more with max_failures',
      });
    return all;
  }

  item({ key, fields }: Item): void {
    const { path } = fields;
    if (this.#bound.pipeline.items.kind === 'glob' && typeof path === 'string')
      this.#conflict(this.#read(`the item ${key}`, path), ['items']);
  }

  problem({ step, id, scope, problem }: Task): void {
    if (problem === undefined) return;
    const { code, expression, at, message, hint, cell } = problem;
    const { source } = this.#bound.pipeline;
    const span =
      expression !== undefined
        ? source.spanInside(expression.path, expression.text, expression.start, expression.end)
        : at === undefined
          ? source.keySpanOf(['steps', step.name])
          : source.spanOf(at);
    // That a file is in the way there is said already.
    if (code === 'SL511' && this.#contested.has(placeOf(span))) return;
    const list = scope.payer.item === undefined ? this.#refused : this.#ofItems;
    const about = { code, message: `${id}: ${message}` };
    if (cell === undefined) return this.#note(list, { ...about, span, hint });
    const where = `${this.#bound.file}:${span.line}:${span.column}`;
    const use = `step "${step.name}" uses the value: ${where}`;
    const cure = textForOther.test(message)
      ? 'a column is text unless items.types says otherwise'
      : hint;
    const { file, span: place, excerpt } = cell;
    this.#note(list, { ...about, file, span: place, excerpt, hint: `${cure}; ${use}` });
  }

  /** Why a place below the output folder cannot be used; undefined if it can. */
  place(to: string): string | undefined {
    const unusable = unusablePlace(to, this.#outputs);
    if (unusable !== undefined) return unusable;
    const link = this.#links.problem(to);
    return link === undefined ? undefined : `to: ${JSON.stringify(withMarkShown(to))}: ${link}`;
  }

  writes({ step, id }: Task, to: string): void {
    this.#conflict(this.#claims.write(id, to), ['steps', step.name, 'with', 'to']);
  }

  reads({ step, id }: Task, file: string): void {
    // A step that follows a download may read the downloaded file on purpose.
    const isAfterDownload = this.#bound.pipeline.steps.some(
      ({ name, kind }) => kind.operation === 'download' && step.after.includes(name),
    );
    if (!isAfterDownload)
      this.#conflict(this.#read(`what ${id} uploads`, file), ['steps', step.name, 'with', 'file']);
  }

  /** A path from the pipeline. Only paths below the output folder can be overwritten. */
  #read(what: string, path: string): Conflict | undefined {
    const below = this.#outputs.below(path);
    return below === undefined ? undefined : this.#claims.read(what, below);
  }

  #conflict(conflict: Conflict | undefined, at: readonly string[]): void {
    if (conflict === undefined || this.#refused.length >= maxDiagnostics) return;
    const span = this.#bound.pipeline.source.spanOf(at);
    const { between, code, message } = conflict;
    this.#contested.add(placeOf(span));
    // One look through all items is enough: the cure is the same for all.
    const isFirst = between !== undefined && !this.#isHinted;
    const hint = isFirst ? this.#differenceHint(between) : conflict.hint;
    this.#note(this.#refused, { code, message, hint, span });
  }

  #differenceHint([task, other]: readonly [string, string]): string {
    this.#isHinted = true;
    const isFannedOut = fannedOutIn(this.#bound.pipeline.steps);
    const [mine, yours] = [task, other].map((name) => itemOf(name, isFannedOut(name)));
    const found = new Map<string | undefined, Item>();
    for (const item of this.#items)
      if (item.key === mine || item.key === yours) found.set(item.key, item);
    return hintOf({ task, item: found.get(mine) }, { task: other, item: found.get(yours) });
  }

  #note(
    list: Diagnostic[],
    found: Omit<Diagnostic, 'severity' | 'file'> & { readonly file?: string },
  ): void {
    if (list.length >= maxDiagnostics) return;
    list.push({ severity: 'error', file: this.#bound.file, ...found });
  }
}
