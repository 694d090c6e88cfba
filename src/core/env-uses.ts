// Finds the environment variables that a pipeline uses, and those that leave this machine, from its
// expressions, so the answer holds for every item.
import type { Expression } from '../language/expression.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';

export interface EnvUse {
  readonly name: string;
  /** Steps that send the value, or something computed from it. */
  readonly sent: readonly string[];
  /**
   * Steps that use it only on this machine: in an `if:`, the path of an upload, or the place of a
   * download.
   */
  readonly local: readonly string[];
}

/** One entry for each name under `env:`, even if nothing uses it. */
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

/** A request may send what it gets by `each`. */
const inBody = ({ with: body, fan }: Step, name: string): boolean =>
  [body, ...(fan === undefined ? [] : [fan.list])]
    .flatMap(expressionsOf)
    .some(({ expression }) => reads(expression, name));

const isSent = (step: Step, name: string): boolean => sends(step) && inBody(step, name);

const isLocal = (step: Step, name: string): boolean =>
  (step.condition !== undefined && reads(step.condition, name)) ||
  (!sends(step) && inBody(step, name));

/** `env` without a name, as in `env[inputs.which]`, reads any of them. */
const reads = ({ references }: Expression, name: string): boolean =>
  references.some(({ root, key }) => root === 'env' && (key === undefined || key === name));
