// A graph as a Mermaid flowchart, which GitHub and GitLab draw in Markdown.
import type { Operation } from '../../contract/kinds.ts';
import { edgeText, groups, itemLines, stepLines } from './graph-labels.ts';
import { firstOfItem, type PipelineGraph } from './pipeline-graph.ts';

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
  if (graph.items !== undefined) lines.push(`  items[[${quoted(itemLines(graph.items))}]]`);
  groups(graph).forEach(({ title, steps }, index) => {
    const indent = title === undefined ? '  ' : '    ';
    if (title !== undefined) lines.push(`  subgraph g${index + 1}[${quoted([title])}]`);
    for (const step of steps) {
      const [open, close] = shapes[step.operation];
      lines.push(`${indent}${idOf(step.name)}${open}${quoted(stepLines(step))}${close}`);
    }
    if (title !== undefined) lines.push('  end');
  });
  if (graph.items !== undefined)
    for (const { name } of firstOfItem(graph)) lines.push(`  items --> ${idOf(name)}`);
  for (const edge of graph.edges) {
    const arrow = edge.kind === 'data' ? '-->' : '-.->';
    lines.push(`  ${idOf(edge.from)} ${arrow}|${quoted([edgeText(edge)])}| ${idOf(edge.to)}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A text in quotes: every character that Mermaid, Markdown or HTML could read as more than itself is an entity code.
 * https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
const quoted = (lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/[^\p{L}\p{N} .,:()/…_-]/gu, entity)).join('<br>')}"`;

const entity = (character: string): string => `#${character.codePointAt(0) ?? 0};`;
