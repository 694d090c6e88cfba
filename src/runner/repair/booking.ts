// Keeps the credits of the runs equal to those of the jobs, where a merge counted some of them twice or not at all.
import type { Ledger } from '../journal/ledger.ts';
import type { JobLine, RunLine } from '../journal/line.ts';
import { chargedHere } from '../journal/state.ts';
import type { MergeSide } from './merged-runs.ts';

export interface Booking {
  /** The number of the run; without it, the last run counts. */
  readonly sender: number | undefined;
  /** May be negative. */
  readonly credits: number;
  /** A charge that no run has counted yet. Otherwise a correction, which first undoes what was counted twice. */
  readonly isNew?: boolean;
}

export function booked(runs: readonly RunLine[], bookings: readonly Booking[]): readonly RunLine[] {
  const lines = [...runs];
  for (const booking of bookings) {
    const found = lines.findLastIndex(({ run }) => run === booking.sender);
    const index = found < 0 ? lines.length - 1 : found;
    const line = lines[index];
    if (line !== undefined) lines[index] = corrected(line, booking);
  }
  return lines;
}

function corrected(run: RunLine, { credits, isNew = false }: Booking): RunLine {
  if (credits < 0) {
    const undone = Math.min(run.charged, -credits);
    return { ...run, charged: run.charged - undone, refunded: run.refunded - credits - undone };
  }
  const undone = isNew ? 0 : Math.min(run.refunded, credits);
  return { ...run, refunded: run.refunded - undone, charged: run.charged + credits - undone };
}

/**
 * Books what is left to the last run. If the sums of a file did not agree before, credits are only added: a missing line may
 * have been a payment. Without a known beginning, two sides with the same gap lack the same line.
 */
export function settledSums(
  runs: readonly RunLine[],
  jobs: readonly JobLine[],
  ledgers: Readonly<Record<MergeSide, Ledger>>,
): readonly RunLine[] {
  const { ours, theirs, base } = ledgers;
  const gaps = [gapOf(ours.runs(), ours.jobs()), gapOf(theirs.runs(), theirs.jobs())] as const;
  const start = gapOf(base.runs(), base.jobs());
  const isShared = base.runs().length === 0 && gaps[0] === gaps[1];
  const expected = isShared ? gaps[0] : gaps[0] + gaps[1] - start;
  const credits = expected - gapOf(runs, jobs);
  const agreed = [...gaps, start].every((gap) => gap === 0);
  return credits > 0 || (credits < 0 && agreed)
    ? booked(runs, [{ sender: undefined, credits }])
    : runs;
}

/** The credits by which the runs exceed the jobs. */
function gapOf(runs: readonly RunLine[], jobs: Iterable<JobLine>): number {
  let gap = 0;
  for (const { charged, refunded } of runs) gap += charged - refunded;
  for (const job of jobs) gap -= chargedHere(job);
  return gap;
}
