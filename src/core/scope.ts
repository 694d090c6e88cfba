// Where a step runs: in the run, for an item, for an element of a list. Whoever waits for a step awaits its promise here.
import type { Result } from '../base/result.ts';
import type { StepKind } from '../contract/kinds.ts';
import { toCel, type Scope as Values } from '../language/expression.ts';
import type { OnMissing, Step } from '../language/pipeline.ts';
import type { TemplateError } from '../language/template.ts';
import { eachOf, elementsOf } from '../model/element.ts';
import type { Item } from '../model/item.ts';
import type { Output } from '../model/record/line.ts';
import { type TaskId, taskId } from '../model/task.ts';
import { Known } from './decide.ts';
import { type Action, type End, endingFacts, isGraver, isOpenEnd } from './ending.ts';
import type { FileCounts } from './facts.ts';
import type { Maker, Named } from './names.ts';
import type { Names } from './naming.ts';
import type { Times } from './plan-table.ts';
import type { Price } from './price.ts';
import type { TaskProblem } from './problems.ts';
import type { Fan, PlannedStep, StepNeed } from './program.ts';
import type { Reason } from './reason.ts';
import { timeoutOf } from './timeout.ts';

/** Why an item may buy nothing now. */
export interface Held extends Pick<End, 'held'> {
  /** `pending` if it does not say. */
  readonly ending?: 'blocked';
  readonly why: string;
  /** The task of the item that cannot run. */
  readonly bad?: Bad;
}

/** A task that cannot run as it is: nothing is bought for its item. */
export interface Bad {
  readonly task: string;
  readonly problem: TaskProblem;
}

export interface Destination {
  readonly task: string;
  readonly path: string;
}

/** One step for one item, or for one element. */
export class Task implements Maker {
  readonly id: TaskId;
  readonly planned: PlannedStep;
  readonly step: Step;
  readonly kind: StepKind;
  readonly scope: Scope;
  /** Names what is made: of the take that counts; of a download or a delete, what it is about and where. */
  fingerprint = '';
  /** Of the first take. */
  first = '';
  action: Action | undefined;
  reason: Reason | undefined;
  known = new Known(undefined);
  /** The task that a download or a delete is about. */
  source: Task | undefined;
  /** Whose outputs of today its request needs. */
  readonly reads = new Set<Task>();
  readonly needs = new Set<Task>();
  /** How many results its request asks for; undefined if it does not say. */
  asked: number | undefined;
  /** Of an upload: undefined if only the run knows them. */
  file: string | undefined;
  content: string | undefined;
  /** Of an upload: its file, if another checkout has it. */
  away: Output | undefined;
  /** Of a download, and of a take that a reroll makes: below the output folder, the extension may be open. */
  to: string | undefined;
  /** The request of a task that is to be sent, with names in place of what other tasks make. */
  request: Named | undefined;
  price: Price | undefined;
  /** The value of its `if:`, where only the run knows it. */
  condition: Named | undefined;
  /** Where the downloads beside a creation put its results; 'kept': only the run knows. */
  destinations: readonly Destination[] | 'kept' = [];
  /** The number of the take that counts. */
  take = 1;
  /** The jobs of its other takes. */
  others: readonly string[] = [];
  /** What names the request. */
  text = '';
  files: FileCounts | undefined;
  /** Only the run knows whether it is to be, or what it is. */
  perhaps: boolean;
  /** It shares the result of another task of this walk. */
  isShared = false;
  problem: TaskProblem | undefined;
  end: End | undefined;

  constructor(planned: PlannedStep, scope: Scope) {
    this.planned = planned;
    this.step = planned.step;
    this.kind = planned.step.kind;
    this.scope = scope;
    this.id = scope.idOf(planned.step);
    this.perhaps = scope.perhaps;
  }

  get timeoutMs(): number {
    return timeoutOf(this.planned.step);
  }
}

export interface Done {
  readonly end: End;
  readonly task: Task | undefined;
}

/** The run, an item, or an element of a list; looks outward for what it does not have. */
export class Scope {
  readonly item: Item | undefined;
  readonly parent: Scope | undefined;
  /** In a list; '?': of one whose length only the run knows. */
  readonly index: number | '?' | undefined;
  readonly fan: Fan | undefined;
  readonly each: Named | undefined;
  readonly ends = new Map<string, Promise<Done>>();
  readonly all = new Map<string, Promise<readonly Done[]>>();
  readonly tasks: Task[] = [];
  /** Deletes, which come when everything else is over. */
  readonly tail: { readonly step: PlannedStep; readonly scope: Scope }[] = [];
  readonly #found = new Map<string, Task | readonly Task[]>();
  readonly #item: unknown;
  readonly #matrix: unknown;
  /** How many elements the list of this one has. */
  elements: Times | undefined;
  perhaps = false;
  admitted: true | Held = true;

  constructor(
    item: Item | undefined,
    parent?: Scope,
    element?: Pick<Scope, 'index' | 'fan' | 'each'>,
  ) {
    this.item = item;
    this.parent = parent;
    this.index = element?.index;
    this.fan = element?.fan;
    this.each = element?.each;
    const isOuter = parent?.item === item;
    this.#item = isOuter && parent !== undefined ? parent.#item : item && toCel(item.fields);
    this.#matrix =
      isOuter && parent !== undefined ? parent.#matrix : item?.matrix && toCel(item.matrix);
  }

  /** For how many elements this one stands; 1 if nobody can bound them. */
  get times(): number {
    const { open = false, most = 1 } = this.elements ?? {};
    return open ? most : 1;
  }

  /** The run or the item, which pays for its elements. */
  get payer(): Scope {
    return this.fan === undefined || this.parent === undefined ? this : this.parent;
  }

  /** Empty for the run. */
  get key(): string {
    return this.item?.key ?? '';
  }

  idOf({ name }: Step): TaskId {
    const { index } = this;
    const id = taskId(name, this.item, typeof index === 'number' ? index : undefined);
    return index === '?' ? (`${id}[?]` as TaskId) : id;
  }

  endOf(step: string): Promise<Done> {
    const end = this.ends.get(step) ?? this.parent?.endOf(step);
    if (end === undefined) throw new Error(`bug: ${step} has not begun`);
    return end;
  }

  allOf(step: string): Promise<readonly Done[]> {
    const all = this.all.get(step) ?? this.parent?.allOf(step);
    if (all === undefined) throw new Error(`bug: nobody gathers ${step}`);
    return all;
  }

  found(step: string): Task | readonly Task[] | undefined {
    return this.#found.get(step) ?? this.parent?.found(step);
  }

  /** How a step must end because of those before it; undefined: it may begin. Keeps what it may read. */
  async ready(
    needs: readonly StepNeed[],
    onMissing: OnMissing,
    task: Reader,
  ): Promise<End | undefined> {
    let worst: End | undefined;
    for (const need of needs) {
      const stop = need.all
        ? this.#readyList(need, await this.allOf(need.step), onMissing, task)
        : this.#readyOne(need, await this.endOf(need.step), task);
      if (stop === undefined) continue;
      if (worst === undefined || isGraver(stop.ending, worst.ending)) worst = stop;
    }
    return worst;
  }

  #readyOne(need: StepNeed, { end, task: one }: Done, task: Reader): End | undefined {
    if (one !== undefined) reach(task, one);
    const stop = endAfter(end, need);
    if (stop === undefined && one !== undefined) this.#found.set(need.step, one);
    return stop;
  }

  #readyList(
    need: StepNeed,
    list: readonly Done[],
    onMissing: OnMissing,
    task: Reader,
  ): End | undefined {
    for (const one of list) if (one.task !== undefined) reach(task, one.task);
    const stop = gather(list, need, onMissing);
    if (stop !== undefined) return stop;
    const tasks = list.flatMap(({ end, task: one }) =>
      end.ending === 'done' && one !== undefined ? [one] : [],
    );
    this.#found.set(need.step, tasks);
    return undefined;
  }

  /** What expressions see by name. */
  names(base: Base, needs: readonly StepNeed[]): Names<Task> {
    const steps: Record<string, Task | readonly Task[] | undefined> = {};
    for (const { step } of needs) steps[step] = this.found(step);
    const { each, index } = this;
    return {
      ...base,
      item: this.#item,
      matrix: this.#matrix,
      steps,
      ...(each === undefined || index === undefined ? {} : { each: { element: each, index } }),
    };
  }

  /** What expressions see of outputs as `of` says them. The error is that of the list of which this is an element. */
  values(
    base: Base,
    needs: readonly StepNeed[],
    of: (task: Task) => unknown,
  ): Result<Values, TemplateError> {
    const steps: Record<string, unknown> = {};
    for (const { step } of needs) {
      const found = this.found(step);
      if (found === undefined) continue;
      steps[step] = isTasks(found) ? { all: found.map(of) } : of(found);
    }
    const values: Values = { ...base, item: this.#item, matrix: this.#matrix, steps };
    const { fan, parent, index } = this;
    if (fan === undefined || parent === undefined || typeof index !== 'number')
      return { ok: true, value: values };
    const outer = parent.values(base, fan.needs, of);
    if (!outer.ok) return outer;
    const list = elementsOf(fan.fan, outer.value);
    if (!list.ok) return list;
    const element = list.value[index] ?? null;
    return { ok: true, value: { ...values, each: toCel(eachOf(element, index)) } };
  }
}

/** Who waits for other steps, and what it may read. */
interface Reader {
  readonly needs: Set<Task>;
  perhaps: boolean;
}

function reach(reader: Reader, task: Task): void {
  reader.needs.add(task);
  if (task.perhaps) reader.perhaps = true;
}

export const isTasks = (found: Task | readonly Task[]): found is readonly Task[] =>
  Array.isArray(found);

/** What is the same for all items, as expressions see it. */
export type Base = Pick<Values, 'inputs' | 'env' | 'run'>;

function endAfter(end: End, { step, reads }: StepNeed): End | undefined {
  const after = endingFacts[end.ending].dependents;
  if (after === 'done') return undefined;
  if (after === 'skipped') return reads ? { ending: after, why: `${step} is skipped` } : undefined;
  if (after === 'excluded') return { ending: after, why: `${step} is excluded` };
  const stop: End = { ending: after, why: `waits for ${step}` };
  return isOpenEnd(end) ? { ...stop, mayCome: true } : stop;
}

/** A list is paid for once, so whoever reads it begins only when it is complete. */
function gather(list: readonly Done[], { step }: StepNeed, onMissing: OnMissing): End | undefined {
  const named = (one: Done): string => one.task?.id ?? step;
  const open = list.find(({ end }) => isOpenEnd(end));
  if (open !== undefined) {
    const ending = endingFacts[open.end.ending].dependents === 'later' ? 'later' : 'blocked';
    const why = open.task === undefined ? open.end.why : `waits for ${named(open)}`;
    return { ending, why, mayCome: true };
  }
  const excluded = list.find(({ end }) => end.ending === 'excluded');
  if (excluded !== undefined)
    return {
      ending: 'excluded',
      why: excluded.task === undefined ? excluded.end.why : `${named(excluded)} is excluded`,
    };
  const failed = list.find(({ end }) => end.ending !== 'done' && end.ending !== 'skipped');
  const skipped = list.find(({ end }) => end.ending === 'skipped');
  const isThere = list.some(({ end }) => end.ending === 'done');
  if (failed !== undefined && onMissing === 'fail')
    return {
      ending: 'blocked',
      why: `${named(failed)} ${failed.end.ending === 'failed' ? 'has failed' : `is ${failed.end.ending}`}, and on_missing is fail`,
    };
  if (!isThere) return { ending: 'skipped', why: `there is no result of ${step}` };
  // Perhaps all are skipped in the end.
  const isSure = list.some(({ end, task }) => end.ending === 'done' && task?.perhaps !== true);
  if (skipped === undefined || onMissing === 'skip' || !isSure) return undefined;
  return { ending: 'blocked', why: `${named(skipped)} is skipped, and on_missing is fail` };
}
