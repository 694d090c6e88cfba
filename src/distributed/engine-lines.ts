// The lines of a coordinator's journal: they become records in the database, in groups.
import { type EventLine, type NewEvent, parseLine } from '../model/line.ts';
import { type LineFile, SharedSync } from '../run/journal-writer.ts';
import { isOfAttempt } from './attempt-events.ts';
import { insistently, type Patience } from './patience.ts';
import type { Fact, FactAnswer } from './ports.ts';

export interface EngineLinesOptions extends Patience {
  /** Unique to the coordinator and its term. */
  readonly writer: string;
  readonly record: (facts: readonly Fact[]) => Promise<readonly FactAnswer[]>;
  /** The name of the current attempt of a job. */
  readonly nameOf: (job: string) => string | undefined;
  /** The error for an event that the database refuses. Default: a bug. */
  readonly onRefused?: (event: string) => Error;
}

export class EngineLines implements LineFile {
  readonly #o: EngineLinesOptions;
  #pending: Fact[] = [];
  readonly #shared = new SharedSync(() => this.#record());
  #written = 0;

  constructor(options: EngineLinesOptions) {
    this.#o = options;
  }

  append(line: string): void {
    this.#written += 1;
    const id = `${this.#o.writer}/${this.#written}`;
    const event = eventIn(line);
    const name = 'job' in event ? this.#o.nameOf(event.job) : undefined;
    const about = name === undefined || !isOfAttempt(event) ? {} : { name };
    this.#pending.push({ is: 'event', id, key: '', ...about, event });
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#shared.running === undefined;
  }

  sync(): Promise<void> {
    return this.#shared.sync();
  }

  #refusal(event: string): Error {
    const { onRefused = (what) => new Error(`bug: the database refuses the event "${what}"`) } =
      this.#o;
    return onRefused(event);
  }

  async #record(): Promise<void> {
    const facts = this.#pending.splice(0);
    if (facts.length === 0) return;
    const answers = await insistently(this.#o, () => this.#o.record(facts));
    const refused = facts.find((_, index) => answers[index] === 'refused');
    if (refused?.is === 'event') throw this.#refusal(refused.event.event);
  }
}

function eventIn(text: string): NewEvent {
  const read = parseLine(text);
  if (!read.ok || read.value.type !== 'event') throw new Error('bug: a journal appends events');
  return withoutNumber(read.value.line);
}

/** The database numbers and dates its records. */
export function withoutNumber(line: EventLine): NewEvent {
  const { seq: _, at: __, ...event } = line;
  return event;
}
