// What became of the tasks and items of a walk, folded from its events. Each event costs the same, whatever the number of
// items; what is kept is counts, what is in progress, the last few events, and the first problems.
import { kindNamed } from '../contract/kinds.ts';
import { endingFacts, type Held } from './ending.ts';
import { type FileCounts, sumOf } from './facts.ts';
import type { PlanRow } from './plan-table.ts';
import { comesLater } from './planned-action.ts';
import type {
  ProblemGroup,
  ReachedCap,
  RunEvent,
  Summary,
  TaskDetail,
  TaskEnding,
} from './run-event.ts';

/** A task, or an item that is over. */
interface Happening {
  readonly what: 'done' | 'failed' | 'doubt';
  readonly name: string;
  readonly why?: string | undefined;
  readonly credits?: number;
  readonly tookMs?: number | undefined;
}

export interface AtWork {
  /** Undefined if the plan does not have the step. */
  readonly step: StepProgress | undefined;
  /** By the clock's `elapsed`. */
  readonly since: number;
}

interface OpenItem {
  since?: number;
  credits: number;
  trouble?: 'failed' | 'doubt';
  /** False if each task that would make something was skipped; undefined without such a task. */
  made?: boolean;
}

const without = (all: FileCounts, some: FileCounts): FileCounts => ({
  changed: all.changed - some.changed,
  elsewhere: all.elsewhere - some.elsewhere,
  stored: all.stored - some.stored,
});

/** Of each kind. */
const keptHappenings = 10;

export class Tally {
  readonly tasks: Record<TaskEnding, number> = {
    done: 0,
    reused: 0,
    skipped: 0,
    excluded: 0,
    failed: 0,
    doubt: 0,
    pending: 0,
    blocked: 0,
    rendering: 0,
    later: 0,
  };
  /**
   * The items that are over. `skipped`: nothing was to be made of them; `failed`: with a failed task, and none in doubt; `open`:
   * neither done nor failed, but blocked or left for later.
   */
  readonly items = { done: 0, skipped: 0, failed: 0, doubt: 0, open: 0 };
  readonly steps: ReadonlyMap<string, StepProgress>;
  readonly problems = new Problems();
  /** The tasks in doubt. */
  readonly doubted = new Set<string>();
  /** The tasks at work, in the order in which they began. */
  readonly atWork = new Map<string, AtWork>();
  /** The last failures and doubts, the last first. */
  readonly troubles: Happening[] = [];
  /** The last that was done, the last first. */
  readonly done: Happening[] = [];
  /** Reused files that are not here as recorded. */
  files: FileCounts = { changed: 0, elsewhere: 0, stored: 0 };
  /** Tasks that are `pending` only because the run stopped, or a cap held them back. */
  held = 0;
  /** The cap that held items back, for the item that needs the most. */
  heldItems: ReachedCap | undefined;
  /** Items that are over, and for which the run did something. */
  changed = 0;
  /** When the first task began. */
  firstBegin: number | undefined;
  readonly #open = new Map<string, OpenItem>();
  #busyMs = 0;
  #summedAt = 0;

  /** `rows`: of the plan; `usualMs`: as in the event `planned`. */
  constructor(rows: readonly PlanRow[] = [], usualMs: Readonly<Record<string, number>> = {}) {
    this.steps = new Map(rows.map((row) => [row.step, new StepProgress(row, usualMs[row.kind])]));
  }

  /** `now`: by the clock's `elapsed`, in milliseconds. */
  take(event: RunEvent, now: number, detail?: TaskDetail): void {
    switch (event.type) {
      case 'begun':
        return this.#begin(event, now);
      case 'task':
        return this.#end(event, now, detail);
      case 'item':
        return this.#itemOver(event, now);
    }
  }

  #begin({ step, task, item }: Extract<RunEvent, { type: 'begun' }>, now: number): void {
    this.#sumTo(now);
    this.firstBegin ??= now;
    const progress = this.steps.get(step);
    this.atWork.set(task, { step: progress, since: now });
    progress?.begin();
    if (item !== undefined) this.#itemAt(item).since ??= now;
  }

  #end(event: TaskEvent, now: number, detail: TaskDetail = {}): void {
    this.#sumTo(now);
    const { step, task, item, ending, credits, why } = event;
    const { before, filesBefore, files, held } = detail;
    const since = this.atWork.get(task)?.since;
    const tookMs = since === undefined ? undefined : now - since;
    if (since !== undefined) this.atWork.delete(task);
    this.tasks[ending] += 1;
    if (before !== undefined) this.tasks[before] -= 1;
    this.steps.get(step)?.end(ending, { tookMs, before });
    if (filesBefore !== undefined) this.files = without(this.files, filesBefore);
    if (files !== undefined) this.files = sumOf(this.files, files);
    if (ending === 'doubt') this.doubted.add(task);
    else if (before === 'doubt') this.doubted.delete(task);
    if (ending === 'pending' && held !== undefined) this.#hold(held);
    else if (ending !== 'reused' && endingFacts[ending].problem) this.problems.add(event, detail);
    const isTrouble = ending === 'failed' || ending === 'doubt';
    if (isTrouble) keepLast(this.troubles, { what: ending, name: task, why });
    if (item === undefined) {
      if (tookMs !== undefined && ending === 'done')
        keepLast(this.done, { what: 'done', name: task, credits, tookMs });
      return;
    }
    // A task may be repeated after its item was over.
    const open = before === undefined ? this.#itemAt(item) : this.#open.get(item);
    if (open === undefined) return;
    open.credits += credits;
    if (this.#makes(step)) open.made = open.made === true || ending !== 'skipped';
    if (isTrouble && open.trouble !== 'doubt') open.trouble = ending;
  }

  #makes(step: string): boolean {
    const { operation } = kindNamed(this.steps.get(step)?.kind ?? '') ?? {};
    return operation === 'create' || operation === 'download';
  }

  #hold(held: Held): void {
    this.held += 1;
    if (held.by === 'run') return;
    const { most, spent, wanted } = held;
    const needed = spent + wanted;
    if ((this.heldItems?.needed ?? 0) < needed)
      this.heldItems = { name: 'budget.per_item', most, spent, needed };
  }

  #itemOver({ item, ok, changed }: Extract<RunEvent, { type: 'item' }>, now: number): void {
    const open = this.#open.get(item);
    this.#open.delete(item);
    const isIdle = open?.made === false;
    this.items[ok ? (isIdle ? 'skipped' : 'done') : (open?.trouble ?? 'open')] += 1;
    if (!changed) return;
    this.changed += 1;
    if (!ok || isIdle) return;
    const tookMs = open?.since === undefined ? undefined : now - open.since;
    keepLast(this.done, { what: 'done', name: item, credits: open?.credits ?? 0, tookMs });
  }

  /** Without items, the shared steps count as one item, and no event tells of it. */
  countOne(): void {
    this.items.done += 1;
  }

  /** The number of items that are over. */
  get itemsOver(): number {
    const { done, skipped, failed, doubt, open } = this.items;
    return done + skipped + failed + doubt + open;
  }

  /** True if projects still render that the run did not wait for, or tasks wait for such projects. */
  get isLeft(): boolean {
    return this.tasks.rendering + this.tasks.later > 0;
  }

  /** The sum over time of the number of tasks at work, in milliseconds. */
  busyMs(now: number): number {
    return this.#busyMs + this.atWork.size * (now - this.#summedAt);
  }

  #sumTo(now: number): void {
    this.#busyMs = this.busyMs(now);
    this.#summedAt = now;
  }

  #itemAt(key: string): OpenItem {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open: OpenItem = { credits: 0 };
    this.#open.set(key, open);
    return open;
  }
}

type TaskEvent = Extract<RunEvent, { type: 'task' }>;

function keepLast(list: Happening[], happening: Happening): void {
  list.unshift(happening);
  if (list.length > keptHappenings) list.pop();
}

// How far one step is: its tasks by state, and how long they take.

export class StepProgress {
  readonly step: string;
  readonly kind: string;
  /** True if only the run will know the number of its tasks. */
  readonly isOpen: boolean;
  /** How long a task usually takes, in milliseconds, by earlier runs; undefined if they say nothing. */
  readonly usualMs: number | undefined;
  running = 0;
  ended = 0;
  /** The number of its tasks; a fan-out that only the run can count makes it grow. */
  #planned = 0;
  /** The planned tasks that have something to do. */
  #toDo = 0;
  #begun = 0;
  /** Tasks that were to do and ended without a beginning: an earlier step failed, or the run buys nothing more. */
  #dropped = 0;
  #measured = 0;
  #measuredMs = 0;
  readonly #endings: Partial<Record<TaskEnding, number>> = {};

  constructor({ step, kind, tasks, times }: PlanRow, usualMs?: number) {
    this.usualMs = usualMs;
    this.step = step;
    this.kind = kind;
    this.isOpen = times?.open === true;
    for (const [action, count = 0] of Object.entries(tasks) as [keyof typeof tasks, number][]) {
      this.#planned += count;
      if (comesLater(action) || action === 'store') this.#toDo += count;
    }
  }

  begin(): void {
    this.running += 1;
    this.#begun += 1;
  }

  /** `tookMs`: undefined for a task that did not begin. `before`: its earlier ending in this run. */
  end(
    ending: TaskEnding,
    {
      tookMs,
      before,
    }: { readonly tookMs: number | undefined; readonly before: TaskEnding | undefined },
  ): void {
    this.#endings[ending] = this.of(ending) + 1;
    if (before === undefined) this.ended += 1;
    else this.#endings[before] = this.of(before) - 1;
    if (tookMs !== undefined) {
      this.running -= 1;
      if (ending !== 'done' && ending !== 'failed') return;
      this.#measured += 1;
      this.#measuredMs += tookMs;
    } else if (before === undefined && !isNothing.has(ending)) this.#dropped += 1;
  }

  of(ending: TaskEnding): number {
    return this.#endings[ending] ?? 0;
  }

  get total(): number {
    return Math.max(this.#planned, this.ended + this.running);
  }

  get queued(): number {
    return this.total - this.ended - this.running;
  }

  /** Queued tasks that have something to do: those of an earlier run end as soon as the run looks at them. */
  get waiting(): number {
    return Math.min(this.queued, Math.max(0, this.#toDo - this.#begun - this.#dropped));
  }

  /** The mean of the tasks that this run has finished, in milliseconds; undefined with fewer than `least`. */
  meanMs(least: number): number | undefined {
    return this.#measured < least ? undefined : this.#measuredMs / this.#measured;
  }
}

const isNothing: ReadonlySet<TaskEnding> = new Set(['reused', 'excluded', 'skipped']);

// The tasks of a walk that need attention: the first of them, and all of them grouped by step and reason, so that a summary of
// 10,000 equal failures is one line.

const maxProblems = 100;
const maxGroups = 100;
const maxExamples = 3;

interface Group extends ProblemGroup {
  why: string;
  count: number;
  readonly examples: string[];
  files?: string[];
}

export class Problems {
  readonly list: Summary['problems'][number][] = [];
  readonly #groups = new Map<string, Group>();

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  add(
    { step, task, ending, why = '', code }: Extract<RunEvent, { type: 'task' }>,
    { advice, cure, named = [] }: TaskDetail,
  ): void {
    if (this.list.length < maxProblems) this.list.push({ task, ending, why, code, advice });
    const cause = causeOf(why, named);
    const key = JSON.stringify([step, ending, cause]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.why = cause;
      known.count += 1;
      if (known.examples.length < maxExamples) known.examples.push(task);
      if (known.files !== undefined && known.files.length < maxExamples) known.files.push(...named);
    } else if (this.#groups.size < maxGroups) {
      const files = named.length === 0 ? {} : { files: [...named] };
      const more = { code, advice, cure, count: 1, examples: [task], ...files };
      this.#groups.set(key, { step, ending, why, ...more });
    }
  }
}

/** Where an upload is at the service. */
const assetPath = /\bapi-assets\/[\w./-]*\w/g;

/** The sentence without the names and the uploads of the task's own files, so that equal causes are equal texts. */
function causeOf(why: string, named: readonly string[]): string {
  const longestFirst = named.filter((name) => name !== '').sort((a, b) => b.length - a.length);
  return longestFirst
    .reduce((text, name) => text.replaceAll(name, 'its file'), why)
    .replaceAll(assetPath, 'its file');
}
