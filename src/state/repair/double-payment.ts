// The only conflict that a merge can have: both sides paid for one job.
import type { JobLine } from '../../model/line.ts';
import { jobFacts } from '../../model/state.ts';
import type { Disagreement } from './merge.ts';

export interface Payment {
  readonly side: 'ours' | 'theirs';
  /** The name of the attempt. */
  readonly name?: string;
  readonly project?: string;
  /** Charged; for a payment in doubt, what was set aside for it. */
  readonly credits: number;
  /** True if nobody knows whether it was paid. */
  readonly inDoubt: boolean;
}

export interface DoublePayment {
  readonly job: string;
  readonly tasks: readonly string[];
  /** The payment whose result the job has. */
  readonly kept: Payment;
  /** The payment that stays in the job's past. */
  readonly other: Payment;
}

export function doublePaymentsIn(disagreements: readonly Disagreement[]): readonly DoublePayment[] {
  return disagreements.flatMap(({ job, ours, theirs, merged, orphan }) => {
    if (orphan === undefined) return [];
    const fromOurs = { payment: paymentOf('ours', ours), is: isLast(ours, merged) };
    const fromTheirs = { payment: paymentOf('theirs', theirs), is: isLast(theirs, merged) };
    const [kept, other] = fromOurs.is ? [fromOurs, fromTheirs] : [fromTheirs, fromOurs];
    return [{ job, tasks: merged.tasks, kept: kept.payment, other: other.payment }];
  });
}

const isLast = ({ name, project }: JobLine, merged: JobLine): boolean =>
  project === undefined
    ? merged.project === undefined && name === merged.name
    : project === merged.project;

function paymentOf(side: Payment['side'], line: JobLine): Payment {
  const { state, name, project, credits = 0, reserve = 0 } = line;
  const { inDoubt } = jobFacts[state];
  return {
    side,
    ...(name === undefined ? {} : { name }),
    ...(project === undefined ? {} : { project }),
    credits: inDoubt ? reserve : credits,
    inDoubt,
  };
}
