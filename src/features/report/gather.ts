// Gathers the data of a report: the plan of all items by what is here now, and what the state file says.
import { basename, resolve } from 'node:path';
import { Cleanup } from '../../base/cleanup.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { shotlistLine } from '../../base/shell.ts';
import type { Env } from '../../base/user-folder.ts';
import type { Clock } from '../../core/ports.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import type { ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal, resultOf } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import type { Item } from '../../model/item.ts';
import { taskRequestOf } from '../../model/task-request.ts';
import {
  type PictureNumbers,
  type PictureSource,
  type PlannedItem,
  ReportBuilder,
} from '../../report/page/report-builder.ts';
import type { ReportData, ReportItem } from '../../report/page/report-data.ts';
import { isSettled } from '../../report/page/task-state.ts';
import type { DryItem } from '../../run/dry-run.ts';
import type { PlanContext } from '../../run/plan-context.ts';
import type { RunPaths } from '../../state/run-paths.ts';
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
  const output = realPathOr(paths.output);
  const fileOf = (source: PictureSource): string | undefined => {
    const file = resolve(folder, source.path);
    const ownOutput = source.in === 'output' && isWithin(realPathOr(file), output);
    return ownOutput || boundary.refusal(file) === undefined ? file : undefined;
  };
  return {
    data,
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
