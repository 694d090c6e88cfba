// The steps of a report in Graphviz's language, with a class for each state, which the page's style colors.
import { grouped } from '../../../contract/base/grouped.ts';
import { edgeText, groups, itemLines, shortened, stepLines } from '../graph/graph-labels.ts';
import { firstOfItem, type PipelineGraph } from '../graph/pipeline-graph.ts';
import { mailable } from './mailable.ts';
import type { ReportStep, TaskState } from './report-data.ts';

const drawing = [
  'graph [rankdir=LR, fontname="Helvetica", fontsize=12, bgcolor="transparent", pad=0.1, nodesep=0.35, ranksep=0.5, class="all"]',
  'node [fontname="Helvetica", fontsize=13, shape=box, style="rounded,filled", margin="0.3,0.16"]',
  'edge [fontname="Helvetica", fontsize=10, arrowsize=0.7]',
] as const;

export function reportDot(graph: PipelineGraph, steps: readonly ReportStep[]): string {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const lines = [`digraph ${quoted([shortened(graph.pipeline)])} {`, ...drawing];
  if (graph.items !== undefined)
    lines.push(
      `items [label=${quoted(itemLines({ ...graph.items, source: mailable(graph.items.source) }))}, class="items"]`,
    );
  groups(graph).forEach(({ title, steps: own }, index) => {
    if (title !== undefined)
      lines.push(
        `subgraph cluster_${index} { label=${quoted([title])}; style="rounded"; labeljust=l; margin=14; class="frame"`,
      );
    for (const step of own) {
      const told = byName.get(step.name)?.tasks ?? {};
      const label = [...stepLines(step), countsText(told)].filter((line) => line !== '');
      lines.push(`${nodeOf(step.name)} [label=${quoted(label)}, class="state-${stateOf(told)}"]`);
    }
    if (title !== undefined) lines.push('}');
  });
  if (graph.items !== undefined)
    for (const { name } of firstOfItem(graph)) lines.push(`items -> ${nodeOf(name)}`);
  for (const edge of graph.edges) {
    const style = edge.kind === 'data' ? '' : ', style=dashed';
    lines.push(
      `${nodeOf(edge.from)} -> ${nodeOf(edge.to)} [label=${quoted([` ${edgeText(edge)} `])}${style}]`,
    );
  }
  return `${[...lines, '}'].join('\n')}\n`;
}

type Counts = ReportStep['tasks'];

const shownStates: readonly TaskState[] = [
  ...(['done', 'failed', 'doubt', 'running', 'waiting', 'blocked', 'skipped'] as const),
];

const countsText = (counts: Counts): string =>
  shownStates
    .flatMap((state) =>
      counts[state] === undefined ? [] : [`${grouped(counts[state])} ${wordOf(state)}`],
    )
    .slice(0, 3)
    .join(', ');

const wordOf = (state: TaskState): string => (state === 'doubt' ? 'in doubt' : state);

/** The state that matters most to a person. */
export const stateOf = (counts: Counts): TaskState =>
  (['doubt', 'failed', 'running', 'waiting', 'blocked', 'done', 'skipped'] as const).find(
    (state) => counts[state] !== undefined,
  ) ?? 'excluded';

const nodeOf = (name: string): string => quoted([`step ${name}`]);

const quoted = (lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/["\\&]/g, (character) => (character === '&' ? '&amp;' : `\\${character}`))).join('\\n')}"`;
