// The journal writer: assigns numbers and times to events, folds them into the ledger, and hands the lines to the file.
// A line that the next run could not load is never written: the value that its text says is checked as it is on loading,
// and folded, before the text is appended.
import { isExactJson } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import type { Ledger } from '../model/ledger.ts';
import {
  type EventLine,
  type JobLine,
  lineText,
  type NewEvent,
  parseLine,
  readValue,
} from '../model/line.ts';
import { continues, nextRunNumber, type RequestedRun } from '../model/run-identity.ts';
import type { Clock } from './jobs/ports.ts';

/** The destination of lines. Appending is cheap; `sync` resolves when everything appended is on disk. */
export interface LineFile {
  append(line: string): void;
  sync(): Promise<void>;
}

type Created = Extract<NewEvent, { readonly event: 'created' }>;

/** Hears of each job after an event about it. What was noted is written when the journal is on disk. */
export interface ReceiptNotes {
  note(line: JobLine): void;
  write(): void;
}

export interface JournalWriterTerms {
  readonly run?: RequestedRun | undefined;
  /** The user's own record of payments, beside the journal. */
  readonly receipts?: ReceiptNotes | undefined;
  /** Hides secrets in lines. */
  readonly redactor?: Redactor | undefined;
}

export class JournalWriter {
  readonly ledger: Ledger;
  readonly #file: LineFile;
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  readonly #run: RequestedRun | undefined;
  readonly #receipts: ReceiptNotes | undefined;
  #wrote = false;
  #writesSoon = false;
  /** By job: creations whose answer may not be on disk yet. */
  readonly #fresh = new Map<string, Created>();
  #now = Number.NaN;
  #time = '';

  /** Without a run, events belong to no run: then a person repairs the state. */
  constructor(ledger: Ledger, file: LineFile, clock: Clock, terms: JournalWriterTerms = {}) {
    this.ledger = ledger;
    this.#run = terms.run;
    this.#redactor = terms.redactor ?? new Redactor([]);
    this.#receipts = terms.receipts;
    this.#file = file;
    this.#clock = clock;
  }

  /** Assigns numbers and times to events, folds them into the ledger and writes them. */
  append(events: readonly NewEvent[]): void {
    if (events.length === 0) return;
    this.begin();
    for (const event of events) this.#write(event);
  }

  /** Folds an event that another process has recorded, where its line was parsed. `at`: when, ISO 8601. */
  fold(event: NewEvent, at: string): void {
    this.#wrote = true;
    const given: EventLine = { seq: this.ledger.seq + 1, ...event, at };
    const line = this.#redactor.value(given);
    this.#writeSoon();
    if (line !== given) return void this.#apply(line);
    const folded = this.ledger.apply({ type: 'event', line });
    if (!folded.ok) throw new Error(`bug: ${folded.error}`);
    this.#note(line);
  }

  /** What is folded is recorded already. Records come in groups, which are noted together. */
  #writeSoon(): void {
    const receipts = this.#receipts;
    if (receipts === undefined || this.#writesSoon) return;
    this.#writesSoon = true;
    queueMicrotask(() => {
      this.#writesSoon = false;
      receipts.write();
    });
  }

  /** Records the run. Without this call, a run is recorded when the first thing happens in it. */
  begin(): void {
    if (this.#wrote) return;
    this.#wrote = true;
    if (this.#run === undefined) return;
    const { due } = this.#run;
    const open = this.ledger.openRun;
    if (open !== undefined && continues(this.#run, open)) return;
    if (open !== undefined) this.#write({ event: 'ended' });
    const run = nextRunNumber(this.ledger.runs());
    this.#write({ event: 'run', run, ...(due === undefined ? {} : { due }) });
  }

  /** Ends the run, unless nothing happened in it, or the next run will continue it. */
  end(): void {
    if (this.ledger.openRun !== undefined) this.#write({ event: 'ended' });
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  /** Resolves when everything appended is on disk. */
  async sync(): Promise<void> {
    const before = [...this.#fresh.keys()];
    await this.#file.sync();
    this.#receipts?.write();
    for (const job of before) this.#fresh.delete(job);
  }

  /**
   * What to tell the user when the journal can no longer be written: projects that the service has and the disk does
   * not.
   */
  get unwritten(): readonly { readonly name: string; readonly project: string }[] {
    return [...this.#fresh.values()].map(({ job, project }) => ({
      name: this.ledger.job(job)?.name ?? '',
      project,
    }));
  }

  #write(event: NewEvent): void {
    const now = this.#clock.now();
    if (now !== this.#now) [this.#now, this.#time] = [now, new Date(now).toISOString()];
    const text = this.#apply({ seq: this.ledger.seq + 1, ...event, at: this.#time });
    if (event.event === 'created') this.#fresh.set(event.job, event);
    this.#file.append(text);
  }

  /** Folds a line into the ledger, and returns its text. */
  #apply(given: EventLine): string {
    const { text, read } = this.#written(given);
    if (!read.ok)
      throw new Error(`bug: an event "${given.event}" that nobody can read: ${read.error}`);
    const folded = this.ledger.apply(read.value);
    if (!folded.ok) throw new Error(`bug: ${folded.error}`);
    this.#note(given);
    return text;
  }

  /** What was adopted is in the receipts already. */
  #note(event: EventLine): void {
    if (this.#receipts === undefined || !('job' in event) || event.event === 'adopted') return;
    const line = this.ledger.job(event.job);
    if (line !== undefined) this.#receipts.note(line);
  }

  /** The text of a line, and what it says. Text that says exactly the value need not be parsed for that. */
  #written(given: EventLine): {
    readonly text: string;
    readonly read: ReturnType<typeof parseLine>;
  } {
    if (isExactJson(given)) {
      const text = lineText(given);
      if (!this.#redactor.mayHide(text)) return { text, read: readValue(given) };
    }
    const redacted = lineText(this.#redactor.value(given));
    return { text: redacted, read: parseLine(redacted) };
  }
}

// A sync that many callers share: those who call while a sync is under way share the next one.

export class SharedSync {
  readonly #write: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `write`: writes and syncs what is there now. After it has rejected, it is not called again. */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when everything that was there before the call is durable. After a failure, every call fails in the same way. */
  sync(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#once();
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#once();
      return this.#running;
    });
    return this.#next;
  }

  /** The sync that is under way, or the one that failed. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  async #once(): Promise<void> {
    await this.#write();
    if (this.#next === undefined) this.#running = undefined;
  }
}
