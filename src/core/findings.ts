// What a plan finds: rows, reasons, problems, and all that a run needs of it. It collects what the walk shows, and decides nothing.

import { isObject } from '../base/json.ts';
import { type Tier, tiers } from '../contract/api/tier.ts';
import type { Code } from '../contract/codes.ts';
import { refusedOnPlan } from '../contract/plan-rules.ts';
import type { RuleBreach } from '../contract/rules.ts';
import type { Step } from '../language/pipeline.ts';
import type { Item } from '../model/item.ts';
import { itemOf, stepOf } from '../model/task.ts';
import { finalFailure } from './decide.ts';
import type { Action, End } from './ending.ts';
import { type FileCounts, sumOf } from './facts.ts';
import { textOf } from './names.ts';
import type { Owed } from './owed.ts';
import type {
  Plan,
  PlanNote,
  PlannedAction,
  PlannedLate,
  PlannedTake,
  PlanRow,
  Times,
} from './plan-table.ts';
import { isMadeElsewhere, isOfFile } from './reason.ts';
import { knownPart } from './request.ts';
import type { Bad, Scope, Task } from './scope.ts';
import type { Need } from './spending.ts';

/** A task that cannot run, and the places that tasks write: who judges them knows files and tables. */
export interface Complaints {
  item(item: Item): void;
  problem(task: Task): void;
  /** A place below the output folder; the extension may be open. */
  writes(task: Task, to: string): void;
  reads(task: Task, file: string): void;
}

/** Whether a project of this kind that was begun then need not be looked at yet. */
export type IsYoung = (kind: string, at: string) => boolean;

const maxNotes = 100;

/** What each subscription plan would refuse, by step: the account's plan is known only after planning. */
export type Refused = ReadonlyMap<Tier, ReadonlyMap<string, RuleBreach>>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Row extends Mutable<Omit<PlanRow, 'prices' | 'unset' | 'tasks'>> {
  readonly tasks: Partial<Record<PlannedAction, number>>;
  readonly prices: Set<NonNullable<PlanRow['prices']>[number]>;
  readonly unset: Set<string>;
}

export interface FindingsOptions {
  /** All that is. */
  readonly owed?: readonly Owed[] | undefined;
  readonly complaints?: Complaints | undefined;
  readonly isYoung?: IsYoung | undefined;
}

export class Findings {
  readonly #rows = new Map<string, Row>();
  readonly #why = new Set<string>();
  readonly #notes: PlanNote[] = [];
  #noted = 0;
  readonly #takes: PlannedTake[] = [];
  #files: FileCounts = { changed: 0, elsewhere: 0, stored: 0 };
  readonly complaints: Complaints | undefined;
  readonly #isYoung: IsYoung;
  readonly #needs = new Map<string, Need[]>();
  /** What each request of this walk that is paid for may cost. */
  readonly #creates = new Map<
    string,
    { readonly credits: number; readonly measure: Need['measure'] }
  >();
  /** Who wants a project first; requests that others want, too. */
  readonly #wants = new Map<string, string>();
  readonly shared = new Set<string>();
  /** Items of which something is in the record. */
  readonly begun = new Set<string>();
  /** Items with a task that cannot run: the first one. */
  readonly bad = new Map<string, Bad>();
  readonly #late = new Map<string, PlannedLate>();
  /** Fields under `extra:`, which this version does not know, by step. */
  readonly #extras: ReadonlyMap<string, readonly string[]>;
  readonly #sentExtras = new Set<string>();
  readonly tiers = new Map(tiers.map((tier) => [tier, new Map<string, RuleBreach>()]));
  /** Projects that a download of this walk is about. */
  readonly #about = new Set<string>();
  readonly #owed: readonly Owed[];
  /** Tasks with owed results of which this walk has seen nothing. */
  readonly #unmet = new Set<string>();
  /** By item: when the oldest of its paid results was paid that is not saved yet. */
  readonly #unsaved = new Map<string, string>();
  readonly #resting = new Set<string>();
  /** A tick has nothing to do. */
  isAsleep = true;
  /** Requests in doubt. */
  readonly doubts = new Set<string>();
  /** The fingerprints of creations whose results are nowhere, by task. */
  readonly lost = new Map<string, string>();
  /** Items that something must be paid for. */
  readonly #toDo = new Set<string>();

  constructor(
    steps: readonly Step[],
    { owed = [], complaints, isYoung = () => false }: FindingsOptions,
  ) {
    this.complaints = complaints;
    this.#isYoung = isYoung;
    this.#extras = new Map(
      steps.map(({ name, extra }) => [name, extra.map((path) => path.join('.'))]),
    );
    this.#owed = owed;
    for (const { tasks } of owed) for (const task of tasks) this.#unmet.add(task);
    for (const { name, kind } of steps) this.#row(name, kind.name);
  }

  #row(step: string, kind: string): Row {
    const known = this.#rows.get(step);
    if (known !== undefined) return known;
    const [prices, unset] = [new Set<never>(), new Set<string>()];
    const row: Row = { step, kind, tasks: {}, credits: 0, unpriced: 0, prices, unset };
    this.#rows.set(step, row);
    return row;
  }

  readonly see = (task: Task, end?: End): void => {
    if (end !== undefined) return this.#ended(task, end);
    if (task.action === undefined) return;
    const { source, scope } = task;
    for (const one of source === undefined ? task.reads : [source]) this.#want(one, scope.payer);
    if (task.to !== undefined) this.complaints?.writes(task, task.to);
    if (task.file !== undefined) this.complaints?.reads(task, task.file);
  };

  #want(task: Task, payer: Scope): void {
    const other = this.#wants.get(task.fingerprint);
    if (other !== undefined && other !== payer.key) this.shared.add(task.fingerprint);
    this.#wants.set(task.fingerprint, payer.key);
  }

  #need(task: Task): void {
    const { fingerprint, scope, action, price } = task;
    if (action === undefined) return;
    const { key } = scope.payer;
    if (action === 'create' && price !== undefined)
      this.#creates.set(fingerprint, {
        credits: (price.credits ?? 0) * scope.times,
        measure: price.measure,
      });
    else if (!task.isShared) this.begun.add(key);
    // What comes after all items takes what they leave: it needs all of them, so nothing is set aside for it before.
    if (task.planned.isAfter) return;
    const cost = this.#creates.get(fingerprint);
    const now = task.known.own?.attempts.at(-1)?.measure;
    const measure = cost?.measure ?? now ?? { of: task.kind.name, amount: 1 };
    const list = this.#needs.get(key) ?? [];
    this.#needs.set(key, list);
    list.push({ fingerprint, credits: cost?.credits ?? 0, measure });
    // What the other takes have cost counts against the budget of the item.
    for (const other of task.others) list.push({ fingerprint: other, credits: 0, measure });
    if (cost !== undefined && key !== '') this.#toDo.add(key);
  }

  #ended(task: Task, end: End): void {
    const row = this.#rows.get(task.step.name);
    if (row === undefined) return;
    this.#unmet.delete(task.id);
    const isCreated = task.action === 'create' && end.ending === 'done';
    if (task.kind.operation === 'create' && (isCreated || task.action !== 'create'))
      this.#need(task);
    if (task.others.length > 0 && task.to === undefined && this.#takes.length < maxNotes)
      this.#takes.push({ task: task.id, known: task.others.length + 1, picked: task.take });
    const action = plannedAction(task, end);
    row.tasks[action] = (row.tasks[action] ?? 0) + 1;
    if (task.isShared && action === 'reuse') row.twins = (row.twins ?? 0) + 1;
    if (task.scope.elements !== undefined) row.times = joined(row.times, task.scope.elements);
    if (task.files !== undefined) this.#files = sumOf(this.#files, task.files);
    if (isCreated && !task.isShared) {
      this.#price(task, row);
      this.#judge(task);
      this.#lateValues(task);
      if (this.#extras.get(task.step.name)?.length) this.#sentExtras.add(task.step.name);
    }
    this.#saves(task);
    this.#stir(task);
    if (task.action === 'doubt') {
      row.held = (row.held ?? 0) + reserveOf(task);
      this.doubts.add(task.fingerprint);
    }
    if (task.kind.operation === 'download')
      for (const one of task.source === undefined ? sourcesOf(task) : [task.source])
        this.#about.add(one.fingerprint);
    if (task.action === 'lost' && task.reason?.code !== 'input-deleted' && !isOfFile(task.reason)) {
      const { id, fingerprint } = task.source ?? task;
      this.lost.set(id, fingerprint);
    }
    const isWaiting =
      task.step.gathers.length > 0 && (action === 'blocked' || action === 'excluded');
    const said = task.problem === undefined ? action : 'problem';
    if (noteworthy.has(said) || isWaiting) this.#note(task, said, end);
    if (task.problem === undefined) return;
    this.complaints?.problem(task);
    if (task.scope.payer.item !== undefined)
      this.bad.set(task.scope.payer.key, { task: task.id, problem: task.problem });
  }

  /** A project that renders, at which a look is not useful yet. */
  #rests({ action, known, kind }: Task): boolean {
    const { now } = known;
    return action === 'follow' && now?.state === 'created' && this.#isYoung(kind.name, now.at);
  }

  /** What a tick does not try again, and what waits for it, is no reason to ask the service anything. */
  #stir(task: Task): void {
    const { action, reason, known, step, fingerprint, needs, source } = task;
    if (action === undefined || !stirring.has(action)) return;
    const isFinal =
      reason?.code === 'failed-before' && finalFailure(known, step.attempts) !== undefined;
    const behind = source === undefined ? needs : [...needs, source];
    if (
      isFinal ||
      this.#rests(task) ||
      [...behind].some((one) => this.#resting.has(one.fingerprint))
    )
      this.#resting.add(fingerprint);
    else this.isAsleep = false;
  }

  #saves({ action, source, scope }: Task): void {
    if (action !== 'save' || (source?.action !== 'reuse' && source?.action !== 'follow')) return;
    const { at = '' } = source.known.now ?? {};
    const { key } = scope.payer;
    const known = this.#unsaved.get(key);
    if (known === undefined || at < known) this.#unsaved.set(key, at);
  }

  /** The items with paid results that are not saved: what runs out first comes first. Undefined if there is nothing to save. */
  unsavedOf<T extends { readonly item: Item }>(items: Iterable<T>): readonly T[] | undefined {
    if (this.#unsaved.size === 0) return undefined;
    const at = ({ item }: T): string => this.#unsaved.get(item.key) ?? '';
    const found: T[] = [];
    for (const one of items) if (this.#unsaved.has(one.item.key)) found.push(one);
    return found.sort((one, other) => (at(one) < at(other) ? -1 : at(one) > at(other) ? 1 : 0));
  }

  #price({ step, kind, price, scope }: Task, row: Row): void {
    if (price === undefined) return;
    if (price.credits === undefined) {
      row.unpriced += 1;
      this.#why.add(`${step.name} (${kind.name}): ${price.why}`);
      return;
    }
    const { elements } = scope;
    if (elements?.open === true && elements.most === undefined) {
      const { fanOuts = 0, each = 0 } = row.uncounted ?? {};
      row.uncounted = { fanOuts: fanOuts + 1, each: Math.max(each, price.credits) };
    } else row.credits += price.credits * scope.times;
    if (price.from !== undefined) row.prices.add(price.from);
    for (const field of price.unset) row.unset.add(field);
  }

  /** The highest of several bounds is shown. */
  #lateValues({ step, condition, price }: Task): void {
    const whether =
      condition === undefined ? [] : [{ field: 'if', value: condition, pricedAs: undefined }];
    for (const { field, value, pricedAs } of [...whether, ...(price?.late ?? [])]) {
      const makers = new Set<Task>();
      textOf(value, makers);
      const [first] = makers;
      if (first === undefined) continue;
      const key = JSON.stringify([step.name, field]);
      const before = this.#late.get(key);
      if (before !== undefined && (before.pricedAs ?? 0) >= (pricedAs ?? 0)) continue;
      this.#late.set(key, { step: step.name, field, from: first.step.name, pricedAs });
    }
  }

  /** The first finding of each step for each plan, so that a million items are a few lines. */
  #judge({ step, request }: Task): void {
    const known = request === undefined ? undefined : knownPart(request);
    const { tool } = step.kind;
    if (tool === undefined || !isObject(known)) return;
    for (const [tier, found] of this.tiers) {
      const [first] = found.has(step.name) ? [] : refusedOnPlan(tool, known, tier);
      if (first !== undefined) found.set(step.name, first);
    }
  }

  #note({ id }: Task, action: PlannedAction, { why, diagnostic }: End): void {
    this.#noted += 1;
    const code: Code | undefined = diagnostic;
    if (this.#notes.length < maxNotes) this.#notes.push({ task: id, action, why, code });
  }

  get needs(): ReadonlyMap<string, readonly Need[]> {
    return this.#needs;
  }

  /** Items that something must be paid for. */
  get itemsToDo(): number {
    return [...this.#toDo].filter((item) => !this.bad.has(item)).length;
  }

  /** Begun items go first, so that what is paid for is finished. */
  orderOf<T extends { readonly item: Item }>(items: Iterable<T>): Iterable<T> {
    const { begun } = this;
    if (begun.size === 0 || (begun.size === 1 && begun.has(''))) return items;
    return {
      *[Symbol.iterator]() {
        for (const one of items) if (begun.has(one.item.key)) yield one;
        for (const one of items) if (!begun.has(one.item.key)) yield one;
      },
    };
  }

  /** Of what is owed: what no download of this walk sees to. A run of some of the items leaves the others alone. */
  owed(isWhole: boolean): readonly Owed[] {
    const isLeft = (task: string): boolean =>
      !isWhole && itemOf(task, false) !== undefined && this.#unmet.has(task);
    return this.#owed
      .filter(({ job, tasks }) => !this.#about.has(job.job) && !tasks.some(isLeft))
      .map((one) => ({
        ...one,
        isBeside: one.isBeside || one.tasks.some((task) => !this.#unmet.has(task)),
      }));
  }

  /** `owed`: fetched before anything else, whatever the steps and items of this walk. */
  plan(items: number, owed: readonly Owed[]): Plan {
    for (const { attempt, tasks: savers, isBeside } of owed) {
      if (isBeside) continue;
      // It is looked at once.
      const action = attempt.state === 'complete' ? 'begin' : 'maybe';
      for (const task of savers) {
        const { tasks } = this.#row(stepOf(task), 'download');
        tasks[action] = (tasks[action] ?? 0) + 1;
      }
    }
    const rows = [...this.#rows.values()]
      .filter(({ tasks }) => Object.keys(tasks).length > 0)
      .map((row): PlanRow => {
        const { step, kind, credits, unpriced, prices, unset, twins, held, times, uncounted } = row;
        return {
          step,
          kind,
          credits,
          unpriced,
          prices: listed(prices),
          unset: listed(unset),
          twins,
          held: held || undefined,
          times,
          uncounted,
          tasks: row.tasks,
        };
      });
    const extras = [...this.#sentExtras].map((step) => ({
      step,
      fields: this.#extras.get(step) ?? [],
    }));
    return {
      items,
      rows,
      credits: rows.reduce((sum, row) => sum + row.credits, 0),
      unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
      uncounted: rows.reduce((sum, row) => sum + (row.uncounted?.fanOuts ?? 0), 0),
      unpricedWhy: [...this.#why],
      late: listed(this.#late.values()),
      unknownFields: listed(extras),
      takes: listed(this.#takes),
      files: this.#files,
      badItems: this.bad.size,
      notes: this.#notes,
      noted: this.#noted,
    };
  }
}

const listed = <T>(all: Iterable<T>): readonly T[] | undefined => {
  const list = [...all];
  return list.length === 0 ? undefined : list;
};

const stirring: ReadonlySet<Action> = new Set<Action>([
  ...(['supply', 'create', 'follow', 'save', 'copy', 'store', 'remove'] as const),
]);

const noteworthy: ReadonlySet<PlannedAction> = new Set<PlannedAction>([
  'doubt',
  'lost',
  'keep',
  'problem',
]);

/** What a download that was not even named may be about. */
const sourcesOf = ({ step, scope }: Task): readonly Task[] =>
  [...scope.payer.tasks, ...(scope.payer.parent?.tasks ?? [])].filter(
    (one) => one.step.name === step.of && one.fingerprint !== '',
  );

/** Its item must not buy anything. */
const isHeld = ({ action }: Task, { ending }: End): boolean =>
  (action === 'create' || action === 'supply') && (ending === 'blocked' || ending === 'pending');

/** What a plan calls it. */
export function plannedAction(task: Task, end: End): PlannedAction {
  const { action, perhaps } = task;
  if (end.ending === 'excluded' || end.ending === 'skipped') {
    if (action === 'keep' && end.ending === 'skipped') return 'defer';
    return end.ending;
  }
  if (task.problem !== undefined) return perhaps ? 'maybe' : 'problem';
  if (isHeld(task, end)) return 'blocked';
  if (perhaps && action !== undefined && action !== 'keep') return 'maybe';
  switch (action) {
    case undefined:
      return 'blocked';
    case 'supply':
    case 'create':
    case 'save':
    case 'remove':
      return 'begin';
    case 'follow':
      return isMadeElsewhere(task.reason) ? 'reuse' : 'attach';
    default:
      return action;
  }
}

function joined(one: Times | undefined, other: Times): Times {
  if (one === undefined) return other;
  const least = Math.min(one.least, other.least);
  const open = one.open || other.open;
  if (one.most === undefined || other.most === undefined) return { least, open };
  return { least, most: Math.max(one.most, other.most), open };
}

const reserveOf = ({ known }: Task): number =>
  (known.job?.attempts ?? []).reduce(
    (sum, { state, charge, reserve }) =>
      state === 'intended' || state === 'doubt' ? sum + (charge?.credits ?? reserve) : sum,
    0,
  );
