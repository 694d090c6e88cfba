// `plan`: what a run would do and cost. At most it asks for the account's balance.
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import { realClock } from '../adapters/clock.ts';
import { httpClient } from '../adapters/http/http-client.ts';
import { type EnvUse, envUses } from '../plan/env-uses.ts';
import type { Plan } from '../plan/plan.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { boundaryOf, checkOutput, type OutsideOptions } from './files/boundary.ts';
import { ownFolderForPlan } from './files/own-folder.ts';
import { type PathOptions, pathsOf } from './files/run-paths.ts';
import { excludedSteps, type SelectionOptions, selectionOf } from './items/item-selection.ts';
import { planItems } from './items/plan-items.ts';
import { openWorkspace } from './open.ts';
import type { LoadedPipeline } from './pipeline/load.ts';
import type { Problem } from './pipeline/problem.ts';
import { type Balance, balanceFor, refuseBeyondPlan, refuseUnpriced } from './price-checks.ts';
import { rehearsalTier } from './service/connect-service.ts';
import { findTarget, type Target, type TargetOptions, type Unasked } from './service/target.ts';

export interface PlanOptions extends TargetOptions, PathOptions, OutsideOptions, SelectionOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Hears the address of the hosted service, before anything is sent there. */
  readonly onConnect?: (address: string) => void;
}

export interface Planned {
  readonly plan: Plan;
  /** Why a run would refuse to begin: each has a place in the pipeline file. */
  readonly troubles: readonly Diagnostic[];
  readonly warnings: readonly string[];
  /** What the service says of the account: asked for only where something is to be paid there. */
  readonly balance?: Balance;
  /** The address of the hosted service; absent in a rehearsal. Nothing was sent there if `troubles` says why. */
  readonly service?: string;
  readonly rehearsal: boolean;
  /** The environment variables that the pipeline uses, and which steps send them. */
  readonly env: readonly EnvUse[];
  /** What was read outside the repository because `allowOutside` is set: real paths, at most a thousand. */
  readonly outside: readonly string[];
  readonly state: string;
}

export async function plan(
  loaded: LoadedPipeline,
  options: PlanOptions = {},
): Promise<Result<Planned, Problem>> {
  const clock = options.clock ?? realClock;
  const target = findTarget(options, loaded, options.env ?? process.env);
  if (!target.ok) return target;
  if (target.value.kind !== 'rehearsal') options.onConnect?.(target.value.address);
  const chosen = selectionOf(loaded.pipeline, options);
  if (!chosen.ok) return chosen;
  const misplaced = checkOutput(loaded, options);
  if (misplaced !== undefined) return err(misplaced);
  const boundary = boundaryOf(loaded, options);
  const choice = { ...chosen.value, retryFailed: options.retryFailed ?? false, boundary };
  const own = await ownFolderForPlan(pathsOf(loaded, target.value, options));
  if (!own.ok) return own;
  const paths = own.value;
  const opened = await openWorkspace(loaded, paths, choice, clock);
  if (!opened.ok) return opened;
  const { state, disk, items, close } = opened.value;
  const leftOut = excludedSteps(loaded.pipeline, choice, items);
  try {
    const {
      plan,
      troubles,
      findings,
      warnings: plannedItems,
    } = await planItems(loaded, items, {
      ledger: state.ledger,
      disk,
      clock,
      leftOut,
    });
    const { credits: budget } = loaded.pipeline.budget;
    const rehearsal = target.value.kind === 'rehearsal';
    const known = await balanceOf(target.value, plan, clock);
    const tier = rehearsal ? rehearsalTier : known.balance?.tier;
    return ok({
      plan,
      ...(target.value.kind === 'rehearsal' ? {} : { service: target.value.address }),
      troubles: [
        ...(target.value.kind === 'unasked' ? target.value.why.diagnostics : []),
        ...troubles,
        ...refuseUnpriced(plan, { budget, rehearsal }, loaded),
        ...refuseBeyondPlan(findings, tier, loaded),
      ],
      ...known,
      warnings: [...state.warnings, ...plannedItems],
      rehearsal,
      env: envUses(loaded.pipeline),
      outside: boundary.outside,
      state: paths.state,
    });
  } finally {
    close();
  }
}

/** The one request that a plan sends, and it is free. */
async function balanceOf(
  target: Target | Unasked,
  plan: Plan,
  clock: Clock,
): Promise<{ readonly balance?: Balance }> {
  if (target.kind !== 'hosted') return {};
  const api = httpClient({ base: target.address, key: target.key, clock });
  try {
    return { balance: await balanceFor(plan, api) };
  } finally {
    await api.close();
  }
}
