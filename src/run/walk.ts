// The walk of a run: one promise for each step of each item. A task waits for the steps before it, asks what is to be done,
// does it or waits for whoever does it, and ends.
import { digestFrom } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { err, unreachable } from '../base/result.ts';
import { calendarCaps } from '../core/calendar-budget.ts';
import type { RunEvent, Tell } from '../core/run-event.ts';
import { StepBreaker } from '../core/step-breaker.ts';
import type { Stopped } from '../core/summary.ts';
import { Tally } from '../core/tally.ts';
import type { Step } from '../language/pipeline.ts';
import { type Fingerprint, fingerprintFrom } from '../model/fingerprint.ts';
import type { Item } from '../model/item.ts';
import { reuseEvents } from '../model/reuse-events.ts';
import { lastChargedHere } from '../model/state.ts';
import type { End } from '../plan/ending.ts';
import type { GenerationLimits } from '../plan/generations.ts';
import type { ItemNeeds } from '../plan/needs.ts';
import { whyOf } from '../plan/reason.ts';
import { nothingRemembered } from '../plan/remembered.ts';
import { payAgainHint } from '../plan/renew.ts';
import { Barrier, type Turn } from '../plan/turn.ts';
import type { Action, Reuse, RunTerms } from './action.ts';
import { Budget, type Closed } from './budget.ts';
import { Commit } from './commit.ts';
import { Dispatcher } from './dispatcher.ts';
import { InFlight, type JobEnd, projectOf, type RunningJob } from './in-flight.ts';
import { type FanRun, gatheredSteps, ItemRun, type ItemsInside } from './item-run.ts';
import { type Actor, endOf, type ItemTask, walk } from './item-walk.ts';
import type { Ended, JobOrder } from './jobs/job.ts';
import { isStopped } from './jobs/outcome.ts';
import type { Performer } from './jobs/performer.ts';
import { ProjectUsers } from './project-users.ts';
import { type Refresh, redoSuppliers } from './refresh-inputs.ts';
import { SettledTasks } from './settled-tasks.ts';
import { type Slot, Slots } from './slots.ts';
import { type Halted, Stop } from './stop.ts';
import { FailurePolicy, type TaskEnd, TaskEndings } from './task-endings.ts';

export interface WalkOptions extends RunTerms {
  readonly items: Iterable<Item>;
  /** Items for which the plan has found nothing to do; default: none. They are reported first. */
  readonly settled?: Iterable<Item>;
  /** The number of the pipeline's items in this run. */
  readonly total: number;
  /** As in `InFlight`. */
  readonly begunJobs: Set<Fingerprint> | undefined;
  /** True if the run includes only some of the pipeline's items. */
  readonly partial: boolean;
  readonly performer: Performer;
  /** The most credits that this run may charge. */
  readonly budget: number | undefined;
  /** The most credits that this run may charge before the account is empty, if that is known. */
  readonly balance?: number | undefined;
  /** What each item needs, by the plan: under a cap, items are bought one by one. */
  readonly needs?: ItemNeeds | undefined;
  /** Items that earlier runs have begun. */
  readonly begun?: ReadonlySet<string>;
  /** The projects that may be in progress at once; default: any number. */
  readonly generationLimits?: GenerationLimits;
  /** The place of an item among all items, for a fan-in; default: the items come in their order. */
  readonly orderOf?: (item: Item) => number;
  /** If set, the run buys nothing from the start. */
  readonly closed?: Closed;
  /** Steps that this run excludes; default: none. */
  readonly excluded?: ReadonlySet<string>;
  /** Tasks that this run finished already, before it bought anything new. */
  readonly savedFirst?: ReadonlySet<string>;
  /** What the walk folds its tasks and items into, if others look at it; default: one of its own. */
  readonly tally?: Tally;
  readonly onEvent: (event: RunEvent) => void;
}

/** What does not go on when the run stops is left as it is. */
const never = new Promise<never>(() => undefined);

export class Walk implements Actor {
  readonly tally: Tally;
  readonly #o: WalkOptions;
  readonly #tell: Tell;
  readonly #shared: ItemRun;
  readonly #itemSteps: readonly Step[];
  /** The items in progress. */
  readonly #open = new Set<ItemRun>();
  /** The steps of items of which a shared step reads `all` outputs. Only if there are any, items that are over are kept. */
  readonly #gathered: readonly Step[];
  readonly #gatheredRuns: ItemRun[] = [];
  readonly #source: Iterator<Item>;
  /** The next item, if it waits until others give credits back. */
  #waiting: Item | undefined;
  #exhausted = false;
  readonly #drained = Promise.withResolvers<void>();
  #areItemsOver = false;
  /** Of what tasks and items may wait for: credits, or the end of another task. */
  readonly #changes = new ChangeSignal();
  /** An item is over, and another one may begin. */
  readonly #itemsOver = new ChangeSignal();
  readonly #quiet = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  readonly #inFlight: InFlight;
  readonly #users: ProjectUsers;
  readonly #budget: Budget;
  readonly #slots: Slots;
  /** By item run: the order in which the items began. The shared steps have none. */
  readonly #places = new WeakMap<ItemRun, number>();
  #admitted = 0;
  readonly #dispatcher: Dispatcher;
  readonly #commit: Commit;
  readonly #barrier: Barrier;
  readonly #stepBreaker: StepBreaker;
  readonly #stop: Stop;
  readonly #endings: TaskEndings;
  #isFailed = false;

  constructor(options: WalkOptions) {
    this.#o = options;
    const { tally = new Tally() } = options;
    this.tally = tally;
    const tell: Tell = (event, detail) => {
      tally.take(event, clock.elapsed(), detail);
      onEvent(event);
    };
    this.#tell = tell;
    const { journal, performer, onEvent, pipeline, clock, budget: total } = options;
    const { ledger } = journal;
    const { steps, items } = pipeline;
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    this.#gathered = gatheredSteps(this.#itemSteps);
    this.#shared = new ItemRun({
      steps: all ? steps : steps.filter((step) => step.shared),
      item: undefined,
      items: this.#itemsInside(),
    });
    this.#source = options.items[Symbol.iterator]();
    const { needs, begun, balance, generationLimits: limits, remembered } = options;
    this.#inFlight = new InFlight(ledger, options.begunJobs);
    this.#slots = new Slots({
      ledger,
      steps,
      limits,
      now: () => clock.now(),
      follows: () => this.#inFlight.followsAny,
      isTick: options.isTick === true,
    });
    this.#budget = new Budget({
      ledger,
      clock,
      needs,
      begun,
      total,
      balance,
      perItem: pipeline.budget.perItem,
      calendar: calendarCaps(pipeline),
      onClosed: () => this.#slots.close(),
    });
    if (options.closed !== undefined) this.#budget.close(options.closed);
    this.#users = new ProjectUsers(this.#open);
    this.#stepBreaker = new StepBreaker(steps);
    this.#barrier = new Barrier(options.partial);
    this.#stop = new Stop(performer, onEvent);
    const budget = this.#budget;
    const stepBreaker = this.#stepBreaker;
    this.#endings = new TaskEndings({
      journal,
      budget,
      tally,
      tell,
      barrier: this.#barrier,
      failurePolicy: new FailurePolicy(pipeline.failureLimits, options.total, budget),
    });
    this.#commit = new Commit({
      journal,
      budget,
      stepBreaker,
      endings: this.#endings,
      onEvent,
      remembered,
      onAnswer: () => this.#changes.notify(),
      onFailure: (error) => this.#fail(error),
    });
    this.#dispatcher = new Dispatcher({
      ...options,
      budget,
      stepBreaker,
      inFlight: this.#inFlight,
      users: this.#users,
      slots: this.#slots,
    });
  }

  get stopped(): Stopped {
    return this.#stop.stopped(this.#budget.end, this.#exhausted);
  }

  /** A run of which every task is over ends by itself: whoever stops it then interrupts nothing. */
  halt(halted: Halted): void {
    if (this.#exhausted && this.#isDrained && this.#shared.isOver) return;
    this.#stop.halt(halted);
    this.#beQuiet();
  }

  /** Buys nothing more and admits no item. Running jobs end, except that nobody waits for projects that render. */
  leave(why: string): void {
    this.#budget.close({ because: 'left', why });
    this.#changes.notify();
  }

  async run(): Promise<void> {
    await Promise.race([this.#everything(), this.#quiet.promise, this.#failure.promise]);
    this.#countOne();
  }

  async #everything(): Promise<void> {
    const { settled = [] } = this.#o;
    const settledTasks = new SettledTasks(this.tally, this.#tell);
    await settledTasks.passItems(settled, this.#itemSteps, () => this.#stop.isHalted);
    if (this.#stop.isHalted) return;
    this.#budget.admit('');
    const shared = walk(this.#shared, this);
    shared?.catch((error: unknown) => this.#fail(error));
    for (;;) {
      this.#fill();
      if (this.#isDrained) break;
      await (this.#waiting === undefined ? this.#itemsOver : this.#changes).next(false);
    }
    this.#areItemsOver = true;
    this.#drained.resolve();
    await shared;
  }

  /** Without items, the shared steps count as one item. */
  #countOne(): void {
    const one = this.#o.pipeline.items.kind === 'one';
    if (one && this.#shared.isOver && !this.#shared.isUnfinished) this.tally.countOne();
  }

  /** The run cannot go on: nothing more begins, and what is in flight is left. */
  #fail(error: unknown): void {
    this.#isFailed = true;
    this.#failure.reject(error);
  }

  /** True if nothing more begins. */
  get #isStopping(): boolean {
    return this.#isFailed || this.#stop.isHalted;
  }

  /** When the run stops, it waits for the jobs in flight only. */
  #beQuiet(): void {
    if (!this.#stop.isHalted || this.#inFlight.size > 0) return;
    setImmediate(() => this.#quiet.resolve());
  }

  // Items

  #itemsInside(): ItemsInside {
    const { partial, orderOf } = this.#o;
    let isOrdered = orderOf === undefined;
    return {
      gathered: this.#gathered,
      over: () => (this.#areItemsOver ? undefined : this.#drained.promise),
      phase: (step) => this.#barrier.phase(step, { over: this.#isDrained, rest: this.#rest }),
      rest: () => (this.#isDrained ? (this.#rest ?? (partial ? 'excluded' : 'done')) : 'waiting'),
      runs: () => {
        if (isOrdered || !this.#isDrained) return this.#gatheredRuns;
        isOrdered = true;
        const placeOf = ({ item }: ItemRun): number => (item && orderOf?.(item)) ?? 0;
        return this.#gatheredRuns.sort((one, other) => placeOf(one) - placeOf(other));
      },
    };
  }

  /** Begins items until the window is full. */
  #fill(): void {
    while (
      !this.#isShut &&
      !this.#stop.isHalted &&
      this.#open.size < this.#o.pipeline.limits.items
    ) {
      const item = this.#waiting ?? this.#next();
      if (item === undefined) return;
      this.#waiting = this.#budget.admit(item.key) === 'wait' ? item : undefined;
      if (this.#waiting !== undefined) return;
      if (!this.#isShut) this.#item(item).catch((error: unknown) => this.#fail(error));
    }
  }

  #next(): Item | undefined {
    const next = this.#source.next();
    if (next.done !== true) return next.value;
    this.#exhausted = true;
    return undefined;
  }

  /**
   * True if no further item is admitted, because there is none or because the run buys nothing more, for a reason other
   * than saving existing results first.
   */
  get #isShut(): boolean {
    const closed = this.#budget.shut;
    return this.#exhausted || (closed !== undefined && closed.because !== 'saving');
  }

  /** True if no item is in progress, and none will be. */
  get #isDrained(): boolean {
    return this.#isShut && this.#open.size === 0;
  }

  /** The phase of the items that were not admitted; undefined if every item was. */
  get #rest(): 'blocked' | 'later' | undefined {
    if (this.#exhausted) return undefined;
    return this.#budget.shut?.because === 'left' ? 'later' : 'blocked';
  }

  async #item(item: Item): Promise<void> {
    const itemRun = new ItemRun({ steps: this.#itemSteps, item, around: this.#shared });
    this.#open.add(itemRun);
    this.#places.set(itemRun, ++this.#admitted);
    if (this.#gathered.length > 0) this.#gatheredRuns.push(itemRun);
    await walk(itemRun, this);
    if (this.#isStopping) return;
    this.#budget.over(itemRun);
    this.#users.over(itemRun);
    this.#open.delete(itemRun);
    this.#endings.itemOver(itemRun);
    this.#changes.notify();
    this.#itemsOver.notify();
  }

  /** Begins a fan-out whose list can be known. */
  open(fan: FanRun, head: ItemTask, turn: Turn): Promise<void> | undefined {
    if (this.#isStopping) return never;
    const { itemRun, step } = head;
    const elements =
      turn === 'start'
        ? this.#dispatcher.elements(fan, itemRun, step)
        : err<End>(endOf(turn, this.#isExcluded(step)));
    const elementRuns = itemRun.open(fan, elements.ok ? elements.value : undefined);
    if (elements.ok) {
      for (const one of fan.steps)
        this.#budget.opened(
          itemRun,
          itemRun.task(one),
          elementRuns.map((run) => run.task(one)),
        );
      this.#endings.opened(itemRun, step);
    } else
      for (const elementRun of elementRuns)
        this.#endings.end({ itemRun: elementRun, step }, elements.error);
    return undefined;
  }

  #isExcluded({ name }: Step): boolean {
    return this.#o.excluded?.has(name) === true;
  }

  // Tasks

  /** Asks what is to be done about a task that is ready, and does it, until the task is over. */
  async act(itemTask: ItemTask): Promise<void> {
    const { itemRun, step } = itemTask;
    let slot: Slot | undefined;
    for (;;) {
      if (this.#isStopping) return await never;
      const action = this.#nextAction(itemTask);
      if (isCreation(action)) slot ??= this.#slots.free(action.order.kind);
      else if (slot !== undefined) {
        this.#slots.giveBack(slot);
        slot = undefined;
      }
      switch (action.action) {
        case 'start': {
          const { fingerprint, order } = action;
          if (isCreation(action) && slot === undefined) {
            // Its turn may be long in coming, so the task is decided again then.
            slot = await this.#slots.turn(order.kind, () => this.#rankOf(itemRun));
            if (slot === undefined) return this.#end(itemTask, noSlot);
            break;
          }
          if (await this.#start(itemTask, fingerprint, order, slot)) return;
          slot = undefined;
          break;
        }
        case 'slot':
          if (await this.#slots.opening(() => this.#rankOf(itemRun))) break;
          return this.#end(itemTask, noSlot);
        case 'join': {
          const end = this.#inFlight.shared(action.fingerprint);
          if (end === undefined) throw new Error(`bug: ${itemRun.task(step)} joins nothing`);
          if (this.#settle(itemTask, await end)) return;
          break;
        }
        case 'wait':
          await this.#changes.next(this.#users.hasProject(itemRun));
          break;
        case 'refresh':
          await Promise.all(action.list.map((refresh) => this.#refresh(refresh)));
          break;
        case 'reuse':
          return this.#reuse(itemTask, action);
        case 'end':
          this.#budget.carryOver(itemRun, action.reserve ?? 0);
          return this.#end(itemTask, action);
        default:
          return unreachable(action);
      }
    }
  }

  #nextAction({ itemRun, step }: ItemTask): Action {
    const turn = itemRun.turn(step);
    return turn === 'start'
      ? this.#dispatcher.nextAction(itemRun, step)
      : { action: 'end', ...endOf(turn, this.#isExcluded(step)) };
  }

  /** Whose creation has the next slot: the lowest. */
  #rankOf(itemRun: ItemRun): number {
    const place = this.#places.get(itemRun.root) ?? 0;
    return this.#users.hasProject(itemRun) ? place - Number.MAX_SAFE_INTEGER : place;
  }

  /** Whoever waits for another task, or for its credits, is decided again. */
  #end(itemTask: ItemTask, end: TaskEnd): void {
    this.#endings.end(itemTask, end);
    this.#changes.notify();
  }

  /** Makes outputs of a task fresh that is done. Whoever needs them at the same time waits for the same. */
  async #refresh(refresh: Refresh): Promise<void> {
    const { owner, step } = refresh;
    const { name } = step;
    const known = owner.refreshing.get(name);
    if (known !== undefined) return await known;
    const fresh = this.#freshen(refresh).finally(() => owner.refreshing.delete(name));
    owner.refreshing.set(name, fresh);
    await fresh;
  }

  async #freshen(refresh: Refresh): Promise<void> {
    const { owner: itemRun, step } = refresh;
    if (refresh.how === 'redo') itemRun.redo(step.name);
    else if (await this.#start({ itemRun, step }, refresh.fingerprint, refresh.order)) return;
    await this.act({ itemRun, step });
    if (refresh.how === 'redo' && step.kind.operation === 'create')
      await this.#saveAgain(itemRun, step);
  }

  /** A result was bought once more: downloads that had reused files of the lost one save the new one, as the plan says. */
  async #saveAgain(itemRun: ItemRun, { name }: Step): Promise<void> {
    if (itemRun.phase(name) !== 'done') return;
    const reused = itemRun.steps.filter(
      ({ kind, of, name: saver }) =>
        kind.operation === 'download' && of === name && itemRun.phase(saver) === 'done',
    );
    await Promise.all(reused.map((step) => this.act({ itemRun, step })));
  }

  /** Performs a job, or shares the one in flight for the same content. True if the task is over. */
  async #start(
    itemTask: ItemTask,
    fingerprint: Fingerprint | undefined,
    order: JobOrder,
    slot?: Slot,
  ): Promise<boolean> {
    const shared = fingerprint === undefined ? undefined : this.#inFlight.shared(fingerprint);
    if (shared !== undefined) return this.#settle(itemTask, await shared);
    this.#budget.reserve(itemTask.itemRun, order);
    if (slot !== undefined && fingerprint !== undefined) slot.job = fingerprint;
    const job: RunningJob = { ...itemTask, fingerprint, order };
    const performed = () => this.#performed(job, slot);
    return this.#settle(itemTask, await this.#inFlight.start(job, performed));
  }

  async #performed(job: RunningJob, slot: Slot | undefined): Promise<JobEnd> {
    const { order } = job;
    const given = await this.#o.performer.perform(order, this.#commit.journalFor(job));
    const outcome = given.is === 'bug' ? this.#commit.afterBug(job, given.bug) : given;
    this.#inFlight.over(job);
    if (slot !== undefined) this.#slots.giveBack(slot);
    else if (order.operation === 'attach' && isMissing(outcome)) this.#slots.missing(order);
    else if (order.operation === 'attach' || order.operation === 'await') this.#slots.changed();
    const credits = this.#budget.release(order.key);
    this.#changes.notify();
    this.#beQuiet();
    return { job, outcome, credits };
  }

  /** What the end of a job means to a task that waited for it. False: the task is decided again. */
  #settle(itemTask: ItemTask, { job, outcome, credits }: JobEnd): boolean {
    const isOwn = job.itemRun === itemTask.itemRun && job.step === itemTask.step;
    switch (outcome.is) {
      case 'done':
        this.#done(itemTask, job, { live: outcome.live, credits: isOwn ? credits : 0 });
        return true;
      case 'read':
        for (const { place, why } of outcome.unreadable) this.#o.fileFacts.unreadable(place, why);
        // What this run finds gone is no part of its plan: it is not bought again before a person has seen the price.
        if (
          job.order.operation === 'attach' ||
          job.order.operation === 'create' ||
          job.order.operation === 'download'
        )
          this.#o.failed.set(job.order.fingerprint, goneNow);
        return false;
      case 'resupply':
        return isOwn && !this.#resupplied(itemTask, outcome.why);
      case 'withheld': {
        const { closed } = this.#budget;
        // Refunds may still free credits for the task: the budget decides whether it waits.
        if (closed === undefined) return false;
        const ending = closed.because === 'left' ? 'later' : 'pending';
        this.#end(itemTask, { ending, why: outcome.why, held: { by: 'run' } });
        return true;
      }
      case 'ended':
        return this.#ended(itemTask, job, outcome);
      default:
        return unreachable(outcome);
    }
  }

  #done(
    itemTask: ItemTask,
    job: RunningJob,
    { live, credits }: { readonly live: JsonObject; readonly credits: number },
  ): void {
    const { journal } = this.#o;
    const { itemRun, step } = itemTask;
    const { order } = job;
    const fingerprint = fingerprintOf(job);
    const refreshed = itemRun.hasOutputs(step.name) && order.operation !== 'create';
    const reused = job.itemRun !== itemRun || job.step !== step;
    if (reused) journal.append([{ event: 'serves', job: fingerprint, task: itemRun.task(step) }]);
    this.#setOutputs(itemTask, fingerprint, live);
    const readAgain =
      order.operation === 'attach' || 'detection' in order || order.operation === 'reupload';
    if (refreshed && readAgain) return this.#endings.refreshed(itemTask);
    const project = projectOf(job, journal.ledger);
    this.#end(itemTask, { ending: 'done', why: '', reused, credits, project });
  }

  #setOutputs(
    { itemRun, step }: ItemTask,
    fingerprint: Fingerprint,
    live: JsonObject | undefined,
  ): void {
    itemRun.setOutputs(step, fingerprint, this.#o.journal.ledger.job(fingerprint), live);
    this.#users.add(itemRun, step, fingerprint);
  }

  #ended(itemTask: ItemTask, job: RunningJob, outcome: Ended): boolean {
    const { ending, why, code, again, stops } = outcome;
    if (again === true && this.#attemptsLeft(job)) return false;
    if (!isStopped(outcome) && this.#isDeletedElsewhere(job, outcome)) return false;
    if (stops !== undefined) this.#stopAt(stops, why, itemTask);
    else if (ending === 'failed') {
      if (job.fingerprint !== undefined) this.#o.failed.set(job.fingerprint, why);
      const isOwn = job.itemRun === itemTask.itemRun && job.step === itemTask.step;
      if (isOwn && job.order.operation === 'create')
        this.#stepBreaker.count(itemTask.step, { code, why });
    }
    const later = this.#stop.isLeft && isStopped(outcome);
    const project = projectOf(job, this.#o.journal.ledger);
    const held = isHeld(outcome) ? ({ by: 'run' } as const) : undefined;
    const end = { ending: later ? ('later' as const) : ending, why, code, project, held };
    this.#end(itemTask, end);
    return true;
  }

  #attemptsLeft({ order, step }: RunningJob): boolean {
    if (order.operation !== 'create' && order.operation !== 'attach') return false;
    return (this.#o.journal.ledger.job(order.fingerprint)?.attempt ?? 0) < step.attempts;
  }

  /** Another pipeline of this user may delete a project right before its download: then its files are copied instead. */
  #isDeletedElsewhere({ order }: RunningJob, { ending, code }: Ended): boolean {
    const { journal, remembered = nothingRemembered } = this.#o;
    if (order.operation !== 'download' || ending !== 'pending') return false;
    const line = journal.ledger.job(order.fingerprint);
    const isMissing = code === 'not-found';
    return line !== undefined && remembered.deletedElsewhere(line, isMissing) !== undefined;
  }

  #stopAt(stops: NonNullable<Ended['stops']>, why: string, { step }: ItemTask): void {
    switch (stops) {
      case 'unauthorized':
      case 'outage':
        return this.halt({ what: stops, why });
      case 'credits':
      case 'unanswered':
      case 'machine':
        return this.#budget.close({ because: stops, why });
      case 'step':
        return this.#stepBreaker.refuse(step, why);
      default:
        return unreachable(stops);
    }
  }

  /** Marks the free tasks behind a request's inputs for repetition, once; then the request is sent again. */
  #resupplied(itemTask: ItemTask, why: string): boolean {
    const { itemRun, step } = itemTask;
    if (!itemRun.mayResupply(step.name)) {
      const told = `${why.replace(/\.$/, '')}, also after it was supplied again`;
      this.#end(itemTask, { ending: 'failed', why: told });
      return false;
    }
    redoSuppliers(itemRun, step);
    return true;
  }

  /** Done before: only the task must be recorded. */
  #reuse(itemTask: ItemTask, { fingerprint, job, why, files, others }: Reuse): void {
    const { itemRun, step } = itemTask;
    const { journal, savedFirst } = this.#o;
    const { operation } = step.kind;
    const task = itemRun.task(step);
    const events = reuseEvents(task, operation, job, journal.ledger);
    if (events.length > 0) journal.append(events);
    if (operation === 'create') this.#budget.carryOver(itemRun, lastChargedHere(job) + others);
    this.#setOutputs(itemTask, fingerprint, undefined);
    const reused = savedFirst?.has(task) !== true;
    this.#end(itemTask, { ending: 'done', why, reused, files, project: job.project });
  }
}

const noSlot: End = { ending: 'later', why: 'as many projects render as may at once' };

type Start = Extract<Action, { readonly action: 'start' }>;

const isCreation = (action: Action): action is Start =>
  action.action === 'start' && action.order.operation === 'create';

const goneNow = `${whyOf({ code: 'gone-unseen' })}; ${payAgainHint}`;

/** The service does not have the project, which is on record all the same. */
const isMissing = (outcome: JobEnd['outcome']): boolean =>
  outcome.is === 'ended' && outcome.code === 'not-found';

/** True if the run stopped, and the task has no trouble of its own. A paid result that cannot be saved has. */
const isHeld = (outcome: Ended): boolean =>
  isStopped(outcome) ||
  outcome.stops === 'unauthorized' ||
  outcome.stops === 'outage' ||
  outcome.stops === 'credits';

/** A job that no other task can share has its fingerprint only in its order. */
function fingerprintOf({ fingerprint, order }: RunningJob): Fingerprint {
  if (fingerprint !== undefined) return fingerprint;
  if ('fingerprint' in order) return fingerprintFrom(digestFrom(order.fingerprint));
  throw new Error(`bug: ${order.task} is done and has no fingerprint`);
}

/**
 * Wakes those who wait for a change. Whoever is ready anyway goes first, then those with priority, then the others: what is paid
 * for is finished before more is bought.
 */
class ChangeSignal {
  readonly #first: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isNotifying = false;
  /** Something changed after those with priority were woken. */
  #hasChanged = false;

  /** Resolves after the next notification. */
  next(hasPriority: boolean): Promise<void> {
    return new Promise((resolve) => void (hasPriority ? this.#first : this.#others).push(resolve));
  }

  get isAwaited(): boolean {
    return this.#first.length + this.#others.length > 0;
  }

  notify(): void {
    this.#hasChanged = true;
    if (this.#isNotifying || !this.isAwaited) return;
    this.#isNotifying = true;
    setImmediate(() => {
      this.#hasChanged = false;
      const others = this.#others.splice(0);
      for (const resolve of this.#first.splice(0)) resolve();
      setImmediate(() => {
        this.#isNotifying = false;
        for (const resolve of others) resolve();
        if (this.#hasChanged) this.notify();
      });
    });
  }
}
