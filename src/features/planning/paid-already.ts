// What the user's receipts say to a plan: a request that the state file does not know may have been paid for already.

import { filesOf, isAway, Known, newsIn, resultsOf } from '../../core/decide.ts';
import type { Facts } from '../../core/facts.ts';
import type { PaidAlready, PaidBy, PaidSource, PaidTask } from '../../core/plan-table.ts';
import type { See } from '../../core/walk.ts';
import { shownPlace } from '../../files/shown-path.ts';
import { current } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Attempt } from '../../model/record/line.ts';
import type { Receipts } from '../../state/receipts.ts';
import type { Payer } from '../../state/receipts-row.ts';

/** What others have paid for a task that the state file does not say. */
interface News {
  readonly job: string;
  readonly attempts: readonly Attempt[];
}

const maxSources = 100;

export class PaidElsewhere {
  readonly #receipts: Pick<Receipts, 'get' | 'by'>;
  /** By task. */
  readonly #news = new Map<string, News>();

  constructor(receipts: Pick<Receipts, 'get' | 'by'>) {
    this.#receipts = receipts;
  }

  readonly see: See = ({ id, kind, known, fingerprint, isShared }, end) => {
    const { operation } = kind;
    const isAsked = operation === 'create' || operation === 'detect';
    if (end === undefined || isShared || !isAsked) return;
    const attempts = newsIn(known);
    if (attempts.length > 0) this.#news.set(id, { job: fingerprint, attempts });
  };

  /** A run records what it takes over, also a doubt. */
  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  /** Undefined if nothing is. `lost`: tasks whose results are nowhere. */
  paidAlready(
    lost: Pick<ReadonlyMap<string, string>, 'has'>,
    now: number,
  ): PaidAlready | undefined {
    const found = new Map<string, PaidSource>();
    let [creations, credits] = [0, 0];
    for (const [task, { job, attempts }] of this.#news) {
      const payer = this.#receipts.get(job)?.payer;
      if (payer === undefined || lost.has(task)) continue;
      const by = namedBy(payer, this.#receipts.by);
      const key = JSON.stringify([by.by, by.name]);
      for (const { state, charge, at } of attempts) {
        if (state === 'intended' || state === 'doubt') continue;
        creations += 1;
        credits += charge?.credits ?? 0;
        const day = at.slice(0, 10);
        const { creations: before = 0, first = day, last = day } = found.get(key) ?? {};
        found.set(key, {
          ...by,
          creations: before + 1,
          first: day < first ? day : first,
          last: day > last ? day : last,
        });
      }
    }
    if (creations === 0) return undefined;
    const sources = [...found.values()]
      .sort((one, other) => other.creations - one.creations)
      .slice(0, maxSources);
    return { creations, credits, sources, at: new Date(now).toISOString() };
  }
}

/** What the receipts say of a request that the state file takes over or has taken over. */
export function paidTask(
  job: string,
  receipts: Pick<Receipts, 'get' | 'by'>,
  ledger: Pick<Ledger, 'job'>,
  facts: Facts,
): PaidTask | undefined {
  const receipt = receipts.get(job);
  const known = new Known(ledger.job(job), () => receipt);
  const now = known.job && current(known.job);
  const attempt = receipt?.line.attempts.find(({ name }) => name === now?.name);
  if (receipt === undefined || attempt === undefined || now?.adopted !== true) return undefined;
  const { at, project, charge } = attempt;
  const paid = {
    ...namedBy(receipt.payer, receipts.by),
    at,
    ...(project === undefined ? {} : { project }),
    ...(charge === undefined ? {} : { credits: charge.credits }),
  };
  if (now.state === 'intended' || now.state === 'doubt') return { ...paid, follows: 'doubt' };
  const isHere = known.own?.outputs.some(({ of }) => of === now.name) === true;
  if (!isAway(now) || isHere || (resultsOf(now) ?? 0) === 0) return { ...paid, follows: 'adopted' };
  const files = filesOf(known, now, facts);
  if (files === undefined) return { ...paid, follows: 'lost' };
  const copies = files.filter(({ from }) => from === 'copy');
  return { ...paid, follows: 'copied', files: copies.map(({ output }) => shownPlace(output.path)) };
}

function namedBy({ state, pipeline, branch }: Payer, by: Payer): PaidBy {
  if (pipeline !== by.pipeline) return { by: 'pipeline', name: shownPlace(pipeline) };
  if (branch !== undefined && branch !== by.branch) return { by: 'branch', name: branch };
  return { by: 'state', name: shownPlace(state) };
}
