// Counts how tasks and items end, so that a summary of a million tasks is a few numbers.
import type { Cure } from '../contract/api/advice.ts';
import type { Code } from '../contract/codes/all.ts';
import type { JobLine } from '../model/line.ts';
import { stepOf } from '../model/task.ts';
import { type FileCounts, sumOf } from '../plan/decide.ts';
import { endingFacts, type Held } from '../plan/ending.ts';
import type {
  OtherDoubts,
  ProblemGroup,
  ReachedCap,
  RunOutcome,
  Summary,
  TaskEnding,
} from './run-event.ts';
import type { Stopped } from './stop.ts';

const kept = 100;

export class SummaryBuilder {
  readonly #tasks: Record<TaskEnding, number> = {
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
  readonly #problems: Summary['problems'][number][] = [];
  readonly #groups = new FailureGroups();
  #files: FileCounts = { changed: 0, elsewhere: 0, stored: 0 };
  /** The tasks that are in doubt. */
  readonly #doubted = new Set<string>();
  #otherDoubts: OtherDoubts | undefined;
  #ended = 0;
  #held = 0;
  #heldItems: ReachedCap | undefined;
  #itemsDone = 0;
  #itemsUnfinished = 0;

  /** Call when an item is over; `ok`: all its tasks ended well. */
  addItem(ok: boolean): void {
    if (ok) this.#itemsDone += 1;
    else this.#itemsUnfinished += 1;
  }

  /** The number of items that are over. */
  get items(): number {
    return this.#itemsDone + this.#itemsUnfinished;
  }

  /** `before`: the earlier ending of the task in this run, if it was repeated for another step. */
  add(
    task: string,
    told: {
      readonly ending: TaskEnding;
      readonly why: string;
      readonly diagnostic?: Code | undefined;
      readonly advice: string | undefined;
      readonly cure?: Cure | undefined;
      /** Local files that `why` names. */
      readonly named?: readonly string[] | undefined;
      readonly held?: Held | undefined;
      readonly before: TaskEnding | undefined;
    },
  ): void {
    const { ending, why, diagnostic, advice, cure, named, held, before } = told;
    this.#ended += 1;
    if (before !== undefined) this.#tasks[before] -= 1;
    if (ending === 'doubt') this.#doubted.add(task);
    else this.#doubted.delete(task);
    this.#tasks[ending] += 1;
    if (ending === 'pending' && held !== undefined) return this.#hold(held);
    if (ending === 'reused' || !endingFacts[ending].problem) return;
    const more = {
      code: diagnostic,
      advice,
    };
    const cures = cure === undefined ? {} : { cure };
    this.#groups.add(task, ending, why, { ...more, ...cures, ...(named && { named }) });
    if (this.#problems.length < kept) this.#problems.push({ task, ending, why, ...more });
  }

  #hold(held: Held): void {
    this.#held += 1;
    if (held.by === 'run') return;
    const { most, spent, wanted } = held;
    const needed = spent + wanted;
    if ((this.#heldItems?.needed ?? 0) < needed)
      this.#heldItems = { name: 'budget.per_item', most, spent, needed };
  }

  /** The cap that held items back, for the item that needs the most. */
  get heldItems(): ReachedCap | undefined {
    return this.#heldItems;
  }

  /** Counts what this run did for an earlier one. `of` says which, for people. The items are none of this run. */
  addEarlier(earlier: SummaryBuilder, of: string): void {
    for (const ending of ['done', 'failed', 'doubt', 'pending', 'rendering', 'later'] as const)
      this.#tasks[ending] += earlier.#tasks[ending];
    this.#groups.addEarlier(earlier.#groups, of);
    const room = kept - this.#problems.length;
    for (const problem of earlier.#problems
      .filter(({ ending }) => ending !== 'blocked')
      .slice(0, room))
      this.#problems.push({ ...problem, why: `${of}: ${problem.why}` });
  }

  /** Call for each reused download whose files are not here as recorded. */
  addFiles(files: FileCounts): void {
    this.#files = sumOf(this.#files, files);
  }

  /** Call when the run is over, with everything in the record that is in doubt. */
  addDoubts(jobs: Iterable<Pick<JobLine, 'tasks' | 'name' | 'reserve'>>): void {
    const others = [...jobs].filter(({ tasks }) => !tasks.some((task) => this.#doubted.has(task)));
    if (others.length === 0) return;
    const examples = others
      .slice(0, 3)
      .map(({ tasks, name = '', reserve = 0 }) => ({ tasks, name, reserved: reserve }));
    this.#otherDoubts = { count: others.length, examples };
  }

  /** Also of no task of this run: a doubt holds credits until a person settles it. */
  get hasDoubts(): boolean {
    return this.#tasks.doubt > 0 || this.#otherDoubts !== undefined;
  }

  /** Grows with every task and every item that ends. */
  get progress(): number {
    return this.#ended + this.items;
  }

  outcome(stop: Stopped): RunOutcome {
    if (stop.interrupted) return 'interrupted';
    if (stop.unauthorized) return 'unauthorized';
    if (this.hasDoubts) return 'doubt';
    if (stop.machine || stop.outage) return 'failed';
    if (stop.money) return 'budget';
    const { failed, pending, blocked } = this.#tasks;
    if (failed === 0 && pending === this.#held && this.#heldItems !== undefined) return 'budget';
    if (failed + pending + blocked > 0) return 'failed';
    return stop.left || this.isLeft ? 'waiting' : 'done';
  }

  /** True if projects still render that the run did not wait for, or tasks wait for such projects. */
  get isLeft(): boolean {
    return this.#tasks.rendering + this.#tasks.later > 0;
  }

  build(
    outcome: RunOutcome,
    rest: Pick<Summary, 'credits' | 'elapsedMs'> & {
      readonly items: number;
      readonly stopped?: string | undefined;
      readonly stoppedBy?: Summary['stoppedBy'] | undefined;
      readonly cap?: ReachedCap | undefined;
      readonly paid?: Summary['paid'] | undefined;
      readonly resumesAt?: string | undefined;
      readonly wakeAt?: string | undefined;
    },
  ): Summary {
    const { items, stopped, stoppedBy, cap, paid, resumesAt, wakeAt, ...others } = rest;
    return {
      outcome,
      stopped,
      stoppedBy,
      cap,
      paid,
      resumesAt,
      wakeAt,
      items: { total: items, done: this.#itemsDone, unfinished: items - this.#itemsDone },
      tasks: { ...this.#tasks },
      held: this.#held,
      files: this.#files,
      problems: this.#problems,
      groups: this.#groups.groups,
      otherDoubts: this.#otherDoubts,
      ...others,
    };
  }
}

// Groups unsuccessful tasks by step and reason, so that a summary of 10,000 equal failures is one line.

const mostGroups = 100;
const mostExamples = 3;

interface Group extends ProblemGroup {
  why: string;
  count: number;
  readonly examples: string[];
  files?: string[];
}

interface More extends Pick<ProblemGroup, 'code' | 'advice' | 'cure'> {
  /** Local files that the reason names. */
  readonly named?: readonly string[];
}

export class FailureGroups {
  readonly #groups = new Map<string, Group>();

  get groups(): readonly ProblemGroup[] {
    return [...this.#groups.values()];
  }

  /** Those of an earlier run; `of` says which. What is only blocked there was never begun. */
  addEarlier(earlier: FailureGroups, of: string): void {
    for (const group of earlier.groups) {
      if (group.ending === 'blocked' || this.#groups.size >= mostGroups) continue;
      const why = `${of}: ${group.why}`;
      const key = JSON.stringify([group.step, group.ending, why]);
      const { files, ...rest } = group;
      const own = files === undefined ? {} : { files: [...files] };
      this.#groups.set(key, { ...rest, why, examples: [...group.examples], ...own });
    }
  }

  add(task: string, ending: TaskEnding, why: string, { named = [], ...more }: More = {}): void {
    const step = stepOf(task);
    const cause = causeOf(why, named);
    const key = JSON.stringify([step, ending, cause]);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      known.why = cause;
      known.count += 1;
      if (known.examples.length < mostExamples) known.examples.push(task);
      if (known.files !== undefined && known.files.length < mostExamples)
        known.files.push(...named);
    } else if (this.#groups.size < mostGroups) {
      const files = named.length === 0 ? {} : { files: [...named] };
      this.#groups.set(key, { step, ending, why, ...more, count: 1, examples: [task], ...files });
    }
  }
}

// The cause in a sentence about one task: the same for all tasks that fail for the same reason.

/** The sentence without the names of the task's own files, so that equal causes are equal texts. */
function causeOf(why: string, named: readonly string[]): string {
  const longestFirst = named.filter((name) => name !== '').sort((a, b) => b.length - a.length);
  return longestFirst.reduce((text, name) => text.replaceAll(name, 'its file'), why);
}
