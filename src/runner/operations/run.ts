// `run`: runs a pipeline. Everything that can be refused is refused before the first request.
import { Redactor } from '../../contract/base/redactor.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../contract/files/system-error.ts';
import { realClock } from '../adapters/clock.ts';
import { StateFileChanged } from '../adapters/state/file-version.ts';
import type { CreditTotals } from '../journal/ledger.ts';
import { CalendarBudget, calendarCaps } from '../plan/calendar-budget.ts';
import { stopText } from '../report/calendar-text.ts';
import type { RunEvent, Summary } from '../report/run-event.ts';
import { SummaryBuilder } from '../run/summary-builder.ts';
import { pathsOf } from './files/run-paths.ts';
import { shownPath } from './files/shown-path.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { prepare } from './planning/prepare.ts';
import { refusals, smaller } from './planning/price-checks.ts';
import { commitRun } from './run/commit.ts';
import type { PreparedRun, RunContext } from './run/context.ts';
import { execute } from './run/execute.ts';
import { GracePeriod } from './run/grace-period.ts';
import { allowedHooks, callHooks, type HookReport, leaveMs } from './run/hooks.ts';
import type { RunInternals, RunOptions } from './run/options.ts';
import { openResources } from './run/resources.ts';
import { rehearsalTier } from './service/connect-service.ts';
import { secretsIn } from './service/secrets.ts';
import { chooseTarget } from './service/target.ts';
import { webhookConfigOf } from './service/webhooks.ts';
import { changedProblem } from './state/unsaved-state.ts';
import { chooseStore } from './store/choose-store.ts';

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
  const bound = boundPipeline(loaded);
  const { env = process.env, clock = realClock } = options;
  const target = chooseTarget(options, bound, env);
  if (!target.ok) return await withoutTarget(target.error, bound, options, internals);
  const webhooks = webhookConfigOf(options, target.value, env);
  const redactor = new Redactor([
    ...secretsIn(env),
    webhooks.ok ? webhooks.value?.secret : undefined,
  ]);
  const rehearsal = target.value.kind === 'rehearsal';
  const paths = pathsOf(bound, target.value, options);
  const { state, output } = paths;
  const store = chooseStore(bound, { target: target.value, env, paths, ...options });
  const watch = options.monitor?.begin({ ...watchedRun(bound), state });
  const onEvent = (event: RunEvent): void => {
    const shown = redactor.value(event);
    watch?.event(shown);
    options.onEvent?.(shown);
  };
  const places = { rehearsal, state: shownPath(state), output: shownPath(output) };
  onEvent({
    ...{ type: 'started', ...places },
    ...(target.value.kind === 'rehearsal' ? {} : { service: target.value.address }),
  });
  const { signal, monitor } = options;
  const leave = new GracePeriod(clock, leaveMs);
  if (signal !== undefined) leave.beginAfter(signal);
  if (monitor !== undefined) onEvent({ type: 'monitoring', address: monitor.address });
  const hookContext = {
    ...{ bound, rehearsal, env, clock, redactor, onEvent, leave: leave.expired },
    due: dueTimeOf(options),
    backoffMs: internals.backoffMs ?? 1000,
  };
  const hooks = allowedHooks(hookContext);
  if (store.ok && store.value?.kind === 'folder' && store.value.note !== undefined)
    onEvent({ type: 'warning', message: store.value.note });
  const context = { options, internals, clock, redactor, onEvent, watch, target: target.value };
  const summary = !webhooks.ok
    ? webhooks
    : !store.ok
      ? store
      : await summaryOf(bound, { ...context, webhooks: webhooks.value, store: store.value }, state);
  const report = summary.ok
    ? ({ type: 'ended', summary: summary.value } as const)
    : refusalOf(summary.error);
  if (!summary.ok) watch?.refused(summary.error.reason);
  await callHooks(hooks, report, hookContext);
  leave.cancel();
  return summary.ok ? ok({ summary: summary.value, ...places }) : summary;
}

/** What a monitor knows about a pipeline. */
const watchedRun = ({ name, pipeline }: ReturnType<typeof boundPipeline>) => ({
  pipeline: name,
  kinds: new Map(pipeline.steps.map((step) => [step.name, step.kind.name])),
});

const refusalOf = ({ reason, diagnostics }: Problem): HookReport => ({
  ...{ type: 'refused', reason, diagnostics },
});

/** Without a key or an address, a run cannot begin, and the hooks tell those who wait for the run. */
async function withoutTarget(
  error: Problem,
  bound: ReturnType<typeof boundPipeline>,
  options: RunOptions,
  { backoffMs = 1000 }: RunInternals,
): Promise<Result<never, Problem>> {
  const { env = process.env, clock = realClock, onEvent, signal, rehearse } = options;
  const redactor = new Redactor([...secretsIn(env), options.webhookSecret]);
  const leave = new GracePeriod(clock, leaveMs);
  if (signal !== undefined) leave.beginAfter(signal);
  const context = {
    ...{ bound, rehearsal: rehearse === true, env, clock, redactor, backoffMs },
    ...{ leave: leave.expired, due: dueTimeOf(options) },
    onEvent: (event: RunEvent) => onEvent?.(redactor.value(event)),
  };
  // The error is what counts here, so hooks without consent are not mentioned.
  const hooks = allowedHooks({ ...context, onEvent: () => undefined });
  await callHooks(hooks, refusalOf(error), context);
  leave.cancel();
  return err(error);
}

/** ISO 8601, in UTC. */
const dueTimeOf = ({ due }: RunOptions): string | undefined =>
  due === undefined ? undefined : new Date(due).toISOString();

/** `state`: the state file. */
async function summaryOf(
  bound: ReturnType<typeof boundPipeline>,
  context: RunContext,
  state: string,
): Promise<Result<Summary, Problem>> {
  try {
    return await runOn(bound, context);
  } catch (error) {
    if (error instanceof StateFileChanged) return err(changedProblem(error));
    if (!isSystemProblem(error)) throw error;
    return err(stoppedBy(error, state));
  }
}

async function runOn(
  bound: ReturnType<typeof boundPipeline>,
  context: RunContext,
): Promise<Result<Summary, Problem>> {
  const { options, clock, onEvent, target } = context;
  const began = clock.elapsed();
  const onWarning = (message: string): void => onEvent({ type: 'warning', message });
  const due = dueTimeOf(options);
  const run = { id: options.runId, due };
  const opened = await prepare(bound, target, options, { access: 'run', run, clock, onWarning });
  if (!opened.ok) return opened;
  await using prepared = opened.value;
  const { plan, warnings } = prepared.planned;
  if (due !== undefined && prepared.run.over) {
    onWarning(`the run that was due at ${due} has ended, and is not repeated`);
    const elapsedMs = clock.elapsed() - began;
    return ok(nothingDone({ items: plan.items, credits: prepared.state.ledger.total, elapsedMs }));
  }
  const rehearsal = target.kind === 'rehearsal';
  const budget = smaller(options.budget, bound.pipeline.budget.credits);
  const tier = rehearsal ? rehearsalTier : undefined;
  const diagnostics = refusals(prepared, { budget, rehearsal, tier });
  if (diagnostics.length > 0) return err({ reason: 'input', diagnostics, text: bound.text });
  onEvent({ type: 'planned', plan, run: prepared.run.number });
  warnings.forEach(onWarning);
  if (budget !== undefined && plan.credits > budget)
    onWarning(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: the run stops when the budget is reached`,
    );
  const calendar = new CalendarBudget(calendarCaps(bound.pipeline));
  for (const limit of calendar.at(clock.now(), prepared.state.ledger)) {
    const stops = stopText(limit, plan.credits);
    if (stops !== undefined) onWarning(stops.replace(/\.$/, ''));
  }
  const preparedRun: PreparedRun = { ...context, prepared, budget, began };
  const resources = await openResources(preparedRun);
  if (!resources.ok) return resources;
  await using held = resources.value;
  const summary = await execute(preparedRun, held);
  await commitRun(preparedRun, summary);
  onEvent({ type: 'ended', summary });
  return ok(summary);
}

/** The summary of a run that finds nothing to do before it begins. */
function nothingDone(
  now: Pick<Summary, 'elapsedMs'> & {
    readonly items: number;
    readonly credits: CreditTotals;
  },
): Summary {
  const credits = { charged: 0, refunded: 0, reserved: now.credits.reserved };
  return new SummaryBuilder().build('done', { ...now, credits });
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
