// The plan of all items: looks at each item once, hashes files and finds problems, before anything is sent.
import { realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { digestOf } from '../../base/digest.ts';
import type { JsonObject } from '../../base/json.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Complaint, Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { FileStamps } from '../../files/file-stamps.ts';
import type { ItemList } from '../../files/items.ts';
import { OutputLinks } from '../../files/output-folders.ts';
import type { MadeFiles } from '../../files/saved-files.ts';
import { toCel } from '../../language/expression.ts';
import { tooManyFailed } from '../../language/failure-limits.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Pipeline, Step } from '../../language/pipeline.ts';
import { extensionMark, withMarkShown } from '../../language/result-name.ts';
import { type RunValues, runValues } from '../../language/schedule.ts';
import { expressionsOf } from '../../language/template.ts';
import type { Item } from '../../model/item.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { JobLine } from '../../model/line.ts';
import { lastChargedHere } from '../../model/state.ts';
import { fannedOutIn, itemOf, type TaskId } from '../../model/task.ts';
import type { End } from '../../plan/ending.ts';
import { pricedEstimate } from '../../plan/estimate.ts';
import type { Facts, FileFact, RecordedFile } from '../../plan/facts.ts';
import { ItemNeeds } from '../../plan/needs.ts';
import {
  type Conflict,
  hintOf,
  type Machine,
  OutputClaims,
  unusablePlace,
} from '../../plan/output-claims.ts';
import { normalized } from '../../plan/output-path.ts';
import { type Plan, PlanTally } from '../../plan/plan.ts';
import { isAtRest, isSettled, PlanFindings, SettledItems } from '../../plan/plan-findings.ts';
import { PlanReasons } from '../../plan/plan-reasons.ts';
import { PlanReferences } from '../../plan/plan-references.ts';
import { comesLater, type PlannedAction, type PlannedTask } from '../../plan/planned-action.ts';
import { nothingRemembered, type Remembered } from '../../plan/remembered.ts';
import { allTakes, pickedTakes, type Takes } from '../../plan/takes.ts';
import type { UnrunnableItems } from '../../run/action.ts';
import { type DryItem, DryRun } from '../../run/dry-run.ts';
import { FileFacts } from '../../run/file-facts.ts';
import type { Place } from '../../run/jobs/job.ts';
import type { Clock, Disk } from '../../run/jobs/ports.ts';
import type { PlanContext } from '../../run/planned-task.ts';

/** `run` in expressions. `due`: ISO 8601; `now`: epoch milliseconds. */
export const valuesAt = ({ schedule }: Pipeline, due: string | undefined, now: number): RunValues =>
  runValues(schedule, { due: due === undefined ? undefined : Date.parse(due), now });

/** The names in expressions that are the same for all items of a run. */
export const baseAt = (
  { base, pipeline }: BoundPipeline,
  due: string | undefined,
  now: number,
): PlanContext['base'] => ({ ...base, run: toCel(valuesAt(pipeline, due, now)) });

export interface PlannedItems {
  readonly plan: Plan;
  /** Why a run must not begin. */
  readonly problems: readonly Complaint[];
  /** Items that cannot run as they are, by key, with the verdicts for their steps. */
  readonly unrunnable: UnrunnableItems;
  /** What the account’s plan may refuse. */
  readonly findings: PlanFindings;
  /**
   * Items with paid projects that are not saved, and the time after which a result may be lost: the expiry of an
   * address if it is known, else the creation time of the project. They are saved before anything is bought. The key ""
   * stands for the shared steps.
   */
  readonly unsaved: ReadonlyMap<string, string>;
  /** Items that earlier runs have begun to pay for: they come next. */
  readonly inProgress: ReadonlySet<string>;
  /** True if every task that could begin now rests. */
  readonly asleep: boolean;
  /** What the tasks refer to in the state file. */
  readonly references: PlanReferences;
  /** Why the tasks run. */
  readonly reasons: PlanReasons;
  /** How many items have something to pay for, or to wait for. */
  readonly itemsToDo: number;
  /** The adopted jobs whose results are nowhere, by fingerprint. */
  readonly lost: ReadonlySet<string>;
  /** What the run would replace. */
  readonly foreign: ForeignFiles;
  /** The items with nothing to do, if no other step depends on what the run finds out about them. */
  readonly settled: SettledItems;
  /** What each item may still cost; undefined if nobody asked for it. */
  readonly needs: ItemNeeds | undefined;
}

/** Files that stand where results will go, and that shotlist did not make. */
export interface ForeignFiles {
  readonly count: number;
  /** The first of them, relative to the pipeline file. */
  readonly paths: readonly string[];
}

export interface PlanningInputs {
  /** The names in expressions that are the same for all items. */
  readonly base: PlanContext['base'];
  readonly ledger: Ledger;
  readonly disk: Disk;
  /** Default: any file may be replaced by a result. */
  readonly made?: Pick<MadeFiles, 'mayReplace'> | undefined;
  /** Of the files that the planning looks at; abandoned as soon as there is something to do. */
  readonly stamps?: Pick<FileStamps, 'abandon'> | undefined;
  readonly clock: Clock;
  /** If it is aborted, the planning ends with its reason as the error. */
  readonly stop?: AbortSignal | undefined;
  /** Called for each item: so many of them were looked at before. */
  readonly onLook?: ((seen: number, of: number) => void) | undefined;
  /** Steps that the run excludes. */
  readonly excluded: ReadonlySet<string>;
  /** Default: the picked ones. */
  readonly takes?: Takes | undefined;
  /** Default: nothing. */
  readonly remembered?: Remembered | undefined;
  /** True to find out what each item may still cost, for a cap. */
  readonly findsNeeds?: boolean;
  /** True if every output must be in this checkout. */
  readonly requireOutputs: boolean;
  /** As in `DryRunOptions`. */
  readonly payAgain?: Set<TaskId> | undefined;
  /** For a tick: true for a task that has nothing to do now. */
  readonly rests?: ((planned: PlannedTask) => boolean) | undefined;
  /** The task that a person asks about. */
  readonly explain?: string | undefined;
  /** Hears of every task, and of the action that it counts as. */
  readonly onTask?: ((planned: PlannedTask, action: PlannedAction) => void) | undefined;
  /** The plan begins again: what `onTask` heard counts no more. */
  readonly onAgain?: (() => void) | undefined;
  /** Sees the plan of each item in their order, and of the shared steps (no item) before and after them. */
  readonly seen?: (plan: DryItem, item: Item | undefined) => void;
  /** The platform decides which file names are equal or usable. */
  readonly platform?: string;
}

const itemsPerTurn = 1000;
const maxForeignNamed = 10;

export async function planItems(
  loaded: BoundPipeline,
  items: ItemList,
  inputs: PlanningInputs,
): Promise<PlannedItems> {
  const { ledger, disk, onTask, seen, remembered = nothingRemembered } = inputs;
  // Whoever hears of the tasks compares their fingerprints, and receipts are found by them, so every file is read.
  const spares =
    ledger.size === 0 && onTask === undefined && seen === undefined && remembered.isEmpty;
  const facts = new PlanningFacts(disk, spares ? 'spare' : 'all');
  for (;;) {
    const lost = inputs.payAgain?.size;
    const planned = await planWith(facts, loaded, items, inputs);
    if (!facts.wasMistaken() && inputs.payAgain?.size === lost) return planned;
    inputs.onAgain?.();
  }
}

async function planWith(
  facts: PlanningFacts,
  loaded: BoundPipeline,
  items: ItemList,
  inputs: PlanningInputs,
): Promise<PlannedItems> {
  const { ledger, disk, clock, excluded, requireOutputs, platform = process.platform } = inputs;
  const { base, rests, stop, onTask } = inputs;
  const { pipeline } = loaded;
  const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
  const root = await reallyAt(output);
  const below = belowOutput({ root, folder: await reallyAt(loaded.folder) });
  const outputs = { platform, root, below };
  const links = new OutputLinks(output);
  const fileFacts = new FileFacts(facts);
  const findings = new PlanFindings();
  const dry = new DryRun({
    steps: pipeline.steps,
    partial: items.count < items.total,
    facts: fileFacts,
    read: () => reading(fileFacts, inputs),
    jobOf: (fingerprint: string) => ledger.job(fingerprint),
    estimate: (step: Step, body: JsonObject) => pricedEstimate(step, body, ledger),
    look: (step: Step, body: JsonObject) => findings.look(step, body),
    base,
    now: clock.now(),
    excluded,
    takes: inputs.takes ?? pickedTakes(ledger),
    remembered: inputs.remembered,
    requireOutputs,
    payAgain: inputs.payAgain,
    unusable: (to) => unusablePlace(to, outputs) ?? atTo(to, links.problem(to)),
  });
  const jobOf = ({ fingerprint }: Pick<PlannedTask, 'fingerprint'>) =>
    fingerprint === undefined ? undefined : ledger.job(fingerprint);
  const tally = new PlanTally(pipeline.steps);
  const reasons = new PlanReasons(inputs.explain);
  let itemsToDo = 0;
  const settled = new SettledItems();
  const references = referencesTo(ledger, below);
  const problems = new PlanProblems(loaded, outputs, items);
  const unsaved = new Map<string, string>();
  const inProgress = new Set<string>();
  const needs =
    inputs.findsNeeds === true
      ? new ItemNeeds((fingerprint) => spentOn(ledger.job(fingerprint)))
      : undefined;
  let asleep = rests !== undefined;
  const unrunnable = new Map<string, ReadonlyMap<string, End>>();
  const lost = new Set<string>();
  const foreign: string[] = [];
  let foreignCount = 0;
  /** The file that shotlist did not make and that the result would replace. Only the run knows some names. */
  const replacedBy = (to: string, outputs: JobLine['outputs'] = []): string | undefined => {
    if (to.endsWith('/') || to.includes(extensionMark)) return undefined;
    const below = normalized(to);
    if (!below.ok) return undefined;
    const path = disk.recordedAs(below.value);
    const fact = disk.output(path);
    if (fact.is !== 'file' || inputs.made?.mayReplace(path) !== false) return undefined;
    return outputs.some(({ sha256 }) => sha256 === fact.digest) ? undefined : path;
  };
  const shared = await dry.shared();
  const take = (dryItem: DryItem, item: Item | undefined): void => {
    const { tasks, badTasks, verdicts } = dryItem;
    inputs.seen?.(dryItem, item);
    for (const task of tasks) {
      const action = tally.add(task);
      onTask?.(task, action);
      if (action !== 'reuse' || task.action === 'reuse')
        reasons.add(task, () => (dryItem === shared ? tasks : [...tasks, ...shared.tasks]));
      if (action === 'lost' && jobOf(task)?.adopted !== undefined) lost.add(task.fingerprint ?? '');
      if (action === 'doubt') tally.hold(task, jobOf(task)?.reserve ?? 0);
      references.add(task);
      problems.addOutputs(task);
      if (task.to !== undefined && comesLater(task.action)) {
        const replaced = replacedBy(task.to, jobOf(task)?.outputs);
        if (replaced === undefined) continue;
        foreignCount += 1;
        if (foreign.length < maxForeignNamed) foreign.push(replaced);
      }
    }
    // The shared steps that wait for all items begin when those are over.
    if (item !== undefined || dryItem === shared) needs?.add(item?.key ?? '', tasks);
    for (const task of badTasks) {
      tally.note(task);
      problems.addTask(task, item);
    }
    if (rests !== undefined)
      asleep &&= tasks.every((planned) => !dry.isNext(dryItem, planned) || rests(planned));
    const times = tasks.filter(isOwed).flatMap((task) => {
      const job = jobOf(task);
      return job === undefined ? [] : [job.expires ?? job.at];
    });
    const [first] = times.sort();
    if (first !== undefined) unsaved.set(item?.key ?? '', first);
    if (item === undefined) return;
    tally.addItem(badTasks.length > 0);
    problems.addItem(item);
    if (badTasks.length > 0) unrunnable.set(item.key, verdicts);
    if (hasBegun(tasks)) inProgress.add(item.key);
    if (tasks.some(({ step, action }) => step.kind.tool !== undefined && comesLater(action)))
      itemsToDo += 1;
  };
  const one = pipeline.items.kind === 'one';
  const note = ({ tasks }: DryItem): void => {
    if (!tasks.every((task) => isAtRest(task, ledger))) inputs.stamps?.abandon();
  };
  take(shared, undefined);
  note(shared);
  const depends = pipeline.steps.some(
    ({ shared, isGathered, fan }) => !shared && (isGathered || fan !== undefined),
  );
  let visited = 0;
  for (const item of items) {
    inputs.onLook?.(visited, items.count);
    visited += 1;
    // A signal of the system is heard only between two turns of the event loop.
    if (visited % itemsPerTurn === 0) await setImmediate();
    stop?.throwIfAborted();
    const dryItem = await dry.item(item);
    take(dryItem, item);
    if (!depends && dryItem.tasks.every((task) => isSettled(task, ledger)))
      settled.add(visited - 1);
    note(dryItem);
  }
  const afterItems = await dry.afterItems();
  if (afterItems !== undefined) {
    note(afterItems);
    take(afterItems, undefined);
  }
  // A later step may need an upload that has expired meanwhile.
  for (const task of dry.renewedLater) tally.renew(task);
  if (one) tally.addItem(false);
  return {
    plan: tally.plan(pipeline.steps.map(({ name }) => name)),
    problems: problems.refusals({ items: items.count, unrunnable: unrunnable.size }),
    unrunnable,
    findings,
    unsaved,
    inProgress,
    asleep,
    references,
    reasons,
    itemsToDo,
    settled,
    needs,
    lost,
    foreign: { count: foreignCount, paths: foreign },
  };
}

/** Hashes the files of which a decision lacked the digest. */
function reading(
  fileFacts: FileFacts,
  { disk, stop }: Pick<PlanningInputs, 'disk' | 'stop'>,
): Promise<void> | undefined {
  const unread = fileFacts.takeUnread();
  if (unread.length === 0) return undefined;
  const read = async (place: Place): Promise<void> => {
    const digest = await disk.digest(place, stop);
    if (!digest.ok) fileFacts.unreadable(place, digest.error);
  };
  return Promise.all(unread.map(read)).then(() => stop?.throwIfAborted());
}

/** Not among the variables of the planning, which a function that outlives it would keep in memory. */
function referencesTo(ledger: Ledger, below: Outputs['below']): PlanReferences {
  const takesOf = (first: string) => allTakes(ledger, first);
  return new PlanReferences((fingerprint) => ledger.job(fingerprint), takesOf, below);
}

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

/** Credits of a project, or those that are set aside for a creation in doubt. */
const spentOn = (job: JobLine | undefined): number | undefined =>
  job?.credits === undefined ? job?.reserve : lastChargedHere(job);

/** True if an earlier run has paid for a part of what the item still needs, or for what it waits for. */
function hasBegun(tasks: readonly PlannedTask[]): boolean {
  if (tasks.some(({ action }) => action === 'attach')) return true;
  const paid = tasks.filter(({ step }) => step.kind.tool !== undefined);
  return (
    paid.some(({ action }) => action === 'reuse') && paid.some(({ action }) => comesLater(action))
  );
}

/** A download of a project that is complete, or that may be complete by now. */
function isOwed({ step, action, fingerprint }: PlannedTask): boolean {
  if (fingerprint === undefined) return false;
  return action === 'attach' || (step.kind.operation === 'download' && action === 'begin');
}

// Collects the problems of a plan as diagnostics: tasks that cannot run, and files that would be written twice or over
// an input. plan/output-claims.ts decides what counts as a conflict.

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

export class PlanProblems {
  /** Problems because of which the run must not begin. */
  readonly #refused: Diagnostic[] = [];
  /** Problems of single items; the other items can run. */
  readonly #ofItems: Diagnostic[] = [];
  readonly #loaded: BoundPipeline;
  readonly #outputs: Outputs;
  readonly #claims: OutputClaims;
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
  addTask({ step, task, problem }: PlannedTask, item: Item | undefined): void {
    if (problem === undefined) return;
    const { code, expression, at, message, hint, cell } = problem;
    const { source } = this.#loaded.pipeline;
    const span =
      expression !== undefined
        ? source.spanInside(expression.path, expression.text, expression.start, expression.end)
        : at === undefined
          ? source.keySpanOf(['steps', step.name])
          : source.spanOf(at);
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

  addOutputs({ step, task, to, file }: PlannedTask): void {
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

// The view of the disk for planning all items. A file whose size is unique need not be read.

/** `spare`: files are read only if another file has the same size. Valid if no earlier upload can have their content. */
type Reading = 'all' | 'spare';

class PlanningFacts implements Facts {
  readonly #disk: Facts;
  readonly #reading: Reading;
  /** By size in bytes: the first file of that size; undefined if it was read. */
  readonly #first = new Map<number, string | undefined>();
  /** The sizes of files that must be read, because there are several of them. */
  readonly #shared = new Set<number>();
  #mistaken = false;

  constructor(disk: Facts, reading: Reading) {
    this.#disk = disk;
    this.#reading = reading;
  }

  get store(): string | undefined {
    return this.#disk.store;
  }

  /**
   * True if a file was not read, and a later file has the same size: plan again, with these facts. False from then on.
   */
  wasMistaken(): boolean {
    const mistaken = this.#mistaken;
    this.#mistaken = false;
    return mistaken;
  }

  input(path: string): FileFact {
    const fact = this.#disk.input(path);
    if (fact.is === 'absent' || this.#reading === 'all') return fact;
    return this.#isAlone(path, fact) ? { ...fact, digest: digestOf({ alone: path }) } : fact;
  }

  #isAlone(path: string, { bytes, digest }: Extract<FileFact, { readonly is: 'file' }>): boolean {
    if (this.#shared.has(bytes)) return false;
    if (!this.#first.has(bytes)) {
      this.#first.set(bytes, digest === undefined ? path : undefined);
      return digest === undefined;
    }
    const first = this.#first.get(bytes);
    if (first === path) return digest === undefined;
    this.#shared.add(bytes);
    this.#mistaken ||= first !== undefined;
    return false;
  }

  output(path: string): FileFact {
    return this.#disk.output(path);
  }

  isElsewhere(output: RecordedFile): boolean {
    return this.#disk.isElsewhere(output);
  }

  recordedAs(path: string): string {
    return this.#disk.recordedAs(path);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#disk.kept(digest, extension);
  }
}
