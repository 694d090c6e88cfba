import type { LocalService } from '../../src/service/start.ts';
import { Rig } from '../rig.ts';

export interface Spending {
  readonly items: number;
  /** Lines before `steps:`, such as the budget. */
  readonly more?: string;
  /** Items in progress at once. */
  readonly window?: number;
  readonly steps?: string;
}

/** 10 credits an item by the price list: 0.1 for each of 100 characters. */
export const speech = `  speech:
    uses: ai-voice-generator
    with: { style: { prompt: "\${{ item.value }}", voice_name: Elon } }
`;

/** A folder with a pipeline over so many words. */
export function spendingRig({ items, more = '', window = 64, steps = speech }: Spending): Rig {
  const words = Array.from({ length: items }, (_, number) => `w${number}`.padEnd(100, 'o'));
  return new Rig(
    `pipeline: spending\nitems: { values: [${words.join(', ')}] }\nlimits: { items: ${window} }\n${more}\nsteps:\n${steps}`,
  );
}

type Entries = ReturnType<LocalService['ledger']>;

/** Credits that each entry takes, in order; below zero: given back. The account's own entries left out. */
function takings(entries: Entries): readonly number[] {
  return entries
    .filter(({ project }) => project !== null)
    .map(({ kind, credits }) => (kind === 'charge' ? credits : -credits));
}

/** What the service had charged, net, after each entry. */
function spentAfterEach(entries: Entries): readonly number[] {
  let sum = 0;
  return takings(entries).map((credits) => {
    sum += credits;
    return sum;
  });
}

export interface LedgerSums {
  /** The most that was ever charged, net. */
  readonly most: number;
  /** Charged in the end, net. */
  readonly net: number;
  /** What was added to charges after their creation. */
  readonly added: number;
  readonly creations: number;
  readonly refunds: number;
}

export function ledgerSums(local: LocalService): LedgerSums {
  const entries = local.ledger();
  const spent = spentAfterEach(entries);
  const additions = entries.filter(
    ({ project, kind, credits }) => project !== null && kind === 'adjustment' && credits < 0,
  );
  return {
    most: Math.max(0, ...spent),
    net: spent.at(-1) ?? 0,
    added: additions.reduce((sum, { credits }) => sum - credits, 0),
    creations: entries.filter(({ kind }) => kind === 'charge').length,
    refunds: entries.filter(({ kind }) => kind === 'refund').length,
  };
}
