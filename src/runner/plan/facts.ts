// Facts about files on disk, as values, collected before decisions.
import type { Digest } from '../../contract/base/digest.ts';

export type FileFact =
  /** `digest` is undefined until the content is read. */
  | { readonly is: 'file'; readonly bytes: number; readonly digest: Digest | undefined }
  /** Missing, unreadable, not a file: `why` is the end of a sentence about it. */
  | { readonly is: 'absent'; readonly why: string };

export interface Facts {
  /** The store of this run, as the state file names it; undefined if the pipeline has none. */
  readonly store?: string | undefined;
  /** A file that a step uploads, by its path in the pipeline. */
  input(path: string): FileFact;
  /**
   * A recorded output, by its path relative to the pipeline file, so that it is found even if
   * `output:` changes.
   */
  output(path: string): FileFact;
  /** The recorded form of a path below the current output folder. */
  recordedAs(path: string): string;
  /** A replaced output, which is kept under its hash. */
  kept(digest: string, extension: string): FileFact;
}
