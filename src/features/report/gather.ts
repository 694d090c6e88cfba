// Gathers the data of a report: the plan of all items by what is here now, and what the state file says.
import { basename, resolve } from 'node:path';
import { Cleanup } from '../../base/cleanup.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { shotlistLine } from '../../base/shell.ts';
import { grouped } from '../../base/text.ts';
import type { Env } from '../../base/user-folder.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import type { ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal, resultOf } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import type { Item } from '../../model/item.ts';
import { taskRequestOf } from '../../model/task-request.ts';
import {
  edgeText,
  groups,
  itemLines,
  shortened,
  stepLines,
} from '../../report/graph/graph-text.ts';
import { firstOfItem, graphOf, type PipelineGraph } from '../../report/graph/pipeline-graph.ts';
import {
  mailable,
  type PictureNumbers,
  type PictureSource,
  type PlannedItem,
  ReportBuilder,
} from '../../report/page/report-builder.ts';
import type {
  ReportData,
  ReportItem,
  ReportStep,
  TaskState,
} from '../../report/page/report-data.ts';
import { isSettled } from '../../report/page/task-state.ts';
import type { DryItem } from '../../run/dry-run.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { PlanContext } from '../../run/planned-task.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { svgOf } from '../graph/graph.ts';
import { headerOf, openState } from '../open-state.ts';
import { openItemsHere } from '../planning/items-here.ts';

export interface ReportContext {
  readonly paths: RunPaths;
  readonly rehearsal: boolean;
  /** Where the page finds a saved file (absolute); undefined if it cannot. */
  readonly hrefOf: (file: string) => string | undefined;
  readonly pictures: PictureNumbers;
  readonly inputs: boolean;
  /** The last report: the items that were settled need not be planned again during the same run. */
  readonly last?: Gathered | undefined;
  /** False: without a state file, every task is still to do. */
  readonly needsState: boolean;
  readonly clock: Clock;
  /** Says where the receipts and git are. Undefined: the state file is not compared with them. */
  readonly env: Env | undefined;
  readonly onWarning: (message: string) => void;
  /** Called with the service that the state file belongs to, or `rehearsal`. */
  readonly onState?: ((service: string) => void) | undefined;
}

export interface Gathered {
  readonly data: ReportData;
  /** The process that is using the state file. */
  readonly running: string | undefined;
  /** The settled items by their keys. */
  readonly settled: ReadonlyMap<string, ReportItem>;
  /** Where a file of the report is now; undefined if it must not be read. */
  readonly fileOf: (source: PictureSource) => string | undefined;
}

export async function gatherReport(
  bound: BoundPipeline,
  options: OutsideOptions,
  context: ReportContext,
): Promise<Gathered> {
  const { paths: located, rehearsal, inputs, clock, onWarning } = context;
  await using cleanup = new Cleanup();
  const opened = await openState(bound, located, 'read', { clock, onWarning, env: context.env });
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const header = resultOf(() => headerOf(opened, bound));
  if (!header.ok && context.needsState) throw new Refusal(header.error);
  if (header.ok) context.onState?.(header.value.service);
  const { paths, state } = opened;
  const running = opened.running?.process;
  const { ledger } = state;
  const { folder, pipeline } = bound;
  const here = await openItemsHere(bound, options, { paths, ledger, clock, hashes: 'read' });
  cleanup.defer(() => here[Symbol.dispose]());
  const { boundary, disk, items, base } = here;
  items.warnings.forEach(onWarning);
  const builder = new ReportBuilder({
    line: (command, names, more = []) =>
      shotlistLine(
        command,
        [basename(bound.file), ...names],
        [...(rehearsal ? ['--rehearse'] : []), ...more],
      ),
    pipeline,
    ledger,
    inputs,
    running: running !== undefined,
    inputFact: (path) => {
      const fact = disk.input(path);
      return fact.is === 'absent' ? undefined : { bytes: fact.bytes, sha256: fact.digest };
    },
    hrefOf: (path) => context.hrefOf(resolve(folder, path)),
    pictures: context.pictures,
  });
  const settled = new Map<string, ReportItem>();
  const known = sameRun(pipeline, running, context.last);
  /** The items that must be planned; the others go to the report on the way. */
  function* unsettled(): Generator<Item> {
    for (const item of items) {
      const kept = known?.get(item.key);
      if (kept === undefined) yield item;
      else {
        builder.keep(kept);
        settled.set(item.key, kept);
      }
    }
  }
  const planned: ItemList = {
    count: items.count,
    total: items.total,
    warnings: items.warnings,
    blind: items.blind,
    [Symbol.iterator]: unsettled,
    [Symbol.dispose]: () => undefined,
  };
  await here.plan(
    {
      seen: (plan, item) => {
        const added = builder.add(plannedItem(plan, item, { inputs, base }));
        if (item !== undefined && isSettled(added)) settled.set(item.key, added);
      },
    },
    known === undefined ? items : planned,
  );
  const at = new Date(clock.now()).toISOString();
  const data = builder.data({ at, rehearsal });
  const svg = await resultOf(() => svgOf(reportDot(graphOf(pipeline, items.total), data.steps)));
  const output = realPathOr(paths.output);
  const fileOf = (source: PictureSource): string | undefined => {
    const file = resolve(folder, source.path);
    const ownOutput = source.in === 'output' && isWithin(realPathOr(file), output);
    return ownOutput || boundary.refusal(file) === undefined ? file : undefined;
  };
  return {
    data: svg.ok ? { ...data, graph: svg.value } : data,
    running,
    settled,
    fileOf,
  };
}

/** A step after the items needs the plans of all of them. */
function sameRun(
  { steps }: Pipeline,
  running: string | undefined,
  last: Gathered | undefined,
): Gathered['settled'] | undefined {
  const gathers =
    steps.some(({ isGathered }) => isGathered) || stagesOf(steps).afterItems.length > 0;
  return gathers || running === undefined || last?.running !== running ? undefined : last.settled;
}

function plannedItem(
  { itemRun, tasks }: DryItem,
  item: Item | undefined,
  { inputs, base }: { readonly inputs: boolean; readonly base: PlanContext['base'] },
): PlannedItem {
  return {
    key: item?.key,
    tasks,
    bodyOf: ({ step, fingerprint, take }) => {
      if (!inputs || fingerprint === undefined || step.fan !== undefined) return undefined;
      const request = taskRequestOf(step, itemRun.byContent(base));
      // The body is shown only if it is the one that was sent.
      const same =
        request.ok &&
        'body' in request.value &&
        request.value.fingerprint === (take?.first ?? fingerprint);
      return same ? request.value.body : undefined;
    },
  };
}

// The steps of a report in Graphviz's language, with a class for each state, which the page's style colors.

const drawing = [
  'graph [rankdir=LR, fontname="Helvetica", fontsize=12, bgcolor="transparent", pad=0.1, nodesep=0.35, ranksep=0.5, class="all"]',
  'node [fontname="Helvetica", fontsize=13, shape=box, style="rounded,filled", margin="0.3,0.16"]',
  'edge [fontname="Helvetica", fontsize=10, arrowsize=0.7]',
] as const;

function reportDot(graph: PipelineGraph, steps: readonly ReportStep[]): string {
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
const stateOf = (counts: Counts): TaskState =>
  (['doubt', 'failed', 'running', 'waiting', 'blocked', 'done', 'skipped'] as const).find(
    (state) => counts[state] !== undefined,
  ) ?? 'excluded';

const nodeOf = (name: string): string => quoted([`step ${name}`]);

const quoted = (lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/["\\&]/g, (character) => (character === '&' ? '&amp;' : `\\${character}`))).join('\\n')}"`;
