// `graph`: draws a pipeline. Lists its items, and sends nothing.
import { resolve } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { listItems } from '../../files/items.ts';
import { placeOf, replaceFile } from '../../files/replace-file.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, problem, Refusal } from '../../language/load/refusal.ts';
import { dotText } from '../../report/graph/dot.ts';
import type { GraphFormat } from '../../report/graph/graph-format.ts';
import { mermaidText } from '../../report/graph/mermaid.ts';
import { graphOf, type PipelineGraph } from '../../report/graph/pipeline-graph.ts';
import { svgOf } from './svg.ts';

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
 * import { graph, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const graphed = await graph(pipeline, { format: 'dot' });
 * console.log(graphed.text);
 * ```
 */
export async function graph(
  loaded: LoadedPipeline,
  { format = 'mermaid', output }: GraphOptions = {},
): Promise<Graphed> {
  const bound = boundPipeline(loaded);
  const drawn = graphOf(bound.pipeline, await countItems(bound));
  const text = await textOf(drawn, format);
  const failed = output === undefined ? undefined : await write(output, text, bound);
  if (failed === undefined) return { format, text, graph: drawn };
  throw new Refusal(failed);
}

async function textOf(drawn: PipelineGraph, format: GraphFormat): Promise<string> {
  switch (format) {
    case 'mermaid':
      return mermaidText(drawn);
    case 'dot':
      return dotText(drawn);
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
