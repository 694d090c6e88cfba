// A graph as text, in Mermaid and in Graphviz's language, with the same words in both.
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

export const shortened = (text: string): string => {
  const characters = [...printable(text)];
  return characters.length <= maxNameChars
    ? characters.join('')
    : `${characters.slice(0, maxNameChars - 1).join('')}…`;
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

// Mermaid, which GitHub and GitLab draw in Markdown.

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

// Graphviz.

interface Look {
  /** With the attributes that only this shape needs. */
  readonly shape: string;
  readonly fill: string;
  readonly line: string;
}

const looks: Readonly<Record<Operation, Look>> = {
  upload: { shape: 'note', fill: '#e3f2fd', line: '#1565c0' },
  detect: { shape: 'hexagon, margin="0.06,0.02"', fill: '#f3e5f5', line: '#6a1b9a' },
  create: { shape: 'box', fill: '#fff8e1', line: '#b26a00' },
  download: { shape: 'cylinder', fill: '#e8f5e9', line: '#2e7d32' },
  delete: { shape: 'box, style="rounded,filled"', fill: '#fbe9e7', line: '#bf360c' },
};

/** In points. */
const fontSize = 12;

/** The background is part of the drawing, so that it can be read on a light and on a dark page. */
const drawing = [
  'graph [fontname="Helvetica", fontsize=13, fontcolor="#37474f", bgcolor="#ffffff", pad=0.3, nodesep=0.45, ranksep=0.6]',
  `node [fontname="Helvetica", fontsize=${fontSize}, fontcolor="#1a1a1a", style=filled, margin="0.22,0.12"]`,
  'edge [fontname="Helvetica", fontsize=10, fontcolor="#37474f", color="#546e7a"]',
] as const;

const frame =
  'style="rounded,filled"; color="#b0bec5"; fillcolor="#f7f9fa"; labeljust=l; margin=14';

export function dotText(graph: PipelineGraph): string {
  const lines = [`digraph ${dotString([shortened(graph.pipeline)])} {`, ...drawing.map(inside)];
  const nodeOf = (name: string): string => dotString([`step ${name}`]);
  if (graph.items !== undefined) {
    const look = 'shape=folder, fillcolor="#eceff1", color="#455a64"';
    lines.push(
      `  items [label=${dotString(itemLines(graph.items))}, ${look}${widthOf(itemLines(graph.items))}]`,
    );
  }
  groups(graph).forEach(({ title, steps }, index) => {
    const indent = title === undefined ? '  ' : '    ';
    if (title !== undefined)
      lines.push(`  subgraph cluster_${index + 1} {`, `    label=${dotString([title])}; ${frame}`);
    for (const step of steps) {
      const { shape, fill, line } = looks[step.operation];
      const look = `shape=${shape}, fillcolor="${fill}", color="${line}"`;
      lines.push(
        `${indent}${nodeOf(step.name)} [label=${dotString(stepLines(step))}, ${look}${widthOf(stepLines(step))}]`,
      );
    }
    if (title !== undefined) lines.push('  }');
  });
  if (graph.items !== undefined)
    for (const { name } of firstOfItem(graph)) lines.push(`  items -> ${nodeOf(name)}`);
  for (const edge of graph.edges) {
    const style = edge.kind === 'data' ? '' : ', style=dashed';
    const label = dotString([` ${edgeText(edge)} `]);
    lines.push(`  ${nodeOf(edge.from)} -> ${nodeOf(edge.to)} [label=${label}${style}]`);
  }
  return `${[...lines, '}'].join('\n')}\n`;
}

/**
 * Graphviz knows the widths of ASCII characters in Helvetica only. Where that font is missing, browsers take a wider one, such
 * as DejaVu Sans; and the widest characters, of Chinese or emoji, need most. So a node is as wide as its text may become.
 */
function widthOf(lines: readonly string[]): string {
  const ems = Math.max(...lines.map((line) => [...line].reduce((sum, one) => sum + emsOf(one), 0)));
  return `, width=${((ems * fontSize) / 72 + 0.5).toFixed(2)}`;
}

function emsOf(character: string): number {
  if (/[ijlI.,:;'|!()[\]/ ]/.test(character)) return 0.36;
  if (/[mwMW@%—…]/.test(character)) return 1;
  if (character <= '\x7e') return 0.66;
  return character > '\u{10ff}' ? 1.4 : 0.85;
}

const inside = (line: string): string => `  ${line}`;

/**
 * A quoted string. A "\" would begin an escape such as \N, and Graphviz reads HTML entities in labels.
 * https://graphviz.org/doc/info/attrs.html#k:escString
 */
const dotString = (lines: readonly string[]): string => `"${lines.map(escaped).join('\\n')}"`;

const escaped = (text: string): string =>
  text.replace(/["\\&]/g, (character) => (character === '&' ? '&amp;' : `\\${character}`));
