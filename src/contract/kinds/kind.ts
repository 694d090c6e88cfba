// The description of a step kind: plain data and pure functions, without state.
import type { Schema } from '../../base/schema.ts';
import type { Tool } from '../tool/tool.ts';

/** How the runner performs a kind: the five things that a client can ask of the service. */
export type Operation = 'upload' | 'detect' | 'create' | 'download' | 'delete';

/** A step kind, which `uses:` names. */
export interface StepKind {
  readonly name: string;
  readonly title: string;
  readonly operation: Operation;
  /** The schema of `with:`. */
  readonly with: Schema;
  /** The outputs that later steps may use, with their descriptions. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The JSON Schema of each output, by the same names. `{}`: of any type. */
  readonly outputTypes: Readonly<Record<string, Schema>>;
  /** Only for the 27 tools. */
  readonly tool?: Tool;
}
