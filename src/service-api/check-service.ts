// Checks before a run sends anything whether the service answers, and whether it is the service.
import type { Redactor } from '../base/redactor.ts';
import type { Result } from '../base/result.ts';
import { type ApiFailure, explainFailure } from '../contract/api/failure.ts';
import type { Account } from '../contract/api/project.ts';
import type { Plan } from '../core/plan-table.ts';
import type { Clock, MediaApi } from '../core/ports.ts';
import { problem, Refusal } from '../language/load/refusal.ts';
import { lazyClient } from './lazy-client.ts';
import type { Target } from './target.ts';

// The account's balance, for comparison with the cost of the plan.

export interface Balance {
  /** Credits; undefined if the deployment does not report them, or if the plan costs nothing. */
  readonly credits?: number;
  readonly tier?: string;
  readonly warning?: string;
}

/** True if the plan may cost something. */
export const pays = ({ credits, unpriced }: Plan): boolean => credits > 0 || unpriced > 0;

/** For a plan that costs nothing, the balance does not matter. */
export function balanceOf(plan: Plan, account: Awaited<ReturnType<MediaApi['account']>>): Balance {
  if (!pays(plan)) return {};
  if (!account.ok)
    return { warning: `the account's balance could not be read: ${explainFailure(account.error)}` };
  if (account.value === undefined) return {};
  const { credits: balance, tier } = account.value;
  const known = { credits: balance, tier };
  if (plan.credits <= balance) return known;
  const warning = `the plan may take ${plan.credits} credits and the account has ${balance}: the run stops when the balance is used up`;
  return { ...known, warning };
}

type AccountRead = Result<Account | undefined, ApiFailure>;

/** The account, if the service was asked at all. */
interface ServiceCheck {
  readonly account?: AccountRead;
}

interface CheckContext {
  readonly redactor: Redactor;
  readonly signal: AbortSignal | undefined;
  readonly asleep: boolean;
  readonly clock: Clock;
  /** For tests: what is asked for the account in place of the probe. */
  readonly api?: ((api: MediaApi) => MediaApi) | undefined;
}

/** Asks only if there is something to send. `asleep`: a tick that sends nothing, whatever the plan says. */
export async function checkService(
  target: Target,
  plan: Plan,
  { redactor, signal, asleep, clock, api }: CheckContext,
): Promise<ServiceCheck> {
  if (target.kind === 'rehearsal' || asleep || !sendsAnything(plan)) return {};
  const { address, key } = target;
  if (api !== undefined) {
    const client = lazyClient({ base: address, key, redactor, clock });
    return {
      account: await api(client)
        .account()
        .finally(() => client.close()),
    };
  }
  // Loaded only for a run that sends something, because the HTTP client takes 25 MB.
  const { probeService } = await import('./service-probe.ts');
  const probe = await probeService({
    base: address,
    key,
    redactor,
    now: clock.now(),
    stop: signal,
  });
  switch (probe.is) {
    case 'service':
      return { account: probe.account };
    case 'unreachable': {
      const hint = 'nothing was sent; check the network and the address, then run again';
      const message = `the service at ${address} ${probe.why}`;
      throw new Refusal({ ...problem(message, 'shotlist', hint), reason: 'unreachable' });
    }
    case 'other-server': {
      const hint =
        'nothing was paid; check --service, SHOTLIST_BASE_URL or service: in the pipeline file';
      throw new Refusal(
        problem(`${address} is not the service: it ${probe.why}`, 'shotlist', hint),
      );
    }
  }
}

/** Actions that need no request. */
const idle: readonly string[] = [
  ...[
    'reuse',
    'copy',
    'store',
    'doubt',
    'skipped',
    'excluded',
    'blocked',
    'keep',
    'defer',
    'problem',
  ],
];

const sendsAnything = ({ rows }: Plan): boolean =>
  rows.some(({ tasks }) =>
    Object.entries(tasks).some(([action, count]) => count > 0 && !idle.includes(action)),
  );
