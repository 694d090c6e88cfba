// What the workers of a run must know beyond its pipeline file, as plain data.
import { relative } from 'node:path';
import type { FromSchema } from 'json-schema-to-ts';
import type { JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { validatorOf } from '../base/schema.ts';
import { reasonOf } from '../contract/api/bounds.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import type { RunPaths } from '../state/run-paths.ts';

const termsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'digest', 'output', 'allowOutside', 'speedFactor', 'backoffMs'],
  properties: {
    /** Orders of another version may mean something else. */
    version: { type: 'integer', const: 1 },
    /** Of the pipeline file and what it includes. */
    digest: { type: 'string' },
    /** The output folder, relative to the pipeline file. */
    output: { type: 'string' },
    profile: { type: 'string' },
    allowOutside: { type: 'boolean' },
    speedFactor: { type: 'number', exclusiveMinimum: 0 },
    backoffMs: { type: 'number', minimum: 0 },
  },
} as const;

export type EngineTerms = FromSchema<typeof termsSchema>;

export interface TermsChoice {
  readonly allowOutside?: boolean | undefined;
  readonly speedFactor: number;
  readonly backoffMs: number;
}

export function termsOf(
  bound: BoundPipeline,
  paths: Pick<RunPaths, 'output'>,
  { allowOutside = false, speedFactor, backoffMs }: TermsChoice,
): JsonObject {
  const terms: EngineTerms = {
    version: 1,
    digest: bound.digest,
    output: relative(bound.folder, paths.output) || '.',
    ...(bound.profile === undefined ? {} : { profile: bound.profile }),
    allowOutside,
    speedFactor,
    backoffMs,
  };
  return { ...terms };
}

export function readTerms(value: unknown): Result<EngineTerms, string> {
  const validate = validatorOf<EngineTerms>(termsSchema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}
