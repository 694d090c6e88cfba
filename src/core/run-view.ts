// What the events of a run add up to so far. The summary, the live screen and the live file show nothing else. Each event costs the
// same, whatever the number of items: kept are counts, what is in progress, the last few events, and the first problems. The credits
// of a run are in the ledger; `charged` is only what its events have said so far.
import { creditDollarsOn } from '../contract/api/tier.ts';
import { kindNamed } from '../contract/kinds.ts';
import { endingFacts, type Held } from './ending.ts';
import { type FileCounts, sumOf } from './facts.ts';
import type { PlanRow } from './plan-table.ts';
import { comesLater } from './plan-table.ts';
import type {
  OutageEvent,
  ProblemGroup,
  ReachedCap,
  RunEvent,
  Summary,
  TaskDetail,
  TaskEnding,
} from './run-event.ts';

interface RunViewOptions {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The speed of a rehearsal relative to the hosted service; undefined if unknown. */
  readonly speed: number | undefined;
  /** When the run began, in milliseconds of any clock. All other times are of the same clock. */
  readonly began: number;
}

/** What the run does, as a whole. */
type Stage =
  /** Looking at items and their files; `of` is 0 as long as the number is unknown. */
  | { readonly is: 'planning'; readonly seen: number; readonly of: number }
  /** Planned; nothing has begun yet. */
  | { readonly is: 'connecting' }
  | { readonly is: 'working' }
  /** The service does not answer. */
  | { readonly is: 'waiting'; readonly why: string; readonly since: number }
  | { readonly is: 'stopping'; readonly why: string };

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
  readonly since: number;
}

/** An item that is not over. */
interface OpenItem {
  since?: number;
  credits: number;
  isUnfinished: boolean;
  /** A task of it ran, or was to. */
  isChanged: boolean;
  hasFailed: boolean;
  isInDoubt: boolean;
  /** False if each task that would make something was skipped; undefined without such a task. */
  made?: boolean;
}

/** Of each kind. */
const keptHappenings = 10;

export class RunView {
  readonly pipeline: string;
  readonly began: number;
  rehearsal = false;
  /** Of the service, relative to the hosted one; undefined if unknown. */
  speed: number | undefined;
  stage: Stage = { is: 'planning', seen: 0, of: 0 };
  /** Credits that the run was charged, also for projects that still render. */
  charged = 0;
  planned: Extract<RunEvent, { type: 'planned' }> | undefined;
  /** The price of a credit in US dollars by the account's plan; undefined if unknown, and in a rehearsal. */
  creditDollars: number | undefined;
  /** Rises with everything that anybody may see. */
  version = 0;
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
  steps: ReadonlyMap<string, StepProgress> = new Map();
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
  /** The outages that last, the last told last. */
  readonly #outages = new Map<string, Extract<Stage, { is: 'waiting' }>>();

  constructor({ pipeline, speed, began }: RunViewOptions) {
    this.pipeline = pipeline;
    this.speed = speed;
    this.began = began;
  }

  /** The plan has looked at so many items. */
  look(seen: number, of: number): void {
    this.version += 1;
    if (this.stage.is === 'planning') this.stage = { is: 'planning', seen, of };
  }

  take(event: RunEvent, now: number, detail?: TaskDetail): void {
    this.version += 1;
    switch (event.type) {
      case 'started':
        this.rehearsal = event.rehearsal;
        if (!event.rehearsal) this.speed ??= 1;
        return;
      case 'account':
        if (!this.rehearsal) this.creditDollars = creditDollarsOn(event.tier);
        return;
      case 'planned': {
        const { plan, usualMs = {} } = event;
        this.planned = event;
        this.steps = new Map(
          plan.rows.map((row) => [row.step, new StepProgress(row, usualMs[row.kind])]),
        );
        if (this.stage.is === 'planning') this.stage = { is: 'connecting' };
        return;
      }
      case 'begun':
        return this.#begin(event, now);
      case 'task':
        return this.#end(event, now, detail);
      case 'item':
        return this.#itemOver(event, now);
      case 'charged':
        this.charged += event.credits;
        return;
      case 'waiting': {
        const name = nameOf(event);
        const { since = now } = this.#outages.get(name) ?? {};
        this.#outages.delete(name);
        this.#outages.set(name, { is: 'waiting', why: event.why, since });
        return this.#awaitOutages();
      }
      case 'back':
        this.#outages.delete(nameOf(event));
        return this.#awaitOutages();
      case 'stopping':
        this.stage = { is: 'stopping', why: event.why };
        return;
    }
  }

  #awaitOutages(): void {
    const waiting = [...this.#outages.values()].at(-1);
    if (this.stage.is === 'stopping') return;
    if (waiting !== undefined) this.stage = waiting;
    else if (this.stage.is === 'waiting') this.stage = { is: 'working' };
  }

  #begin({ step, task, item }: Extract<RunEvent, { type: 'begun' }>, now: number): void {
    this.#works(now);
    this.firstBegin ??= now;
    const progress = this.steps.get(step);
    this.atWork.set(task, { step: progress, since: now });
    progress?.begin();
    if (item !== undefined) this.#itemAt(item).since ??= now;
  }

  #end(event: TaskEvent, now: number, detail: TaskDetail = {}): void {
    this.#works(now);
    const { step, task, item, ending, credits, why } = event;
    const { files, held } = detail;
    const since = this.atWork.get(task)?.since;
    const tookMs = since === undefined ? undefined : now - since;
    this.atWork.delete(task);
    this.tasks[ending] += 1;
    this.steps.get(step)?.end(ending, tookMs);
    if (files !== undefined) this.files = sumOf(this.files, files);
    if (ending === 'doubt') this.doubted.add(task);
    if (ending === 'pending' && held !== undefined) this.#hold(held);
    else if (ending !== 'reused' && endingFacts[ending].problem) this.problems.add(event, detail);
    if (ending === 'failed' || ending === 'doubt')
      keepLast(this.troubles, { what: ending, name: task, why });
    if (item === undefined) {
      if (tookMs !== undefined && ending === 'done')
        keepLast(this.done, { what: 'done', name: task, credits, tookMs });
      return;
    }
    const open = this.#itemAt(item);
    open.credits += credits;
    if (this.#makes(step)) open.made = open.made === true || ending !== 'skipped';
    open.isUnfinished ||= !isFinal.has(ending);
    open.isChanged ||= ending !== 'reused' && endingFacts[ending].acted;
    open.hasFailed ||= ending === 'failed';
    open.isInDoubt ||= ending === 'doubt';
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
    const open = this.#itemAt(item);
    this.#open.delete(item);
    const isIdle = open.made === false;
    const trouble = open.isInDoubt ? 'doubt' : open.hasFailed ? 'failed' : 'open';
    this.items[ok ? (isIdle ? 'skipped' : 'done') : trouble] += 1;
    if (!changed) return;
    this.changed += 1;
    if (!ok || isIdle) return;
    const { since, credits } = open;
    const tookMs = since === undefined ? undefined : now - since;
    keepLast(this.done, { what: 'done', name: item, credits, tookMs });
  }

  /** An item of which something was told, and that is not over. */
  item(key: string): Readonly<OpenItem> | undefined {
    return this.#open.get(key);
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

  #works(now: number): void {
    if (this.stage.is === 'connecting') this.stage = { is: 'working' };
    this.#busyMs = this.busyMs(now);
    this.#summedAt = now;
  }

  #itemAt(key: string): OpenItem {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const open: OpenItem = {
      credits: 0,
      isUnfinished: false,
      isChanged: false,
      hasFailed: false,
      isInDoubt: false,
    };
    this.#open.set(key, open);
    return open;
  }
}

const nameOf = (event: OutageEvent): string =>
  event.of === 'storage' ? `${event.of} ${event.at}` : event.of;

type TaskEvent = Extract<RunEvent, { type: 'task' }>;

const isFinal: ReadonlySet<TaskEnding> = new Set(['done', 'reused', 'skipped', 'excluded']);

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

  /** `tookMs`: undefined for a task that did not begin. */
  end(ending: TaskEnding, tookMs: number | undefined): void {
    this.#endings[ending] = this.of(ending) + 1;
    this.ended += 1;
    if (tookMs !== undefined) {
      this.running -= 1;
      if (ending !== 'done' && ending !== 'failed') return;
      this.#measured += 1;
      this.#measuredMs += tookMs;
    } else if (!isNothing.has(ending)) this.#dropped += 1;
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

// The tasks that need attention: the first hundred, and all of them by step and reason, so that a summary shows 10,000 equal failures
// in one line.

const maxProblems = 100;
const maxGroups = 100;
const maxExamples = 3;

interface Group extends ProblemGroup {
  why: string;
  count: number;
  readonly examples: string[];
  files: string[] | undefined;
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
      const files = named.length === 0 ? undefined : [...named];
      const more = { code, advice, cure, count: 1, examples: [task], files };
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
