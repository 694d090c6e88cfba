// `validate`: checks a pipeline file, with each of its profiles, and the table of its items. Reads only these files.
import { resolve } from 'node:path';
import type { Complaint, Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { boundaryOf } from '../../files/boundary.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import { type LoadOptions, loadPipeline } from '../../language/load/load.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, resultOf } from '../../language/load/refusal.ts';
import { refuseIf } from '../refuse.ts';

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
 * Checks a pipeline file and the table of its items, and says what its steps are. Without `profile`, the file is checked with
 * each of its profiles, too. Reads only these files.
 *
 * @example
 * ```ts
 * import { validate } from 'shotlist';
 *
 * const validated = await validate('pipeline.yaml');
 * console.log(validated.steps.map(({ name }) => name));
 * ```
 */
export async function validate(file: string, options: LoadOptions = {}): Promise<Validated> {
  const loaded = await loadPipeline(file, options);
  const bound = boundPipeline(loaded);
  if (options.profile === undefined) refuseIf(problemOfProfiles(bound));
  const { name: pipeline, warnings, text, pipeline: checked } = bound;
  const { kind } = checked.items;
  if (kind === 'csv' || kind === 'jsonl') await checkTable(bound);
  const steps = checked.steps.map(({ name, kind, shared }) => ({ name, kind: kind.name, shared }));
  return { file, pipeline, warnings, steps, text };
}

/** What is wrong only with a profile; a mistake that several profiles share is reported once. */
function problemOfProfiles(bound: BoundPipeline): Problem | undefined {
  const found = new Map<string, Complaint>();
  for (const profile of bound.profiles) {
    const parsed = resultOf(() => parsePipeline(bound.file, profile));
    if (parsed.ok) continue;
    for (const diagnostic of parsed.error.diagnostics) {
      const { message, ...place } = diagnostic;
      const key = JSON.stringify([place, message]);
      if (!found.has(key))
        found.set(key, { ...diagnostic, message: `${message} (with --profile ${profile})` });
    }
  }
  if (found.size === 0) return undefined;
  return { reason: 'input', diagnostics: [...found.values()], text: bound.text };
}

/** A table outside the repository is not read; `plan` says so. */
async function checkTable(bound: BoundPipeline): Promise<void> {
  const { items } = bound.pipeline;
  const boundary = boundaryOf(bound, {});
  const file = 'file' in items ? resolve(bound.folder, items.file) : bound.folder;
  if (boundary.refusal(file) !== undefined) return;
  // Most pipelines have no table, and `validate` must start fast.
  const { listSelected } = await import('../planning/selected-items.ts');
  const listed = await listSelected(bound, { output: bound.folder }, {}, { boundary });
  listed[Symbol.dispose]();
}
