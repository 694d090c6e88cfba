// How long a plan may take: what the tools took in earlier runs, else their median times, at as many projects at once as the
// account allows.
import { toolNamed } from '../contract/tools/all.ts';
import type { Limits } from '../language/pipeline.ts';
import type { UsualDurations } from './durations.ts';
import type { PlanRow } from './plan-table.ts';

export interface Forecast {
  /** In milliseconds. */
  readonly ms: number;
  /** Projects in progress at once. */
  readonly atOnce: number;
  /** What sets that number: the account's plan, or `limits.items`. */
  readonly limit: 'plan' | 'items';
  /** True if it follows projects of this state file, not the medians alone. */
  readonly fromHistory: boolean;
}

interface ForecastTerms {
  readonly limits: Limits;
  /** The most projects at once on the account's plan; undefined: unlimited, or not known. */
  readonly generations: number | undefined;
  readonly usual: UsualDurations;
}

/** Undefined if no tool has anything to do, or if only the run will know how much. */
export function forecastOf(
  rows: readonly PlanRow[],
  { limits, generations, usual }: ForecastTerms,
): Forecast | undefined {
  const work = rows.flatMap(({ kind, tasks, times }) => {
    const { begin = 0, maybe = 0, attach = 0 } = tasks;
    const each = times?.open === true ? (times.most ?? 1) : 1;
    const projects = (begin + maybe) * each + attach;
    const tool = toolNamed(kind);
    if (tool === undefined || projects === 0) return [];
    const median = usual[kind] ?? tool.medianSeconds * 1000;
    return { kind, median, all: median * projects };
  });
  if (work.length === 0 || rows.some(({ uncounted }) => uncounted !== undefined)) return undefined;
  const atOnce = Math.min(limits.items, generations ?? Number.POSITIVE_INFINITY);
  const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);
  // At least one project of each kind after the other, and as long as all of them take, so many at once.
  const ms = Math.max(
    sum(work.map(({ median }) => median)),
    sum(work.map(({ all }) => all)) / atOnce,
    ...work.map(({ kind, all }) => all / (limits.steps[kind] ?? Number.POSITIVE_INFINITY)),
  );
  return {
    ms: Math.round(ms),
    atOnce,
    limit: atOnce === generations ? 'plan' : 'items',
    fromHistory: work.some(({ kind }) => usual[kind] !== undefined),
  };
}
