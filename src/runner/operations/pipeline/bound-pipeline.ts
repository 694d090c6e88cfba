// A pipeline for the operations: valid, with its folder, and bound to its inputs and environment.
import type { Digest } from '../../../contract/base/digest.ts';
import type { Diagnostic } from '../../../contract/yaml/diagnostic.ts';
import type { Scope } from '../../language/expression.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import type { LoadedPipeline } from './loaded-pipeline.ts';
import type { ParsedPipeline } from './parse.ts';

interface Binding {
  /** Absolute; all paths in the file are relative to it. */
  readonly folder: string;
  /** Absolute: paths that the user wrote with `--input`. */
  readonly named: readonly string[];
  /** The names in expressions that are known before the state file is open. `run` is in `Prepared`. */
  readonly base: Pick<Scope, 'inputs' | 'env'>;
}

export class BoundPipeline implements LoadedPipeline, ParsedPipeline, Binding {
  readonly pipeline: Pipeline;
  readonly file: string;
  readonly digest: Digest;
  readonly warnings: readonly Diagnostic[];
  readonly folder: string;
  readonly named: readonly string[];
  readonly base: Binding['base'];

  constructor(
    { pipeline, file, digest, warnings }: ParsedPipeline,
    { folder, named, base }: Binding,
  ) {
    this.pipeline = pipeline;
    this.file = file;
    this.digest = digest;
    this.warnings = warnings;
    this.folder = folder;
    this.named = named;
    this.base = base;
  }

  get name(): string {
    return this.pipeline.name;
  }

  get text(): string {
    return this.pipeline.source.text;
  }
}

/** The data that the operations use. Throws for an object that `loadPipeline` did not make. */
export function boundPipeline(loaded: LoadedPipeline): BoundPipeline {
  if (loaded instanceof BoundPipeline) return loaded;
  throw new TypeError('the pipeline must come from loadPipeline()');
}
