// `run`: runs a pipeline. Everything that can be refused is refused before the first request.
import { Redactor } from '../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../contract/files/system-error.ts';
import { realClock } from '../adapters/clock.ts';
import { readLooks } from '../adapters/state/looks-file.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { RunEvent, Summary } from '../report/run-event.ts';
import { LastLooks } from '../run/jobs/last-looks.ts';
import { pathsOf, type RunPaths } from './files/run-paths.ts';
import { shownPath } from './files/shown-path.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { prepare } from './planning/prepare.ts';
import { refusals, smaller } from './planning/price-checks.ts';
import { type PreparedRun, type RunContext, speedOf } from './run/context.ts';
import { execute } from './run/execute.ts';
import type { Manner } from './run/manner.ts';
import type { RunInternals, RunOptions } from './run/options.ts';
import { openResources } from './run/resources.ts';
import { restingTasks } from './run/resting.ts';
import { rehearsalTier } from './service/connect-service.ts';
import { secretsIn } from './service/secrets.ts';
import { chooseTarget } from './service/target.ts';
import { webhookConfigOf } from './service/webhooks.ts';

export type { RunInternals, RunOptions };

export interface Ran {
  readonly summary: Summary;
  readonly rehearsal: boolean;
  /** The state file and the output folder, relative to the working folder if they are below it. */
  readonly state: string;
  readonly output: string;
}

export async function run(
  loaded: LoadedPipeline,
  options: RunOptions = {},
): Promise<Result<Ran, Problem>> {
  return await runWith(loaded, options, {});
}

/** The same, for tests. */
export async function runWith(
  loaded: LoadedPipeline,
  options: RunOptions,
  internals: RunInternals,
): Promise<Result<Ran, Problem>> {
  return await runIn('run', loaded, options, internals);
}

/** The common part of `run` and `tick`. */
export async function runIn(
  manner: Manner,
  loaded: LoadedPipeline,
  options: RunOptions,
  internals: RunInternals,
): Promise<Result<Ran, Problem>> {
  const bound = boundPipeline(loaded);
  const { env = process.env, clock = realClock } = options;
  const target = chooseTarget(options, bound, env);
  if (!target.ok) return target;
  const webhooks = webhookConfigOf(options, target.value, env);
  const redactor = new Redactor([
    ...secretsIn(env),
    webhooks.ok ? webhooks.value?.secret : undefined,
  ]);
  const onEvent = (event: RunEvent): void => options.onEvent?.(redactor.value(event));
  const rehearsal = target.value.kind === 'rehearsal';
  const { state, output } = pathsOf(bound, target.value, options);
  const places = { rehearsal, state: shownPath(state), output: shownPath(output) };
  onEvent({
    ...{ type: 'started', ...places },
    ...(target.value.kind === 'rehearsal' ? {} : { service: target.value.address }),
  });
  if (!webhooks.ok) return webhooks;
  const context = { manner, options, internals, clock, redactor, onEvent };
  try {
    const summary = await runOn(bound, {
      ...{ ...context, target: target.value, webhooks: webhooks.value },
    });
    return summary.ok ? ok({ summary: summary.value, ...places }) : summary;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(stoppedBy(error, state));
  }
}

async function runOn(
  bound: ReturnType<typeof boundPipeline>,
  context: RunContext,
): Promise<Result<Summary, Problem>> {
  const { manner, options, clock, onEvent, target } = context;
  const began = clock.elapsed();
  const onWarning = (message: string): void => onEvent({ type: 'warning', message });
  const resting = (paths: RunPaths, ledger: Ledger) => {
    const { tier, looks } = readLooks(paths.looks);
    const last = new LastLooks(looks, speedOf(context));
    return restingTasks({ pipeline: bound.pipeline, ledger, clock, looks: last, tier });
  };
  const opened = await prepare(bound, target, options, {
    ...{ access: 'run', clock, onWarning },
    ...(manner === 'tick' ? { resting } : {}),
  });
  if (!opened.ok) return opened;
  await using prepared = opened.value;
  const { plan, warnings } = prepared.planned;
  const rehearsal = target.kind === 'rehearsal';
  const budget = smaller(options.budget, bound.pipeline.budget.credits);
  const tier = rehearsal ? rehearsalTier : undefined;
  const diagnostics = refusals(prepared, { budget, rehearsal, tier });
  if (diagnostics.length > 0) return err({ reason: 'input', diagnostics, text: bound.text });
  onEvent({ type: 'planned', plan });
  warnings.forEach(onWarning);
  if (budget !== undefined && plan.credits > budget)
    onWarning(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: the run stops when the budget is reached`,
    );
  const { asleep } = prepared.planned;
  const preparedRun: PreparedRun = { ...context, prepared, budget, began, asleep };
  const resources = await openResources(preparedRun);
  if (!resources.ok) return resources;
  await using held = resources.value;
  const summary = await execute(preparedRun, held);
  onEvent({ type: 'ended', summary });
  return ok(summary);
}

/** The journal could not be written: nothing new was sent after that, and everything sent before is recorded. */
function stoppedBy(error: unknown, state: string): Problem {
  const hint =
    'everything that was recorded is safe; fix this, then run again: nothing is paid twice';
  return {
    ...problem(`${state} ${systemReason(error)}`, 'the run stopped', hint),
    reason: 'system',
  };
}
