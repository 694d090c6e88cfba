// Which environment variables a pipeline uses, and which of them leave this machine: read from its expressions, so it
// holds for every item.
import type { Expression } from '../language/expression.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';

export interface EnvUse {
  readonly name: string;
  /** Steps that send the value, or what they make of it. */
  readonly sent: readonly string[];
  /** Steps that use it on this machine alone: in an `if:`, the path of an upload, or the place of a download. */
  readonly local: readonly string[];
}

/** A variable for each name under `env:`, also where nothing uses it. */
export function envUses({ env, steps }: Pipeline): readonly EnvUse[] {
  const names = [...new Set(env)];
  return names.map((name) => ({
    name,
    sent: steps.filter((step) => isSent(step, name)).map((step) => step.name),
    local: steps.filter((step) => isLocal(step, name)).map((step) => step.name),
  }));
}

const sends = ({ kind }: Step): boolean =>
  kind.operation === 'create' || kind.operation === 'detect';

const inBody = (step: Step, name: string): boolean =>
  expressionsOf(step.with).some(({ expression }) => reads(expression, name));

const isSent = (step: Step, name: string): boolean => sends(step) && inBody(step, name);

const isLocal = (step: Step, name: string): boolean =>
  (step.condition !== undefined && reads(step.condition, name)) ||
  (!sends(step) && inBody(step, name));

/** `env` without a name, as in `env[inputs.which]`, reads any of them. */
const reads = ({ references }: Expression, name: string): boolean =>
  references.some(({ root, key }) => root === 'env' && (key === undefined || key === name));
