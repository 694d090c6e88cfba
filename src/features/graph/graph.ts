// `graph`: draws a pipeline. Lists its items, and sends nothing.
import { resolve } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import { systemCode } from '../../base/system-error.ts';
import { listItems } from '../../files/items.ts';
import { placeOf, replaceFile } from '../../files/replace-file.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import type { GraphFormat } from '../../report/graph/graph-format.ts';
import { dotText, mermaidText } from '../../report/graph/graph-text.ts';
import { graphOf, type PipelineGraph } from '../../report/graph/pipeline-graph.ts';
import { refuse, refuseSystemError } from '../refuse.ts';

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
  if (output !== undefined) await write(output, text, bound);
  return { format, text, graph: drawn };
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

async function write(output: string, text: string, { file }: BoundPipeline): Promise<void> {
  const found = placeOf(output);
  if ('refused' in found) return refuse(`--output ${output} ${found.refused}; nothing was written`);
  if (realPathOr(found.place) === realPathOr(resolve(file)))
    refuse(`--output ${output} is the pipeline file itself; nothing was written`);
  try {
    await replaceFile(found.place, text);
  } catch (error) {
    refuseSystemError(error, `--output ${output}`);
  }
}

// Draws a graph with Graphviz, which is a package of its own because only `graph --format svg` needs it.

type Viz = typeof import('@viz-js/viz');

/** The SVG has no script and no address in it. */
export async function svgOf(dot: string): Promise<string> {
  const viz = await load();
  if (viz === undefined)
    refuse(
      '--format svg needs the package @viz-js/viz, which is not installed',
      'run: npm install @viz-js/viz, or draw the output of --format dot with Graphviz: dot -Tsvg',
    );
  const graphviz = await viz.instance();
  // Without the declaration of a document type, whose address leads to w3.org; but a file needs the namespace.
  const inline = graphviz.renderString(dot, { format: 'svg_inline' });
  const begin = inline.indexOf('<svg ');
  return `<svg xmlns="http://www.w3.org/2000/svg" ${inline.slice(begin + '<svg '.length)}`;
}

async function load(): Promise<Viz | undefined> {
  try {
    return await import('@viz-js/viz');
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
