// `reroll`: pays for another take of a result, on purpose. It is a run of the rerolled tasks alone.

import { realClock } from '../../core/clock.ts';
import { type Takes, takesIn } from '../../core/takes.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { internalsOf } from '../internals.ts';
import { headerOf, openState } from '../open-state.ts';
import { type Planned, type PlanOptions, plan } from '../plan/plan.ts';
import { openItemsHere, tasksHere } from '../planning/here.ts';
import { type Ran, type RunOptions, runIn } from '../run/run.ts';
import { itemsNamed, tasksNamed } from './named-tasks.ts';

/** What to reroll decides which items and steps run. */
export type RerollOptions = Omit<RunOptions, Chosen>;
type Chosen = ('items' | 'only' | 'until' | 'exclude') | ('reroll' | 'plan' | 'payAgain');

export interface Rerolled extends Ran {
  /** The takes of the rerolled tasks. */
  readonly takes: readonly Takes[];
}

/**
 * Pays for another take of each named task, and saves it in the folder `takes` of the output folder. Nothing downstream
 * runs: `pick` chooses the take that counts. A take that was begun is completed before another one is bought.
 *
 * @param names Tasks, such as `swap:IMG_0412.jpg`, or items: then the last paid tasks of the item.
 *
 * @example
 * ```ts
 * import { loadPipeline, reroll } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const rerolled = await reroll(pipeline, ['make:one'], { rehearse: true, budget: 20 });
 * console.log(rerolled.takes.map(({ takes }) => takes.length));
 * ```
 */
export async function reroll(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: RerollOptions = {},
): Promise<Rerolled> {
  const chosen = await chooseTasks(loaded, names, options);
  const ran = await runIn('run', loaded, { ...options, reroll: chosen }, internalsOf(options));
  const bound = boundPipeline(loaded);
  await using open = await openFor(bound, options, 'read', () => undefined);
  const takes = takesIn(open.state.ledger, bound.pipeline.steps);
  return {
    ...ran,
    takes: takes.filter(({ tasks }) => tasks.some((task) => chosen.includes(task))),
  };
}

/**
 * Says what `reroll` would do and cost. Sends at most one request, which reads the account's balance.
 *
 * @example
 * ```ts
 * import { loadPipeline, planReroll } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const planned = await planReroll(pipeline, ['one'], { rehearse: true });
 * console.log('another take costs', planned.plan.credits, 'credits');
 * ```
 */
export async function planReroll(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: Omit<PlanOptions, Exclude<Chosen, 'plan' | 'payAgain'> | 'explain'> = {},
): Promise<Planned> {
  const chosen = await chooseTasks(loaded, names, options);
  return await plan(loaded, { ...options, reroll: chosen });
}

type ChoosingOptions = Pick<
  RunOptions,
  | 'env'
  | 'clock'
  | 'allowOutside'
  | 'state'
  | 'output'
  | 'service'
  | 'rehearse'
  | 'hosted'
  | 'onEvent'
>;

async function chooseTasks(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: ChoosingOptions,
): Promise<readonly string[]> {
  const bound = boundPipeline(loaded);
  const { pipeline } = bound;
  const { clock = realClock } = options;
  // The run compares, and says the same: only a refusal needs it said here.
  const notices: string[] = [];
  try {
    await using open = await openFor(bound, options, 'plan', (message) => notices.push(message));
    headerOf(open, bound);
    const { paths, receipts, state } = open;
    const { ledger } = state;
    const filter = { keys: itemsNamed(pipeline, names) };
    using here = await openItemsHere(bound, options, { paths, ledger, clock, filter });
    const tasks = await tasksHere(bound, here, { ledger, receipts, clock });
    return tasksNamed(pipeline, names, tasks, ledger);
  } catch (error) {
    for (const message of notices) options.onEvent?.({ type: 'warning', message });
    throw error;
  }
}

async function openFor(
  bound: BoundPipeline,
  options: ChoosingOptions,
  access: 'plan' | 'read',
  onWarning: (message: string) => void,
): ReturnType<typeof openState> {
  const { clock = realClock, env = process.env } = options;
  const paths = pathsOf(bound, chooseTarget(options, bound, env), options);
  return await openState(bound, paths, access, {
    clock,
    onWarning,
    service: paths.serviceName,
    env: access === 'plan' ? env : undefined,
    internals: internalsOf(options),
  });
}
