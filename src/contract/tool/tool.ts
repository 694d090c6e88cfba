// The entry of a tool: everything that is known about it, as data, with small functions for its rules.
import type { RecordKind } from '../api/project.ts';
import type { JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { PriceExample } from './price-example.ts';
import type { PriceRule } from './price-rule.ts';

/** One of the 27 tools. Each creation costs credits. */
export interface Tool {
  /**
   * Its name, which is also its path: `face-swap-photo` is created with POST /v1/face-swap-photo.
   */
  readonly name: string;
  /** What the tool does, in one line. */
  readonly title: string;
  /** Which details endpoint knows its projects. */
  readonly record: RecordKind;
  /** The `type` that its project records carry (facts.md; free-form, only shown). */
  readonly type: string;
  /** Observed end-to-end median (interface.md, What the service does), in seconds. */
  readonly medianSeconds: number;
  /** True if interface.md specifies the whole body: the service then refuses unknown fields. */
  readonly contractual: boolean;
  /** The request body. Asset fields carry `x-asset`, `name` carries `x-cosmetic`. */
  readonly request: Schema;
  /** How the price of a creation is computed (facts.md, Prices). */
  readonly price: PriceRule;
  /** Parts of requests whose prices people want to see. */
  readonly priceExamples: readonly PriceExample[];
  /**
   * Request bodies that the schema accepts; asset fields hold `asset:image`, `asset:video`,
   * `asset:audio`.
   */
  readonly examples: readonly JsonObject[];
  /** Rules that a schema cannot express well. */
  readonly rules?: readonly Rule[];
}

/** A rule between fields: the sentence that documents it, and the check. */
export interface Rule {
  readonly says: string;
  /** A sentence for each field that breaks the rule. */
  readonly check: (body: JsonObject) => readonly RuleBreach[];
}

/** A broken rule, and the field that breaks it as a path into the body: `assets.face_mappings`. */
export interface RuleBreach {
  readonly field: string;
  readonly message: string;
}

/** All broken rules of a tool. */
export const breachesOf = (tool: Tool | undefined, body: JsonObject): readonly RuleBreach[] =>
  (tool?.rules ?? []).flatMap(({ check }) => check(body));
