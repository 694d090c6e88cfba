// The journal of a run, and of a correction: moves become lines. Whoever awaits `commit` may rely on the line after a kill.
import type { Redactor } from '../base/redactor.ts';
import { chargedFor, type Move, stateAfter } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import {
  type Job,
  type Line,
  lineText,
  parseLine,
  type RunLine,
  type TaskLine,
} from '../model/record/line.ts';
import { interrupted } from '../model/run-identity.ts';
import type { Clock } from './ports.ts';

/** The destination of lines. Appending is cheap; `sync` resolves when everything appended is on disk. */
export interface LineFile {
  append(line: string): void;
  sync(): Promise<void>;
}

export interface JournalOptions {
  readonly ledger: Ledger;
  readonly file: LineFile;
  readonly clock: Pick<Clock, 'now' | 'chance'>;
  readonly redactor: Redactor;
  /** The user's own record of payments, which hears of each job when what is new of it is on disk. */
  readonly receipts?: { note(line: Job): void } | undefined;
  /** ISO 8601: the due time of the schedule that the run is for. */
  readonly due?: string | undefined;
  /** A person, or the service, corrects the record: what happens belongs to no run, and nothing is sent. */
  readonly isEdit?: boolean;
}

export class Journal {
  readonly ledger: Ledger;
  readonly #o: JournalOptions;
  #run: RunLine | undefined;
  #wrote = false;
  /** Credits that the moves of this journal were told of, whichever run has paid. */
  readonly learnt = { charged: 0, refunded: 0 };
  /** Jobs of which the receipts have not heard since they changed. */
  #unnoted = new Set<string>();
  #failure: { readonly error: unknown } | undefined;
  /** By attempt: projects of which the line may not be on disk yet. */
  readonly #fresh = new Map<string, string>();

  constructor(options: JournalOptions) {
    this.ledger = options.ledger;
    this.#o = options;
    this.#run = interrupted(options.ledger.runs(), options.due);
  }

  /** The run that goes on; undefined until a new one is recorded. */
  get run(): string | undefined {
    return this.#run?.run;
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  /** Records the run; without this, it is recorded when the first thing happens in it. */
  begin(): string {
    if (this.#run !== undefined) return this.#run.run;
    const { ledger, clock, due } = this.#o;
    for (const open of ledger.runs()) if (open.ended === undefined) this.#end(open);
    const at = new Date(clock.now()).toISOString();
    const random = Math.floor(clock.chance() * 0x10000).toString(16);
    const run: RunLine = { run: `${at}-${random.padStart(4, '0')}`, at };
    if (due !== undefined) run.due = due;
    this.#run = run;
    this.#put(run);
    return run.run;
  }

  /** The record has it in this turn, and the disk when this resolves. */
  commit(...moves: readonly Move[]): Promise<void> {
    this.note(...moves);
    return this.sync();
  }

  /** On disk with the next commit: facts that are found again for nothing. */
  note(...moves: readonly Move[]): void {
    const run = this.#o.isEdit === true ? '' : this.begin();
    const at = new Date(this.#o.clock.now()).toISOString();
    const changed = new Map<string, Job>();
    for (const given of moves) {
      const move = this.#o.redactor.value(given);
      const before = changed.get(move.job) ?? this.ledger.job(move.job);
      const after = stateAfter(before, move, run, at);
      changed.set(move.job, after);
      if (move.is !== 'known') this.#learn(chargedFor(after) - chargedFor(before));
      if (move.is === 'created') this.#fresh.set(move.attempt, move.project);
      // An attempt comes to the receipts by its claim, and what is known came from them.
      if (move.is !== 'intent' && move.is !== 'known') this.#unnoted.add(move.job);
    }
    for (const job of changed.values()) {
      if (this.#o.isEdit === true || moves.some(saysResult)) assertReadable(job);
      this.#put(job);
    }
    // No sync may follow, and who looks for the project now should find its files.
    for (const { is, job } of moves) if (is === 'deleted') this.#tell(job);
  }

  #learn(credits: number): void {
    if (credits > 0) this.learnt.charged += credits;
    else this.learnt.refunded -= credits;
  }

  /** How a task ended: a failure is kept, and what ends it. */
  task(task: string, ending: TaskLine['ending'], fault: TaskLine['fault']): void {
    const known = this.ledger.task(task);
    if (ending !== 'failed' && (known === undefined || known.ending === 'done')) return;
    if (known?.ending === ending && known.fault.message === fault.message) return;
    const now = new Date(this.#o.clock.now()).toISOString();
    // Later than what it replaces, whatever the clock says.
    const at =
      known !== undefined && known.at >= now
        ? new Date(Date.parse(known.at) + 1).toISOString()
        : now;
    const line: TaskLine = { task, at, run: this.begin(), ending, fault };
    this.#put(this.#o.redactor.value(line));
  }

  /** Takes in what another record knows. False if that is nothing new. */
  join(line: Job): boolean {
    const isNews = this.ledger.join(line);
    if (isNews) this.note({ is: 'known', job: line.job, line });
    return isNews;
  }

  #put(line: Line): void {
    this.#wrote = true;
    this.ledger.put(line);
    this.#o.file.append(lineText(line));
  }

  async sync(): Promise<void> {
    const sent = [...this.#fresh.keys()];
    const changed = this.#unnoted;
    this.#unnoted = new Set();
    try {
      await this.#o.file.sync();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
    // What has changed again is on disk after the next one.
    for (const job of changed) if (!this.#unnoted.has(job)) this.#tell(job);
    for (const attempt of sent) this.#fresh.delete(attempt);
  }

  /** The disk, or another program, has taken the record from us: nothing more is written. */
  get isLost(): boolean {
    return this.#failure !== undefined;
  }

  /** Throws why nothing more is written. */
  assertWritten(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Everything that was appended is on disk. */
  noteRest(): void {
    for (const job of this.#unnoted) this.#tell(job);
    this.#unnoted.clear();
  }

  /** Ends the run, unless nothing happened in it. */
  end(): void {
    if (this.#run !== undefined && this.#run.ended === undefined) this.#end(this.#run);
  }

  #end(run: RunLine): void {
    const ended = new Date(this.#o.clock.now()).toISOString();
    this.#put({ ...run, ended, creations: this.ledger.sent(run.run) });
  }

  /** Projects that the service has and the disk may not, if nothing can be written any more. */
  get unwritten(): readonly { readonly name: string; readonly project: string }[] {
    return [...this.#fresh].map(([name, project]) => ({ name, project }));
  }

  #tell(job: string): void {
    const line = this.ledger.job(job);
    if (line !== undefined) this.#o.receipts?.note(line);
  }
}

/** Faults are texts, which any line may have. */
const saysResult = ({ is }: Move): boolean =>
  is === 'complete' || is === 'failed' || is === 'supplied';

/** What nobody could read again is never written: the record would be damaged, and nothing more could be bought. */
function assertReadable(job: Job): void {
  const read = parseLine(lineText(job));
  if (!read.ok) throw new Error(`bug: a line that nobody can read: ${read.error}`);
}
