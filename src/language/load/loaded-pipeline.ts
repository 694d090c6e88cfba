// A loaded pipeline file for library users: read, checked, and ready for an operation.
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';

/** Made by `loadPipeline` only. Its other content is private to the operations. */
export interface LoadedPipeline {
  /** The path of the file, as it was given. */
  readonly file: string;
  /** `pipeline:` in the file. */
  readonly name: string;
  readonly warnings: readonly Diagnostic[];
  /** The text of the file, which the places of the warnings refer to. */
  readonly text: string;
}
