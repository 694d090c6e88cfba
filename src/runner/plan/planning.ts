// The facts and functions that planning an item uses.
import type { JsonObject } from '../../contract/base/json.ts';
import type { JobLine } from '../journal/line.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { End, Phase } from './ending.ts';
import type { Estimate } from './estimate.ts';
import type { Facts } from './facts.ts';
import type { PlannedTask } from './planned-action.ts';
import type { Remembered } from './remembered.ts';
import type { Takes } from './takes.ts';

export interface PlanContext {
  /** All steps of the pipeline. */
  readonly steps: readonly Step[];
  readonly facts: Facts;
  readonly jobOf: (fingerprint: Fingerprint) => JobLine | undefined;
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

/** What one item or one element adds to `steps.<name>.all`. */
export interface Contribution {
  readonly planned: PlannedTask;
  /** The outputs in expressions. */
  readonly outputs: unknown;
  /** False if a later run may still do the task. */
  readonly isFinal: boolean;
}

export interface Contributing {
  contribution(step: string): Contribution;
  /** Plans to repeat a step whose values a request needs and which have expired. Returns why that is impossible, if so. */
  renew(step: string): string | undefined;
}

/** The combined phases of the items' steps, for shared steps that wait for all items. */
export interface OverItems {
  /** The plans of the items, in their order, if a step reads `all` of them. */
  readonly plans: readonly Contributing[];
  /** True if the run includes only some of the items. */
  readonly partial: boolean;
  readonly phase: (step: string) => Phase;
  /** True if this run does the step for some item. */
  readonly later: (step: string) => boolean;
}

/** How a step that cannot run ends: `failed` by its own problem, `blocked` because another step cannot run. */
export type ItemVerdict = End;
