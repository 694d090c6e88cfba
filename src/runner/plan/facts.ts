// What the disk says, as values: gathered before anything is decided.
import type { Digest } from '../../contract/base/digest.ts';

export type FileFact =
  /** `digest` is undefined while the content has not been read yet. */
  | { readonly is: 'file'; readonly bytes: number; readonly digest: Digest | undefined }
  /** Missing, unreadable, not a file: `why` is the end of a sentence about it. */
  | { readonly is: 'absent'; readonly why: string };

export interface Facts {
  /** A file that a step uploads, as its path stands in the pipeline. */
  input(path: string): FileFact;
  /** A recorded output: its path is relative to the pipeline file, so it is found also when `output:` changes. */
  output(path: string): FileFact;
  /** How a path below the output folder of today is recorded. */
  recordedAs(path: string): string;
  /** A superseded output, kept under its hash when another took its place. */
  kept(digest: string, extension: string): FileFact;
}
