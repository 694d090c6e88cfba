// `graph`: draws a pipeline. Lists its items, and sends nothing.
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../contract/files/system-error.ts';
import { listItems } from '../adapters/files/items.ts';
import { realPathOr } from '../adapters/files/real-path.ts';
import { placeOf, replaceFile } from '../adapters/files/replace-file.ts';
import { dotText } from '../report/graph/dot.ts';
import type { GraphFormat } from '../report/graph/graph-format.ts';
import { mermaidText } from '../report/graph/mermaid.ts';
import { graphOf, type PipelineGraph } from '../report/graph/pipeline-graph.ts';
import { svgOf } from './drawing/svg.ts';
import { type BoundPipeline, boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import { type Problem, problem } from './pipeline/problem.ts';

export interface GraphOptions {
  /** Default: `mermaid`, which GitHub draws in Markdown. `svg` needs the package `@viz-js/viz`. */
  readonly format?: GraphFormat | undefined;
  /** `--output`: write the text to this file, too, relative to the working folder. Replaces the file. */
  readonly output?: string | undefined;
}

export interface Graphed {
  readonly format: GraphFormat;
  readonly text: string;
  readonly graph: PipelineGraph;
}

/**
 * Draws a pipeline: its items, its steps, and what each step waits for.
 *
 * @example
 * ```ts
 * import { graph, loadPipeline, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const graphed = await graph(loaded.value, { format: 'dot' });
 * if (graphed.ok) console.log(graphed.value.text);
 * ```
 */
export async function graph(
  loaded: LoadedPipeline,
  { format = 'mermaid', output }: GraphOptions = {},
): Promise<Result<Graphed, Problem>> {
  const bound = boundPipeline(loaded);
  const drawn = graphOf(bound.pipeline, await countItems(bound));
  const text = await textOf(drawn, format);
  if (!text.ok) return text;
  const failed = output === undefined ? undefined : await write(output, text.value, bound);
  return failed === undefined ? ok({ format, text: text.value, graph: drawn }) : err(failed);
}

async function textOf(drawn: PipelineGraph, format: GraphFormat): Promise<Result<string, Problem>> {
  switch (format) {
    case 'mermaid':
      return ok(mermaidText(drawn));
    case 'dot':
      return ok(dotText(drawn));
    case 'svg':
      return await svgOf(dotText(drawn));
  }
}

/** Undefined if there are none: a graph needs no media. */
async function countItems({ pipeline, folder }: BoundPipeline): Promise<number | undefined> {
  const items = await listItems(pipeline.items, folder, resolve(folder, pipeline.output), {});
  return items.ok ? items.value.count : undefined;
}

async function write(
  output: string,
  text: string,
  { file }: BoundPipeline,
): Promise<Problem | undefined> {
  const found = placeOf(output);
  if ('refused' in found)
    return problem(`--output ${output} ${found.refused}; nothing was written`);
  if (realPathOr(found.place) === realPathOr(resolve(file)))
    return problem(`--output ${output} is the pipeline file itself; nothing was written`);
  try {
    await replaceFile(found.place, text);
    return undefined;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return { ...problem(`--output ${output} ${systemReason(error)}`), reason: 'system' };
  }
}
