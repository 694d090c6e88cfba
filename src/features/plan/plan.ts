// `plan`: what a run would do and cost. Sends at most one request, which reads the account's balance.

import { basename, resolve as resolvePath } from 'node:path';
import { printable } from '../../base/printable.ts';
import { yamlText } from '../../contract/yaml/yaml-text.ts';
import { realClock } from '../../core/clock.ts';
import { listItems } from '../../files/items.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { findTarget } from '../../service-api/target.ts';
import { graphText } from '../../views/graph-text.ts';
import { internalsOf } from '../internals.ts';
import { planOf } from './plan-of.ts';
import { type Planned, type PlanOptions, UnrunnablePlan } from './planned.ts';

export { type Planned, type PlanOptions, UnrunnablePlan };

/**
 * Says what a run would do and cost. Where a run would refuse to begin, `plan` throws the same refusal: an
 * `UnrunnablePlan`, if planning got as far as that.
 *
 * @example
 * ```ts
 * import { loadPipeline, plan } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const planned = await plan(pipeline, { rehearse: true });
 * console.log('at most', planned.plan.credits, 'credits');
 * ```
 */
export async function plan(loaded: LoadedPipeline, options: PlanOptions = {}): Promise<Planned> {
  const bound = boundPipeline(loaded);
  const { clock = realClock, env = process.env } = options;
  const internals = internalsOf(options);
  const target = findTarget(options, bound, env);
  if (target.kind !== 'rehearsal') options.onConnect?.(target.address);
  return await planOf(bound, target, options, { env, clock, internals });
}

// `plan --resolved`: the pipeline file as it is run: with its defaults and profile, and without what holds them.

export interface ResolvedPipeline {
  readonly file: string;
  /** A pipeline file that has the same plan, if it is beside the original. */
  readonly yaml: string;
}

/**
 * Says what a pipeline file means after its defaults and its profile are applied. Reads only the file; values of `--input`
 * and of the environment are not in the text.
 *
 * @example
 * ```ts
 * import { resolvedPipeline } from 'shotlist';
 *
 * const resolved = resolvedPipeline('pipeline.yaml');
 * console.log(resolved.yaml);
 * ```
 */
export function resolvedPipeline(
  file: string,
  { profile }: { readonly profile?: string | undefined } = {},
): ResolvedPipeline {
  const parsed = parsePipeline(file, profile);
  const chosen = profile === undefined ? '' : ` with --profile ${profile}`;
  const title = `# ${printable(basename(file))} as it is run${chosen}\n`;
  return { file, yaml: `${title}${yamlText(parsed.pipeline.source.value)}` };
}

// `plan --graph`: the steps, and what each waits for.

/**
 * Draws a pipeline in the language of Mermaid, which GitHub and GitLab draw in Markdown: its items, its steps, and what each step
 * waits for. Lists the items, and sends nothing.
 *
 * @example
 * ```ts
 * import { graph, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * console.log(await graph(pipeline));
 * ```
 */
export async function graph(loaded: LoadedPipeline): Promise<string> {
  const { pipeline, folder } = boundPipeline(loaded);
  const items = await listItems(pipeline.items, folder, resolvePath(folder, pipeline.output), {});
  // A graph needs no media.
  return graphText(pipeline, items.ok ? items.value.count : undefined);
}
