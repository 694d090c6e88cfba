// Performs a prepared run: the client, the journal and the phases, until everything is done or the run stops.

import { shotlistLine } from '../../base/shell.ts';
import { FileFacts } from '../../core/file-facts.ts';
import { JournalWriter } from '../../core/journal-writer.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { MediaApi } from '../../core/ports.ts';
import type { PaidProjects, ReachedCap, Summary } from '../../core/run-event.ts';
import type { Stopped } from '../../core/summary.ts';
import { otherDoubtsOf, outcomeOf, summaryOf } from '../../core/summary.ts';
import { shownPath } from '../../files/shown-path.ts';
import { unsorted } from '../../language/load/refusal.ts';
import { committed } from '../../model/ledger.ts';
import { formatVersion } from '../../model/record/schemas.ts';
import { stepOf } from '../../model/task.ts';
import type { Attention, JobContext } from '../../run/jobs/job-context.ts';
import { LastLooks, LookBudget, type RenderingProject } from '../../run/jobs/looks.ts';
import { Outages } from '../../run/jobs/outages.ts';
import { ProjectIds } from '../../run/jobs/project-ids.ts';
import { ManifestNotes } from '../../run/manifest-notes.ts';
import { resolveFromLedger } from '../../service-api/connect-service.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import { pacer, requestRates } from '../../service-api/request-rate.ts';
import { ManifestFile } from '../../state/manifests.ts';
import { readLooks, writeLooks } from '../../state/memory-file.ts';
import type { RunFile } from '../../state/run-file.ts';
import { ensureUnion } from '../git/union.ts';
import { openRunFile } from '../open-run-file.ts';
import { generationLimits } from '../planning/refusals.ts';
import { resultFates } from '../result-fate.ts';
import { type PreparedRun, speedOf } from './context.ts';
import { Deadline } from './deadline.ts';
import { type MachineStop, type PhaseOptions, type PhaseResult, runPhases } from './phases.ts';
import type { AccountFacts, RunResources } from './resources.ts';

export interface Performed {
  readonly summary: Summary;
  /** True if the state file has changed. */
  readonly changed: boolean;
}

export async function execute(run: PreparedRun, resources: RunResources): Promise<Performed> {
  const { prepared, options, redactor, clock, target, internals } = run;
  const { service } = resources;
  const leave = new Deadline(clock, (options.detachAfterMs ?? 0) - (clock.elapsed() - run.began));
  const overdue = new Deadline(clock);
  overdue.beginAfter(leave.passed);
  if (options.detachAfterMs !== undefined) void leave.begin();
  const stopper = new AbortController();
  const grace = new Deadline(clock, options.graceMs);
  if (options.signal !== undefined) grace.beginAfter(options.signal);
  grace.passed.addEventListener('abort', () => resources.cutStore(), { once: true });
  const { requestsPerMinute } = prepared.bound.pipeline.limits;
  const { backoffMs = 1000 } = internals;
  const stop = stopper.signal;
  const pace = pacer(requestsPerMinute, clock, stop);
  const rates = requestRates({ clock, stop, pace, backoffMs });
  const client = lazyClient({
    stop,
    cut: grace.passed,
    rates,
    redactor,
    clock,
    base: service.address,
    key: service.key,
    loopbackOnly: target.kind === 'rehearsal',
    ...internals.client,
  });
  const opened = await openJournal(run, resources);
  const { ledger } = prepared.state;
  const manifests = await ManifestFile.open(prepared.paths.manifests);
  const { file } = opened;
  const journal: JournalWriter = new JournalWriter(ledger, internals.lines?.(file) ?? file, clock, {
    run: { due: prepared.run.due },
    redactor,
    receipts: prepared.receipts,
  });
  try {
    return await record({
      ...opened,
      run,
      resources,
      client,
      backoffMs,
      stopper,
      journal,
      manifests,
      leave: leave.passed,
      overdue: overdue.passed,
      pace: () => rates.creations.turn(),
      projects: new ProjectIds(() => ledger.projects()),
    });
  } catch (error) {
    for (const made of journal.unwritten)
      run.onEvent({ type: 'warning', message: unrecorded(made) });
    throw error;
  } finally {
    // After a failure of the journal, nothing may continue in the background.
    stopper.abort();
    leave.cancel();
    overdue.cancel();
    await file.close();
    await manifests.close((job) => ledger.job(job) !== undefined);
    if (manifests.problem !== undefined)
      run.onEvent({ type: 'warning', message: unkept(manifests) });
    grace.beginAfter(stopper.signal);
    await client.close();
    grace.cancel();
  }
}

interface Execution extends OpenJournal {
  readonly run: PreparedRun;
  readonly resources: RunResources;
  readonly client: MediaApi;
  readonly pace: JobContext['pace'];
  readonly backoffMs: number;
  readonly stopper: AbortController;
  readonly journal: JournalWriter;
  readonly manifests: ManifestFile;
  readonly projects: ProjectIds;
  /** `--detach-after`: aborted when the run no longer waits for projects that render. */
  readonly leave: AbortSignal;
  /** Aborted when it ends whatever it still waits for, such as a service that is down. */
  readonly overdue: AbortSignal;
}

/** Runs the phases; ends and compacts the journal. */
async function record(execution: Execution): Promise<Performed> {
  const { run, resources, file, journal, replaced } = execution;
  const { prepared, manner, options, clock, onEvent } = run;
  const { service, account } = resources;
  const { ledger } = prepared.state;
  const before = ledger.learnt;
  const isScheduled = ledger.openRun?.due !== undefined;
  if (options.due !== undefined) {
    journal.begin();
    await file.sync();
  }
  const { remembered } = prepared;
  if (account.asked) remembered.paidBy(account.read);
  const onWait = (message: string): void => onEvent({ type: 'note', message });
  remembered.recordWith({ journal, onWait });
  if (service.ledger !== undefined) resolveFromLedger(journal, service.ledger);
  const memory = new RunMemory(run, account);
  const { balance } = account;
  // Together with what was spent before: an account that is large enough is no cap.
  const short = balance !== undefined && balance < prepared.planned.plan.credits;
  const limits = {
    balance: short ? committed(ledger.account) + balance : undefined,
    needs: short ? await prepared.findNeeds() : prepared.planned.needs,
  };
  // Before the state file is there: a merge of two new ones must not be a conflict.
  if (prepared.state.header === undefined && run.target.kind !== 'rehearsal') {
    const message = await ensureUnion(prepared.paths.state, { env: options.env ?? process.env });
    if (message !== undefined) onEvent({ type: 'note', message });
  }
  const { tally, stopped } = await phases(execution, memory, limits);
  const { interrupted, machine, outage, money, left } = stopped;
  const goesOn = tally.isLeft || left;
  // Nobody watches ticks: a tick that reached its budget leaves the next run, with a new budget, to a person.
  const keepsBudget = manner === 'tick' && money;
  // Another take is no part of a scheduled run that was interrupted: that one continues later.
  const isBeside = options.reroll !== undefined && isScheduled;
  if (!interrupted && !machine && !outage && !goesOn && !keepsBudget && !isBeside) journal.end();
  await file.flush();
  journal.noteRest();
  await resources.diskReserve.remove();
  // Another run that has begun meanwhile has read the file, and appends to it.
  if (execution.isAlone()) {
    const written = await file.writeWhole();
    if (!written.ok) onEvent({ type: 'warning', message: unsorted(written.error) });
  }
  await memory.save();
  const isReplaced = replaced.signal.aborted;
  if (isReplaced) onEvent({ type: 'warning', message: replaced.why });
  const end = isReplaced && !stopped.machine ? byMachine(stopped, replaced.why) : stopped;
  const otherDoubts = otherDoubtsOf(tally, ledger.doubts());
  const after = ledger.learnt;
  const outcome = outcomeOf(tally, end, otherDoubts);
  const charged = after.charged - before.charged;
  const refunded = after.refunded - before.refunded;
  const summary = summaryOf(tally, outcome, {
    otherDoubts,
    items: prepared.planned.plan.items,
    stopped: end.why,
    stoppedBy: end.by,
    cap: reachedCap(run, end, charged - refunded) ?? tally.heldItems,
    paid: paidProjects(run, outcome),
    resumesAt: end.until === undefined ? undefined : new Date(end.until).toISOString(),
    wakeAt: goesOn ? memory.wakeAt() : undefined,
    credits: { charged, refunded, reserved: ledger.total.reserved },
    elapsedMs: clock.elapsed() - run.began,
  });
  return { summary, changed: journal.wrote };
}

/** The run found out after its last task. */
const byMachine = (stopped: Stopped, why: string): Stopped => ({
  ...stopped,
  machine: true,
  why: stopped.why ?? why,
  by: stopped.by ?? 'machine',
});

/** Undefined for a run that waits until everything is over. */
function attentionOf(
  { manner, options }: PreparedRun,
  leave: AbortSignal,
  looks: LastLooks,
): Attention | undefined {
  if (manner === 'tick') return { kind: 'look', leave, looks };
  return options.detachAfterMs === undefined ? undefined : { kind: 'wait', leave, looks };
}

async function phases(
  execution: Execution,
  memory: RunMemory,
  limits: Pick<PhaseOptions, 'balance' | 'needs'>,
): Promise<PhaseResult> {
  const { run, client, pace, backoffMs, stopper, journal, manifests } = execution;
  const { service, inbox, store } = execution.resources;
  const { prepared, manner, options, internals, clock, budget, onEvent, view } = run;
  const { bound, base, items, excluded, planned, takes, earlier } = prepared;
  const { remembered } = prepared;
  const { pipeline } = bound;
  const { disk } = prepared;
  const outages = new Outages({
    clock,
    backoffMs,
    onEvent,
    stop: stopper.signal,
    address: service.address,
    api: internals.api?.(client) ?? client,
    limitMs: pipeline.limits.outageMs,
  });
  return await runPhases({
    pipeline,
    base,
    list: items,
    plannedItems: planned,
    stopper,
    excluded,
    journal,
    view,
    machineStops: [execution.low, execution.replaced, execution.unlocked],
    clock,
    budget,
    onEvent,
    fileFacts: new FileFacts(disk),
    signal: options.signal,
    leave: execution.leave,
    overdue: execution.overdue,
    isTick: manner === 'tick',
    ...limits,
    takes,
    earlier: earlier.runs,
    remembered,
    begun: planned.inProgress,
    visitsAll: !manifests.hasAll(planned.references.marks),
    manifests: new ManifestNotes(manifests, run.redactor, clock),
    generationLimits: generationLimits(pipeline.limits, memory.tier, manner),
    context: {
      api: outages.api,
      outages,
      disk,
      clock,
      pace,
      backoffMs,
      inbox,
      store,
      projects: execution.projects,
      lookSchedule: run.lookSchedule,
      remembered,
      attention: attentionOf(run, execution.leave, memory.looks),
      looks: new LookBudget(clock, speedOf(run)),
      isAlone: execution.isAlone,
    },
    payAgain: options.payAgain ?? false,
    requireOutputs: options.requireOutputs ?? false,
    listening: inbox !== undefined,
    wrapPerformer: internals.performer,
  });
}

const unkept = ({ path, problem }: ManifestFile): string =>
  `${path} ${problem}: plan --explain cannot say what has changed since the projects of this run`;

/** The last line of defense: the disk did not take the record, so the user must keep it. */
const unrecorded = ({ name, project }: { name: string; project: string }): string =>
  `the service created project ${project} for ${JSON.stringify(name)}, which may not be on disk: ` +
  `if it is in doubt afterwards, ${shotlistLine('resolve', [{ placeholder: '<file>' }, name], ['--project', project])}`;

// What a summary says of an early end besides its reason: the cap that was reached, and what is paid for and not fetched.

/** `net`: credits of this run, refunds taken off. Undefined if no cap of the whole run was reached. */
function reachedCap(run: PreparedRun, stopped: Stopped, net: number): ReachedCap | undefined {
  const { limit } = stopped;
  if (limit === undefined || limit.of === 'balance') return undefined;
  const { ledger } = run.prepared.state;
  const { of, most, spent } = limit;
  const rest = restOf(run.prepared.planned.plan, net);
  if (of !== 'run') {
    const needed = rest === undefined ? {} : { needed: spent + rest };
    return { name: of === 'day' ? 'budget.per_day' : 'budget.per_month', most, spent, ...needed };
  }
  // What is on the account now counts against the budget of the next run.
  const needed = rest === undefined ? {} : { needed: committed(ledger.account) + rest };
  return { name: nameOf(run, most), most, spent, ...needed };
}

/** The most that the tasks of the plan may take which this run did not pay for; undefined if nobody knows. */
const restOf = ({ credits, unpriced, uncounted }: Plan, net: number): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : Math.max(0, credits - net);

function nameOf({ options, prepared }: PreparedRun, most: number): ReachedCap['name'] {
  if (most === prepared.bound.pipeline.budget.credits) return 'budget.credits';
  return most === options.budget ? '--budget' : 'plan';
}

/** Projects of this run, and those of earlier runs that its plan needs. Undefined if there are none. */
function paidProjects(
  { prepared }: PreparedRun,
  outcome: Summary['outcome'],
): PaidProjects | undefined {
  if (outcome === 'done') return undefined;
  const { state, planned, bound } = prepared;
  const { ledger } = state;
  const began = ledger.runs().at(-1)?.at ?? '';
  const concerns = ({ job, at }: { readonly job: string; readonly at: string }): boolean =>
    at >= began || planned.references.has(job);
  const rendering = [...ledger.unsettled()].filter(concerns).length;
  const fateOf = resultFates(bound.pipeline.steps);
  let ready = 0;
  for (const line of ledger.jobs())
    if (line.state === 'complete' && (line.outputs?.length ?? 0) === 0 && concerns(line))
      if (line.tasks.some((task) => fateOf(stepOf(task)) === 'fetched')) ready += 1;
  return rendering + ready === 0 ? undefined : { rendering, ready };
}

// What a run remembers for the next one in this checkout: its looks at projects that still render, and the account's plan.

class RunMemory {
  readonly looks: LastLooks;
  /** The account's tier; from an earlier run if this one did not ask. */
  readonly tier: string | undefined;
  readonly #run: PreparedRun;
  readonly #isNew: boolean;

  constructor(run: PreparedRun, account: AccountFacts) {
    const known = readLooks(run.prepared.paths.looks);
    this.#run = run;
    this.looks = new LastLooks(known.looks, run.lookSchedule);
    this.tier = account.asked ? account.tier : known.tier;
    this.#isNew = this.tier !== known.tier;
  }

  /** When the next look is useful, ISO 8601: at a project that this run left, else at one that an earlier run left. */
  wakeAt(): string {
    const now = this.#run.clock.now();
    const moment = this.looks.nextMoment(this.#rendering(), now) ?? now;
    return new Date(Math.max(now, moment)).toISOString();
  }

  /** Writes what is new. Without the file, the next run looks once more, which is all. */
  async save(): Promise<void> {
    const { manner, options, prepared, onEvent } = this.#run;
    if (manner === 'run' && options.detachAfterMs === undefined) return;
    const { tier } = this;
    const rendering = new Set(this.#rendering().map(({ project }) => project));
    const looks = this.looks.remembered(rendering, this.#isNew);
    if (looks === undefined) return;
    const written = await writeLooks(prepared.paths.looks, { tier, looks });
    if (written.ok) return;
    const message = `${written.error}: the next tick may look at projects too early`;
    onEvent({ type: 'warning', message });
  }

  #rendering(): readonly RenderingProject[] {
    return [...this.#run.prepared.state.ledger.unsettled()].flatMap(({ project, kind, at }) =>
      project === undefined ? [] : [{ project, kind, since: Date.parse(at) }],
    );
  }
}

interface OpenJournal {
  readonly file: RunFile;
  /** Aborted when the disk has no room for the journal except the disk reserve, which is kept for its last lines. */
  readonly low: MachineStop;
  /** Aborted when another program has replaced the state file by something that is no record. */
  readonly replaced: MachineStop;
  /** Aborted when `isAlone` has found that the lock is gone. */
  readonly unlocked: MachineStop;
  /** Whether the lock is still this run's. */
  readonly isAlone: () => boolean;
}

const unlockedText = (lock: string): string =>
  `the lock ${shownPath(lock)} was removed or replaced during the run, so another run may have begun: run again when none is active`;

const diskFull = 'the disk is full: make room and run again; nothing is paid twice';

async function openJournal(
  { prepared, clock, internals, options }: PreparedRun,
  { diskReserve }: RunResources,
): Promise<OpenJournal> {
  const { bound, paths, state, lock } = prepared;
  const [low, replaced, unlocked] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ];
  const problem = { signal: replaced.signal, why: '' };
  const stops = {
    low: { signal: low.signal, why: diskFull },
    replaced: problem,
    unlocked: { signal: unlocked.signal, why: unlockedText(paths.lock) },
    isAlone: () => {
      if (lock?.isStill === false) unlocked.abort();
      return !unlocked.signal.aborted;
    },
  };
  const header = {
    shotlist: formatVersion,
    pipeline: bound.name,
    service: paths.serviceName,
  } as const;
  const { env = process.env } = options;
  const file = openRunFile({
    paths,
    state,
    header,
    env,
    clock,
    internals,
    makeRoom: () => {
      if (!diskReserve.give()) return false;
      low.abort();
      return true;
    },
    onProblem: (why) => {
      problem.why = why;
      replaced.abort();
    },
  });
  return { file, ...stops };
}
