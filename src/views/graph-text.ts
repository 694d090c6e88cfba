// A pipeline as a graph in Mermaid's language, which GitHub and GitLab draw in Markdown: its items, its steps, and what each
// step waits for.

import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';
import type { Operation } from '../contract/kinds.ts';
import { expressionsIn, type Pipeline, type Step } from '../language/pipeline.ts';
import { stagesOf } from '../language/stages.ts';
import type { Template } from '../language/template.ts';

/** `items`: the number of items; undefined if they could not be listed. */
export function graphText(pipeline: Pipeline, items: number | undefined): string {
  const { steps } = pipeline;
  const ids = new Map(steps.map(({ name }, index) => [name, `s${index + 1}`]));
  const idOf = (name: string): string => ids.get(name) ?? 's0';
  const nodeOf = (step: Step): string => {
    const [open, close] = shapes[step.kind.operation];
    return `${idOf(step.name)}${open}${quoted(shortened(step.name), kindText(step, steps))}${close}`;
  };
  const edges = steps.flatMap(edgesTo);
  const lines = ['flowchart TD'];
  if (pipeline.items.kind === 'one') lines.push(...steps.map((step) => `  ${nodeOf(step)}`));
  else {
    const { once, perItem, afterItems } = stagesOf(steps);
    const listed = items === undefined ? 'items' : count(items, 'item');
    lines.push(`  items[[${quoted(shortened(sourceOf(pipeline)), listed)}]]`);
    const frames = [
      { title: 'once for all items', framed: once },
      { title: 'for each item', framed: perItem },
      { title: 'after all items', framed: afterItems },
    ].filter(({ framed }) => framed.length > 0);
    for (const [index, { title, framed }] of frames.entries())
      lines.push(
        `  subgraph g${index + 1}[${quoted(title)}]`,
        ...framed.map((step) => `    ${nodeOf(step)}`),
        '  end',
      );
    const ofItem = new Set(perItem.map(({ name }) => name));
    const waiting = new Set(edges.flatMap(({ from, to }) => (ofItem.has(from) ? [to] : [])));
    for (const { name } of perItem) if (!waiting.has(name)) lines.push(`  items --> ${idOf(name)}`);
  }
  for (const { from, to, arrow, label } of edges)
    lines.push(`  ${idOf(from)} ${arrow}|${quoted(label)}| ${idOf(to)}`);
  return lines.join('\n');
}

const shapes: Readonly<Record<Operation, readonly [string, string]>> = {
  upload: ['[/', '/]'],
  detect: ['{{', '}}'],
  create: ['[', ']'],
  download: ['[(', ')]'],
  delete: ['([', '])'],
};

function sourceOf({ items }: Pipeline): string {
  switch (items.kind) {
    case 'glob':
      return items.patterns.join(', ');
    case 'csv':
    case 'jsonl':
      return items.file;
    default:
      return items.kind;
  }
}

function kindText({ kind, condition, fan }: Step, steps: readonly Step[]): string {
  const elements = fan === undefined ? '' : elementsText(fan.list, steps);
  return `${elements}${kind.name}${condition === undefined ? '' : ' (if)'}`;
}

/** The number of elements of a fan-out, as far as the file says so. */
function elementsText(list: Template, steps: readonly Step[]): string {
  if (list.kind === 'list') return `${list.items.length} × `;
  const text = list.kind === 'expression' ? list.expression.text : '';
  const taken = /\.take\((\d+)\)\s*$/.exec(text)?.[1];
  const [, dotted, quotedName] =
    /^\s*steps(?:\.(\w+)|\["([^"]+)"\])\.downloads\s*$/.exec(text) ?? [];
  const body = steps.find(({ name }) => name === (dotted ?? quotedName))?.with;
  const fields = body?.kind === 'object' ? body.fields : [];
  const asked = fields.find(([name]) => name === 'image_count')?.[1];
  const most = asked?.kind === 'value' ? asked.value : taken;
  return most === undefined ? 'n × ' : `up to ${most} × `;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  /** Solid for what the step reads of the other one. */
  readonly arrow: '-->' | '-.->';
  readonly label: string;
}

/** A delete waits for the uses of its step, which wait for the step itself: those edges alone are enough. */
function edgesTo(step: Step): readonly Edge[] {
  const { name: to, after, of, uses } = step;
  const isDelete = step.kind.operation === 'delete';
  const waits = after.filter((from) => (!isDelete || from !== of) && !isOfList(step, from));
  return (waits.length > 0 ? waits : after).map((from) => {
    if (isDelete || !uses.includes(from))
      return { from, to, arrow: '-.->', label: isDelete ? 'after' : 'needs' };
    const outputs = outputsRead(step, from).map(shortened);
    return { from, to, arrow: '-->', label: outputs.join(', ') || 'files' };
  });
}

/** True for what only the list of the fan-out reads, which is shown at the first step of the fan-out. */
const isOfList = (step: Step, from: string): boolean =>
  step.fan !== undefined &&
  step.fan.step !== step.name &&
  step.fan.uses.includes(from) &&
  step.of !== from &&
  outputsRead(step, from).length === 0;

function outputsRead(step: Step, from: string): readonly string[] {
  const fields = expressionsIn(step).flatMap(({ expression }) =>
    expression.references.flatMap(({ root, key, field }) =>
      root === 'steps' && key === from && field !== undefined ? [field] : [],
    ),
  );
  return [...new Set(fields)];
}

/** More than this of a name makes a node wider than a page. */
const maxNameChars = 60;

function shortened(text: string): string {
  const characters = [...printable(text)];
  return characters.length <= maxNameChars
    ? characters.join('')
    : `${characters.slice(0, maxNameChars - 1).join('')}…`;
}

/**
 * Lines in quotes: every character that Mermaid, Markdown or HTML could read as more than itself is an entity code.
 * https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
 */
const quoted = (...lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/[^\p{L}\p{N} .,:()/…_-]/gu, entityOf)).join('<br>')}"`;

const entityOf = (character: string): string => `#${character.codePointAt(0) ?? 0};`;
