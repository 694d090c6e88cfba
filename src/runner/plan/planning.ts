// What the plan is made of: the facts and rules that a walk over the steps asks.
import type { JsonObject } from '../../contract/base/json.ts';
import type { JobLine } from '../journal/line.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { End, Phase } from './ending.ts';
import type { Estimate } from './estimate.ts';
import type { Facts } from './facts.ts';

export interface PlanContext {
  /** All steps of the pipeline. */
  readonly steps: readonly Step[];
  readonly facts: Facts;
  readonly jobOf: (fingerprint: Fingerprint) => JobLine | undefined;
  readonly estimate: (step: Step, body: JsonObject) => Estimate;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Steps that the run leaves out. */
  readonly leftOut: ReadonlySet<string>;
  /** Why a download cannot be written to a place below the output folder. */
  readonly unusable: (to: string) => string | undefined;
}

/** What the steps of the items come to over all of them: some shared steps wait for that. */
export interface OverItems {
  readonly phase: (step: string) => Phase;
  /** Will this run do it for some item? */
  readonly later: (step: string) => boolean;
}

/** How a step of an item that cannot be done as it is ends: `failed` by its own trouble, `blocked` by another's. */
export type Verdict = End;
