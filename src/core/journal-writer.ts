// The journal writer: assigns times to events, folds them into the ledger, and hands the file the lines that they change.
import { isExactJson } from '../base/json.ts';
import { Redactor } from '../base/redactor.ts';
import type { AboutAttempt } from '../model/job-view.ts';
import type { Ledger } from '../model/ledger.ts';
import { type EventLine, type NewEvent, readEvent } from '../model/line.ts';
import { type Job, lineText } from '../model/record/line.ts';
import type { Clock } from './ports.ts';

/** The destination of lines. Appending is cheap; `sync` resolves when everything appended is on disk. */
export interface LineFile {
  append(line: string): void;
  sync(): Promise<void>;
}

/** Hears of each job when what is new of it is on disk. */
export interface ReceiptNotes {
  note(line: Job): void;
}

export interface JournalWriterTerms {
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
  readonly #receipts: ReceiptNotes | undefined;
  #wrote = false;
  /** Jobs of which the receipts have not heard since they changed. */
  #unnoted = new Set<string>();
  #now = Number.NaN;
  #time = '';

  /** Events belong to no run: a person corrects the state. */
  constructor(ledger: Ledger, file: LineFile, clock: Clock, terms: JournalWriterTerms = {}) {
    this.ledger = ledger;
    this.#redactor = terms.redactor ?? new Redactor([]);
    this.#receipts = terms.receipts;
    this.#file = file;
    this.#clock = clock;
  }

  /** Assigns times to events, folds them into the ledger and writes them. */
  append(events: readonly NewEvent[], about?: AboutAttempt): void {
    for (const event of events) this.#write(event, about);
  }

  /** Writes what the ledger has learnt of other records. */
  recordLearnt(): void {
    this.#writeChanges();
  }

  #writeChanges(): void {
    this.#wrote = true;
    for (const changed of this.ledger.takeChanges()) this.#file.append(lineText(changed));
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  /** Resolves when everything appended is on disk. */
  async sync(): Promise<void> {
    const changed = this.#unnoted;
    this.#unnoted = new Set();
    await this.#file.sync();
    // What has changed again is on disk after the next one.
    for (const job of changed) if (!this.#unnoted.has(job)) this.#note(job);
  }

  /** Folds an event into the ledger, without secrets, as JSON says it, and writes what it changes. */
  #write(event: NewEvent, about?: AboutAttempt): void {
    const now = this.#clock.now();
    if (now !== this.#now) [this.#now, this.#time] = [now, new Date(now).toISOString()];
    const line = readable(this.#redactor.value({ ...event, at: this.#time }));
    const folded = this.ledger.apply(line, about);
    if (!folded.ok) throw new Error(`bug: ${folded.error}`);
    if (isNews(line)) this.#unnoted.add(line.job);
    // No sync follows, and who looks for the project now should find its files.
    if (line.event === 'deleted') this.#note(line.job);
    this.#writeChanges();
  }

  #note(job: string): void {
    const line = this.ledger.lineOf(job);
    if (line !== undefined) this.#receipts?.note(line);
  }
}

/** An attempt comes into the receipts by its claim. */
const isNews = (event: EventLine): event is EventLine & { readonly job: string } =>
  'job' in event && event.event !== 'intent';

/** What nobody could read again is never written: the record would be damaged, and nothing more could be bought. */
function readable(event: EventLine): EventLine {
  const read = readEvent(isExactJson(event) ? event : JSON.parse(JSON.stringify(event)));
  if (read.ok) return read.value;
  throw new Error(`bug: an event "${event.event}" that nobody can read: ${read.error}`);
}
