// The words of a graph, the same in every format.
import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { GraphEdge, GraphItems, GraphStep, PipelineGraph } from './pipeline-graph.ts';

/** More than this of a name makes a node wider than a page. */
const widest = 60;

export const shortened = (text: string): string => {
  const characters = [...printable(text)];
  return characters.length <= widest
    ? characters.join('')
    : `${characters.slice(0, widest - 1).join('')}…`;
};

export const itemLines = ({ source, count: number }: GraphItems): readonly string[] => [
  shortened(source),
  number === undefined ? 'items' : count(number, 'item'),
];

/** The name, and below it the kind, with the number of elements of a fan-out. */
export const stepLines = ({ name, kind, conditional, times }: GraphStep): readonly string[] => [
  shortened(name),
  `${timesText(times)}${kind}${conditional ? ' (if)' : ''}`,
];

function timesText(times: GraphStep['times']): string {
  if (times === undefined) return '';
  if (times.most === undefined) return 'n × ';
  return times.least === times.most ? `${times.most} × ` : `up to ${times.most} × `;
}

export function edgeText({ kind, outputs }: GraphEdge): string {
  if (kind !== 'data') return kind;
  return outputs.length === 0 ? 'files' : outputs.map(shortened).join(', ');
}

/** The groups of steps, in the order in which they run; without items there is only one, which needs no frame. */
export const groups = (
  graph: PipelineGraph,
): readonly { readonly title: string | undefined; readonly steps: readonly GraphStep[] }[] => {
  const of = (stage: GraphStep['stage']) => graph.steps.filter((step) => step.stage === stage);
  if (graph.items === undefined) return [{ title: undefined, steps: graph.steps }];
  return [
    { title: 'once for all items', steps: of('once') },
    { title: 'for each item', steps: of('item') },
    { title: 'after all items', steps: of('after') },
  ].filter(({ steps }) => steps.length > 0);
};
