// `run`: runs a pipeline. Everything that can be refused is refused before the first request.
import { Redactor } from '../../base/redactor.ts';
import type { Result } from '../../base/result.ts';
import { realClock } from '../../core/clock.ts';
import type { RunEvent, Summary } from '../../core/run-event.ts';
import { RunView } from '../../core/run-view.ts';
import { shownPath } from '../../files/shown-path.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, Refusal, resultOf, valueOrThrow } from '../../language/load/refusal.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { webhookConfigOf } from '../../service-api/webhooks.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { chooseStore } from '../../stores/open-store.ts';
import { type LiveFacts, liveFacts } from '../../views/live/live-facts.ts';
import { allowedHooks, callHooks, type HookReport, leaveMs } from '../hooks/hooks.ts';
import { internalsOf, type RunInternals } from '../internals.ts';
import type { Manner } from '../planning/refusals.ts';
import { dueTimeOf, paceOf, type RunOptions } from './context.ts';
import { Deadline } from './deadline.ts';
import type { Performed } from './perform.ts';
import { performRun } from './perform-run.ts';

export type { RunInternals, RunOptions };

export interface Ran {
  readonly summary: Summary;
  readonly rehearsal: boolean;
  /** The pipeline file, as it was named. */
  readonly pipeline: string;
  /** The state file and the output folder, relative to the working folder if they are below it. */
  readonly state: string;
  readonly output: string;
}

/**
 * Runs a pipeline, or resumes it: nothing is paid twice. Without a key and an address, or with `rehearse`, it runs against the
 * bundled local service and costs nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, run } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const ran = await run(pipeline, {
 *   rehearse: true,
 *   rehearsalPictures: 'plain',
 *   budget: 100,
 *   onEvent: (event) => {
 *     if (event.type === 'task') console.log(event.task, event.ending);
 *   },
 * });
 * console.log(ran.summary.outcome, ran.summary.credits.charged);
 * ```
 */
export async function run(loaded: LoadedPipeline, options: RunOptions = {}): Promise<Ran> {
  return await runWith(loaded, options, internalsOf(options));
}

/** The same, for tests. */
export async function runWith(
  loaded: LoadedPipeline,
  options: RunOptions,
  internals: RunInternals,
): Promise<Ran> {
  return await runIn('run', loaded, options, internals);
}

/** The common part of `run` and `tick`. */
export async function runIn(
  manner: Manner,
  loaded: LoadedPipeline,
  options: RunOptions,
  internals: RunInternals,
): Promise<Ran> {
  const bound = boundPipeline(loaded);
  const { env = process.env, clock = realClock } = options;
  const target = resultOf(() => chooseTarget(options, bound, env));
  if (!target.ok) return await withoutTarget(target.error, bound, options, internals);
  const webhooks = resultOf(() => webhookConfigOf(options, target.value, env));
  const redactor = new Redactor([
    ...secretsIn(env),
    webhooks.ok ? webhooks.value?.secret : undefined,
  ]);
  const rehearsal = target.value.kind === 'rehearsal';
  const paths = pathsOf(bound, target.value, options);
  const { state, output } = paths;
  const store = resultOf(() =>
    chooseStore(bound, { target: target.value, env, paths, ...options }),
  );
  const speed = paceOf(options.rehearsalSpeed);
  const view = new RunView({ pipeline: bound.name, speed, began: clock.elapsed() });
  const answer = (): LiveFacts => redactor.value(liveFacts(view, clock.elapsed()));
  options.onLive?.(answer);
  const onEvent = (event: RunEvent): void => {
    const shown = redactor.value(event);
    view.take(shown, clock.elapsed());
    options.onEvent?.(shown);
  };
  const places = { rehearsal, state: shownPath(state), output: shownPath(output) };
  onEvent({
    type: 'started',
    ...places,
    ...(target.value.kind === 'rehearsal' ? {} : { service: target.value.address }),
  });
  const { signal } = options;
  const leave = new Deadline(clock, leaveMs);
  if (signal !== undefined) leave.beginAfter(signal);
  const hookContext = {
    bound,
    rehearsal,
    env,
    clock,
    redactor,
    onEvent,
    leave: leave.passed,
    due: dueTimeOf(options),
    backoffMs: internals.backoffMs ?? 1000,
  };
  const hooks = allowedHooks(hookContext);
  if (store.ok && store.value?.kind === 'folder' && store.value.note !== undefined)
    onEvent({ type: 'warning', message: store.value.note });
  const shared = { manner, options, internals, clock, redactor, onEvent, view, answer };
  const context = { ...shared, target: target.value };
  const performed = await resultOf(() =>
    performRun(
      bound,
      { ...context, webhooks: valueOrThrow(webhooks), store: valueOrThrow(store) },
      state,
    ),
  );
  // A tick may come every minute: what has not changed was told before.
  const isDeclined = !performed.ok && performed.error.declined === true;
  if ((manner === 'run' && !isDeclined) || (performed.ok && performed.value.changed))
    await callHooks(hooks, reportOf(performed), hookContext);
  leave.cancel();
  return { summary: valueOrThrow(performed).summary, pipeline: loaded.file, ...places };
}

const reportOf = (performed: Result<Performed, Problem>): HookReport =>
  performed.ok ? { type: 'ended', summary: performed.value.summary } : refusalOf(performed.error);

const refusalOf = ({ reason, diagnostics }: Problem): HookReport => ({
  type: 'refused',
  reason,
  diagnostics,
});

/** Without a key or an address, a run cannot begin, and the hooks tell those who wait for the run. */
async function withoutTarget(
  error: Problem,
  bound: ReturnType<typeof boundPipeline>,
  options: RunOptions,
  { backoffMs = 1000 }: RunInternals,
): Promise<never> {
  const { env = process.env, clock = realClock, onEvent, signal, rehearse } = options;
  const redactor = new Redactor([...secretsIn(env), options.webhookSecret]);
  const leave = new Deadline(clock, leaveMs);
  if (signal !== undefined) leave.beginAfter(signal);
  const context = {
    bound,
    rehearsal: rehearse === true,
    env,
    clock,
    redactor,
    backoffMs,
    leave: leave.passed,
    due: dueTimeOf(options),
    onEvent: (event: RunEvent) => onEvent?.(redactor.value(event)),
  };
  // The error is what counts here, so hooks without consent are not mentioned.
  const hooks = allowedHooks({ ...context, onEvent: () => undefined });
  await callHooks(hooks, refusalOf(error), context);
  leave.cancel();
  throw new Refusal(error);
}
