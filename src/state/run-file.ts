// Where the lines of a run, or of a correction, go: a state file, or what takes its place in tests.
import type { Result } from '../base/result.ts';
import type { LineFile } from '../core/journal.ts';

export interface RunFile extends LineFile {
  /** Resolves when all lines that were appended are written. */
  flush(): Promise<void>;
  /** Lets go of it, without more than its lines. */
  close(): Promise<void>;
  /** Writes the state file whole, sorted. The error is a sentence that says why it stays as it is. */
  writeWhole(): Promise<Result<void, string>>;
}
