// Facts about files on disk, as values, collected before decisions.
import type { Digest } from '../base/digest.ts';
import type { Output } from '../model/record/line.ts';

export type FileFact =
  /**
   * `digest` is undefined until the content is read. `unusable`: the file is not the medium that its name says, or was
   * cut off; the end of a sentence about it.
   */
  | {
      readonly is: 'file';
      readonly bytes: number;
      readonly digest: Digest | undefined;
      readonly unusable?: string;
    }
  /** Missing, unreadable, not a file: `why` is the end of a sentence about it. `barred`: it must not be read. */
  | { readonly is: 'absent'; readonly why: string; readonly barred?: true };

/** A recorded output: its path relative to the pipeline file, and its content. */
export type RecordedFile = Pick<Output, 'path' | 'sha256'>;

export interface OutputFacts {
  /** The store of this pipeline, as the state file names it; undefined if there is none. */
  readonly store?: string | undefined;
  /**
   * A recorded output, by its path relative to the pipeline file, so that it is found even if
   * `output:` changes.
   */
  output(path: string): FileFact;
  /**
   * True if nothing is at the path of a recorded output, and its content has never been there in this checkout: another
   * checkout saved it.
   */
  isElsewhere(output: RecordedFile): boolean;
  /** A replaced output, which is kept under its hash. */
  kept(digest: string, extension: string): FileFact;
}

export interface Facts extends OutputFacts {
  /** A file that a step uploads, by its path in the pipeline. */
  input(path: string): FileFact;
  /** The recorded form of a path below the current output folder. */
  recordedAs(path: string): string;
}
