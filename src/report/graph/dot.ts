// A graph in Graphviz's language.
import type { Operation } from '../../contract/kinds.ts';
import { edgeText, groups, itemLines, shortened, stepLines } from './graph-labels.ts';
import { firstOfItem, type PipelineGraph } from './pipeline-graph.ts';

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
  const lines = [`digraph ${quoted([shortened(graph.pipeline)])} {`, ...drawing.map(inside)];
  const nodeOf = (name: string): string => quoted([`step ${name}`]);
  if (graph.items !== undefined) {
    const look = 'shape=folder, fillcolor="#eceff1", color="#455a64"';
    lines.push(
      `  items [label=${quoted(itemLines(graph.items))}, ${look}${widthOf(itemLines(graph.items))}]`,
    );
  }
  groups(graph).forEach(({ title, steps }, index) => {
    const indent = title === undefined ? '  ' : '    ';
    if (title !== undefined)
      lines.push(`  subgraph cluster_${index + 1} {`, `    label=${quoted([title])}; ${frame}`);
    for (const step of steps) {
      const { shape, fill, line } = looks[step.operation];
      const look = `shape=${shape}, fillcolor="${fill}", color="${line}"`;
      lines.push(
        `${indent}${nodeOf(step.name)} [label=${quoted(stepLines(step))}, ${look}${widthOf(stepLines(step))}]`,
      );
    }
    if (title !== undefined) lines.push('  }');
  });
  if (graph.items !== undefined)
    for (const { name } of firstOfItem(graph)) lines.push(`  items -> ${nodeOf(name)}`);
  for (const edge of graph.edges) {
    const style = edge.kind === 'data' ? '' : ', style=dashed';
    const label = quoted([` ${edgeText(edge)} `]);
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
const quoted = (lines: readonly string[]): string => `"${lines.map(escaped).join('\\n')}"`;

const escaped = (text: string): string =>
  text.replace(/["\\&]/g, (character) => (character === '&' ? '&amp;' : `\\${character}`));
