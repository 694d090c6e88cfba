// `graph`: draws a pipeline. Lists its items, and sends nothing.
import { resolve } from 'node:path';
import { listItems } from '../../files/items.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { mermaidText } from '../../report/graph/mermaid.ts';
import { graphOf, type PipelineGraph } from '../../report/graph/pipeline-graph.ts';

export interface Graphed {
  /** In Mermaid's language, which GitHub and GitLab draw in Markdown. */
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
 * const graphed = await graph(pipeline);
 * console.log(graphed.text);
 * ```
 */
export async function graph(loaded: LoadedPipeline): Promise<Graphed> {
  const bound = boundPipeline(loaded);
  const drawn = graphOf(bound.pipeline, await countItems(bound));
  return { text: mermaidText(drawn), graph: drawn };
}

/** Undefined if there are none: a graph needs no media. */
async function countItems({ pipeline, folder }: BoundPipeline): Promise<number | undefined> {
  const items = await listItems(pipeline.items, folder, resolve(folder, pipeline.output), {});
  return items.ok ? items.value.count : undefined;
}
