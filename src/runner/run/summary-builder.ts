// Counts how tasks and items end, so that a summary of a million tasks is a few numbers.
import type { Code } from '../../contract/codes/all.ts';
import { type FileCounts, sumOf } from '../plan/decide.ts';
import { endingFacts } from '../plan/ending.ts';
import type { RunOutcome, Summary, TaskEnding } from '../report/run-event.ts';
import { FailureGroups } from './failure-groups.ts';
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
  #ended = 0;
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
      readonly before: TaskEnding | undefined;
    },
  ): void {
    const { ending, why, diagnostic, advice, before } = told;
    this.#ended += 1;
    if (before !== undefined) this.#tasks[before] -= 1;
    this.#tasks[ending] += 1;
    if (ending === 'reused' || !endingFacts[ending].problem) return;
    const more = {
      ...(diagnostic === undefined ? {} : { code: diagnostic }),
      ...(advice === undefined ? {} : { advice }),
    };
    this.#groups.add(task, ending, why, more);
    if (this.#problems.length < kept) this.#problems.push({ task, ending, why, ...more });
  }

  /** Call for each reused download whose files are not here as recorded. */
  addFiles(files: FileCounts): void {
    this.#files = sumOf(this.#files, files);
  }

  /** Grows with every task and every item that ends. */
  get progress(): number {
    return this.#ended + this.items;
  }

  outcome(stop: Stopped): RunOutcome {
    if (stop.interrupted) return 'interrupted';
    if (stop.unauthorized) return 'unauthorized';
    if (this.#tasks.doubt > 0) return 'doubt';
    if (stop.machine || stop.outage) return 'failed';
    if (stop.money) return 'budget';
    if (this.#tasks.failed + this.#tasks.pending + this.#tasks.blocked > 0) return 'failed';
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
      readonly resumesAt?: string | undefined;
      readonly wakeAt?: string | undefined;
    },
  ): Summary {
    const { items, stopped, stoppedBy, resumesAt, wakeAt, ...others } = rest;
    return {
      outcome,
      ...(stopped === undefined ? {} : { stopped }),
      ...(stoppedBy === undefined ? {} : { stoppedBy }),
      ...(resumesAt === undefined ? {} : { resumesAt }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
      items: { total: items, done: this.#itemsDone, unfinished: items - this.#itemsDone },
      tasks: { ...this.#tasks },
      files: this.#files,
      problems: this.#problems,
      groups: this.#groups.groups,
      ...others,
    };
  }
}
