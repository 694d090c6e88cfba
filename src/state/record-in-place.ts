// For tests: a record that takes the place of a state file.
import { ok, type Result } from '../base/result.ts';
import { Ledger } from '../model/ledger.ts';
import type { Header } from '../model/line.ts';
import { compactedTexts } from './compaction.ts';

/** The text of a state file. Nothing locks it. */
export interface StateRecord {
  /** Empty if there is none yet. */
  text(): string;
  /** Without the line feed. */
  append(line: string): void;
  /** Resolves when everything that was appended is durable. */
  sync(): Promise<void>;
  /** In one step, durable when it resolves. */
  replace(text: string): Promise<void>;
}

/** Writes to a record what a `JournalFile` writes to a state file. */
export class RecordInPlace {
  readonly #record: StateRecord;
  readonly #header: Header;
  #isNew: boolean;

  constructor(record: StateRecord, header: Header) {
    this.#record = record;
    this.#header = header;
    this.#isNew = record.text() === '';
  }

  append(line: string): void {
    if (this.#isNew) this.#record.append(textOf(this.#header, new Ledger()).trimEnd());
    this.#isNew = false;
    this.#record.append(line);
  }

  sync(): Promise<void> {
    return this.#record.sync();
  }

  flush(): Promise<void> {
    return this.#record.sync();
  }

  close(): Promise<void> {
    return this.#record.sync();
  }

  async compact(ledger: Ledger): Promise<Result<undefined, string>> {
    await this.#record.replace(textOf(this.#header, ledger));
    return ok(undefined);
  }
}

const textOf = (header: Header, ledger: Ledger): string =>
  [...compactedTexts(header, ledger)].join('');
