// Before a run buys anything: it does what a plan says that was looked at, or what a person agrees to, and spends no more than that.

import { count } from '../../base/text.ts';
import { mostOf, type PlanWord, planWordIn } from '../../core/plan-digest.ts';
import type { Caps } from '../../core/spending.ts';
import type { Reasons } from '../../core/why.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { pays } from '../../service-api/check-service.ts';
import { type Planning, smaller } from '../planning/planning.ts';
import { readPlan } from '../planning/reading.ts';
import { refuse } from '../refuse.ts';
import type { RunContext } from './context.ts';

export interface Agreement {
  readonly caps: Caps;
  /** By the clock's `elapsed`: the time that a person thinks does not count. */
  readonly began: number;
}

/** Refuses what is not in the plan of `--plan`. */
export function keepToPlan(
  text: string,
  { digest, planned, ledger, paths }: Pick<Planning, 'digest' | 'planned' | 'ledger' | 'paths'>,
): void {
  const then = planWordIn(text);
  if (then === undefined)
    return refuse(`--plan ${text} is not the digest of a plan`, 'plan --json tells it as "digest"');
  const now = digest.word(planned.plan, ledger, paths.serviceName, then.since);
  const isDearer = then.credits !== undefined && (now.credits ?? Infinity) > then.credits;
  if (now.hash === then.hash && !isDearer) return;
  refuse(
    `nothing was sent: the plan of ${then.since.slice(0, 19)}Z has ${termsText(then)}, and this run's plan has ${now.hash === then.hash ? '' : 'others: '}${termsText(now)}`,
    'give this run the flags and the service of the plan, or plan again and look at the new plan',
  );
}

const termsText = ({ creations, credits }: PlanWord): string =>
  `${count(creations, 'creation')}${credits === undefined ? '' : ` for at most ${count(credits, 'credit')}`}`;

/** `reasons`: undefined if nobody is asked. `tier`: the account's plan, if it is known. */
export async function agree(
  { options, target, clock }: Pick<RunContext, 'options' | 'target' | 'clock'>,
  planning: Planning,
  {
    reasons,
    tier,
    began,
  }: {
    readonly reasons: Reasons | undefined;
    readonly tier: string | undefined;
    readonly began: number;
  },
): Promise<Agreement> {
  const { bound, planned, caps, ledger, spent } = planning;
  const { plan } = planned;
  const most = mostOf(plan);
  const capped: Caps = {
    ...caps,
    run: most === undefined ? caps.run : smaller(caps.run, spent + most),
  };
  if (options.plan !== undefined) return { caps: capped, began };
  const above = options.confirmAbove ?? bound.pipeline.confirmAbove;
  // What was paid for once is not paid for again without a yes.
  const isAgain = planning.payAgain.creations.size > 0 && pays(plan);
  const isMore = isAgain || plan.credits > above || plan.unpriced > 0 || plan.uncounted > 0;
  if (
    reasons === undefined ||
    options.confirm === undefined ||
    target.kind === 'rehearsal' ||
    !isMore
  )
    return { caps, began };
  const reading = await readPlan(planning, reasons, {
    tier,
    rehearsal: false,
    now: clock.now(),
  });
  const since = new Date(clock.now()).toISOString();
  if (!(await options.confirm({ plan, reading, above, isAgain })))
    throw new Refusal({ ...problem('nothing was bought: the answer was no'), declined: true });
  const again = await planning.replan();
  const { serviceName } = planning.paths;
  const [shown, now] = [planning.digest, again].map((digest) =>
    digest.word(plan, ledger, serviceName, since),
  );
  if (shown?.hash === now?.hash) return { caps: capped, began: clock.elapsed() };
  return refuse(
    'nothing was bought: the plan is no longer as it was shown, because a file has changed meanwhile',
    'run the command again, and look at the new plan',
  );
}
