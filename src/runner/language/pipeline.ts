// Pipeline and Step: holding one means that it is valid.
import type { Json } from '../../contract/base/json.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';
import type { Path } from '../../contract/yaml/place.ts';
import type { Source } from '../../contract/yaml/source.ts';
import type { Expression } from './expression.ts';
import type { PipelineDocument } from './schema.ts';
import type { Template } from './template.ts';

export interface Step {
  readonly name: string;
  readonly kind: StepKind;
  /** What is sent, the fields of `extra:` included. */
  readonly with: Template;
  /** The fields that `extra:` adds, as paths into `with`: nothing is known of them, so nothing is checked. */
  readonly extra: readonly Path[];
  readonly condition?: Expression;
  /** Steps whose outputs it reads; skipping one of them skips it. */
  readonly uses: readonly string[];
  /** Steps that must be over before it starts: `uses`, `needs`, and what a delete waits for. */
  readonly after: readonly string[];
  /** download and delete: the tool step they are about. */
  readonly of?: string;
  /** delete: the result is thrown away on purpose. */
  readonly discard: boolean;
  /** `keep: remote`: the result is meant to stay at the service, and nobody needs to download it. */
  readonly keepRemote: boolean;
  /** Some expression reads its outputs. */
  readonly isRead: boolean;
  /** No reference to an item, direct or through other steps: done once for all items. */
  readonly shared: boolean;
  /** Credits: an upper bound given by the user. */
  readonly estimate?: number;
  /** How often a request, or a project that failed for a passing cause, is tried in all. */
  readonly attempts: number;
  readonly timeoutMs?: number;
}

export type Items =
  | { readonly kind: 'one' }
  | { readonly kind: 'glob'; readonly pattern: string }
  | { readonly kind: 'values'; readonly values: readonly Json[] };

export interface InputDeclaration {
  readonly type: 'file' | 'string' | 'number' | 'boolean';
  readonly default?: string | number | boolean;
}

export interface Limits {
  /** Items in the works at once. */
  readonly items: number;
  /** Tasks of a step kind at once. */
  readonly steps: Readonly<Record<string, number>>;
  readonly requestsPerMinute?: number;
  /** How long a run waits for a service that is away, in milliseconds. */
  readonly outageMs: number;
}

/** What may go wrong before a run buys nothing more; a field that is left out bounds nothing. */
export interface FailureLimits {
  /** Failed items. */
  readonly items?: number;
  /** The same as a share of all items, 0 to 1. */
  readonly share?: number;
  /** Credits charged for items that failed. */
  readonly credits?: number;
}

export interface Pipeline {
  readonly name: string;
  readonly description?: string;
  readonly inputs: Readonly<Record<string, InputDeclaration>>;
  readonly env: readonly string[];
  readonly items: Items;
  readonly budget: { readonly credits?: number; readonly perItem?: number };
  readonly failureLimits: FailureLimits;
  readonly limits: Limits;
  /** The folder of downloads, as written: relative to the pipeline file. */
  readonly output: string;
  readonly service?: string;
  /** In an order in which every step stands after all that it waits for. */
  readonly steps: readonly Step[];
  /** Where it was read from, for messages about values that are known only later. */
  readonly source: Source;
  readonly document: PipelineDocument;
}
