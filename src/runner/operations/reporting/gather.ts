// Gathers the data of a report: the plan of all items by what is here now, and what the state file says.
import { basename, relative, resolve, sep } from 'node:path';
import { ok, type Result } from '../../../contract/base/result.ts';
import { Cleanup } from '../../adapters/cleanup.ts';
import { RealDisk } from '../../adapters/files/disk.ts';
import { HashCache } from '../../adapters/files/hash-cache.ts';
import { realPathOr } from '../../adapters/files/real-path.ts';
import { isWithin } from '../../adapters/files/within.ts';
import { identityOf } from '../../journal/run-identity.ts';
import { storeNameOf } from '../../language/store.ts';
import type { ItemPlan } from '../../plan/item-plan.ts';
import { graphOf } from '../../report/graph/pipeline-graph.ts';
import { reportDot } from '../../report/page/graph-dot.ts';
import {
  type PictureSource,
  type PlannedItem,
  ReportBuilder,
} from '../../report/page/report-builder.ts';
import type { ReportData } from '../../report/page/report-data.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { Item } from '../../task/item.ts';
import { taskRequestOf } from '../../task/task-request.ts';
import { svgOf } from '../drawing/svg.ts';
import { boundaryOf, type OutsideOptions } from '../files/boundary.ts';
import type { RunPaths } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import type { Problem } from '../pipeline/problem.ts';
import { listSelected } from '../planning/list-items.ts';
import { planItems } from '../planning/plan-items.ts';
import { valuesOf } from '../planning/prepare.ts';
import { headerOf, openState } from '../state/open-state.ts';

export interface ReportContext {
  readonly paths: RunPaths;
  readonly rehearsal: boolean;
  /** Absolute: where the report will be. */
  readonly place: string;
  readonly inputs: boolean;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

export interface Gathered {
  readonly data: ReportData;
  /** The files to make thumbnails of, by the numbers of the pictures; undefined: it must not be read. */
  readonly files: readonly (string | undefined)[];
}

const everything = { excluded: new Set<string>(), filter: {}, retryFailed: false };

export async function gatherReport(
  bound: BoundPipeline,
  options: OutsideOptions,
  { paths: located, rehearsal, place, inputs, clock, onWarning }: ReportContext,
): Promise<Result<Gathered, Problem>> {
  await using cleanup = new Cleanup();
  const opened = await openState(bound, located, 'read', { clock, onWarning });
  if (!opened.ok) return opened;
  cleanup.defer(() => opened.value[Symbol.asyncDispose]());
  const header = headerOf(opened.value, bound);
  if (!header.ok) return header;
  const { paths, state, running } = opened.value;
  const { ledger } = state;
  const boundary = boundaryOf(bound, options);
  const cache = new HashCache(paths.hashes, 'read');
  cleanup.defer(() => cache.close());
  const { folder, pipeline } = bound;
  const disk = new RealDisk({
    ...{ folder, output: paths.output, kept: paths.kept, boundary, hashes: cache, clock },
    store: storeNameOf(pipeline),
  });
  const listed = await listSelected(bound, paths, everything, { boundary, ledger, disk });
  if (!listed.ok) return listed;
  const items = listed.value;
  cleanup.defer(() => items[Symbol.dispose]());
  items.warnings.forEach(onWarning);
  const builder = new ReportBuilder({
    ...{ file: basename(bound.file), pipeline, ledger, inputs, running: running !== undefined },
    inputFact: (path) => {
      const fact = disk.input(path);
      return fact.is === 'absent' ? undefined : { bytes: fact.bytes, sha256: fact.digest };
    },
    hrefOf: (path) => hrefFrom(resolve(place, '..'), resolve(folder, path)),
  });
  const run = identityOf(ledger.runs(), {});
  await planItems(bound, items, {
    base: { ...bound.base, run: valuesOf(pipeline, run, clock.now()) },
    ...{ ledger, disk, clock, excluded: everything.excluded, requireOutputs: false },
    seen: (plan, item) => builder.add(plannedItem(plan, item, inputs)),
  });
  const at = new Date(clock.now()).toISOString();
  const data = builder.data({ at, rehearsal });
  const svg = await svgOf(reportDot(graphOf(pipeline, items.total), data.steps));
  const output = realPathOr(paths.output);
  const readable = (source: PictureSource): string | undefined => {
    const file = resolve(folder, source.path);
    const ownOutput = source.in === 'output' && isWithin(realPathOr(file), output);
    return ownOutput || boundary.refusal(file) === undefined ? file : undefined;
  };
  return ok({
    data: svg.ok ? { ...data, graph: svg.value } : data,
    files: builder.pictures.map(readable),
  });
}

function plannedItem(plan: ItemPlan, item: Item | undefined, inputs: boolean): PlannedItem {
  const { scope, tasks } = plan;
  const names = { scope, fingerprintOfStep: (name: string) => plan.of(name)?.fingerprint };
  return {
    key: item?.key,
    tasks,
    bodyOf: ({ step, fingerprint, take }) => {
      if (!inputs || fingerprint === undefined || step.fan !== undefined) return undefined;
      const request = taskRequestOf(step, names);
      // The body is shown only if it is the one that was sent.
      const same =
        request.ok &&
        'body' in request.value &&
        request.value.fingerprint === (take?.first ?? fingerprint);
      return same ? request.value.body : undefined;
    },
  };
}

/** The link of a report in `from` to a file below it. */
function hrefFrom(from: string, file: string): string | undefined {
  if (!isWithin(file, from)) return undefined;
  return relative(from, file).split(sep).map(encodeURIComponent).join('/');
}
