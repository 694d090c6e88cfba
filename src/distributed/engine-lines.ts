// The lines of a coordinator's journal: they become records in the database, in groups.
import { type NewEvent, parseLine } from '../model/line.ts';
import type { LineFile } from '../run/journal-writer.ts';
import { SharedSync } from '../run/journal-writer.ts';
import { type Patience, retryWhileAway } from './away.ts';
import { eventFact, type Fact, type FactAnswer, withoutTime } from './database/batch.ts';

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
    this.#pending.push(eventFact({ id, key: '' }, event, name));
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0 && this.#shared.running === undefined;
  }

  sync(): Promise<void> {
    return this.#shared.sync();
  }

  async #record(): Promise<void> {
    const facts = this.#pending.splice(0);
    if (facts.length === 0) return;
    const answers = await retryWhileAway(this.#o, () => this.#o.record(facts));
    const refused = facts.find((_, index) => answers[index] === 'refused');
    if (refused?.is === 'event') throw (this.#o.onRefused ?? refusalBug)(refused.event.event);
  }
}

const refusalBug = (event: string): Error =>
  new Error(`bug: the database refuses the event "${event}"`);

function eventIn(text: string): NewEvent {
  const read = parseLine(text);
  if (!read.ok || read.value.type !== 'event') throw new Error('bug: a journal appends events');
  return withoutTime(read.value.line);
}
