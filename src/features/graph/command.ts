// shotlist graph: draws a pipeline as Mermaid.

import type { GraphFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { pipelineFor } from '../command.ts';
import { graph } from './graph.ts';

export async function graphCommand(file: string, flags: GraphFlags): Promise<number> {
  const graphed = await graph(await pipelineFor(file, flags));
  if (flags.json === true) printJson(graphed.graph);
  else print(graphed.text.trimEnd());
  return 0;
}
