// The entry of a tool: everything that is known about it, as data, with small functions for its rules.

import { entryOf, fieldOf, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { RecordKind } from './api/project.ts';
import type { OutputLimit } from './api/tier.ts';
import { name } from './fields.ts';
import type { ModelChoice } from './models.ts';
import type { PriceExample, PriceRule } from './price-rule.ts';
import type { Rule, RuleBreach } from './rules.ts';
import type { StarterParts } from './starter.ts';

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
  /** Rules that a schema cannot express well. */
  readonly rules?: readonly Rule[];
  /** For a tool with a choice of models (models.md). */
  readonly models?: ModelChoice;
  /** A value that only paid plans offer, beside models and resolutions (models.md, Plans). */
  readonly paidOnly?: PaidValue;
  /**
   * Limits of the output's size that hold on every plan, in addition to the plan's own (models.md, Plans). `none`: neither
   * limits the size.
   */
  readonly sizeLimit?: Partial<OutputLimit> | 'none';
  /** If not all outputs have the usual format of their record kind, PNG or MP4. */
  readonly fileFormat?: FileFormat;
  /** How the price of a creation is computed (facts.md, Prices). */
  readonly price: PriceRule;
  /** Parts of requests whose prices people want to see. */
  readonly priceExamples: readonly PriceExample[];
  /**
   * Request bodies that the schema accepts; asset fields hold `asset:image`, `asset:video`,
   * `asset:audio`.
   */
  readonly examples: readonly JsonObject[];
  /** What `init` writes about the tool. */
  readonly starter: StarterParts;
}

interface FileFormat {
  /** The field that chooses the format, by its file extension. */
  readonly field: string;
  readonly extensions: readonly string[];
  /** Without the field. */
  readonly usual: string;
}

interface PaidValue {
  readonly field: string;
  readonly value: Json;
  /** What the free plan has. */
  readonly instead: string;
}

/** A tool that interface.md only lists: its fields come from facts.md, and objects stay open, because the interface grows in place. */
interface Listing extends Omit<Tool, 'contractual' | 'request'> {
  /** What the tool does, in one or two sentences. */
  readonly description: string;
  readonly required: readonly string[];
  /** All fields except `name`, which every tool takes. */
  readonly fields: Readonly<Record<string, Schema>>;
}

export function listedTool({ description, required, fields, ...tool }: Listing): Tool {
  return {
    ...tool,
    contractual: false,
    request: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `${tool.name} request`,
      description,
      type: 'object',
      required,
      properties: { name, ...fields },
    },
  };
}

/** All broken rules of a tool. */
export const breachesOf = (tool: Tool | undefined, body: JsonObject): readonly RuleBreach[] =>
  (tool?.rules ?? []).flatMap(({ check }) => check(body));

/** Warnings about a request that may be correct: the facts of its model are not published, or the model is unknown. */
export function cautionsOf({ name: tool, models }: Tool, body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  if (models === undefined || typeof name !== 'string' || name === 'default') return [];
  if (entryOf(models.plans, name) !== undefined) return [];
  const message = models.unpublished.includes(name)
    ? `the price and the limits of the model ${name} are not published, so shotlist does not check them`
    : `${JSON.stringify(name)} is not a known model of ${tool}; shotlist sends the name without a check`;
  return [{ field: 'model', message }];
}
