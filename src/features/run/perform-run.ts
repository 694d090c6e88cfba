// Performs one run: plans it, refuses what can be refused before the first request, and executes the rest.

import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { creditDollarsOn } from '../../contract/api/tier.ts';
import { CalendarBudget, calendarCaps } from '../../core/calendar-budget.ts';
import { knownDurations, usualDurations } from '../../core/durations.ts';
import { firstDifference, PlanRecord } from '../../core/plan-record.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { Clock } from '../../core/ports.ts';
import { otherDoubtsOf, summaryOf } from '../../core/summary.ts';
import { Tally } from '../../core/tally.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { lostProblem, problem, Refusal } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { committed, Ledger } from '../../model/ledger.ts';
import { finalFailure } from '../../plan/decide.ts';
import { Generations } from '../../plan/generations.ts';
import { LookSchedule } from '../../plan/look-schedule.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import { LastLooks } from '../../run/jobs/looks.ts';
import { pays } from '../../service-api/check-service.ts';
import { rehearsalTier } from '../../service-api/connect-service.ts';
import { readLooks } from '../../state/memory-file.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { RecordLost } from '../../state/state-file.ts';
import { behindText, stopText } from '../../views/calendar-text.ts';
import { takesLeft } from '../../views/takes.ts';
import { performWithCore } from '../core/run.ts';
import { commitRun } from '../git/commit.ts';
import { earlierWarnings } from '../planning/earlier-runs.ts';
import { type Prepared, prepare } from '../planning/prepare.ts';
import { readPlan } from '../planning/read-plan.ts';
import {
  foreignText,
  generationLimits,
  generationsOn,
  overruledText,
  refusals,
  refuseForeign,
  smaller,
} from '../planning/refusals.ts';
import { refuseIfStale } from '../planning/saved-plan.ts';
import { writeProvenance } from '../provenance/provenance-file.ts';
import { refuse } from '../refuse.ts';
import { dueTimeOf, type PreparedRun, type RunContext, speedOf } from './context.ts';
import { execute, type Performed } from './execute.ts';
import { openResources } from './resources.ts';
import { UpToDate } from './up-to-date.ts';

/** `state`: the state file. */
export async function performRun(
  bound: BoundPipeline,
  context: RunContext,
  state: string,
): Promise<Performed> {
  const { clock, options } = context;
  const began = clock.elapsed();
  try {
    if (process.env['SHOTLIST_CORE'] === 'new') return await performWithCore(bound, context);
    return await runOn(bound, context);
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason)
      return nothingDone('interrupted', clock.elapsed() - began);
    if (error instanceof RecordLost) throw new Refusal(lostProblem(error));
    if (!isSystemProblem(error)) throw error;
    // Nothing new was sent after the journal could not be written, and everything sent before is recorded.
    throw new Refusal({
      ...problem(
        `${state} ${systemReason(error)}`,
        'the run stopped',
        'everything that was recorded is safe; fix this, then run again: nothing is paid twice',
      ),
      reason: 'system',
    });
  }
}

async function runOn(bound: BoundPipeline, given: RunContext): Promise<Performed> {
  const { clock, view, answer } = given;
  const began = clock.elapsed();
  const upToDate = UpToDate.of(bound, given);
  const reported = await upToDate?.reportIfSame(began);
  if (reported !== undefined) return { summary: reported, changed: false };
  const context: RunContext = {
    ...given,
    onEvent: (event) => {
      upToDate?.hear(event);
      given.onEvent(event);
    },
  };
  const { manner, options, onEvent, target } = context;
  const onWarning = (message: string): void => onEvent({ type: 'warning', message });
  const run = { due: dueTimeOf(options) };
  const rehearsal = target.kind === 'rehearsal';
  const scheduleFrom = (ledger: Ledger) =>
    new LookSchedule({
      speedFactor: speedOf(context),
      // Rehearsals differ in their speed.
      known: () => knownDurations(rehearsal ? [] : ledger.jobs()),
    });
  const resting = (paths: RunPaths, ledger: Ledger) =>
    restingTasks(bound.pipeline, paths, ledger, clock, scheduleFrom(ledger));
  // If nothing compares plans, a run need not look at every file twice.
  const record =
    options.savedPlan === undefined && options.confirm === undefined ? undefined : new PlanRecord();
  await using prepared = await prepare(bound, target, options, {
    env: options.env ?? process.env,
    redactor: given.redactor,
    access: 'run',
    run,
    clock,
    onWarning,
    stop: options.signal,
    record,
    onLook: (seen, of) => {
      view.look(seen, of);
      options.onLook?.(seen, of);
    },
    internals: context.internals,
    stamps: upToDate?.stamps,
    answer,
    resting: manner === 'tick' ? resting : undefined,
  });
  const { plan } = prepared.planned;
  if (run.due !== undefined && prepared.run.over) {
    onWarning(`the run that was due at ${run.due} has ended, and is not repeated`);
    const elapsedMs = clock.elapsed() - began;
    return nothingDone('done', elapsedMs, { items: plan.items, ledger: prepared.state.ledger });
  }
  if (options.reroll === undefined)
    for (const left of takesLeft(prepared.state.ledger, bound.pipeline.steps)) onWarning(left);
  const budget = smaller(options.budget, bound.pipeline.budget.credits);
  const tier = rehearsal ? rehearsalTier : undefined;
  const diagnostics = refusals(prepared, { budget, rehearsal, tier });
  if (diagnostics.length > 0) throw new Refusal({ reason: 'input', diagnostics, text: bound.text });
  if (options.savedPlan !== undefined && record !== undefined)
    await refuseIfStale(options.savedPlan, prepared, record);
  const { foreign } = prepared.planned;
  if (foreign.count > 0) {
    if ((await options.confirmReplace?.(foreignText(foreign))) !== true) refuseForeign(foreign);
    prepared.made.allow();
  }
  tellPlan(context, prepared, budget);
  const asleep = prepared.planned.asleep && prepared.earlier.runs.length === 0;
  const lookSchedule = scheduleFrom(prepared.state.ledger);
  const preparedRun: PreparedRun = { ...context, prepared, budget, began, asleep, lookSchedule };
  await using held = await openResources(preparedRun);
  const agreed = await agree(preparedRun, record, held.account.tier);
  // Nobody asks during the run, which may take hours.
  prepared.planned.reasons.forget();
  const executed = await execute({ ...preparedRun, ...agreed }, held);
  prepared.receipts.flush();
  if (bound.pipeline.provenance)
    await writeProvenance({
      bound,
      paths: prepared.paths,
      ledger: prepared.state.ledger,
      disk: prepared.disk,
      rehearsal,
      redactor: given.redactor,
      signal: options.signal,
      onWarning,
    });
  await commitRun(preparedRun, executed.summary);
  if (!executed.changed) await upToDate?.keep(prepared.items, executed.summary);
  onEvent({ type: 'ended', summary: executed.summary });
  return executed;
}

/** What a person should know before anything is paid. */
function tellPlan(
  { options, onEvent, target, clock }: RunContext,
  { bound, state, planned, earlier }: Prepared,
  budget: number | undefined,
): void {
  const { plan } = planned;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  const takesTime = target.kind !== 'rehearsal' && pays(plan);
  onEvent({
    type: 'planned',
    plan,
    budget,
    ...(takesTime ? { usualMs: usualDurations(state.ledger.jobs()) } : {}),
  });
  earlierWarnings(earlier).forEach(warn);
  const overruled = overruledText(options.budget, bound);
  if (overruled !== undefined) warn(overruled);
  if (budget !== undefined && plan.credits > budget)
    warn(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: items are bought one by one, each only if all of it fits`,
    );
  const limits = new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), state.ledger);
  const behind = behindText(limits);
  if (behind !== undefined) warn(behind);
  for (const limit of limits) {
    const stops = stopText(limit, plan.credits);
    if (stops !== undefined) warn(stops.replace(/\.$/, ''));
  }
}

/** A run that ends before it begins anything. */
function nothingDone(
  end: 'done' | 'interrupted',
  elapsedMs: number,
  { items, ledger } = { items: 0, ledger: new Ledger() },
): Performed {
  const { reserved } = ledger.total;
  const credits = { charged: 0, refunded: 0, reserved };
  const tally = new Tally();
  const otherDoubts = otherDoubtsOf(tally, ledger.doubts());
  const outcome = end === 'done' && otherDoubts !== undefined ? 'doubt' : end;
  const summary = summaryOf(tally, outcome, { items, elapsedMs, credits, otherDoubts });
  return { summary, changed: false };
}

// Before a run buys anything: it does what a saved plan says, or what a person has agreed to, and spends no more than that.

interface Agreement {
  /** Credits; undefined if there is no limit. */
  readonly budget: number | undefined;
  /** By the clock's `elapsed`: the time that a person thinks does not count. */
  readonly began: number;
}

/** `tier`: the account's plan, if it is known. */
async function agree(
  { options, target, prepared, budget, began, clock }: PreparedRun,
  record: PlanRecord | undefined,
  tier: string | undefined,
): Promise<Agreement> {
  if (record === undefined) return { budget, began };
  const { bound, planned } = prepared;
  const { plan } = planned;
  const most = totalOf(plan);
  // This run may continue another one.
  const spent = committed(prepared.state.ledger.account);
  const capped = most === undefined ? budget : smaller(budget, spent + most);
  if (options.savedPlan !== undefined) return { budget: capped, began };
  const above = options.confirmAbove ?? bound.pipeline.confirmAbove;
  const isMore = plan.credits > above || plan.unpriced > 0 || plan.uncounted > 0;
  if (options.confirm === undefined || target.kind === 'rehearsal' || !isMore)
    return { budget, began };
  const reading = await readPlan(prepared, {
    generations: generationsOn(tier),
    creditDollars: creditDollarsOn(tier),
    budget,
    rehearsal: false,
    now: clock.now(),
  });
  if (!(await options.confirm({ plan, reading, above })))
    throw new Refusal({ ...problem('nothing was bought: the answer was no'), declined: true });
  const again = new PlanRecord();
  await prepared.replan(again.add);
  if (again.digest === record.digest) return { budget: capped, began: clock.elapsed() };
  const task = firstDifference(record.tasks, again.tasks);
  const what = task === undefined ? 'the plan is' : `${task} is`;
  return refuse(
    `nothing was bought: ${what} no longer as it was shown, because a file has changed meanwhile`,
    'run the command again, and look at the new plan',
  );
}

/** Undefined if nobody knows the most that the plan may take. */
const totalOf = ({ credits, unpriced, uncounted }: Plan): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : credits;

// Which planned tasks have nothing to do in a tick now: if all of them rest, the tick asks the service nothing.

/** True for a task that a tick cannot bring forward now. The steps before the task are over. */
function restingTasks(
  { limits, steps }: Pipeline,
  paths: RunPaths,
  ledger: Ledger,
  clock: Clock,
  schedule: LookSchedule,
): (planned: PlannedTask) => boolean {
  // The account's tier, as an earlier tick learned it.
  const { tier, looks: known } = readLooks(paths.looks);
  const looks = new LastLooks(known, schedule);
  const generations = new Generations({
    ledger,
    steps,
    now: () => clock.now(),
    limits: generationLimits(limits, tier, 'tick'),
  });
  const isFull = generations.isFull();
  const now = clock.now();
  return ({ step, action, fingerprint }) => {
    const job = fingerprint === undefined ? undefined : ledger.job(fingerprint);
    if (action === 'attach') {
      const { project, kind, at } = job ?? {};
      if (project === undefined || kind === undefined || at === undefined) return false;
      return !looks.isDue({ project, kind, since: Date.parse(at) }, now);
    }
    if (action !== 'begin') return false;
    switch (step.kind.operation) {
      case 'upload':
      case 'detect':
        return isFull;
      case 'create':
        return (
          !generations.hasRoom(step.kind.name) || finalFailure(job, step.attempts) !== undefined
        );
      default:
        return false;
    }
  };
}
