// Performs one run, from top to bottom: plan, refusals, what is held open, agreement, what is owed, the walk, the end.
import { existsSync } from 'node:fs';
import { Cleanup } from '../../base/cleanup.ts';
import { ok } from '../../base/result.ts';
import { shotlistLine } from '../../base/shell.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { count, duration } from '../../base/text.ts';
import { Asking } from '../../core/ask.ts';
import { CalendarBudget, calendarCaps } from '../../core/calendar-budget.ts';
import { Calls, ownerOf } from '../../core/calls.ts';
import { Creations, type Lost } from '../../core/create.ts';
import { isAway } from '../../core/decide.ts';
import { knownDurations, usualDurations } from '../../core/durations.ts';
import type { Ended } from '../../core/ended.ts';
import { Files } from '../../core/files.ts';
import type { IsYoung } from '../../core/findings.ts';
import { LocalHands } from '../../core/hands.ts';
import { Inbox } from '../../core/inbox.ts';
import { Journal } from '../../core/journal.ts';
import { Live } from '../../core/live.ts';
import { Looks } from '../../core/looks.ts';
import { ActingPerformer } from '../../core/perform.ts';
import type { Clock, JobApi, MediaApi } from '../../core/ports.ts';
import { Projects } from '../../core/projects.ts';
import type { RunOutcome, StoppedBy, Summary } from '../../core/run-event.ts';
import type { RunView } from '../../core/run-view.ts';
import { SavingPerformer } from '../../core/saving.ts';
import { Settled } from '../../core/settled.ts';
import { projectsOn, Slots, slotLimits } from '../../core/slots.ts';
import { type Closed, Spending } from '../../core/spending.ts';
import { StepBreaker } from '../../core/step-breaker.ts';
import { otherDoubtsOf, outcomeOf, summaryOf } from '../../core/summary.ts';
import { takesLeft } from '../../core/takes.ts';
import { Telling } from '../../core/telling.ts';
import { longestWait } from '../../core/timeout.ts';
import { UploadAddresses } from '../../core/upload-addresses.ts';
import { type See, Walk } from '../../core/walk.ts';
import { Reasons } from '../../core/why.ts';
import type { World } from '../../core/world.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { lostProblem, problem, Refusal, unsorted } from '../../language/load/refusal.ts';
import { doubtsIn } from '../../model/job-view.ts';
import { current, isOpen, isOver, silentCoordinator } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Attempt, Job } from '../../model/record/line.ts';
import { formatVersion } from '../../model/record/schemas.ts';
import { balanceOf, checkService, pays } from '../../service-api/check-service.ts';
import { connectService, rehearsalTier } from '../../service-api/connect-service.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { LedgerEntry } from '../../service-api/local-service.ts';
import { pacer, requestRates } from '../../service-api/request-rate.ts';
import { receiveEvents } from '../../service-api/webhooks.ts';
import { nothingReserved, takeDiskReserve } from '../../state/disk-reserve.ts';
import type { RunFile } from '../../state/run-file.ts';
import { RecordLost } from '../../state/state-file.ts';
import { checkStore, openStore } from '../../stores/open-store.ts';
import { stopText } from '../../views/calendar-text.ts';
import { commitRun } from '../git/commit.ts';
import { ensureUnion } from '../git/union.ts';
import { openRunFile } from '../open-run-file.ts';
import type { OpenState } from '../open-state.ts';
import { openPlanning, type Planning } from '../planning/planning.ts';
import { noticesOf, refusalsOf, refuseBeyondPlan, statedPrices } from '../planning/refusals.ts';
import { WalkedOrigins } from '../provenance/origins.ts';
import { writeProvenance } from '../provenance/provenance-file.ts';
import { refuse } from '../refuse.ts';
import { type Agreement, agree, keepToPlan } from './agreement.ts';
import { dueTimeOf, type RunContext, speedOf } from './context.ts';
import { Deadline } from './deadline.ts';

/** No project takes so long. */
const longestMs = 24 * 3_600_000;

const detached = 'left as --detach-after says; the next run continues it';

export interface Performed {
  readonly summary: Summary;
  readonly changed: boolean;
}

/** `state`: the state file. Throws `Refusal`. */
export async function perform(
  bound: BoundPipeline,
  context: RunContext,
  state: string,
): Promise<Performed> {
  const { clock, options, view } = context;
  const began = clock.elapsed();
  try {
    return await performFrom(bound, context, began);
  } catch (error) {
    // Before it began anything.
    if (options.signal?.aborted === true && error === options.signal.reason)
      return idle(view, 'interrupted', { items: 0, elapsedMs: clock.elapsed() - began });
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

async function performFrom(
  whole: BoundPipeline,
  context: RunContext,
  began: number,
): Promise<Performed> {
  const { clock, options, onEvent, target, redactor, internals, view } = context;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  let reasons: Reasons | undefined;
  let settled: Settled | undefined;
  await using planning = await openPlanning(whole, target, options, {
    access: 'run',
    env: options.env ?? process.env,
    redactor,
    clock,
    internals,
    engine: context.engine?.record,
    onWarning: warn,
    due: dueTimeOf(options),
    stop: options.signal,
    answer: context.answer,
    isYoung: context.manner === 'tick' ? (opened) => isYoungIn(context, opened) : undefined,
    see:
      async ({ ledger }) =>
      () => {
        const all = new Settled(ledger);
        settled = all;
        if (options.confirm === undefined) return all.see;
        const why = new Reasons(ledger);
        reasons = why;
        return (task, end) => {
          all.see(task, end);
          why.see(task, end);
        };
      },
    onLook: (seen, of) => {
      view.look(seen, of);
      options.onLook?.(seen, of);
    },
  });
  const rehearsal = target.kind === 'rehearsal';
  const { bound, planned, run, ledger, opened, paths, disk, items, excluded } = planning;
  if (run.due !== undefined && run.over) {
    warn(`the run that was due at ${run.due} has ended, and is not repeated`);
    const { reserved } = ledger.totals();
    const otherDoubts = otherDoubtsOf(view, doubtsIn(ledger));
    const outcome = otherDoubts === undefined ? 'done' : 'doubt';
    const { items: total } = planned.plan;
    const elapsedMs = clock.elapsed() - began;
    return idle(view, outcome, { items: total, elapsedMs, reserved, otherDoubts });
  }
  const diagnostics = refusalsOf(planning, rehearsal ? rehearsalTier : undefined, rehearsal);
  if (diagnostics.length > 0) throw new Refusal({ reason: 'input', diagnostics, text: bound.text });
  if (options.plan !== undefined) keepToPlan(options.plan, planning);
  // A run saves the takes that are owed.
  if (options.reroll === undefined && !planned.owed.some(({ job }) => job.take !== undefined))
    for (const left of takesLeft(opened.state.ledger, bound.pipeline.steps)) warn(left);
  tellPlan(context, planning);
  await using cleanup = new Cleanup();
  const parts = await openParts(context, planning, cleanup);
  const agreed = await agree(context, planning, { reasons, tier: parts.tier, began });
  const origins = bound.pipeline.provenance ? new WalkedOrigins(ledger, bound.folder) : undefined;
  const isQuiet = planned.owed.length === 0 && planned.unsaved === undefined && !planning.hasNews;
  const { done: isSure } = ledger.inDoubt().next();
  // Items are told of by their tasks.
  const isTold = planning.program.own.length > 0 && origins === undefined;
  const isSettled = isQuiet && isTold && isSure === true && settled?.isAll === true;
  const performed = await carryOut(context, planning, parts, {
    agreed,
    settled: isSettled ? settled : undefined,
    origins,
  });
  planning.receipts.flush();
  const isPart = items.count < items.total || excluded.size > 0 || options.reroll !== undefined;
  if (origins !== undefined)
    await writeProvenance({
      bound,
      rehearsal,
      redactor,
      ledger: opened.state.ledger,
      signal: options.signal,
      paths,
      disk,
      onWarning: warn,
      origins: origins.origins(!isPart && performed.summary.stopped === undefined),
    });
  await commitRun(
    { ...context, prepared: { bound, paths, state: opened.state } },
    performed.summary,
  );
  onEvent({ type: 'ended', summary: performed.summary });
  return performed;
}

type IdleFacts = Pick<Summary, 'elapsedMs' | 'otherDoubts'> & {
  readonly items: number;
  readonly reserved?: number;
};

/** A run that does nothing. */
function idle(
  view: RunView,
  outcome: RunOutcome,
  { reserved = 0, ...facts }: IdleFacts,
): Performed {
  const credits = { charged: 0, refunded: 0, reserved };
  return { summary: summaryOf(view, outcome, { ...facts, credits }), changed: false };
}

/** What a person should know before anything is paid. */
function tellPlan({ options, onEvent, target, clock }: RunContext, planning: Planning): void {
  const { bound, opened, planned, ledger, caps } = planning;
  const { plan } = planned;
  const budget = caps.run;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  const takesTime = target.kind !== 'rehearsal' && pays(plan);
  const usualMs = takesTime ? usualDurations(opened.state.ledger.jobs()) : undefined;
  onEvent({ type: 'planned', plan, budget, usualMs });
  const limits = new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), ledger);
  noticesOf(planning, options.budget, limits).forEach(warn);
  if (budget !== undefined && plan.credits > budget)
    warn(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: items are bought one by one, each only if all of it fits`,
    );
  for (const limit of limits) {
    const stops = stopText(limit, plan.credits);
    if (stops !== undefined) warn(stops.replace(/\.$/, ''));
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** What a run holds open besides its plan. Sends only free requests. Nothing is bought before this has succeeded. */
async function openParts(context: RunContext, planning: Planning, cleanup: Cleanup) {
  const { target, options, clock, redactor, onEvent, internals } = context;
  const { bound, paths, planned, opened } = planning;
  const diskReserve =
    internals.record === undefined ? await takeDiskReserve(paths.diskReserve) : ok(nothingReserved);
  if (!diskReserve.ok)
    return refuse(
      `the disk space for the journal could not be reserved: ${diskReserve.error}`,
      'nothing was sent; free some space or check the disk, then run again',
    );
  cleanup.defer(() => diskReserve.value.remove());
  // Until the run hears them, events stay with the service.
  const events: { deliver?: Inbox['receive'] } = {};
  const doubts = doubtsIn(planning.ledger).filter(({ job }) => planned.doubts.has(job)).length;
  if (context.webhooks !== undefined) {
    const receiver = await receiveEvents(context.webhooks, {
      redactor,
      clock,
      onEvent,
      doubts,
      tell: async (_record, project, enough) => (await events.deliver?.(project, enough)) ?? false,
    });
    cleanup.defer(() => receiver.close());
  }
  const asleep = context.manner === 'tick' && planned.isAsleep && planned.owed.length === 0;
  const asked = { redactor, clock, signal: options.signal, asleep, api: internals.api };
  const { account } = await checkService(target, planned.plan, asked);
  if (account !== undefined) {
    const { credits: balance, tier, warning } = balanceOf(planned.plan, account);
    if (balance !== undefined) onEvent({ type: 'account', balance, tier });
    if (warning !== undefined) onEvent({ type: 'warning', message: warning });
    const diagnostics = refuseBeyondPlan(planned.tiers, tier, bound);
    if (diagnostics.length > 0)
      throw new Refusal({ reason: 'input', diagnostics, text: bound.text });
  }
  const cut = new AbortController();
  const store = context.store && (await openStore(context.store, cut.signal));
  if (store !== undefined) {
    cleanup.defer(() => store[Symbol.asyncDispose]());
    await checkStore(store.store);
  }
  const rehearsal = target.kind === 'rehearsal';
  if (rehearsal && opened.state.header !== undefined && !existsSync(paths.serviceData))
    onEvent({ type: 'warning', message: movedText(paths.runFolder) });
  const service = await connectService({
    target,
    clock,
    folders: paths,
    stated: statedPrices(bound),
    speed: options.rehearsalSpeed ?? 'instant',
    pictures: options.rehearsalPictures ?? 'real',
  });
  cleanup.defer(() => service.close());
  const kinds = new Set(bound.pipeline.steps.map((step) => step.kind.name));
  for (const message of service.notes?.(kinds) ?? []) onEvent({ type: 'note', message });
  const read = account?.ok === true ? account.value : undefined;
  const tier = rehearsal ? rehearsalTier : read?.tier;
  const most = projectsOn(tier);
  if (most !== undefined && tier !== undefined && pays(planned.plan))
    onEvent({ type: 'generations', most, tier });
  const balance = rehearsal ? undefined : read?.credits;
  return {
    diskReserve: diskReserve.value,
    service,
    store,
    cut,
    tier,
    balance,
    account: read,
    events,
  };
}

/** What the state file says of projects is not known to a service that has no data yet. */
const movedText = (runFolder: string): string =>
  `the local service of this rehearsal is not here: the folder was moved or copied, or the rehearsal is another user's; to start it over, remove ${runFolder}`;

/** What ends a run early: a person, the time, this machine, the service. */
class Stop {
  readonly #onEvent: RunContext['onEvent'];
  readonly #controller = new AbortController();
  /** Aborted: nothing new begins, and what is in flight ends. */
  readonly signal = this.#controller.signal;
  #because: { readonly what: StoppedBy; readonly why: string } | undefined;
  /** Everything is done. */
  isOver = false;

  constructor(onEvent: RunContext['onEvent']) {
    this.#onEvent = onEvent;
  }

  /** The first reason stays. `isLate`: one that counts when everything is done, too. */
  halt(what: StoppedBy, why: string, isLate = false): void {
    if (this.#because !== undefined || (this.isOver && !isLate)) return;
    this.#because = { what, why };
    this.#onEvent({ type: 'stopping', why });
    this.end();
  }

  end(): void {
    this.#controller.abort();
  }

  /** Why it ended early, if it did. What closed the budget before says more than that the run was left. */
  reason(closed: Closed | undefined) {
    const because = this.#because;
    if (because !== undefined && (because.what !== 'left' || closed === undefined))
      return { by: because.what, why: because.why };
    return { by: closed?.because, why: closed?.why, limit: closed?.limit };
  }
}

interface Intended {
  readonly agreed: Agreement;
  /** What the plan says of everything, if nothing is to be done. */
  readonly settled: Settled | undefined;
  /** Undefined if nobody wants to know. */
  readonly origins: WalkedOrigins | undefined;
}

async function carryOut(
  context: RunContext,
  planning: Planning,
  parts: Parts,
  intended: Intended,
): Promise<Performed> {
  const { options, clock, internals, onEvent, redactor, target } = context;
  const { bound, paths, opened, ledger } = planning;
  const { service, diskReserve, cut } = parts;
  const { engine } = context;
  const stop = new Stop(onEvent);
  const env = options.env ?? process.env;
  const grace = new Deadline(clock, options.graceMs);
  if (options.signal !== undefined) grace.beginAfter(options.signal);
  grace.passed.addEventListener('abort', () => cut.abort(), { once: true });
  const { backoffMs = 1000 } = internals;
  const pace = pacer(bound.pipeline.limits.requestsPerMinute, clock, stop.signal);
  const rates = requestRates({ clock, stop: stop.signal, pace, backoffMs });
  const client = lazyClient({
    stop: stop.signal,
    cut: grace.passed,
    rates,
    redactor,
    clock,
    base: service.address,
    key: service.key,
    loopbackOnly: target.kind === 'rehearsal',
    inTime: engine && ((name) => engine.isInTime(name)),
    ...internals.client,
  });
  const open = (onNews?: () => void): RunFile =>
    openRunFile({
      paths,
      state: opened.state,
      header: { shotlist: formatVersion, pipeline: bound.name, service: paths.serviceName },
      clock,
      internals,
      env,
      makeRoom: () => {
        if (!diskReserve.give()) return false;
        stop.halt('machine', 'the disk is full: make room and run again; nothing is paid twice');
        return true;
      },
      onProblem: (why) => stop.halt('machine', why, true),
      onNews,
    });
  const file = engine === undefined ? open() : await engine.file({ open, ledger, cut: cut.signal });
  const journal = new Journal({
    ledger,
    file: internals.lines?.(file) ?? file,
    clock,
    redactor,
    receipts: planning.receipts,
    due: planning.run.due,
  });
  const onAbort = (): void => stop.halt('interrupt', 'interrupted');
  if (options.signal?.aborted === true) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const leave = new Deadline(
    clock,
    (options.detachAfterMs ?? 0) - (clock.elapsed() - intended.agreed.began),
  );
  if (options.detachAfterMs !== undefined) void leave.begin();
  // Whatever the run still waits for by then, such as a service that is down.
  const overdue = new Deadline(clock);
  overdue.beginAfter(leave.passed);
  overdue.passed.addEventListener('abort', () => stop.halt('left', detached));
  // If the lock is no longer this run's, another one may have begun, and this one ends.
  const isAlone = (): boolean => {
    const isStill = opened.lock?.isStill !== false;
    if (!isStill) stop.halt('machine', unlockedText(paths.lock));
    return isStill && engine?.over.aborted !== true;
  };
  engine?.over.addEventListener('abort', () => stop.halt('machine', takenOverText));
  try {
    // Before the state file is there: a merge of two new ones must not be a conflict.
    if (opened.state.header === undefined && target.kind !== 'rehearsal') {
      const message = await ensureUnion(paths.state, { env });
      if (message !== undefined) onEvent({ type: 'note', message });
    }
    const sum = await walk(context, planning, parts, intended, {
      stop,
      leave: leave.passed,
      journal,
      client: internals.api?.(client) ?? client,
      pace: () => rates.creations.turn(),
      backoffMs,
      isAlone,
    });
    journal.assertWritten();
    await file.flush();
    journal.noteRest();
    await diskReserve.remove();
    // Another run that has begun meanwhile has read the file, and appends to it.
    if (isAlone()) {
      const written = await file.writeWhole();
      if (!written.ok) onEvent({ type: 'warning', message: unsorted(written.error) });
    }
    // The file may have turned out to be another's until now.
    return sum();
  } finally {
    stop.end();
    options.signal?.removeEventListener('abort', onAbort);
    leave.cancel();
    overdue.cancel();
    // First: a disk that did not take a line may not close the file either.
    for (const { name, project } of journal.unwritten)
      onEvent({ type: 'warning', message: unrecorded(name, project) });
    await file.close();
    grace.beginAfter(stop.signal);
    await client.close();
    grace.cancel();
  }
}

interface Means {
  readonly stop: Stop;
  /** Aborted when the run leaves what still renders. */
  readonly leave: AbortSignal;
  readonly journal: Journal;
  readonly client: MediaApi;
  readonly pace: () => Promise<void>;
  readonly backoffMs: number;
  readonly isAlone: () => boolean;
}

/** Returns what sums the run up when its record is whole on disk. */
async function walk(
  context: RunContext,
  planning: Planning,
  { store, service, tier, balance, account, events, cut }: Parts,
  { agreed, settled, origins }: Intended,
  { stop, leave, journal, client, pace, backoffMs, isAlone }: Means,
): Promise<() => Performed> {
  const { clock, options, onEvent, view, manner, webhooks, target, engine } = context;
  const { bound, ledger, planned, port: receipts, setting, program, disk, opened } = planning;
  const { pipeline } = bound;
  const { plan } = planned;
  const { facts, base } = setting;
  const { signal } = stop;
  const isTick = manner === 'tick';
  if (options.due !== undefined) {
    journal.begin();
    await journal.sync();
  }
  if (target.kind === 'rehearsal' || account !== undefined)
    planning.receipts.ownedBy(ownerOf(account));
  settleDoubts(journal, service.ledger, clock, engine !== undefined);
  const addresses = new UploadAddresses((items) => client.uploadAddresses(items), clock, signal);
  const api: JobApi = { ...client, uploadAddress: (item) => addresses.one(item) };
  const calls = new Calls({
    api: client,
    address: service.address,
    clock,
    signal,
    backoffMs,
    pace,
    emit: onEvent,
    outageMs: pipeline.limits.outageMs,
  });
  const short = balance !== undefined && balance < plan.credits;
  const spending = new Spending({
    ledger,
    run: () => journal.run,
    caps: { ...agreed.caps, balance: short ? planning.spent + balance : undefined },
    needs: planned.needs,
    begun: planned.begun,
    now: () => clock.now(),
    isPlan: false,
  });
  leave.addEventListener('abort', () => spending.close({ because: 'left', why: detached }));
  const limits = pipeline.failureLimits;
  const telling = new Telling({ journal, spending, view, onEvent, limits, items: plan.items });
  const looks = looksOf(context, opened, signal);
  const slots = new Slots(slotLimits(pipeline.limits, tier, !isTick));
  const rendering = isTick ? [...renderingOf(ledger, clock.now())] : [];
  const kept = new Map(rendering.map(({ job, kind }) => [job, slots.keep(kind)]));
  const here = new LocalHands({ api: client, disk, store: store?.store });
  const { output } = planning.paths;
  const needsFiles = options.requireOutputs === true;
  const elsewhere = { local: here, disk, output, ledger, needsFiles, signal, cut: cut.signal };
  const hands = (await engine?.hands(elsewhere)) ?? here;
  const world: World = {
    journal,
    receipts,
    facts,
    calls,
    api,
    looks,
    slots,
    spending,
    disk,
    hands,
    store: store?.store,
    backoffMs,
    clock,
    signal,
    telling,
    isAlone,
    isTick,
  };
  const files = new Files(world);
  const projects = new Projects(world);
  const asking = new Asking(setting, false);
  const live = new Live({
    ...world,
    files,
    projects,
    base,
    savedBy: (task) => asking.savedBy(task),
  });
  const inbox = webhooks && new Inbox(clock, signal, webhooks.patienceMs);
  const lost = [...lostAnswers(planning, inbox)];
  if (inbox !== undefined) events.deliver = (project, enough) => inbox.receive(project, enough);
  const note = (message: string): void => onEvent({ type: 'note', message });
  const creations = new Creations({
    ...world,
    pipeline: pipeline.name,
    live,
    projects,
    inbox,
    leave,
    kept,
    breaker: new StepBreaker(pipeline.steps),
  });
  const performer = new ActingPerformer({
    ...world,
    creations,
    live,
    files,
    begunItems: planned.begun,
    bad: planned.bad,
    stops: (what, ended) => stopFor(what, ended, stop, spending),
  });
  if (settled === undefined) {
    const again = [...planning.payAgain.moves()];
    if (again.length > 0) await journal.commit(...again);
    if (webhooks !== undefined && lost.length > 0)
      note(
        `waiting up to ${duration(webhooks.patienceMs)} for events about ${count(lost.length, 'creation')} in doubt`,
      );
    await creations.settleDoubts(lost);
    const owed = await performer.collect(planned.owed, (kind) => longestWait(kind, pipeline.steps));
    // A run of some items does not wait for what renders for others.
    owed
      .filter(({ end }) => setting.isWhole || end.ending !== 'rendering')
      .forEach(telling.collected);
    // The record says by now what is saved once more.
    const saveAgain = new Set<string>();
    const asked = {
      ...setting,
      saveAgain,
      shared: planned.shared,
      window: pipeline.limits.items,
      signal,
    };
    if (planned.unsaved !== undefined && pays(plan)) {
      const saving = new SavingPerformer(performer);
      const early = new Walk(program, { ...asked, isWhole: false }, saving, telling.early);
      await early.run(planned.unsaved);
    }
    const see: See = (task, end) => {
      origins?.see(task, end);
      telling.see(task, end);
    };
    await new Walk(program, asked, performer, see).run(planned.order);
  } else settled.tellTo(telling);
  if (pipeline.items.kind === 'one' && !telling.isUnfinished) view.countOne();
  const { by } = stop.reason(spending.end);
  const goesOn = view.isLeft || by === 'left';
  const isCut = by === 'interrupt' || by === 'machine' || by === 'outage';
  const keepsBudget = isTick && (by === 'budget' || by === 'credits');
  const isOver = !isCut && !goesOn && !keepsBudget;
  // Another take is no part of a scheduled run that was interrupted: that one continues later.
  const isBeside = options.reroll !== undefined && ledger.runs().at(-1)?.due !== undefined;
  if (isOver && !isBeside) journal.end();
  stop.isOver = true;
  return () => {
    const closed = spending.end;
    const { by: stoppedBy, why: stopped, limit } = stop.reason(closed);
    const otherDoubts = otherDoubtsOf(view, doubtsIn(ledger));
    const outcome = outcomeOf(view, stoppedBy, otherDoubts);
    const { charged, refunded } = journal.learnt;
    const { reserved } = ledger.totals();
    // What the run has spent counts against the budget of the next one if that continues it.
    const counted = isOver || journal.run === undefined ? 0 : ledger.totals(journal.run).charged;
    const { until } = closed ?? {};
    const summary = summaryOf(view, outcome, {
      otherDoubts,
      items: plan.items,
      stopped,
      stoppedBy,
      cap:
        reachedCap(limit, context, planning, {
          net: charged - refunded,
          next: counted + reserved,
        }) ?? view.heldItems,
      paid: paidProjects(ledger, outcome),
      resumesAt: until === undefined ? undefined : new Date(until).toISOString(),
      wakeAt: goesOn ? nextLookAt(looks, ledger, clock.now()) : undefined,
      credits: { charged, refunded, reserved },
      elapsedMs: clock.elapsed() - agreed.began,
    });
    return { summary, changed: journal.wrote };
  };
}

function stopFor(
  what: 'buying' | 'run',
  { code = '', message: why }: Ended,
  stop: Stop,
  spending: Spending,
): void {
  if (what === 'run') return stop.halt(halts[code] ?? 'outage', why);
  spending.close({ because: reasonsToClose[code] ?? 'machine', why });
}

const halts: Readonly<Record<string, StoppedBy>> = {
  unauthorized: 'unauthorized',
  record: 'machine',
};

const reasonsToClose: Readonly<Record<string, Closed['because']>> = {
  'payment-required': 'credits',
  'no-answers': 'unanswered',
};

/** `net`: credits of this run, refunds taken off. `next`: what counts against the budget of the next run. */
function reachedCap(
  limit: Closed['limit'],
  { options }: RunContext,
  { bound, planned }: Planning,
  { net, next }: { readonly net: number; readonly next: number },
): Summary['cap'] {
  if (limit === undefined || limit.of === 'balance') return undefined;
  const { of, most, spent } = limit;
  const { plan } = planned;
  const isKnown = plan.unpriced === 0 && plan.uncounted === 0;
  const rest = Math.max(0, plan.credits - net);
  const isCalendar = of === 'day' || of === 'month';
  const needed = isKnown ? (isCalendar ? spent : next) + rest : undefined;
  if (isCalendar) return { name: `budget.per_${of}`, most, spent, needed };
  const { credits } = bound.pipeline.budget;
  // What a person has agreed to, or `--plan` says, is a cap of the run, too.
  const name = most === credits ? 'budget.credits' : most === options.budget ? '--budget' : 'plan';
  return { name, most, spent, needed };
}

function looksOf(context: RunContext, { state }: OpenState, signal: AbortSignal): Looks {
  const { clock, target } = context;
  return new Looks({
    clock,
    signal,
    speedFactor: speedOf(context),
    earlier: () => knownDurations(target.kind === 'rehearsal' ? [] : state.ledger.jobs()),
  });
}

function isYoungIn(context: RunContext, opened: OpenState): IsYoung {
  const looks = looksOf(context, opened, new AbortController().signal);
  return (kind, at) => !looks.isUseful(kind, Date.parse(at));
}

/** When the next tick is useful, in ISO 8601. */
function nextLookAt(looks: Looks, ledger: Ledger, now: number): string {
  const times = Array.from(renderingOf(ledger, now), (job) =>
    looks.nextUsefulAt(job.kind, Date.parse(current(job)?.at ?? '')),
  );
  return new Date(times.length === 0 ? now : Math.min(...times)).toISOString();
}

/** What events may settle in this run. Those about other doubts stay with the service. */
function* lostAnswers(
  { ledger, planned }: Pick<Planning, 'ledger' | 'planned'>,
  inbox: Inbox | undefined,
): Generator<Lost> {
  if (inbox === undefined) return;
  for (const { job, attempts } of ledger.inDoubt())
    for (const { name: attempt } of attempts.filter(isInDoubt)) {
      const expected = inbox.expectLost(attempt);
      if (planned.doubts.has(job)) yield { job, attempt, expected };
    }
}

const isInDoubt = (attempt: Attempt): boolean =>
  isOpen(attempt) && !isOver(attempt) && !attempt.adopted;

const takenOverText = 'another coordinator has taken over this run';

const unlockedText = (lock: string): string =>
  `the lock ${shownPath(lock)} was removed or replaced during the run, so another run may have begun: run again when none is active`;

/** The last line of defense: the disk did not take the record, so the user must keep it. */
const unrecorded = (name: string, project: string): string =>
  `the service created project ${project} for ${JSON.stringify(name)}, which may not be on disk: ` +
  `if it is in doubt afterwards, ${shotlistLine('resolve', [{ placeholder: '<file>' }, name], ['--project', project])}`;

/** What renders still, though it may not be of this walk. What is older than any project takes is not. */
function* renderingOf(ledger: Ledger, now: number): Generator<Job> {
  for (const job of ledger.rendering()) {
    const attempt = current(job);
    if (attempt === undefined || attempt.adopted || isAway(attempt)) continue;
    if (now - Date.parse(attempt.at) < longestMs) yield job;
  }
}

/** What is paid for and not fetched. */
function paidProjects(ledger: Ledger, outcome: RunOutcome): Summary['paid'] {
  if (outcome === 'done') return undefined;
  let [rendering, ready] = [0, 0];
  for (const job of ledger.withDestinations()) {
    const now = current(job);
    if (now === undefined || now.adopted || isAway(now)) continue;
    if (now.state === 'created') rendering += 1;
    if (now.state === 'complete') ready += 1;
  }
  return rendering + ready === 0 ? undefined : { rendering, ready };
}

/** What a run that was killed was about to send: the local service of a rehearsal knows, and nobody else. */
function settleDoubts(
  journal: Journal,
  entries: (() => readonly LedgerEntry[]) | undefined,
  clock: Pick<Clock, 'now'>,
  isEngine: boolean,
): void {
  const charges = new Map(
    (entries?.() ?? []).filter(({ kind }) => kind === 'charge').map((entry) => [entry.name, entry]),
  );
  const read = new Date(clock.now()).toISOString();
  for (const { job, attempts } of [...journal.ledger.inDoubt()])
    for (const { name: attempt, state, adopted } of attempts) {
      if ((state !== 'intended' && state !== 'doubt') || adopted) continue;
      const { project = null, credits = 0 } = charges.get(attempt) ?? {};
      if (project !== null)
        journal.note({ job, is: 'created', attempt, project, charge: { credits, read } });
      else if (entries !== undefined)
        journal.note({ job, is: 'said', attempt, mark: 'notCharged' });
      else if (state === 'intended') {
        const code = isEngine ? silentCoordinator : 'killed';
        const fault = { code, message: 'the run ended before its answer came' };
        journal.note({ job, is: 'doubt', attempt, fault });
      }
    }
}
