// The plan of all items: looks at each item once, hashes files and finds problems, before anything is sent.

import { setImmediate } from 'node:timers/promises';
import { digestOf } from '../../base/digest.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Complaint } from '../../contract/yaml/diagnostic.ts';
import type { Facts, FileFact, RecordedFile } from '../../core/disk-facts.ts';
import { FileFacts } from '../../core/file-facts.ts';
import { unusablePlace } from '../../core/output-claims.ts';
import { normalized } from '../../core/output-path.ts';
import { PlanFindings } from '../../core/plan-findings.ts';
import type { Plan } from '../../core/plan-table.ts';
import { comesLater, type PlannedAction } from '../../core/planned-action.ts';
import type { Clock, Disk, Place } from '../../core/ports.ts';
import type { FileStamps } from '../../files/file-stamps.ts';
import type { ItemList } from '../../files/items.ts';
import { OutputLinks } from '../../files/output-folders.ts';
import type { MadeFiles } from '../../files/saved-files.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Step } from '../../language/pipeline.ts';
import { extensionMark } from '../../language/result-name.ts';
import type { Item } from '../../model/item.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { JobLine } from '../../model/line.ts';
import { lastChargedHere } from '../../model/state.ts';
import { allTakes } from '../../model/take-index.ts';
import type { TaskId } from '../../model/task.ts';
import type { End } from '../../plan/ending.ts';
import { pricedEstimate } from '../../plan/estimate.ts';
import { ItemNeeds } from '../../plan/needs.ts';
import { PlanTally } from '../../plan/plan.ts';
import { isAtRest, isSettled, SettledItems } from '../../plan/plan-findings.ts';
import { PlanReasons } from '../../plan/plan-reasons.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import { nothingRemembered, type Remembered } from '../../plan/remembered.ts';
import { pickedTakes, type Takes } from '../../plan/takes.ts';
import type { UnrunnableItems } from '../../run/action.ts';
import { type DryItem, DryRun } from '../../run/dry-run.ts';
import type { PlanContext } from '../../run/plan-context.ts';
import { PlanReferences } from '../prune/plan-references.ts';
import { atTo, belowOutput, type Outputs, PlanProblems, reallyAt } from './plan-problems.ts';

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
