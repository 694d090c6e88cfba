// `reroll`: pays for another take of a result, on purpose. It is a run of the rerolled tasks alone.
import { err, ok, type Result } from '../../contract/base/result.ts';
import { realClock } from '../adapters/clock.ts';
import { type Takes, takesIn } from '../report/takes.ts';
import { pathsOf } from './files/run-paths.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { type Planned, type PlanOptions, type PlanProblem, plan } from './plan.ts';
import { type Ran, type RunInternals, type RunOptions, runIn } from './run.ts';
import { chooseTarget } from './service/target.ts';
import { headerOf, openState } from './state/open-state.ts';
import { itemsNamed, tasksNamed } from './takes/named-tasks.ts';
import { plannedTasks } from './takes/planned-tasks.ts';

/** What to reroll decides which items and steps run. */
export type RerollOptions = Omit<RunOptions, Chosen>;
type Chosen =
  | ('items' | 'only' | 'until' | 'exclude' | 'retryFailed')
  | ('reroll' | 'savedPlan' | 'payAgain');

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
 * import { loadPipeline, renderProblem, reroll } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const rerolled = await reroll(loaded.value, ['make:one'], { rehearse: true, budget: 20 });
 * if (rerolled.ok) console.log(rerolled.value.takes.map(({ takes }) => takes.length));
 * else console.error(renderProblem(rerolled.error));
 * ```
 */
export async function reroll(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: RerollOptions = {},
): Promise<Result<Rerolled, Problem>> {
  return await rerollWith(loaded, names, options, {});
}

/** The same, for tests. */
export async function rerollWith(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: RerollOptions,
  internals: RunInternals,
): Promise<Result<Rerolled, Problem>> {
  const chosen = await chooseTasks(loaded, names, options);
  if (!chosen.ok) return chosen;
  const ran = await runIn('run', loaded, { ...options, reroll: chosen.value }, internals);
  if (!ran.ok) return ran;
  const takes = await takesAfter(loaded, options);
  if (!takes.ok) return takes;
  const tasks = new Set(chosen.value);
  return ok({
    ...ran.value,
    takes: takes.value.filter((one) => one.tasks.some((task) => tasks.has(task))),
  });
}

/**
 * Says what `reroll` would do and cost. Sends at most one request, which reads the account's balance.
 *
 * @example
 * ```ts
 * import { loadPipeline, planReroll, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const planned = await planReroll(loaded.value, ['one'], { rehearse: true });
 * if (planned.ok) console.log('another take costs', planned.value.plan.credits, 'credits');
 * else console.error(renderProblem(planned.error));
 * ```
 */
export async function planReroll(
  loaded: LoadedPipeline,
  names: readonly string[],
  options: Omit<PlanOptions, Exclude<Chosen, 'savedPlan' | 'payAgain'> | 'explain' | 'out'> = {},
): Promise<Result<Planned, PlanProblem>> {
  const chosen = await chooseTasks(loaded, names, options);
  return chosen.ok ? await plan(loaded, { ...options, reroll: chosen.value }) : chosen;
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
): Promise<Result<readonly string[], Problem>> {
  const bound = boundPipeline(loaded);
  // The run compares, and says the same: only a refusal needs it said here.
  const notices: string[] = [];
  const refused = <T extends Result<unknown, Problem>>(result: T): T => {
    for (const message of result.ok ? [] : notices) options.onEvent?.({ type: 'warning', message });
    return result;
  };
  const opened = await openFor(loaded, options, 'plan', (message) => void notices.push(message));
  if (!opened.ok) return refused(opened);
  await using open = opened.value;
  const { ledger } = open.state;
  const { pipeline } = bound;
  const { clock = realClock } = options;
  const found = await plannedTasks({
    ...{ bound, options, paths: open.paths, ledger, clock },
    keys: itemsNamed(pipeline, names),
  });
  if (!found.ok) return found;
  await using tasks = found.value;
  return refused(tasksNamed(pipeline, names, tasks.tasks, ledger));
}

async function takesAfter(
  loaded: LoadedPipeline,
  options: ChoosingOptions,
): Promise<Result<readonly Takes[], Problem>> {
  const opened = await openFor(loaded, options, 'read', () => undefined);
  if (!opened.ok) return opened;
  await using open = opened.value;
  return ok(takesIn(open.state.ledger, boundPipeline(loaded).pipeline.steps));
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
  if (!target.ok) return target;
  const paths = pathsOf(bound, target.value, options);
  const { serviceName: service } = paths;
  const compared = access === 'plan' ? env : undefined;
  const context = { clock, onWarning, service, env: compared };
  const opened = await openState(bound, paths, access, context);
  if (!opened.ok) return opened;
  const header = headerOf(opened.value, bound);
  if (header.ok) return opened;
  await opened.value[Symbol.asyncDispose]();
  return err(header.error);
}
