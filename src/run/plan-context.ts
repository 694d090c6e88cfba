// What planning an item uses.
import type { JsonObject } from '../base/json.ts';
import type { Facts } from '../core/disk-facts.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { JobLine } from '../model/line.ts';
import type { Estimate } from '../plan/estimate.ts';
import type { Remembered } from '../plan/remembered.ts';
import type { Takes } from '../plan/takes.ts';

/** The facts and functions that planning an item uses. */
export interface PlanContext {
  /** All steps of the pipeline. */
  readonly steps: readonly Step[];
  readonly facts: Facts;
  readonly jobOf: (fingerprint: string) => JobLine | undefined;
  readonly estimate: (step: Step, body: JsonObject) => Estimate;
  /** Sees the known part of a request that may be sent. */
  readonly look: (step: Step, body: JsonObject) => void;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Steps that the run excludes by --only, --until or --exclude. */
  readonly excluded: ReadonlySet<string>;
  readonly takes: Takes;
  /** Default: nothing. */
  readonly remembered?: Remembered | undefined;
  /** True if every output must be in this checkout. */
  readonly requireOutputs: boolean;
  /** Why a download cannot be written to a place below the output folder. */
  readonly unusable: (to: string) => string | undefined;
}
