// How long a plan may take: the tools' median times at as many projects at once as the account allows, corrected by how long
// the last run took.
import { toolNamed } from '../contract/tools/all.ts';
import type { Limits } from '../language/pipeline.ts';
import type { PlanRow } from './plan-table.ts';

export interface Forecast {
  /** In milliseconds. */
  readonly ms: number;
  /** Projects in progress at once. */
  readonly atOnce: number;
  /** What sets that number: the account's plan, or `limits.items`. */
  readonly limit: 'plan' | 'items';
  /** True if it follows the last run of this state file, not the medians alone. */
  readonly fromHistory: boolean;
}

export interface ForecastTerms {
  readonly limits: Limits;
  /** The most projects at once on the account's plan; undefined: unlimited, or not known. */
  readonly generations: number | undefined;
}

/** Undefined if no tool has anything to do, or if only the run will know how much. */
export function forecastOf(
  rows: readonly PlanRow[],
  terms: ForecastTerms,
  history?: Pick<RunHistory, 'ratio'>,
): Forecast | undefined {
  const work = rows.flatMap(workOfRow);
  if (work.length === 0 || rows.some(({ uncounted }) => uncounted !== undefined)) return undefined;
  const ratio = history?.ratio(terms);
  const ms = expectedMs(work, terms) * (ratio ?? 1);
  const atOnce = atOnceOf(terms);
  const limit = atOnce === terms.generations ? 'plan' : 'items';
  return { ms: Math.round(ms), atOnce, limit, fromHistory: ratio !== undefined };
}

interface Work {
  readonly kind: string;
  /** In milliseconds, of one task. */
  readonly median: number;
  readonly tasks: number;
}

function workOfRow({ kind, tasks, times }: PlanRow): readonly Work[] {
  const { begin = 0, maybe = 0, attach = 0 } = tasks;
  const each = times?.open === true ? (times.most ?? 1) : 1;
  return workOf(kind, (begin + maybe) * each + attach);
}

function workOf(kind: string, tasks: number): readonly Work[] {
  const tool = toolNamed(kind);
  return tool === undefined || tasks === 0
    ? []
    : [{ kind, median: tool.medianSeconds * 1000, tasks }];
}

/** At least one project of each kind after the other, and as long as all of them take, so many at once. */
function expectedMs(work: readonly Work[], terms: ForecastTerms): number {
  const total = work.reduce((sum, { median, tasks }) => sum + median * tasks, 0);
  const byKind = work.map(({ kind, median, tasks }) => {
    const most = terms.limits.steps[kind];
    return most === undefined ? 0 : (median * tasks) / most;
  });
  const chain = work.reduce((sum, { median }) => sum + median, 0);
  return Math.max(chain, total / atOnceOf(terms), ...byKind);
}

const atOnceOf = ({ limits, generations }: ForecastTerms): number =>
  Math.min(limits.items, generations ?? Number.POSITIVE_INFINITY);

/** Fewer projects say little about the next ones. */
const minTasks = 3;

interface HistoricRun<Run> {
  readonly run: Run;
  readonly at: string;
  readonly ended?: string | undefined;
}

/** What the last run made, and how long it took. */
export class RunHistory<Run extends string | number = number> {
  readonly #run: HistoricRun<Run> | undefined;
  readonly #tasks = new Map<string, number>();

  constructor(runs: readonly HistoricRun<Run>[]) {
    this.#run = runs.findLast(({ ended }) => ended !== undefined);
  }

  /** Call with every job of the state file. */
  add({
    kind,
    state,
    sender,
  }: {
    readonly kind: string;
    readonly state: string;
    readonly sender?: Run | undefined;
  }): void {
    if (this.#run === undefined || sender !== this.#run.run) return;
    if (state !== 'complete' && state !== 'deleted') return;
    this.#tasks.set(kind, (this.#tasks.get(kind) ?? 0) + 1);
  }

  /** How much longer the run took than the medians say; undefined if it made too little to tell. */
  ratio(terms: ForecastTerms): number | undefined {
    const { at, ended } = this.#run ?? {};
    const work = [...this.#tasks].flatMap(([kind, tasks]) => workOf(kind, tasks));
    const tasks = work.reduce((sum, one) => sum + one.tasks, 0);
    if (at === undefined || ended === undefined || tasks < minTasks) return undefined;
    const took = Date.parse(ended) - Date.parse(at);
    return Math.min(10, Math.max(0.01, took / expectedMs(work, terms)));
  }
}
