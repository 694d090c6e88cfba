// The journal writer: gives events their numbers and times, folds them into the ledger, and hands the lines to the file. What the
// reader would refuse is never written: each line is read before it is appended, and what was read is what counts.
import { Redactor } from '../../contract/base/redactor.ts';
import type { CreditTotals, Ledger } from '../journal/ledger.ts';
import { type EventLine, type Happened, lineText, parseLine } from '../journal/line.ts';
import type { Clock, Journal } from './jobs/ports.ts';

/** Where lines go. Appending is cheap; `sync` resolves when all that was appended is on disk. */
export interface LineFile {
  append(line: string): void;
  sync(): Promise<void>;
}

type Created = Extract<Happened, { readonly event: 'created' }>;

/** `--run-id`: runs with one id share one budget. */
export interface RunName {
  readonly id?: string | undefined;
}

export interface JournalWriterTerms {
  readonly run?: RunName | undefined;
  /** Hides secrets in what is written. */
  readonly redactor?: Redactor | undefined;
}

export class JournalWriter implements Journal {
  readonly ledger: Ledger;
  readonly #file: LineFile;
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #run: RunName | undefined;
  #wrote = false;
  /** Creations that were answered, and whose answer may not be on disk yet: by job. */
  readonly #fresh = new Map<string, Created>();
  #now = Number.NaN;
  #time = '';

  /** Without a run's name what is appended belongs to no run: a person mends the state. */
  constructor(ledger: Ledger, file: LineFile, clock: Clock, terms: JournalWriterTerms = {}) {
    this.ledger = ledger;
    this.#run = terms.run;
    this.#redactor = terms.redactor ?? new Redactor([]);
    this.#file = file;
    this.#clock = clock;
  }

  append(events: readonly Happened[]): void {
    if (events.length === 0) return;
    if (!this.#wrote && this.#run !== undefined) this.#begin(this.#run);
    this.#wrote = true;
    for (const event of events) this.#write(event);
  }

  /**
   * A run is only a run once something happened in it. It goes on with one that was interrupted, unless that has
   * another id.
   */
  #begin({ id }: RunName): void {
    const open = this.ledger.openRun;
    if (open !== undefined && (id === undefined || id === open.id)) return;
    if (open !== undefined) this.#write({ event: 'ended' });
    const run = (this.ledger.runs().at(-1)?.run ?? 0) + 1;
    this.#write({ event: 'run', run, ...(id === undefined ? {} : { id }) });
  }

  /** What a budget of this run is compared with: all runs that share its id count. */
  get account(): CreditTotals {
    const id = this.#run?.id;
    return id === undefined ? this.ledger.account : this.ledger.accountOf(id);
  }

  /** Closes the run, unless nothing ever happened in it or it is to be gone on with. */
  end(): void {
    if (this.ledger.openRun !== undefined) this.#write({ event: 'ended' });
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  async sync(): Promise<void> {
    const before = [...this.#fresh.keys()];
    await this.#file.sync();
    for (const job of before) this.#fresh.delete(job);
  }

  /** What a person must be told when the journal cannot be written any more: the service has these, the disk not. */
  get unwritten(): readonly { readonly name: string; readonly project: string }[] {
    return [...this.#fresh.values()].map(({ job, project }) => ({
      name: this.ledger.job(job)?.name ?? '',
      project,
    }));
  }

  #write(event: Happened): void {
    const now = this.#clock.now();
    if (now !== this.#now) [this.#now, this.#time] = [now, new Date(now).toISOString()];
    const line: EventLine = this.#redactor.value({
      seq: this.ledger.seq + 1,
      ...event,
      at: this.#time,
    });
    const text = lineText(line);
    const read = parseLine(text);
    if (!read.ok)
      throw new Error(`bug: an event "${event.event}" that nobody can read: ${read.error}`);
    const folded = this.ledger.apply(read.value);
    if (!folded.ok) throw new Error(`bug: ${folded.error}`);
    if (event.event === 'created') this.#fresh.set(event.job, event);
    this.#file.append(text);
  }
}
