// `run`: runs a pipeline. Everything that can be refused is refused before the first request.
import { Redactor } from '../../base/redactor.ts';
import type { Result } from '../../base/result.ts';
import { realClock } from '../../core/clock.ts';
import type { Summary } from '../../core/run-event.ts';
import { RunView } from '../../core/run-view.ts';
import { shownPath } from '../../files/shown-path.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, resultOf, valueOrThrow } from '../../language/load/refusal.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import { chooseTarget } from '../../service-api/target.ts';
import { webhookConfigOf } from '../../service-api/webhooks.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { chooseStore } from '../../stores/open-store.ts';
import { type LiveFacts, liveFacts } from '../../views/live/live-facts.ts';
import { allowedHooks, callHooks, type HookReport, leaveMs } from '../hooks/hooks.ts';
import { internalsOf, type RunInternals } from '../internals.ts';
import { dueTimeOf, type Manner, paceOf, type RunContext, type RunOptions } from './context.ts';
import { Deadline } from './deadline.ts';
import { engineFor } from './engine.ts';
import { type Performed, perform } from './perform.ts';

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
  const { env = process.env, clock = realClock, signal, onEvent: tell } = options;
  const target = resultOf(() => chooseTarget(options, bound, env));
  const webhooks = resultOf(() => webhookConfigOf(options, valueOrThrow(target), env));
  const redactor = new Redactor([
    ...secretsIn(env),
    webhooks.ok ? webhooks.value?.secret : options.webhookSecret,
  ]);
  const speed = paceOf(options.rehearsalSpeed);
  const view = new RunView({ pipeline: bound.name, speed, began: clock.elapsed() });
  const onEvent: RunContext['onEvent'] = (event, detail) => {
    view.take(event, clock.elapsed(), detail);
    tell?.(redactor.value(event));
  };
  const leave = new Deadline(clock, leaveMs);
  if (signal !== undefined) leave.beginAfter(signal);
  const hookContext = {
    bound,
    rehearsal: target.ok ? target.value.kind === 'rehearsal' : options.rehearse === true,
    env,
    clock,
    redactor,
    onEvent,
    leave: leave.passed,
    due: dueTimeOf(options),
    backoffMs: internals.backoffMs ?? 1000,
  };
  let hooks: ReturnType<typeof allowedHooks> = [];
  const begin = async (): Promise<Performed & Places> => {
    // Without a key or an address, a run cannot begin, and the hooks tell those who wait for the run. That error is what counts then,
    // so hooks without consent are not mentioned.
    if (!target.ok) hooks = allowedHooks({ ...hookContext, onEvent: () => undefined });
    const service = valueOrThrow(target);
    const paths = pathsOf(bound, service, options);
    const rehearsal = service.kind === 'rehearsal';
    const places = {
      rehearsal,
      state: shownPath(paths.state),
      output: shownPath(paths.output),
    };
    const address = service.kind === 'rehearsal' ? undefined : service.address;
    const answer = (): LiveFacts => redactor.value(liveFacts(view, clock.elapsed()));
    options.onLive?.(answer);
    onEvent({ type: 'started', ...places, service: address });
    hooks = allowedHooks(hookContext);
    const store = chooseStore(bound, { target: service, env, paths, ...options });
    if (store?.kind === 'folder' && store.note !== undefined)
      onEvent({ type: 'warning', message: store.note });
    const context = { manner, target: service, webhooks: valueOrThrow(webhooks), store };
    await using engine = await engineFor(options.engine, {
      ...{ pipeline: bound.name, target: service, clock, env, signal },
      onNote: (message) => onEvent({ type: 'note', message }),
    });
    const about = { options, internals, clock, redactor, onEvent, view, answer, engine };
    return { ...(await perform(bound, { ...context, ...about }, paths.state)), ...places };
  };
  const ran = await resultOf(begin);
  // A tick may come every minute: what has not changed was told before.
  const isDeclined = !ran.ok && ran.error.declined === true;
  const isNews = ran.ok ? ran.value.changed : !target.ok;
  if ((manner === 'run' && !isDeclined) || isNews)
    await callHooks(hooks, reportOf(ran), hookContext);
  leave.cancel();
  const { changed: _, ...all } = valueOrThrow(ran);
  return { ...all, pipeline: loaded.file };
}

type Places = Pick<Ran, 'rehearsal' | 'state' | 'output'>;

const reportOf = (ran: Result<Performed, Problem>): HookReport => {
  if (ran.ok) return { type: 'ended', summary: ran.value.summary };
  const { reason, diagnostics } = ran.error;
  return { type: 'refused', reason, diagnostics };
};
