// Performs one run: plans it, refuses what can be refused before the first request, and executes the rest.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { scrubbed } from '../../../contract/base/scrub.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { StateFileChanged } from '../../adapters/state/file-version.ts';
import { readLooks } from '../../adapters/state/looks-file.ts';
import { Ledger } from '../../journal/ledger.ts';
import { CalendarBudget, calendarCaps } from '../../plan/calendar-budget.ts';
import { LookSchedule } from '../../plan/look-schedule.ts';
import { knownDurations, usualDurations } from '../../plan/usual-durations.ts';
import { behindText, stopText } from '../../report/calendar-text.ts';
import { type LiveFacts, liveFacts } from '../../report/live/live-facts.ts';
import type { Summary } from '../../report/run-event.ts';
import { takesLeft } from '../../report/takes.ts';
import { DatabaseAway } from '../../run/engine/away.ts';
import { TermOver } from '../../run/engine/term-over.ts';
import { LastLooks } from '../../run/jobs/last-looks.ts';
import { SummaryBuilder } from '../../run/summary-builder.ts';
import type { RunPaths } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import { earlierWarnings } from '../planning/earlier-runs.ts';
import { foreignProblem, foreignText } from '../planning/foreign-files.ts';
import { prepare } from '../planning/prepare.ts';
import { overruledText, refusals, smaller } from '../planning/price-checks.ts';
import { writeProvenance } from '../provenance/write-provenance.ts';
import { pays } from '../service/balance.ts';
import { rehearsalTier } from '../service/connect-service.ts';
import { asCoordinator } from '../state/engine/coordinator-problem.ts';
import { changedProblem } from '../state/unsaved-state.ts';
import { agree, recordFor, savedPlanProblem } from './agreement.ts';
import { commitRun } from './commit.ts';
import { type PreparedRun, type RunContext, speedOf } from './context.ts';
import { execute } from './execute.ts';
import { dueTimeOf } from './options.ts';
import { openResources } from './resources.ts';
import { restingTasks } from './resting.ts';
import { UpToDate } from './up-to-date.ts';

export interface Performed {
  readonly summary: Summary;
  /** True if the state file has changed. */
  readonly changed: boolean;
}

/** `state`: the state file. */
export async function performRun(
  bound: BoundPipeline,
  context: RunContext,
  state: string,
): Promise<Result<Performed, Problem>> {
  const { clock, options } = context;
  const began = clock.elapsed();
  try {
    return await asCoordinator(() => runOn(bound, context));
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason)
      return ok(nothingDone('interrupted', clock.elapsed() - began));
    if (error instanceof StateFileChanged) return err(changedProblem(error));
    const apart = engineProblem(error);
    if (apart !== undefined) return err(apart);
    if (!isSystemProblem(error)) throw error;
    return err(stoppedBy(error, state));
  }
}

async function runOn(bound: BoundPipeline, given: RunContext): Promise<Result<Performed, Problem>> {
  const { clock, live, redactor } = given;
  const began = clock.elapsed();
  const answer = (): LiveFacts => redactor.value(liveFacts(live, clock.elapsed()));
  const upToDate = UpToDate.of(bound, given);
  const reported = await upToDate?.reportIfSame(began, answer);
  if (reported !== undefined) return ok({ summary: reported, changed: false });
  const context: RunContext = {
    ...given,
    onEvent: (event) => {
      upToDate?.hear(event);
      given.onEvent(event);
    },
  };
  const { manner, options, onEvent, target } = context;
  const onWarning = (message: string): void => onEvent({ type: 'warning', message });
  const run = { id: options.runId, due: dueTimeOf(options) };
  const rehearsal = target.kind === 'rehearsal';
  const scheduleFrom = (ledger: Ledger) =>
    new LookSchedule({
      speedFactor: speedOf(context),
      // Rehearsals differ in their speed.
      known: () => knownDurations(rehearsal ? [] : ledger.jobs()),
    });
  const resting = (paths: RunPaths, ledger: Ledger) => {
    const { tier, looks } = readLooks(paths.looks);
    const last = new LastLooks(looks, scheduleFrom(ledger));
    return restingTasks({ pipeline: bound.pipeline, ledger, clock, looks: last, tier });
  };
  const record = recordFor(context);
  const opened = await prepare(bound, target, options, {
    ...{ env: options.env ?? process.env, redactor: given.redactor },
    ...{ access: 'run', run, clock, onWarning, stop: options.signal, record },
    onLook: (seen, of) => {
      live.look(seen, of);
      options.onLook?.(seen, of);
    },
    workers: { speedFactor: speedOf(context), backoffMs: context.internals.backoffMs ?? 1000 },
    stamps: upToDate?.stamps,
    answer,
    ...(manner === 'tick' ? { resting } : {}),
  });
  if (!opened.ok) return opened;
  await using prepared = opened.value;
  const { plan, warnings } = prepared.planned;
  if (run.due !== undefined && prepared.run.over) {
    onWarning(`the run that was due at ${run.due} has ended, and is not repeated`);
    const elapsedMs = clock.elapsed() - began;
    return ok(nothingDone('done', elapsedMs, { items: plan.items, ledger: prepared.state.ledger }));
  }
  if (options.reroll === undefined)
    for (const left of takesLeft(prepared.state.ledger, bound.pipeline.steps)) onWarning(left);
  const budget = smaller(options.budget, bound.pipeline.budget.credits);
  const tier = rehearsal ? rehearsalTier : undefined;
  const diagnostics = refusals(prepared, { budget, rehearsal, tier });
  if (diagnostics.length > 0) return err({ reason: 'input', diagnostics, ...bound.texts });
  const stale = savedPlanProblem(context, prepared, record);
  if (stale !== undefined) return err(stale);
  const { foreign } = prepared.planned;
  if (foreign.count > 0) {
    if ((await options.confirmReplace?.(foreignText(foreign))) !== true)
      return err(foreignProblem(foreign));
    prepared.made.allow();
  }
  onEvent({
    ...{ type: 'planned', plan, run: prepared.run.number },
    ...(budget === undefined ? {} : { budget }),
    ...(rehearsal || !pays(plan) ? {} : { usualMs: usualDurations(prepared.state.ledger.jobs()) }),
  });
  [...warnings, ...earlierWarnings(prepared.earlier)].forEach(onWarning);
  const overruled = overruledText(options.budget, bound);
  if (overruled !== undefined) onWarning(overruled);
  if (budget !== undefined && plan.credits > budget)
    onWarning(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: items are bought one by one, each only if all of it fits`,
    );
  const calendar = new CalendarBudget(calendarCaps(bound.pipeline));
  const limits = calendar.at(clock.now(), prepared.state.ledger);
  const behind = behindText(limits);
  if (behind !== undefined) onWarning(behind);
  for (const limit of limits) {
    const stops = stopText(limit, plan.credits);
    if (stops !== undefined) onWarning(stops.replace(/\.$/, ''));
  }
  const asleep = prepared.planned.asleep && prepared.earlier.runs.length === 0;
  const lookSchedule = scheduleFrom(prepared.state.ledger);
  const preparedRun: PreparedRun = { ...context, prepared, budget, began, asleep, lookSchedule };
  const resources = await openResources(preparedRun);
  if (!resources.ok) return resources;
  await using held = resources.value;
  const agreed = await agree(preparedRun, record, held.account.tier);
  if (!agreed.ok) return agreed;
  // Nobody asks during the run, which may take hours.
  prepared.planned.reasons.forget();
  const executed = await execute({ ...preparedRun, ...agreed.value }, held);
  prepared.receipts.book.finish();
  if (bound.pipeline.provenance)
    await writeProvenance({
      ...{ bound, paths: prepared.paths, ledger: prepared.state.ledger, disk: prepared.disk },
      ...{ rehearsal, redactor, signal: options.signal, onWarning },
    });
  await commitRun(preparedRun, executed.summary);
  if (!executed.changed)
    await upToDate?.keep(prepared.state.content, prepared.items, executed.summary);
  onEvent({ type: 'ended', summary: executed.summary });
  return ok(executed);
}

/** A run that ends before it begins anything. */
function nothingDone(
  end: 'done' | 'interrupted',
  elapsedMs: number,
  { items, ledger } = { items: 0, ledger: new Ledger() },
): Performed {
  const { reserved } = ledger.total;
  const credits = { charged: 0, refunded: 0, reserved };
  const builder = new SummaryBuilder();
  builder.addDoubts(ledger.doubts());
  const outcome = end === 'done' && builder.hasDoubts ? 'doubt' : end;
  const summary = builder.build(outcome, { items, elapsedMs, credits });
  return { summary, changed: false };
}

/** Why a distributed run cannot go on in this process. */
function engineProblem(error: unknown): Problem | undefined {
  if (error instanceof TermOver) {
    const hint = 'nothing is lost: the other process goes on with the run';
    return problem(error.message, 'this process stopped coordinating', hint);
  }
  if (!(error instanceof DatabaseAway)) return undefined;
  const hint =
    'everything that was recorded is safe: run the command again when the database is back';
  const message = `the database cannot be reached: ${scrubbed(error.message)}`;
  return { ...problem(message, 'the run stopped', hint), reason: 'unreachable' };
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
