// `reroll`: pays for another take of a result, on purpose. It is a run of the rerolled tasks alone.

import { realClock } from '../../core/clock.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { resultOf, valueOrThrow } from '../../language/load/refusal.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { type Takes, takesIn } from '../../views/takes.ts';
import { internalsOf, type RunInternals } from '../internals.ts';
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
  return await rerollWith(loaded, names, options, internalsOf(options));
}

/** The same, for tests. */
export async function rerollWith(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: RerollOptions,
  internals: RunInternals,
): Promise<Rerolled> {
  const chosen = await chooseTasks(loaded, names, options);
  const ran = await runIn('run', loaded, { ...options, reroll: chosen }, internals);
  const takes = await takesAfter(loaded, options);
  const tasks = new Set(chosen);
  return {
    ...ran,
    takes: takes.filter((one) => one.tasks.some((task) => tasks.has(task))),
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
  // The run compares, and says the same: only a refusal needs it said here.
  const notices: string[] = [];
  const chosen = await resultOf(async () => {
    await using open = await openFor(loaded, options, 'plan', (message) => {
      notices.push(message);
    });
    const { ledger } = open.state;
    const { pipeline } = bound;
    const { clock = realClock } = options;
    const keys = itemsNamed(pipeline, names);
    using here = await openItemsHere(bound, options, {
      paths: open.paths,
      ledger,
      clock,
      filter: { keys },
    });
    const tasks = await tasksHere(bound, here, { ledger, receipts: open.receipts, clock });
    return tasksNamed(pipeline, names, tasks, ledger);
  });
  for (const message of chosen.ok ? [] : notices) options.onEvent?.({ type: 'warning', message });
  return valueOrThrow(chosen);
}

async function takesAfter(
  loaded: LoadedPipeline,
  options: ChoosingOptions,
): Promise<readonly Takes[]> {
  await using open = await openFor(loaded, options, 'read', () => undefined);
  return takesIn(open.state.ledger, boundPipeline(loaded).pipeline.steps);
}

async function openFor(
  loaded: LoadedPipeline,
  options: ChoosingOptions,
  access: 'plan' | 'read',
  onWarning: (message: string) => void,
): ReturnType<typeof openState> {
  const bound = boundPipeline(loaded);
  const { clock = realClock, env = process.env } = options;
  const target = chooseTarget(options, bound, env);
  const paths = pathsOf(bound, target, options);
  const { serviceName: service } = paths;
  const compared = access === 'plan' ? env : undefined;
  const internals = internalsOf(options);
  const context = { clock, onWarning, service, env: compared, internals };
  const opened = await openState(bound, paths, access, context);
  try {
    headerOf(opened, bound);
    return opened;
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}
