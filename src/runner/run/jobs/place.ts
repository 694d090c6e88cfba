// A place for a file, as plain data: it can cross to a runner elsewhere.

export type Place =
  /** As an `upload` step names it: relative to the pipeline file. */
  | { readonly in: 'input'; readonly path: string }
  /** A recorded output: relative to the pipeline file. */
  | { readonly in: 'output'; readonly path: string }
  /** Superseded by another output, and kept under its hash. */
  | { readonly in: 'kept'; readonly digest: string; readonly extension: string };
