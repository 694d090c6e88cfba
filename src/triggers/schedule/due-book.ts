// The due times of one pipeline: what is decided, by the state file and the memory of earlier processes, and written down
// when a decision is made.

import { lstatSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, type Json } from '../../base/json.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { readOwnFile } from '../../base/regular-file.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { openState } from '../../features/open-state.ts';
import { createNew } from '../../files/new-file.ts';
import { syncFolder } from '../../files/output-folders.ts';
import { problem, Refusal, resultOf } from '../../language/load/problem.ts';
import type { RunLine } from '../../model/line.ts';
import {
  type DueDecision,
  type DueState,
  decideDue,
  dueStateOf,
  nextDue,
  openDueOf,
  type QueuedRun,
  sinceOnTime,
} from '../../plan/due.ts';
import { claimOwnFolder } from '../../state/own-folder.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { unsavedProblem } from '../../state/unsaved-state.ts';
import { appearanceOf } from './appearance.ts';
import type { ScheduleContext } from './context.ts';
import type { ReadyPipeline } from './pipeline-file.ts';

export class DueBook {
  readonly #context: ScheduleContext;
  readonly #ready: ReadyPipeline;
  readonly #warn: (message: string) => void;
  #state: DueState;
  /** How the state file looked when its runs were read. */
  #seen: string;
  #open: number | undefined;
  /** The first due time after `from`, so that it is not looked up each minute. */
  #upcoming: { readonly from: number; readonly next: number | undefined } = {
    from: Number.POSITIVE_INFINITY,
    next: undefined,
  };

  private constructor(
    context: ScheduleContext,
    ready: ReadyPipeline,
    { state, seen, open, warn }: Opening,
  ) {
    this.#context = context;
    this.#ready = ready;
    this.#state = state;
    this.#seen = seen;
    this.#open = open;
    this.#warn = warn;
  }

  /** `once`: a due time of the last hour counts, even if nothing is known yet. */
  static async open(
    context: ScheduleContext,
    ready: ReadyPipeline,
    { once, warn }: { readonly once: boolean; readonly warn: (message: string) => void },
  ): Promise<DueBook> {
    const { paths } = ready;
    const seen = appearanceOf(paths.state);
    const runs = await runsIn(context, ready);
    const remembered = readDueFile(paths.due);
    if (!remembered.ok) throw new Refusal(problem(`${paths.due} ${remembered.error}`));
    const now = context.clock.now();
    const since = once ? sinceOnTime(ready.schedule, now) : now;
    const state = dueStateOf(runs, remembered.value, since);
    const book = new DueBook(context, ready, { state, seen, open: openDueOf(runs), warn });
    if (remembered.value === undefined) await book.save();
    return book;
  }

  /** The next due time that has a run to start. */
  get head(): QueuedRun | undefined {
    return this.#state.queue[0];
  }

  get queue(): readonly QueuedRun[] {
    return this.#state.queue;
  }

  /** The first due time that is not decided yet; undefined if the schedule has an end. */
  get next(): number | undefined {
    const { decidedUntil } = this.#state;
    const { from, next } = this.#upcoming;
    if (from <= decidedUntil && decidedUntil < (next ?? Number.POSITIVE_INFINITY)) return next;
    this.#upcoming = { from: decidedUntil, next: nextDue(this.#ready.schedule, decidedUntil) };
    return this.#upcoming.next;
  }

  /** True if the state file has an interrupted run for this due time. */
  isOpen(due: number): boolean {
    return this.#open === due;
  }

  /** Decides about the due times that have come. `running`: they overlap a run. */
  async decide(running: boolean): Promise<DueDecision> {
    const { clock } = this.#context;
    const now = clock.now();
    const { next = Number.POSITIVE_INFINITY } = this;
    if (now < next && now >= this.#state.decidedUntil) {
      this.#state = { ...this.#state, decidedUntil: now };
      return { state: this.#state, queued: [] };
    }
    const decision = decideDue(this.#ready.schedule, this.#state, {
      ...{ now, running, chance: () => clock.chance() },
    });
    this.#state = decision.state;
    if (decision.queued.length > 0 || decision.leftOut !== undefined) await this.save();
    return decision;
  }

  async drop(due: number): Promise<void> {
    const queue = this.#state.queue.filter((one) => one.due !== due);
    this.#state = { ...this.#state, queue };
    await this.save();
  }

  /** Reads the runs in the state file again if it has changed: another process, or git, may have brought new ones. */
  async reread(): Promise<void> {
    const seen = appearanceOf(this.#ready.paths.state);
    if (seen === this.#seen) return;
    const runs = await runsIn(this.#context, this.#ready);
    this.#seen = seen;
    this.#open = openDueOf(runs);
    this.#state = dueStateOf(runs, this.#state, this.#state.decidedUntil);
    return;
  }

  async save(): Promise<void> {
    const saved = await resultOf(() => writeDueFile(this.#ready.paths, this.#state));
    if (!saved.ok)
      for (const { message, file } of saved.error.diagnostics) this.#warn(`${file}: ${message}`);
  }
}

interface Opening {
  readonly state: DueState;
  readonly seen: string;
  readonly open: number | undefined;
  readonly warn: (message: string) => void;
}

async function runsIn(
  { clock }: ScheduleContext,
  { bound, paths }: ReadyPipeline,
): Promise<readonly RunLine[]> {
  // Every run would be refused: nothing is decided until a person has merged both files.
  const unsaved = unsavedProblem(paths.state);
  if (unsaved !== undefined) throw new Refusal(unsaved);
  // The run itself reports the warnings of a state file.
  await using open = await openState(bound, paths, 'read', {
    clock,
    onWarning: () => undefined,
    env: undefined,
  });
  return [...open.state.ledger.runs()];
}

// What `schedule` remembers about due times between two starts. The state file knows the runs; this file knows when
// `schedule` first started, and which due times were left out or still wait.

/** In bytes. */
const largest = 10_000_000;

/** Undefined if there is no such file. The error is the end of a sentence about the file. */
function readDueFile(file: string): Result<DueState | undefined, string> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return ok(undefined);
  const read = readOwnFile(file, { max: largest });
  if (!read.ok) return read;
  const state = parsed(read.value.toString('utf8'));
  return state === undefined
    ? err('cannot be read: remove it, and schedule counts from its next start')
    : ok(state);
}

/** Makes `.shotlist` if it is missing. */
async function writeDueFile(paths: RunPaths, { decidedUntil, queue }: DueState): Promise<void> {
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) throw new Refusal(refused);
  const text = JSON.stringify({
    decidedUntil: iso(decidedUntil),
    queue: queue.map(({ due, start }) => ({ due: iso(due), start: iso(start) })),
  });
  try {
    makeFolder(dirname(paths.due));
    await replace(paths.due, `${text}\n`);
    return;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    throw new Refusal({ ...problem(`${paths.due} ${systemReason(error)}`), reason: 'system' });
  }
}

async function replace(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  await using handle = await createNew(part);
  await handle.writeFile(text);
  await handle.sync();
  await rename(part, file);
  await syncFolder(dirname(file));
}

const iso = (moment: number): string => new Date(moment).toISOString();

function parsed(text: string): DueState | undefined {
  const value = jsonOf(text);
  if (!isObject(value) || !Array.isArray(value['queue'])) return undefined;
  const decidedUntil = momentOf(value['decidedUntil']);
  const queue = value['queue'].map(queuedOf).filter((one) => one !== undefined);
  if (decidedUntil === undefined || queue.length < value['queue'].length) return undefined;
  return { decidedUntil, queue };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queuedOf(value: Json): QueuedRun | undefined {
  if (!isObject(value)) return undefined;
  const [due, start] = [momentOf(value['due']), momentOf(value['start'])];
  return due === undefined || start === undefined ? undefined : { due, start };
}

function momentOf(value: Json | undefined): number | undefined {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
