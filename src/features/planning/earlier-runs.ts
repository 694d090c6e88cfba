// What earlier runs paid for and did not bring home, where requests depend on the run (`run.date`,
// `run.due`): the plan of this run does not lead there, but the plan of that run does. So the pipeline is planned once more
// as it was then, and only what is paid for already is done.

import { count } from '../../base/text.ts';
import { downloadCount } from '../../core/recorded-files.ts';
import type { ItemList } from '../../files/items.ts';
import { toCel } from '../../language/expression.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import type { RunValues } from '../../language/schedule.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { JobLine, RunLine } from '../../model/line.ts';
import { stepOf } from '../../model/task.ts';
import type { PlanContext } from '../../run/plan-context.ts';
import { historyIn, readsRuns, resultFates } from '../result-fate.ts';
import { type PlannedItems, type PlanningInputs, planItems } from './plan-items.ts';
import { valuesAt } from './plan-problems.ts';

/** The pipeline as an earlier run knew it. */
export interface EarlierRun {
  /** `run` in expressions. */
  readonly values: RunValues;
  readonly base: PlanContext['base'];
  readonly planned: PlannedItems;
  /** Items with something paid that is not home, or not deleted yet, as in `PlannedItems.unsaved`. */
  readonly items: ReadonlyMap<string, string>;
  /** The paid results among it that are not saved. */
  readonly unsaved: number;
}

export interface Earlier {
  /** The earliest first. */
  readonly runs: readonly EarlierRun[];
  /** Projects with a paid result that is not saved, and to which the pipeline, as it is now, leads on no day. */
  readonly lost: readonly string[];
}

const none: Earlier = { runs: [], lost: [] };

interface Now {
  /** The due time of this run, ISO 8601. */
  readonly due: string | undefined;
  readonly base: PlanContext['base'];
  readonly planned: PlannedItems;
}

/** Nothing for a pipeline whose requests are the same in each run. */
export async function earlierRuns(
  bound: BoundPipeline,
  items: ItemList,
  inputs: PlanningInputs,
  { due, base, planned }: Now,
): Promise<Earlier> {
  const { pipeline } = bound;
  if (!readsRuns(pipeline.steps)) return none;
  const { ledger, clock } = inputs;
  const owed = owedJobs(pipeline, ledger, planned);
  if (owed.size === 0) return none;
  const own = JSON.stringify(valuesAt(pipeline, due, clock.now()));
  const found: EarlierRun[] = [];
  for (const values of valuesOf(pipeline, ledger, owed.values())) {
    if (JSON.stringify(values) === own) continue;
    const then = { ...base, run: toCel(values) };
    const paid = new Set<string>();
    const keys = new Map<string, string>();
    const replanned = await planItems(bound, items, {
      ...inputs,
      base: then,
      stamps: undefined,
      onLook: undefined,
      rests: undefined,
      payAgain: undefined,
      explain: undefined,
      onTask: undefined,
      seen: ({ tasks }, item) => {
        const key = item?.key ?? '';
        for (const { fingerprint = '' } of tasks) {
          const job = owed.get(fingerprint)?.job;
          if (job === undefined) continue;
          paid.add(fingerprint);
          const until = job.expires ?? job.at;
          const known = keys.get(key);
          if (known === undefined || until < known) keys.set(key, until);
        }
      },
    });
    const unsaved = [...paid].filter((job) => owed.get(job)?.unsaved === true).length;
    for (const job of paid) owed.delete(job);
    if (keys.size > 0) found.push({ values, base: then, planned: replanned, items: keys, unsaved });
    if (owed.size === 0) break;
  }
  // With a part of the pipeline, nobody can tell.
  const whole = items.count === items.total && inputs.excluded.size === 0;
  const lost = [...owed.values()].flatMap(({ job, unsaved }) =>
    whole && unsaved && job.project !== undefined ? [job.project] : [],
  );
  return { runs: found, lost };
}

interface Owed {
  readonly job: JobLine;
  /** False: it is saved, and a step deletes its project. */
  readonly unsaved: boolean;
}

/** Paid results of which no task of this run's plan knows. */
function owedJobs(
  { steps }: Pipeline,
  ledger: Ledger,
  { references }: PlannedItems,
): Map<string, Owed> {
  const isHistory = historyIn(steps);
  const fateOf = resultFates(steps);
  const deletes = new Set(
    steps.flatMap(({ kind, of }) => (kind.operation === 'delete' ? [of] : [])),
  );
  const owed = new Map<string, Owed>();
  for (const job of ledger.jobs()) {
    const { state, tasks, take } = job;
    if ((state !== 'created' && state !== 'complete') || job.project === undefined) continue;
    if (references.has(job.job) || !isHistory(job)) continue;
    // `reroll` saves the other takes.
    if (take !== undefined && ledger.job(take.of)?.picked?.take !== take.number) continue;
    const names = tasks.map(stepOf);
    const unsaved = !isSaved(job) && names.some((name) => fateOf(name) === 'fetched');
    if (unsaved || names.some((name) => deletes.has(name))) owed.set(job.job, { job, unsaved });
  }
  return owed;
}

const isSaved = (job: JobLine): boolean =>
  job.state === 'complete' &&
  new Set((job.outputs ?? []).map(({ index }) => index)).size >= downloadCount(job);

/** What `run` was when these jobs were begun: as far as the state file says. */
function valuesOf(pipeline: Pipeline, ledger: Ledger, owed: Iterable<Owed>): readonly RunValues[] {
  const runs = ledger.runs();
  const known = new Map<string, RunValues>();
  for (const { job } of [...owed].sort(byRun)) {
    const run = runs.find(({ run: number }) => number === job.sender);
    if (run === undefined) continue;
    for (const moment of momentsOf(run, job)) {
      const values = valuesAt(pipeline, run.due, moment);
      known.set(JSON.stringify(values), values);
    }
  }
  return [...known.values()];
}

const byRun = (one: Owed, other: Owed): number => (one.job.sender ?? 0) - (other.job.sender ?? 0);

/** In epoch milliseconds. A run without a due time that was interrupted may have continued on another day. */
const momentsOf = (run: RunLine, { at }: JobLine): readonly number[] =>
  (run.due === undefined ? [run.at, at] : [run.at]).map((time) => Date.parse(time));

/** What a person should know of them before a run. */
export function earlierWarnings({ runs, lost }: Earlier): readonly string[] {
  const owing = runs.filter(({ unsaved }) => unsaved > 0);
  const unsaved = owing.reduce((sum, run) => sum + run.unsaved, 0);
  const days = shortened([...new Set(owing.map(({ values }) => values.date))]);
  const [is, it] = unsaved === 1 ? ['is', 'it'] : ['are', 'them'];
  const fetched = `${count(unsaved, 'paid result')} of earlier runs (${days}) ${is} not saved yet: a run fetches ${it} before it buys anything`;
  const left = `${count(lost.length, 'paid result')} of earlier runs cannot be fetched, because the pipeline has changed since (${shortened(lost)}): run its earlier version with --only <download step>, or let go with shotlist forget --project`;
  return [...(unsaved > 0 ? [fetched] : []), ...(lost.length > 0 ? [left] : [])];
}

/** Names for people. */
const shortened = (names: readonly string[]): string =>
  (names.length > 5 ? [...names.slice(0, 5), '…'] : names).join(', ');
