// A graph as Mermaid's text, which GitHub and GitLab draw in Markdown.
import { printable } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import type { Operation } from '../../contract/kinds.ts';
import {
  firstOfItem,
  type GraphEdge,
  type GraphItems,
  type GraphStep,
  type PipelineGraph,
} from './pipeline-graph.ts';

/** More than this of a name makes a node wider than a page. */
const maxNameChars = 60;

const shortened = (text: string): string => {
  const characters = [...printable(text)];
  return characters.length <= maxNameChars
    ? characters.join('')
    : `${characters.slice(0, maxNameChars - 1).join('')}…`;
};

const itemLines = ({ source, count: number }: GraphItems): readonly string[] => [
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

function edgeText({ kind, outputs }: GraphEdge): string {
  if (kind !== 'data') return kind;
  return outputs.length === 0 ? 'files' : outputs.map(shortened).join(', ');
}

/** The groups of steps, in the order in which they run; without items there is only one, which needs no frame. */
const groups = (
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

const shapes: Readonly<Record<Operation, readonly [string, string]>> = {
  upload: ['[/', '/]'],
  detect: ['{{', '}}'],
  create: ['[', ']'],
  download: ['[(', ')]'],
  delete: ['([', '])'],
};

export function mermaidText(graph: PipelineGraph): string {
  const ids = new Map(graph.steps.map(({ name }, index) => [name, `s${index + 1}`]));
  const idOf = (name: string): string => ids.get(name) ?? 's0';
  const lines = ['flowchart TD'];
  if (graph.items !== undefined) lines.push(`  items[[${mermaidString(itemLines(graph.items))}]]`);
  groups(graph).forEach(({ title, steps }, index) => {
    const indent = title === undefined ? '  ' : '    ';
    if (title !== undefined) lines.push(`  subgraph g${index + 1}[${mermaidString([title])}]`);
    for (const step of steps) {
      const [open, close] = shapes[step.operation];
      lines.push(`${indent}${idOf(step.name)}${open}${mermaidString(stepLines(step))}${close}`);
    }
    if (title !== undefined) lines.push('  end');
  });
  if (graph.items !== undefined)
    for (const { name } of firstOfItem(graph)) lines.push(`  items --> ${idOf(name)}`);
  for (const edge of graph.edges) {
    const arrow = edge.kind === 'data' ? '-->' : '-.->';
    lines.push(
      `  ${idOf(edge.from)} ${arrow}|${mermaidString([edgeText(edge)])}| ${idOf(edge.to)}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A text in quotes: every character that Mermaid, Markdown or HTML could read as more than itself is an entity code.
 * https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
const mermaidString = (lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/[^\p{L}\p{N} .,:()/…_-]/gu, entityOf)).join('<br>')}"`;

const entityOf = (character: string): string => `#${character.codePointAt(0) ?? 0};`;
