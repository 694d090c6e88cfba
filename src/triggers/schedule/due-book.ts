// The due times of one pipeline: what is decided, by the state file and the memory of earlier processes, and written down
// when a decision is made.

import { lstatSync } from 'node:fs';
import { isObject, type Json, valueIn } from '../../base/json.ts';
import { readOwnFile } from '../../base/regular-file.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import type { Clock } from '../../core/ports.ts';
import { openState } from '../../features/open-state.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import type { Schedule } from '../../language/pipeline.ts';
import { claimOwnFolder } from '../../state/own-folder.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { appearanceOf } from '../pipeline-file.ts';
import {
  type DueDecision,
  type DueState,
  decideDue,
  dueStateOf,
  nextDue,
  openDueOf,
  sinceOnTime,
} from './due.ts';

/** A pipeline whose schedule is followed. */
export interface ScheduledPipeline {
  readonly bound: BoundPipeline;
  readonly schedule: Schedule;
  readonly paths: RunPaths;
  /** The address of the hosted service; undefined for a rehearsal. */
  readonly service: string | undefined;
}

interface DueBookOptions {
  readonly clock: Clock;
  /** A due time of the last hour counts, even if nothing is known yet. */
  readonly once: boolean;
  readonly warn: (message: string) => void;
}

export class DueBook {
  readonly pipeline: ScheduledPipeline;
  readonly #options: DueBookOptions;
  #state: DueState = { decidedUntil: 0, queue: [] };
  /** How the state file looked when its runs were read. */
  #seen: string | undefined;
  /** The due time of the interrupted run in the state file. */
  #open: number | undefined;
  /** The first due time after `from`, so that it is not looked up each minute. */
  #upcoming: { readonly from: number; readonly next: number | undefined } = {
    from: Number.POSITIVE_INFINITY,
    next: undefined,
  };

  private constructor(pipeline: ScheduledPipeline, options: DueBookOptions) {
    this.pipeline = pipeline;
    this.#options = options;
  }

  static async open(pipeline: ScheduledPipeline, options: DueBookOptions): Promise<DueBook> {
    const book = new DueBook(pipeline, options);
    const { schedule, paths } = pipeline;
    const now = options.clock.now();
    const remembered = readDueFile(paths.due);
    await book.#readRuns(remembered, options.once ? sinceOnTime(schedule, now) : now);
    if (remembered === undefined) await book.save();
    return book;
  }

  /** The next due time that has a run to start. */
  get head(): number | undefined {
    return this.#state.queue[0];
  }

  get queue(): readonly number[] {
    return this.#state.queue;
  }

  /** The first due time that is not decided yet; undefined if the schedule has an end. */
  get next(): number | undefined {
    const { decidedUntil } = this.#state;
    const { from, next } = this.#upcoming;
    if (from <= decidedUntil && decidedUntil < (next ?? Number.POSITIVE_INFINITY)) return next;
    this.#upcoming = { from: decidedUntil, next: nextDue(this.pipeline.schedule, decidedUntil) };
    return this.#upcoming.next;
  }

  /** True if the state file has an interrupted run for this due time. */
  isOpen(due: number): boolean {
    return this.#open === due;
  }

  /** Decides about the due times that have come. `running`: they overlap a run. */
  async decide(running: boolean): Promise<DueDecision> {
    const now = this.#options.clock.now();
    const { next = Number.POSITIVE_INFINITY } = this;
    if (now < next && now >= this.#state.decidedUntil) {
      this.#state = { ...this.#state, decidedUntil: now };
      return { state: this.#state };
    }
    const decision = decideDue(this.pipeline.schedule, this.#state, { now, running });
    this.#state = decision.state;
    if (decision.queued !== undefined || decision.leftOut !== undefined) await this.save();
    return decision;
  }

  async drop(due: number): Promise<void> {
    const queue = this.#state.queue.filter((one) => one !== due);
    this.#state = { ...this.#state, queue };
    await this.save();
  }

  /** Reads the runs in the state file again if it has changed: another process, or git, may have brought new ones. */
  async reread(): Promise<void> {
    if (appearanceOf(this.pipeline.paths.state) === this.#seen) return;
    await this.#readRuns(this.#state, this.#state.decidedUntil);
  }

  async #readRuns(remembered: DueState | undefined, since: number): Promise<void> {
    const { bound, paths } = this.pipeline;
    const seen = appearanceOf(paths.state);
    // Every run would be refused: nothing is decided until a person has merged both files.
    // The run itself reports the warnings of a state file.
    const quietly = { clock: this.#options.clock, onWarning: () => undefined, env: undefined };
    await using open = await openState(bound, paths, 'read', quietly);
    const runs = [...open.state.ledger.runs()];
    this.#seen = seen;
    this.#open = openDueOf(runs);
    this.#state = dueStateOf(runs, remembered, since, this.#options.clock.now());
  }

  async save(): Promise<void> {
    const saved = await resultOf(() => writeDueFile(this.pipeline.paths, this.#state));
    if (!saved.ok)
      for (const { message, file } of saved.error.diagnostics)
        this.#options.warn(`${file}: ${message}`);
  }
}

// What `schedule` remembers about due times between two starts. The state file knows the runs; this file knows when
// `schedule` first started, and which due times were left out or still wait.

const maxBytes = 10_000_000;

/** Undefined if there is no such file. */
function readDueFile(file: string): DueState | undefined {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const read = readOwnFile(file, { max: maxBytes });
  if (!read.ok) throw new Refusal(problem(`${file} ${read.error}`));
  const state = parsed(read.value.toString('utf8'));
  if (state !== undefined) return state;
  const advice = 'cannot be read: remove it, and schedule counts from its next start';
  throw new Refusal(problem(`${file} ${advice}`));
}

/** Makes `.shotlist` if it is missing. */
async function writeDueFile(paths: RunPaths, { decidedUntil, queue }: DueState): Promise<void> {
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) throw new Refusal(refused);
  const text = JSON.stringify({
    decidedUntil: iso(decidedUntil),
    queue: queue.map(iso),
  });
  try {
    await replaceFile(paths.due, `${text}\n`);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    throw new Refusal({ ...problem(`${paths.due} ${systemReason(error)}`), reason: 'system' });
  }
}

const iso = (moment: number): string => new Date(moment).toISOString();

function parsed(text: string): DueState | undefined {
  const value = valueIn(text);
  if (!isObject(value) || !Array.isArray(value['queue'])) return undefined;
  const decidedUntil = momentOf(value['decidedUntil']);
  const queue = value['queue'].map(momentOf).filter((due) => due !== undefined);
  if (decidedUntil === undefined || queue.length < value['queue'].length) return undefined;
  return { decidedUntil, queue };
}

function momentOf(value: Json | undefined): number | undefined {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
