// For tests: a record that takes the place of a state file.
import { ok, type Result } from '../base/result.ts';
import type { Ledger } from '../model/record/ledger.ts';
import { lineText } from '../model/record/line.ts';
import type { RunFile } from './run-file.ts';

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

/** Writes to a record what a `StateFile` writes to a file. */
export class RecordInPlace implements RunFile {
  readonly #record: StateRecord;
  readonly #ledger: Ledger;
  #isNew: boolean;

  constructor(record: StateRecord, ledger: Ledger) {
    this.#record = record;
    this.#ledger = ledger;
    this.#isNew = record.text() === '';
  }

  append(line: string): void {
    const { header } = this.#ledger;
    if (this.#isNew && header !== undefined) this.#record.append(lineText(header));
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

  async writeWhole(): Promise<Result<void, string>> {
    if (this.#ledger.isEmpty) return ok(undefined);
    await this.#record.replace([...this.#ledger.texts()].map((line) => `${line}\n`).join(''));
    return ok(undefined);
  }
}
