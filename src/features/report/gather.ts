// Gathers the data of a report: the tasks of all items by what is here now, and what the state file says.
import { basename, resolve } from 'node:path';
import { Cleanup } from '../../base/cleanup.ts';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { shotlistLine } from '../../base/shell.ts';
import type { Env } from '../../base/user-folder.ts';
import { isKnown, isList, isNamedObject, type Named, Ref } from '../../core/names.ts';
import { compileNames } from '../../core/naming.ts';
import type { Clock } from '../../core/ports.ts';
import { type Base, Task } from '../../core/scope.ts';
import type { See } from '../../core/walk.ts';
import type { OutsideOptions } from '../../files/boundary.ts';
import type { ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal, resultOf } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { stagesOf } from '../../language/stages.ts';
import {
  type PictureNumbers,
  type PictureSource,
  ReportBuilder,
} from '../../report/page/report-builder.ts';
import type { ReportData, ReportItem } from '../../report/page/report-data.ts';
import { isSettled, type ReportedTask } from '../../report/page/task-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { headerOf, openState } from '../open-state.ts';
import { openItemsHere, taskHere, walkHere } from '../planning/here.ts';

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
  const tasks = new ReportedTasks(pipeline, inputs ? base : undefined);
  const open: ItemList =
    known === undefined
      ? items
      : {
          ...items,
          *[Symbol.iterator]() {
            for (const item of items) if (!known.has(item.key)) yield item;
          },
          [Symbol.dispose]: () => undefined,
        };
  await walkHere(bound, { items: open, disk, base }, { ledger, clock }, tasks.see);
  const { afterItems } = stagesOf(pipeline.steps);
  const isLast = ({ step }: ReportedTask): boolean => afterItems.includes(step);
  const shared = tasks.of('');
  builder.add({ key: undefined, tasks: shared.filter((task) => !isLast(task)) });
  for (const { key } of items) {
    const kept = known?.get(key);
    if (kept === undefined) {
      const added = builder.add({ key, tasks: tasks.of(key) });
      if (isSettled(added)) settled.set(key, added);
    } else {
      builder.keep(kept);
      settled.set(key, kept);
    }
  }
  builder.add({ key: undefined, tasks: shared.filter(isLast) });
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

/** The tasks of a walk, by item, in the order of the pipeline. */
class ReportedTasks {
  readonly #places: ReadonlyMap<string, number>;
  readonly #base: Base | undefined;
  readonly #tasks = new Map<string, ReportedTask[]>();

  /** `base`: undefined if the report says nothing of requests. */
  constructor({ steps }: Pipeline, base: Base | undefined) {
    this.#places = new Map(steps.map(({ name }, place) => [name, place]));
    this.#base = base;
  }

  readonly see: See = (task, end) => {
    if (end === undefined) return;
    const { scope, step, source, fingerprint, file, problem } = task;
    const { key } = scope.payer;
    const isAbout = step.of !== undefined;
    const job = isAbout ? source?.fingerprint : fingerprint;
    const base = this.#base;
    const isShown =
      base !== undefined && step.kind.operation === 'create' && step.fan === undefined;
    const own = this.#tasks.get(key) ?? [];
    this.#tasks.set(key, own);
    own.push({
      ...taskHere(task, end),
      code: problem?.code,
      job: job === '' ? undefined : job,
      file,
      body: isShown && fingerprint !== '' ? () => requestOf(task, base) : undefined,
    });
  };

  of(key: string): readonly ReportedTask[] {
    const place = ({ step }: ReportedTask): number => this.#places.get(step.name) ?? 0;
    return (this.#tasks.get(key) ?? []).sort((one, other) => place(one) - place(other));
  }
}

function requestOf({ step, scope, planned }: Task, base: Base): JsonObject | undefined {
  const body = compileNames(step.with)(scope.names(base, planned.needs));
  const shown = body.ok ? shownValue(body.value) : undefined;
  return isObject(shown) ? shown : undefined;
}

/** With the name of a step for what that step makes. */
function shownValue(value: Named): Json {
  if (value instanceof Ref && value.of instanceof Task)
    return `${value.of.step.name} → ${value.path}`;
  if (isKnown(value)) return value;
  if (isList(value)) return value.map(shownValue);
  if (!isNamedObject(value)) return '…';
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, shownValue(field)]),
  );
}
