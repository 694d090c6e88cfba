// `validate`: checks a pipeline file, and the table of its items. Reads nothing else.
import { resolve } from 'node:path';
import { ok, type Result } from '../../contract/base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { Ledger } from '../journal/ledger.ts';
import { boundaryOf } from './files/boundary.ts';
import { type BoundPipeline, boundPipeline } from './pipeline/bound-pipeline.ts';
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
 * Checks a pipeline file and the table of its items, and says what its steps are. Reads nothing else.
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
  const bound = boundPipeline(loaded.value);
  const { name: pipeline, warnings, text, pipeline: checked } = bound;
  const { kind } = checked.items;
  if (kind === 'csv' || kind === 'jsonl') {
    const table = await checkTable(bound);
    if (!table.ok) return table;
  }
  const steps = checked.steps.map(({ name, kind, shared }) => ({ name, kind: kind.name, shared }));
  return ok({ file, pipeline, warnings, steps, text });
}

/** A table outside the repository is not read; `plan` says so. */
async function checkTable(bound: BoundPipeline): Promise<Result<void, Problem>> {
  const { items } = bound.pipeline;
  const boundary = boundaryOf(bound, {});
  const file = 'file' in items ? resolve(bound.folder, items.file) : bound.folder;
  if (boundary.refusal(file) !== undefined) return ok(undefined);
  // Most pipelines have no table, and `validate` must start fast.
  const { listSelected } = await import('./planning/list-items.ts');
  const everything = { excluded: new Set<string>(), filter: {}, retryFailed: false };
  const listed = await listSelected(bound, { output: bound.folder }, everything, {
    ...{ boundary, ledger: new Ledger() },
  });
  if (!listed.ok) return listed;
  listed.value[Symbol.dispose]();
  return ok(undefined);
}
