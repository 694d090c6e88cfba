// What a plan pays for and deletes, in one word: a run that is given the word buys that and no more. Uploads, downloads and looks
// are free, and prices may fall, so none of them is in the hash.
import { digestOfBytes } from '../base/digest.ts';
import { creditsOf, current } from '../model/record/job.ts';
import type { Ledger } from '../model/record/ledger.ts';
import type { End } from './ending.ts';
import { plannedAction } from './findings.ts';
import type { Plan } from './plan-table.ts';
import type { Task } from './scope.ts';

/** `since`: ISO 8601, when the plan was made. `credits`: undefined if nobody knew the most that it may take. */
export interface PlanWord {
  readonly since: string;
  readonly creations: number;
  readonly credits: number | undefined;
  readonly hash: string;
}

export const planWordText = ({ since, creations, credits, hash }: PlanWord): string =>
  `${since.replaceAll(/[-:.]/g, '')}-${creations}-${credits ?? 'open'}-${hash}`;

/** Undefined if it is none. */
export function planWordIn(text: string): PlanWord | undefined {
  const form =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-(\d{1,15})-(\d{1,15}|open)-([0-9a-f]{32})$/;
  const [, year, month, day, hour, minute, second, ms, creations, credits, hash] =
    form.exec(text) ?? [];
  if (hash === undefined) return undefined;
  return {
    since: `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`,
    creations: Number(creations),
    credits: credits === 'open' ? undefined : Number(credits),
    hash,
  };
}

/** Undefined if nobody knows the most that the plan may take. */
export const mostOf = ({
  credits,
  unpriced,
  uncounted,
}: Pick<Plan, 'credits' | 'unpriced' | 'uncounted'>): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : credits;

export class PlanDigest {
  /** How often, by fingerprint. */
  readonly #creations = new Map<string, number>();
  /** When its attempt was sent, by the fingerprint of what is there already. */
  readonly #deletions = new Map<string, string>();

  readonly see = (task: Task, end?: End): void => {
    if (end === undefined || task.isShared) return;
    const { action, fingerprint, scope, source } = task;
    if (action !== 'create' && action !== 'remove') return;
    const planned = plannedAction(task, end);
    if (planned !== 'begin' && planned !== 'maybe') return;
    if (action === 'create') this.#creations.set(fingerprint, scope.times);
    const paid = source?.known.job && current(source.known.job);
    if (action === 'remove' && source !== undefined && paid !== undefined)
      this.#deletions.set(source.fingerprint, paid.at);
  };

  /**
   * With what was bought since: it was a part of the plan, and a run that was interrupted goes on with the rest. What a run deletes
   * of its own creations follows from them. `service`: as the state file names it.
   */
  word(plan: Plan, ledger: Ledger, service: string, since: string): PlanWord {
    const creations = new Map(this.#creations);
    let spent = 0;
    // Known to the minute. Without news, no line of the record is read.
    const isNews = (ledger.lastSent ?? 0) + 60_000 > Date.parse(since);
    for (const { job, attempts } of isNews ? ledger.jobs() : [])
      for (const attempt of attempts) {
        if (attempt.adopted || attempt.at < since) continue;
        spent += creditsOf(attempt);
        if (!creations.has(job)) creations.set(job, 1);
      }
    const lines = Array.from(creations, ([job, times]) => `create ${job} ${times}`);
    for (const [job, at] of this.#deletions) if (at < since) lines.push(`delete ${job}`);
    const most = mostOf(plan);
    return {
      since,
      creations: [...creations.values()].reduce((sum, times) => sum + times, 0),
      credits: most === undefined ? undefined : most + spent,
      hash: digestOfBytes([`service ${service}`, ...lines.sort()].join('\n')).slice(0, 32),
    };
  }
}
