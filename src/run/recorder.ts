// The pen: gives events their numbers and times, folds them into the ledger, and hands the lines to the file.
import type { Ledger } from '../journal/ledger.ts';
import type { EventLine, Happened } from '../journal/line.ts';
import type { Clock, Journal } from './ports.ts';

/** Where lines go. Appending is cheap; `sync` resolves when all that was appended is on disk. */
export interface LineFile {
  append(line: string): void;
  sync(): Promise<void>;
}

export class Recorder implements Journal {
  readonly ledger: Ledger;
  readonly #file: LineFile;
  readonly #clock: Clock;
  #wrote = false;
  #now = Number.NaN;
  #time = '';

  constructor(ledger: Ledger, file: LineFile, clock: Clock) {
    this.ledger = ledger;
    this.#file = file;
    this.#clock = clock;
  }

  /** A run is only a run once something happened in it; it goes on with one that was interrupted. */
  append(events: readonly Happened[]): void {
    if (events.length === 0) return;
    if (!this.#wrote) {
      this.#wrote = true;
      if (this.ledger.openRun === undefined)
        this.#write({ event: 'run', run: (this.ledger.runs().at(-1)?.run ?? 0) + 1 });
    }
    for (const event of events) this.#write(event);
  }

  /** Closes the run, unless nothing ever happened in it or it is to be gone on with. */
  end(): void {
    if (this.ledger.openRun !== undefined) this.#write({ event: 'ended' });
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  #write(event: Happened): void {
    const now = this.#clock.now();
    if (now !== this.#now) [this.#now, this.#time] = [now, new Date(now).toISOString()];
    const line: EventLine = {
      seq: this.ledger.seq + 1,
      ...event,
      at: this.#time,
    };
    const folded = this.ledger.apply({ type: 'event', line });
    if (!folded.ok) throw new Error(`bug: ${folded.error}`);
    this.#file.append(JSON.stringify(line));
  }
}
