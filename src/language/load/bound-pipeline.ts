// A pipeline for the operations: valid, with its folder, and bound to its inputs and environment.
import type { Digest } from '../../base/digest.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Scope } from '../expression.ts';
import type { Pipeline } from '../pipeline.ts';
import type { LoadedPipeline } from './loaded-pipeline.ts';
import type { ParsedPipeline } from './parse.ts';

interface Binding {
  /** Absolute; all paths in the file are relative to it. */
  readonly folder: string;
  /** Absolute: paths that the user wrote with `--input`. */
  readonly named: readonly string[];
  /** The names in expressions that are known before the state file is open. `run` is in `Prepared`. */
  readonly base: Pick<Scope, 'inputs' | 'env'>;
  /** The same file with each of its other profiles, and without one. */
  readonly otherProfiles: () => Promise<readonly BoundPipeline[]>;
  /** The file as it is now, bound in the same way. Throws a `Refusal`. */
  readonly again: () => BoundPipeline;
}

export class BoundPipeline implements LoadedPipeline, ParsedPipeline, Binding {
  readonly pipeline: Pipeline;
  readonly file: string;
  readonly digest: Digest;
  readonly warnings: readonly Diagnostic[];
  readonly profiles: readonly string[];
  readonly profile: string | undefined;
  readonly outputProfile: string | undefined;
  readonly folder: string;
  readonly named: readonly string[];
  readonly base: Binding['base'];
  readonly otherProfiles: Binding['otherProfiles'];
  readonly again: Binding['again'];

  constructor(parsed: ParsedPipeline, { folder, named, base, otherProfiles, again }: Binding) {
    this.pipeline = parsed.pipeline;
    this.file = parsed.file;
    this.digest = parsed.digest;
    this.warnings = parsed.warnings;
    this.profiles = parsed.profiles;
    this.profile = parsed.profile;
    this.outputProfile = parsed.outputProfile;
    this.folder = folder;
    this.named = named;
    this.base = base;
    this.otherProfiles = otherProfiles;
    this.again = again;
  }

  /** The same file with other steps. */
  with(pipeline: Pipeline): BoundPipeline {
    return new BoundPipeline({ ...this, pipeline }, this);
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
