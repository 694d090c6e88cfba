// shotlist graph: draws a pipeline as Mermaid, Graphviz or SVG.

import { printable } from '../../base/printable.ts';
import type { GraphFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor } from '../command.ts';
import { graph } from './graph.ts';

export async function graphCommand(file: string, flags: GraphFlags): Promise<number> {
  const { format, output, json = false } = flags;
  const pipeline = await pipelineFor(file, flags);
  const graphed = await graph(pipeline, { format, output });
  if (json) printJson(graphed.graph);
  else if (output === undefined) print(graphed.text.trimEnd());
  else print(`Wrote ${printable(output)}.`);
  return 0;
}
