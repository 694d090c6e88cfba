// A valid pipeline and its steps.
import type { StepKind } from '../contract/kinds.ts';
import type { Path } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Expression } from './expression.ts';
import type { Items } from './items.ts';
import type { PipelineDocument } from './schema.ts';
import { expressionsOf, type PlacedExpression, type Template } from './template.ts';

/** The steps that run once for each element of a list. */
export interface FanOut {
  /** The step with `for_each`. The others of the fan-out follow it. */
  readonly step: string;
  readonly list: Template;
  /** The steps whose outputs the list reads. */
  readonly uses: readonly string[];
  /** Those of `uses` of which it reads `all`. */
  readonly gathers: readonly string[];
  readonly onMissing: OnMissing;
}

/** What an item or an element without a result means for a step that reads `steps.<name>.all`. */
export type OnMissing = 'fail' | 'skip';

export interface Step {
  readonly name: string;
  readonly kind: StepKind;
  /** The request, including the fields of `extra:`. */
  readonly with: Template;
  /** The fields that `extra:` adds, as paths into `with`. They are not checked. */
  readonly extra: readonly Path[];
  readonly condition?: Expression;
  /** Steps whose outputs this step reads. If one of them is skipped, so is this step. */
  readonly uses: readonly string[];
  /**
   * Steps that must finish before this step starts: `uses`, `needs`, and for a delete all users of
   * its target.
   */
  readonly after: readonly string[];
  /** Those of `uses` of which this step reads `all`: the outputs of all items, or of all elements. */
  readonly gathers: readonly string[];
  readonly onMissing: OnMissing;
  /** The fan-out to which the step belongs. */
  readonly fan?: FanOut;
  /** For download and delete: the tool step that they refer to. */
  readonly of?: string;
  /** For delete: discard the result on purpose. */
  readonly discard: boolean;
  /** `keep: remote`: the result is meant to stay at the service. */
  readonly keepRemote: boolean;
  /** True if an expression reads the step's outputs. */
  readonly isRead: boolean;
  /** True if an expression reads `all` of the step. */
  readonly isGathered: boolean;
  /**
   * True if the step refers to no item, directly or through other steps: it runs once for all
   * items.
   */
  readonly shared: boolean;
  /** The user's upper bound for one task, in credits. */
  readonly estimate?: number;
  /** How often to try a request, or a project that failed for a temporary reason, in total. */
  readonly attempts: number;
  readonly timeoutMs?: number;
}

export interface InputDeclaration {
  readonly type: 'file' | 'string' | 'number' | 'boolean';
  readonly default?: string | number | boolean;
}

export interface Limits {
  /** Items in progress at once. */
  readonly items: number;
  /** Tasks in progress at once, by step kind. */
  readonly steps: Readonly<Record<string, number>>;
  readonly requestsPerMinute?: number;
  /** How long a run waits for a service that is away, in milliseconds. */
  readonly outageMs: number;
}

/** How much may fail before a run stops buying. A missing field sets no limit. */
export interface FailureLimits {
  /** Failed items. */
  readonly items?: number;
  /** The same as a share of all items, 0 to 1. */
  readonly share?: number;
  /** Credits charged for items that failed. */
  readonly credits?: number;
}

/** When `shotlist schedule` runs the pipeline. */
export interface Schedule {
  /** Cron expressions of five fields. */
  readonly cron: readonly string[];
  /** An IANA name. */
  readonly timeZone: string;
}

/** What to call after a run: a program with its arguments, or an https address. */
export type Hook =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'webhook'; readonly address: string };

export interface Pipeline {
  readonly name: string;
  readonly description?: string;
  readonly inputs: Readonly<Record<string, InputDeclaration>>;
  readonly env: readonly string[];
  readonly items: Items;
  readonly budget: {
    readonly credits?: number;
    readonly perItem?: number;
    readonly perDay?: number;
    readonly perMonth?: number;
  };
  /** In credits: on a terminal, a run asks before it buys more. */
  readonly confirmAbove: number;
  readonly schedule?: Schedule;
  readonly onFinish?: Hook;
  readonly onDoubt?: Hook;
  /** A folder, relative to the pipeline file, or `s3://bucket/prefix`. */
  readonly store?: string;
  readonly failureLimits: FailureLimits;
  readonly limits: Limits;
  /** The folder of downloads, relative to the pipeline file. */
  readonly output: string;
  /** Runs write `<output>.json` beside each output. */
  readonly provenance: boolean;
  /** Only receipts of this pipeline file count as payments for its requests. */
  readonly reusesOwnOnly: boolean;
  readonly service?: string;
  /** In topological order: every step follows the steps that it waits for. */
  readonly steps: readonly Step[];
  /** The source text, for messages about values that become known later. */
  readonly source: Source;
  readonly document: PipelineDocument;
}

/** The expressions that a step has in the file. The list of a fan-out belongs to its first step. */
export function expressionsIn(step: Step): readonly PlacedExpression[] {
  const { name, condition: expression, fan } = step;
  return [
    ...expressionsOf(step.with),
    ...(expression === undefined
      ? []
      : [{ path: ['steps', name, 'if'], expression, isWhole: true }]),
    ...(fan?.step === name ? expressionsOf(fan.list) : []),
  ];
}
