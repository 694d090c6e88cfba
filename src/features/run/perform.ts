// Performs one run, from top to bottom: plan, refusals, agreement, what is owed, the walk, the end.
import { existsSync } from 'node:fs';
import { Cleanup } from '../../base/cleanup.ts';
import { ok } from '../../base/result.ts';
import { shotlistLine } from '../../base/shell.ts';
import type { Account } from '../../contract/api/project.ts';
import { Asking } from '../../core/ask.ts';
import { CalendarBudget, calendarCaps } from '../../core/calendar-budget.ts';
import { Calls, ownerOf } from '../../core/calls.ts';
import { Creations, type Lost } from '../../core/create.ts';
import { isAway } from '../../core/decide.ts';
import { knownDurations, usualDurations } from '../../core/durations.ts';
import type { Ended } from '../../core/ended.ts';
import { Files } from '../../core/files.ts';
import type { IsYoung } from '../../core/findings.ts';
import { Inbox } from '../../core/inbox.ts';
import { Journal } from '../../core/journal.ts';
import { Live } from '../../core/live.ts';
import { Looks } from '../../core/looks.ts';
import { owedText } from '../../core/owed.ts';
import { ActingPerformer } from '../../core/perform.ts';
import type { Clock, JobApi, MediaApi, OutputStore } from '../../core/ports.ts';
import { Projects } from '../../core/projects.ts';
import type { RunOutcome, StoppedBy, Summary } from '../../core/run-event.ts';
import { SavingPerformer } from '../../core/saving.ts';
import { Settled } from '../../core/settled.ts';
import { projectsOn, Slots, slotLimits } from '../../core/slots.ts';
import { type Closed, Spending } from '../../core/spending.ts';
import { StepBreaker } from '../../core/step-breaker.ts';
import type { Stopped } from '../../core/summary.ts';
import { otherDoubtsOf, outcomeOf, summaryOf } from '../../core/summary.ts';
import { Tally } from '../../core/tally.ts';
import { Telling } from '../../core/telling.ts';
import { longestWait } from '../../core/timeout.ts';
import { UploadAddresses } from '../../core/upload-addresses.ts';
import { type See, Walk } from '../../core/walk.ts';
import { Reasons } from '../../core/why.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { Refusal, unsorted } from '../../language/load/refusal.ts';
import { doubtsOf, type JobView } from '../../model/job-view.ts';
import { current, isOpen, isOver } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Attempt, Job } from '../../model/record/line.ts';
import { formatVersion } from '../../model/record/schemas.ts';
import { balanceOf, checkService, pays } from '../../service-api/check-service.ts';
import {
  type Connection,
  connectService,
  rehearsalTier,
} from '../../service-api/connect-service.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { LedgerEntry } from '../../service-api/local-service.ts';
import { pacer, requestRates } from '../../service-api/request-rate.ts';
import { receiveEvents } from '../../service-api/webhooks.ts';
import { type DiskReserve, nothingReserved, takeDiskReserve } from '../../state/disk-reserve.ts';
import { checkStore, openStore } from '../../stores/open-store.ts';
import { behindText, stopText } from '../../views/calendar-text.ts';
import { takesLeft } from '../../views/takes.ts';
import { commitRun } from '../git/commit.ts';
import { ensureUnion } from '../git/union.ts';
import { openRunFile } from '../open-run-file.ts';
import type { OpenState } from '../open-state.ts';
import { openPlanning, type Planning } from '../planning/planning.ts';
import {
  overruledText,
  refuseBeyondPlan,
  refuseUnpriced,
  statedPrices,
} from '../planning/refusals.ts';
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

export async function perform(bound: BoundPipeline, context: RunContext): Promise<Performed> {
  const { clock, options, onEvent, target, redactor, internals, view } = context;
  const began = clock.elapsed();
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  let reasons: Reasons | undefined;
  let settled: Settled | undefined;
  await using planning = await openPlanning(bound, target, options, {
    ...{ access: 'run', env: options.env ?? process.env, redactor, clock, internals },
    onWarning: warn,
    run: { due: dueTimeOf(options) },
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
  const { planned, run } = planning;
  if (run.due !== undefined && planning.run.over) {
    warn(`the run that was due at ${run.due} has ended, and is not repeated`);
    return nothingDone(planning, clock.elapsed() - began);
  }
  const budget = planning.caps.run;
  const diagnostics = [
    ...planning.problems,
    ...refuseUnpriced(planned.plan, { budget, rehearsal }, bound),
    ...refuseBeyondPlan(planned.tiers, rehearsal ? rehearsalTier : undefined, bound),
  ];
  if (diagnostics.length > 0) throw new Refusal({ reason: 'input', diagnostics, text: bound.text });
  if (options.plan !== undefined) keepToPlan(options.plan, planning);
  // A run saves the takes that are owed.
  if (options.reroll === undefined && !planned.owed.some(({ job }) => job.take !== undefined))
    for (const left of takesLeft(planning.opened.state.ledger, bound.pipeline.steps)) warn(left);
  tellPlan(context, planning, budget);
  await using parts = await openParts(context, planning);
  const agreed = await agree(context, planning, { reasons, tier: parts.tier, began });
  const act = new OneRun(context, planning, parts, agreed, settled);
  const performed = await act.perform();
  planning.receipts.flush();
  const { state } = planning.opened;
  const { items, excluded, paths, disk } = planning;
  const isPart = items.count < items.total || excluded.size > 0 || options.reroll !== undefined;
  if (act.origins !== undefined)
    await writeProvenance({
      ...{ bound, rehearsal, redactor, ledger: state.ledger, signal: options.signal },
      ...{ paths, disk, onWarning: warn },
      origins: act.origins.origins(!isPart && performed.summary.stopped === undefined),
    });
  await commitRun({ ...context, prepared: { ...planning, state } }, performed.summary);
  onEvent({ type: 'ended', summary: performed.summary });
  return performed;
}

/** What a person should know before anything is paid. */
function tellPlan(
  { options, onEvent, target, clock }: RunContext,
  { bound, opened, planned, ledger }: Planning,
  budget: number | undefined,
): void {
  const { plan } = planned;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  const takesTime = target.kind !== 'rehearsal' && pays(plan);
  const usualMs = takesTime ? { usualMs: usualDurations(opened.state.ledger.jobs()) } : {};
  onEvent({ type: 'planned', plan, budget, ...usualMs });
  const owed = owedText(planned.owed);
  if (owed !== undefined) warn(owed);
  const overruled = overruledText(options.budget, bound);
  if (overruled !== undefined) warn(overruled);
  if (budget !== undefined && plan.credits > budget)
    warn(
      `the plan may take ${plan.credits} credits and the budget is ${budget}: items are bought one by one, each only if all of it fits`,
    );
  const limits = new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), ledger);
  const behind = behindText(limits);
  if (behind !== undefined) warn(behind);
  for (const limit of limits) {
    const stops = stopText(limit, plan.credits);
    if (stops !== undefined) warn(stops.replace(/\.$/, ''));
  }
}

function nothingDone({ planned, ledger }: Planning, elapsedMs: number): Performed {
  const credits = { charged: 0, refunded: 0, reserved: ledger.totals().reserved };
  const tally = new Tally();
  const otherDoubts = otherDoubtsOf(tally, doubtsIn(ledger).map(doubtOf));
  const outcome = otherDoubts === undefined ? 'done' : 'doubt';
  const { items } = planned.plan;
  const summary = summaryOf(tally, outcome, { items, elapsedMs, credits, otherDoubts });
  return { summary, changed: false };
}

// What a run holds open besides its plan.

interface Parts extends AsyncDisposable {
  readonly diskReserve: DiskReserve;
  readonly service: Connection;
  readonly store: OutputStore | undefined;
  cutStore(): void;
  readonly tier: string | undefined;
  readonly balance: number | undefined;
  readonly account: Account | undefined;
  /** Events are delivered from now on; until then they stay with the service. */
  hear(deliver: Inbox['receive']): void;
}

/** Sends only free requests. Nothing is bought before this has succeeded. */
async function openParts(context: RunContext, planning: Planning): Promise<Parts> {
  const { target, options, clock, redactor, onEvent, internals } = context;
  const { bound, paths, planned, opened } = planning;
  await using cleanup = new Cleanup();
  const diskReserve =
    internals.record === undefined ? await takeDiskReserve(paths.diskReserve) : ok(nothingReserved);
  if (!diskReserve.ok)
    return refuse(
      `the disk space for the journal could not be reserved: ${diskReserve.error}`,
      'nothing was sent; free some space or check the disk, then run again',
    );
  cleanup.defer(() => diskReserve.value.remove());
  let deliver: Inbox['receive'] | undefined;
  const doubts = doubtsIn(planning.ledger).filter(({ job }) => planned.doubts.has(job)).length;
  if (context.webhooks !== undefined) {
    const receiver = await receiveEvents(context.webhooks, {
      ...{ redactor, clock, onEvent, doubts },
      tell: async (_record, project, enough) => (await deliver?.(project, enough)) ?? false,
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
  const store =
    context.store === undefined ? undefined : await openStore(context.store, cut.signal);
  if (store !== undefined) cleanup.defer(() => store[Symbol.asyncDispose]());
  if (store !== undefined) await checkStore(store.store);
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
  const held = cleanup.move();
  return {
    diskReserve: diskReserve.value,
    service,
    store: store?.store,
    cutStore: () => cut.abort(),
    tier,
    balance: rehearsal ? undefined : read?.credits,
    account: read,
    hear: (by) => {
      deliver = by;
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** What the state file says of projects is not known to a service that has no data yet. */
const movedText = (runFolder: string): string =>
  `the local service of this rehearsal is not here: the folder was moved or copied, or the rehearsal is another user's; to start it over, remove ${runFolder}`;

class OneRun {
  readonly #context: RunContext;
  readonly #planning: Planning;
  readonly #parts: Parts;
  readonly #agreed: Agreement;
  /** What the plan says of everything, if nothing is to be done. */
  readonly #settled: Settled | undefined;
  readonly #stopper = new AbortController();
  readonly #leave = new AbortController();
  /** Undefined if nobody wants to know. */
  readonly origins: WalkedOrigins | undefined;
  #isOver = false;
  #halted: { readonly what: StoppedBy; readonly why: string } | undefined;

  constructor(
    context: RunContext,
    planning: Planning,
    parts: Parts,
    agreed: Agreement,
    settled: Settled | undefined,
  ) {
    this.#context = context;
    this.#planning = planning;
    this.#parts = parts;
    this.#agreed = agreed;
    const { bound, ledger, planned, hasNews } = planning;
    if (bound.pipeline.provenance) this.origins = new WalkedOrigins(ledger, bound.folder);
    const isQuiet = planned.owed.length === 0 && planned.unsaved === undefined && !hasNews;
    const { done: isSure } = ledger.inDoubt().next();
    // Items are told of by their tasks.
    const isTold = planning.program.own.length > 0 && this.origins === undefined;
    if (isQuiet && isTold && isSure === true && settled?.isAll === true) this.#settled = settled;
  }

  async perform(): Promise<Performed> {
    const { options, clock, internals, onEvent, redactor, target } = this.#context;
    const { bound, paths, opened } = this.#planning;
    const { service, diskReserve } = this.#parts;
    const stop = this.#stopper.signal;
    const grace = new Deadline(clock, options.graceMs);
    if (options.signal !== undefined) grace.beginAfter(options.signal);
    grace.passed.addEventListener('abort', () => this.#parts.cutStore(), { once: true });
    const { backoffMs = 1000 } = internals;
    const pace = pacer(bound.pipeline.limits.requestsPerMinute, clock, stop);
    const rates = requestRates({ clock, stop, pace, backoffMs });
    const client = lazyClient({
      ...{
        stop,
        cut: grace.passed,
        rates,
        redactor,
        clock,
        base: service.address,
        key: service.key,
      },
      loopbackOnly: target.kind === 'rehearsal',
      ...internals.client,
    });
    const header = {
      shotlist: formatVersion,
      pipeline: bound.name,
      service: paths.serviceName,
    } as const;
    const file = openRunFile({
      ...{ paths, state: opened.state, header, clock, internals },
      env: options.env ?? process.env,
      makeRoom: () => {
        if (!diskReserve.give()) return false;
        this.#halt('machine', 'the disk is full: make room and run again; nothing is paid twice');
        return true;
      },
      onProblem: (why) => this.#halt('machine', why, true),
    });
    const journal = new Journal({
      ledger: this.#planning.ledger,
      file: internals.lines?.(file) ?? file,
      ...{ clock, redactor, receipts: this.#planning.receipts, due: this.#planning.run.due },
    });
    const onAbort = (): void => this.#halt('interrupt', 'interrupted');
    if (options.signal?.aborted === true) onAbort();
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const leave = new Deadline(
      clock,
      (options.detachAfterMs ?? 0) - (clock.elapsed() - this.#agreed.began),
    );
    leave.passed.addEventListener('abort', () => this.#leave.abort(), { once: true });
    if (options.detachAfterMs !== undefined) void leave.begin();
    // Whatever the run still waits for by then, such as a service that is down.
    const overdue = new Deadline(clock);
    overdue.beginAfter(leave.passed);
    overdue.passed.addEventListener('abort', () => this.#halt('left', detached));
    try {
      const api = internals.api?.(client) ?? client;
      const sum = await this.#walk(journal, api, () => rates.creations.turn(), backoffMs);
      journal.assertWritten();
      await file.flush();
      journal.noteRest();
      await diskReserve.remove();
      // Another run that has begun meanwhile has read the file, and appends to it.
      if (this.#isAlone()) {
        const written = await file.writeWhole();
        if (!written.ok) onEvent({ type: 'warning', message: unsorted(written.error) });
      }
      // The file may have turned out to be another's until now.
      return sum();
    } finally {
      this.#stopper.abort();
      options.signal?.removeEventListener('abort', onAbort);
      leave.cancel();
      overdue.cancel();
      // First: a disk that did not take a line may not close the file either.
      for (const { name, project } of journal.unwritten)
        onEvent({ type: 'warning', message: unrecorded(name, project) });
      await file.close();
      grace.beginAfter(stop);
      await client.close();
      grace.cancel();
    }
  }

  /** Is the lock still this run's? If not, another one may have begun, and this one ends. */
  #isAlone(): boolean {
    const { opened, paths } = this.#planning;
    const isStill = opened.lock?.isStill !== false;
    if (!isStill) this.#halt('machine', unlockedText(paths.lock));
    return isStill;
  }

  /**
   * Begins nothing new, and lets what is in flight end. The first reason stays. `isLate`: one that counts when everything
   * is done, too.
   */
  #halt(what: StoppedBy, why: string, isLate = false): void {
    if (this.#halted !== undefined || (this.#isOver && !isLate)) return;
    this.#halted = { what, why };
    this.#context.onEvent({ type: 'stopping', why });
    this.#stopper.abort();
  }

  /** Returns what sums the run up when its record is whole on disk. */
  async #walk(
    journal: Journal,
    media: MediaApi,
    pace: () => Promise<void>,
    backoffMs: number,
  ): Promise<() => Performed> {
    const { clock, options, onEvent, view, manner } = this.#context;
    const { bound, ledger, planned, port, setting, program, disk, opened, payAgain } =
      this.#planning;
    const { caps } = this.#agreed;
    const { store, service, tier, balance, account } = this.#parts;
    const { pipeline } = bound;
    const signal = this.#stopper.signal;
    const isTick = manner === 'tick';
    // Before the state file is there: a merge of two new ones must not be a conflict.
    if (opened.state.header === undefined && this.#context.target.kind !== 'rehearsal') {
      const env = options.env ?? process.env;
      const message = await ensureUnion(this.#planning.paths.state, { env });
      if (message !== undefined) onEvent({ type: 'note', message });
    }
    if (options.due !== undefined) {
      journal.begin();
      await journal.sync();
    }
    if (this.#context.target.kind === 'rehearsal' || account !== undefined)
      this.#planning.receipts.ownedBy(ownerOf(account));
    settleDoubts(journal, service.ledger, clock);
    const addresses = new UploadAddresses((items) => media.uploadAddresses(items), clock, signal);
    const api: JobApi = { ...media, uploadAddress: (item) => addresses.one(item) };
    const calls = new Calls({
      ...{ api: media, address: service.address, clock, signal, backoffMs, pace },
      emit: onEvent,
      outageMs: pipeline.limits.outageMs,
    });
    const short = balance !== undefined && balance < planned.plan.credits;
    const spent =
      (journal.run === undefined ? 0 : ledger.totals(journal.run).charged) +
      ledger.totals().reserved;
    const spending = new Spending({
      ledger,
      run: () => journal.run,
      caps: { ...caps, balance: short ? spent + balance : undefined },
      ...{ needs: planned.needs, begun: planned.begun, now: () => clock.now(), isPlan: false },
    });
    this.#leave.signal.addEventListener('abort', () =>
      spending.close({ because: 'left', why: detached }),
    );
    const tally = view.walk();
    const telling = new Telling({
      ...{ journal, spending, tally, clock, onEvent },
      limits: pipeline.failureLimits,
      items: planned.plan.items,
    });
    const looks = looksOf(this.#context, opened, signal);
    const slots = new Slots(slotLimits(pipeline.limits, tier, !isTick));
    const kept = new Map(
      isTick
        ? [...renderingOf(ledger, clock.now())].map(({ job, kind }) => [job, slots.keep(kind)])
        : [],
    );
    const { facts, base } = setting;
    const files = new Files({ disk, calls, api: media, store, clock, journal, signal, backoffMs });
    const projects = new Projects({ calls, journal, clock, signal, receipts: port });
    const asking = new Asking(setting, false);
    const live = new Live({
      ...{
        api,
        calls,
        files,
        projects,
        journal,
        facts,
        receipts: port,
        looks,
        base,
        clock,
        signal,
      },
      fileAt: (path) => disk.fileAt({ in: 'input', path }),
      savedBy: (task) => asking.savedBy(task),
    });
    const { webhooks } = this.#context;
    const inbox = webhooks && new Inbox(clock, signal, webhooks.patienceMs);
    const lost = [...lostAnswers(this.#planning, inbox)];
    if (inbox !== undefined) this.#parts.hear((project, enough) => inbox.receive(project, enough));
    const creations = new Creations({
      ...{ pipeline: pipeline.name, journal, calls, spending, slots, looks, live, projects, facts },
      ...{ receipts: port, inbox, clock, signal, leave: this.#leave.signal, isTick, kept },
      isAlone: () => this.#isAlone(),
      breaker: new StepBreaker(pipeline.steps),
      begun: telling.begun,
      charged: telling.charged,
      remarks: telling.remark,
      waits: (why) => onEvent({ type: 'note', message: `waiting: ${why}` }),
    });
    const performer = new ActingPerformer({
      ...{ journal, spending, creations, live, files, slots, calls, api, disk, facts, signal },
      ...{ receipts: port, isTick, begunItems: planned.begun, bad: planned.bad },
      isAlone: () => this.#isAlone(),
      begun: telling.begun,
      over: telling.over,
      stops: (what, ended) => this.#stops(spending, what, ended),
      bug: telling.bug,
    });
    if (this.#settled === undefined) {
      const again = [...payAgain.moves(ledger)];
      if (again.length > 0) await journal.commit(...again);
      await creations.settleDoubts(lost);
      const owed = await performer.collect(planned.owed, (kind) =>
        longestWait(kind, pipeline.steps),
      );
      // A run of some items does not wait for what renders for others.
      owed
        .filter(({ end }) => setting.isWhole || end.ending !== 'rendering')
        .forEach(telling.collected);
      const { shared, unsaved, plan } = planned;
      // The record says by now what is saved once more.
      const saveAgain = new Set<string>();
      const asked = { ...setting, saveAgain, shared, window: pipeline.limits.items, signal };
      if (unsaved !== undefined && pays(plan)) {
        const saving = new SavingPerformer(performer);
        await new Walk(program, { ...asked, isWhole: false }, saving, telling.early).run(unsaved);
      }
      const see: See = (task, end) => {
        this.origins?.see(task, end);
        telling.see(task, end);
      };
      await new Walk(program, asked, performer, see).run(planned.order);
    } else this.#settled.tellTo(telling);
    if (pipeline.items.kind === 'one' && !telling.isUnfinished) tally.countOne();
    const stopped = this.#stopped(spending.end);
    const goesOn = tally.isLeft || stopped.left;
    const { interrupted, machine, outage, money } = stopped;
    const keepsBudget = isTick && money;
    const isOver = !interrupted && !machine && !outage && !goesOn && !keepsBudget;
    // Another take is no part of a scheduled run that was interrupted: that one continues later.
    const isBeside = options.reroll !== undefined && ledger.runs().at(-1)?.due !== undefined;
    if (isOver && !isBeside) journal.end();
    this.#isOver = true;
    return () => {
      const end = this.#stopped(spending.end);
      const doubts = doubtsIn(ledger);
      const otherDoubts = otherDoubtsOf(tally, doubts.map(doubtOf));
      const outcome = outcomeOf(tally, end, otherDoubts);
      const { charged, refunded } = journal.learnt;
      const { reserved } = ledger.totals();
      // What the run has spent counts against the budget of the next one if that continues it.
      const counted = isOver || journal.run === undefined ? 0 : ledger.totals(journal.run).charged;
      const summary = summaryOf(tally, outcome, {
        otherDoubts,
        items: planned.plan.items,
        stopped: end.why,
        stoppedBy: end.by,
        cap: this.#reachedCap(end, charged - refunded, counted + reserved) ?? tally.heldItems,
        paid: paidProjects(ledger, outcome),
        resumesAt: end.until === undefined ? undefined : new Date(end.until).toISOString(),
        wakeAt: goesOn ? nextLookAt(looks, ledger, clock.now()) : undefined,
        credits: { charged, refunded, reserved },
        elapsedMs: clock.elapsed() - this.#agreed.began,
      });
      return { summary, changed: journal.wrote };
    };
  }

  #stops(spending: Spending, what: 'buying' | 'run', { code, message: why }: Ended): void {
    if (what === 'run') return this.#halt(halts[code ?? ''] ?? 'outage', why);
    spending.close({ because: reasons[code ?? ''] ?? 'machine', why });
  }

  #stopped(closed: Closed | undefined): Stopped {
    const what = this.#halted?.what;
    const because = closed?.because;
    const by: StoppedBy | undefined = what ?? (because === 'record' ? 'machine' : because);
    return {
      interrupted: what === 'interrupt',
      unauthorized: what === 'unauthorized',
      money: because === 'budget' || because === 'credits',
      machine: what === 'machine' || because === 'machine' || because === 'record',
      outage: what === 'outage',
      left: what === 'left' || because === 'left',
      why: this.#halted?.why ?? closed?.why,
      by,
      limit: what === undefined ? closed?.limit : undefined,
      until: closed?.until,
    };
  }

  /** Of a cap of the run: what a person has agreed to, or `--plan` says, is one, too. */
  #nameOf(most: number): NonNullable<Summary['cap']>['name'] {
    if (most === this.#planning.bound.pipeline.budget.credits) return 'budget.credits';
    return most === this.#context.options.budget ? '--budget' : 'plan';
  }

  /** `net`: credits of this run, refunds taken off. `next`: what counts against the budget of the next run. */
  #reachedCap({ limit }: Stopped, net: number, next: number): Summary['cap'] {
    if (limit === undefined || limit.of === 'balance') return undefined;
    const { of, most, spent } = limit;
    const { plan } = this.#planning.planned;
    const isKnown = plan.unpriced === 0 && plan.uncounted === 0;
    const rest = isKnown ? Math.max(0, plan.credits - net) : undefined;
    if (of === 'day' || of === 'month') {
      const needed = rest === undefined ? {} : { needed: spent + rest };
      return { name: `budget.per_${of}`, most, spent, ...needed };
    }
    const needed = rest === undefined ? {} : { needed: next + rest };
    return { name: this.#nameOf(most), most, spent, ...needed };
  }
}

function looksOf(context: RunContext, { state }: OpenState, signal: AbortSignal): Looks {
  const { clock, target } = context;
  return new Looks({
    ...{ clock, signal, speedFactor: speedOf(context) },
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

const halts: Readonly<Record<string, StoppedBy>> = {
  unauthorized: 'unauthorized',
  record: 'machine',
};

const reasons: Readonly<Record<string, Closed['because']>> = {
  'payment-required': 'credits',
  'no-answers': 'unanswered',
  local: 'machine',
  locked: 'machine',
  unwritable: 'machine',
};

const unlockedText = (lock: string): string =>
  `the lock ${shownPath(lock)} was removed or replaced during the run, so another run may have begun: run again when none is active`;

/** What its task waits for. An attempt beside one that has been made only holds credits: status and resolve name it. */
/** As `status` and `resolve` name them. */
const doubtsIn = (ledger: Ledger): readonly JobView[] => [...ledger.inDoubt()].flatMap(doubtsOf);

const doubtOf = ({ tasks, name, reserve = 0 }: JobView) => ({ tasks, name, reserve });

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
): void {
  const charges = new Map(
    (entries?.() ?? []).filter(({ kind }) => kind === 'charge').map((entry) => [entry.name, entry]),
  );
  const at = new Date(clock.now()).toISOString();
  for (const { job, attempts } of [...journal.ledger.inDoubt()])
    for (const { name: attempt, state, adopted } of attempts) {
      if ((state !== 'intended' && state !== 'doubt') || adopted) continue;
      const charge = charges.get(attempt);
      if (charge !== undefined && charge.project !== null)
        journal.note({
          job,
          is: 'created',
          attempt,
          project: charge.project,
          charge: { credits: charge.credits, read: at },
        });
      else if (entries !== undefined)
        journal.note({ job, is: 'said', attempt, mark: 'notCharged' });
      else if (state === 'intended')
        journal.note({
          job,
          is: 'doubt',
          attempt,
          fault: { code: 'killed', message: 'the run ended before its answer came' },
        });
    }
}
