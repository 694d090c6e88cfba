// Who paid for what a plan takes over from receipts.
import { jobFacts } from '../journal/state.ts';
import type { PaidAlready, PaidBy, PaidSource } from '../plan/paid-already.ts';
import type { Receipt, ReceiptSource } from './receipt.ts';

export interface Viewpoint {
  /** Who asks. */
  readonly own: ReceiptSource;
  /** A path as a person would type it. */
  readonly shown: (path: string) => string;
}

export function payerOf({ source }: Receipt, { own, shown }: Viewpoint): PaidBy {
  const { folder, pipeline, state, branch } = source;
  if (folder !== own.folder || pipeline !== own.pipeline)
    return { by: 'pipeline', name: shown(`${folder}/${pipeline}`) };
  if (branch !== undefined && branch !== own.branch) return { by: 'branch', name: branch };
  return state === own.state ? { by: 'this-state' } : { by: 'state', name: shown(state) };
}

const sourcesMax = 100;

/** Undefined if there is none. `lost`: the jobs whose results are nowhere. `at`: ISO 8601. */
export function paidAlready(
  receipts: readonly Receipt[],
  lost: ReadonlySet<string>,
  { at, ...viewpoint }: Viewpoint & { readonly at: string },
): PaidAlready | undefined {
  const found = new Map<string, PaidSource>();
  let [creations, credits] = [0, 0];
  for (const receipt of receipts) {
    const { line } = receipt;
    if (line.state === 'supplied' || jobFacts[line.state].inDoubt || lost.has(line.job)) continue;
    creations += 1;
    credits += line.credits ?? 0;
    const payer = payerOf(receipt, viewpoint);
    const key = JSON.stringify([payer.by, payer.name]);
    const day = line.at.slice(0, 10);
    const { creations: before = 0, first = day, last = day } = found.get(key) ?? {};
    found.set(key, {
      ...{ ...payer, creations: before + 1 },
      ...{ first: day < first ? day : first, last: day > last ? day : last },
    });
  }
  if (creations === 0) return undefined;
  const sources = [...found.values()]
    .sort((one, other) => other.creations - one.creations)
    .slice(0, sourcesMax);
  return { creations, credits, sources, at };
}
