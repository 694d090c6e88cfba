// `validate`: checks a pipeline file. Reads nothing but the file.
import { ok, type Result } from '../../contract/base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import { type LoadOptions, loadPipeline } from './pipeline/load.ts';
import type { Problem } from './pipeline/problem.ts';

export interface Validated {
  readonly file: string;
  /** The name of the pipeline. */
  readonly pipeline: string;
  readonly warnings: readonly Diagnostic[];
  /** In the order in which they run. */
  readonly steps: readonly ValidStep[];
  /** The text of the file, which the places of the warnings refer to. */
  readonly text: string;
}

export interface ValidStep {
  readonly name: string;
  /** The step kind that `uses:` names. */
  readonly kind: string;
  /** True if the step refers to no item, and is done once. */
  readonly shared: boolean;
}

/**
 * Checks a pipeline file, and says what its steps are. Reads nothing but the file.
 *
 * @example
 * ```ts
 * import { renderProblem, validate } from 'shotlist';
 *
 * const validated = await validate('pipeline.yaml');
 * if (validated.ok) console.log(validated.value.steps.map(({ name }) => name));
 * else console.error(renderProblem(validated.error));
 * ```
 */
export async function validate(
  file: string,
  options: LoadOptions = {},
): Promise<Result<Validated, Problem>> {
  const loaded = await loadPipeline(file, options);
  if (!loaded.ok) return loaded;
  const { name: pipeline, warnings, text, pipeline: checked } = boundPipeline(loaded.value);
  const steps = checked.steps.map(({ name, kind, shared }) => ({ name, kind: kind.name, shared }));
  return ok({ file, pipeline, warnings, steps, text });
}
