// The walk of a run: one promise for each step of each item. A task waits for the steps before it, asks what is to be done,
// does it or waits for whoever does it, and ends.
import { digestFrom } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { err, unreachable } from '../base/result.ts';
import type { Step } from '../language/pipeline.ts';
import { type Fingerprint, fingerprintFrom } from '../model/fingerprint.ts';
import type { Item } from '../model/item.ts';
import { reuseEvents } from '../model/reuse-events.ts';
import { lastChargedHere } from '../model/state.ts';
import { taskId } from '../model/task.ts';
import { calendarCaps } from '../plan/calendar-budget.ts';
import type { End } from '../plan/ending.ts';
import { type GenerationLimits, Generations } from '../plan/generations.ts';
import type { ItemNeeds } from '../plan/needs.ts';
import { nothingRemembered } from '../plan/remembered.ts';
import { Barrier, type Turn } from '../plan/turn.ts';
import type { Reuse, RunTerms } from './action.ts';
import { Budget, type Closed } from './budget.ts';
import { Commit } from './commit.ts';
import { Dispatcher } from './dispatcher.ts';
import { InFlight, type JobEnd, projectOf, type RunningJob } from './in-flight.ts';
import { type FanRun, ItemRun, type ItemsInside } from './item-run.ts';
import { type Actor, endOf, type Waiter, walk } from './item-walk.ts';
import type { Ended, JobOrder } from './jobs/job.ts';
import { isStopped } from './jobs/outcome.ts';
import type { Performer } from './jobs/ports.ts';
import { type Refresh, redoSuppliers } from './refresh-inputs.ts';
import type { RunEvent, Tell } from './run-event.ts';
import { SettledTasks } from './settled-tasks.ts';
import { StepBreaker } from './step-breaker.ts';
import { type Halted, Stop, type Stopped } from './stop.ts';
import { Tally } from './tally.ts';
import { FailurePolicy, TaskEndings } from './task-endings.ts';
import { Users } from './users.ts';

export interface WalkOptions extends RunTerms {
  readonly items: Iterable<Item>;
  /** Items for which the plan has found nothing to do; default: none. They are reported first. */
  readonly settled?: Iterable<Item>;
  /** The number of the pipeline's items in this run. */
  readonly total: number;
  /** As in `InFlightOptions`. */
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
  /** Steps whose files have the wrong extension, as the plan has said already. */
  readonly misnaming?: ReadonlySet<string>;
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

/** The tasks that stand for all elements of a fan-out, and the task of each element. */
const tasksOf = ({ steps }: FanRun, { item }: ItemRun) =>
  steps.map(({ name, shared }) => {
    const of = shared ? undefined : item;
    return { all: taskId(name, of), elementOf: (index: number) => taskId(name, of, index) };
  });

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
  /** All items, in their order, if a shared step reads `all` of a step of theirs. Other pipelines keep no item that is over. */
  readonly #gathered: ItemRun[] = [];
  readonly #source: Iterator<Item>;
  /** The next item, if it waits until others give credits back. */
  #waiting: Item | undefined;
  #exhausted = false;
  readonly #drained = Promise.withResolvers<void>();
  #areItemsOver = false;
  /** Something has happened that tasks and items may wait for. */
  readonly #pulse = new Pulse();
  readonly #quiet = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  readonly #inFlight: InFlight;
  readonly #users: Users;
  readonly #budget: Budget;
  readonly #generations: Generations;
  readonly #dispatcher: Dispatcher;
  readonly #commit: Commit;
  readonly #barrier: Barrier;
  readonly #stepBreaker: StepBreaker;
  readonly #stop: Stop;
  readonly #endings: TaskEndings;
  #isFailed = false;
  #isWatching = false;
  #idle = 0;
  #progress = -1;

  constructor(options: WalkOptions) {
    this.#o = options;
    const { tally = new Tally() } = options;
    this.tally = tally;
    const tell: Tell = (event, detail) => {
      tally.take(event, clock.elapsed(), detail);
      onEvent(event);
    };
    this.#tell = tell;
    const { journal, performer, onEvent, pipeline, clock, budget: total, partial } = options;
    const { steps, items } = pipeline;
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    this.#shared = new ItemRun({
      steps: all ? steps : steps.filter((step) => step.shared),
      item: undefined,
      items: this.#itemsInside(),
    });
    this.#source = options.items[Symbol.iterator]();
    const { needs, begun, balance } = options;
    const { perItem } = pipeline.budget;
    const caps = { total, balance, perItem, calendar: calendarCaps(pipeline) };
    const onClosed = (why: string): void => performer.close(why);
    const budget = new Budget({ ...caps, journal, clock, needs, begun, onClosed });
    if (options.closed !== undefined) budget.close(options.closed);
    const inFlight = new InFlight(options);
    const users = new Users(this.#open);
    const stepBreaker = new StepBreaker(steps);
    const failurePolicy = new FailurePolicy(pipeline.failureLimits, options.total, budget);
    const barrier = new Barrier(partial);
    const stop = new Stop(performer, onEvent);
    const told = { tally, misnaming: options.misnaming, tell };
    const endings = new TaskEndings({ journal, barrier, failurePolicy, budget, ...told });
    const terms = { ledger: journal.ledger, steps, limits: options.generationLimits };
    const generations = new Generations({ ...terms, now: () => clock.now() });
    this.#commit = new Commit({
      ...{ journal, budget, stepBreaker, endings, onEvent, remembered: options.remembered },
      onAnswer: () => this.#pulse.beat(),
      onFailure: (error) => this.#fail(error),
    });
    const parts = { inFlight, users, budget, generations, stepBreaker };
    this.#dispatcher = new Dispatcher({ ...options, ...parts });
    this.#inFlight = inFlight;
    this.#users = users;
    this.#budget = budget;
    this.#generations = generations;
    this.#barrier = barrier;
    this.#stepBreaker = stepBreaker;
    this.#stop = stop;
    this.#endings = endings;
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
    this.#pulse.beat();
  }

  async run(): Promise<void> {
    const { performer, journal } = this.#o;
    performer.begin({
      recorded: (event, at) => {
        journal.fold(event, at);
        this.#pulse.beat();
      },
      fail: (error) => this.#fail(error),
    });
    try {
      await Promise.race([this.#everything(), this.#quiet.promise, this.#failure.promise]);
    } finally {
      performer.end();
    }
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
      await this.#pulse.next(false);
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
    const gathered = this.#itemSteps.filter(
      ({ isGathered, fan }) => isGathered && fan === undefined,
    );
    const { partial, orderOf } = this.#o;
    let isOrdered = orderOf === undefined;
    return {
      gathered,
      over: () => (this.#areItemsOver ? undefined : this.#drained.promise),
      phase: (step) => this.#barrier.phase(step, { over: this.#isDrained, rest: this.#rest }),
      rest: () => (this.#isDrained ? (this.#rest ?? (partial ? 'excluded' : 'done')) : 'waiting'),
      runs: () => {
        if (isOrdered || !this.#isDrained) return this.#gathered;
        isOrdered = true;
        const placeOf = ({ item }: ItemRun): number => (item && orderOf?.(item)) ?? 0;
        return this.#gathered.sort((one, other) => placeOf(one) - placeOf(other));
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
      if (this.#waiting !== undefined) return this.#watch();
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
    const gathers = this.#itemSteps.some(({ isGathered, fan }) => isGathered && fan === undefined);
    if (gathers) this.#gathered.push(itemRun);
    await walk(itemRun, this);
    if (this.#isStopping) return;
    this.#budget.over(itemRun);
    this.#users.over(itemRun);
    this.#open.delete(itemRun);
    this.#endings.itemOver(itemRun);
    this.#pulse.beat();
  }

  /** Begins a fan-out whose list can be known. */
  open(fan: FanRun, head: Waiter, turn: Turn): Promise<void> | undefined {
    if (this.#isStopping) return never;
    const { itemRun, step } = head;
    const elements =
      turn === 'start'
        ? this.#dispatcher.elements(fan, itemRun, step)
        : err<End>(endOf(turn, this.#isExcluded(step)));
    const elementRuns = itemRun.open(fan, elements.ok ? elements.value : undefined);
    if (elements.ok) {
      this.#budget.opened(itemRun, tasksOf(fan, itemRun), elementRuns.length);
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
  async act(waiter: Waiter): Promise<void> {
    const { itemRun, step } = waiter;
    for (;;) {
      if (this.#isStopping) return await never;
      const turn = itemRun.turn(step);
      if (turn !== 'start') return this.#endings.end(waiter, endOf(turn, this.#isExcluded(step)));
      const action = this.#dispatcher.nextAction(itemRun, step);
      switch (action.action) {
        case 'start':
          if (await this.#start(waiter, action.fingerprint, action.order)) return;
          break;
        case 'join': {
          const end = this.#inFlight.shared(action.fingerprint);
          if (end === undefined) throw new Error(`bug: ${itemRun.task(step)} joins nothing`);
          if (this.#settle(waiter, await end)) return;
          break;
        }
        case 'wait':
          this.#watch();
          await this.#pulse.next(this.#users.hasProject(itemRun));
          break;
        case 'refresh':
          await Promise.all(action.list.map((refresh) => this.#refresh(refresh)));
          break;
        case 'reuse':
          return this.#reuse(waiter, action);
        case 'end':
          this.#budget.carryOver(itemRun, action.reserve ?? 0);
          return this.#endings.end(waiter, action);
        default:
          return unreachable(action);
      }
    }
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
    waiter: Waiter,
    fingerprint: Fingerprint | undefined,
    order: JobOrder,
  ): Promise<boolean> {
    const shared = fingerprint === undefined ? undefined : this.#inFlight.shared(fingerprint);
    if (shared !== undefined) return this.#settle(waiter, await shared);
    this.#budget.reserve(waiter.itemRun, order);
    this.#generations.begin(order);
    const job: RunningJob = { ...waiter, fingerprint, order };
    return this.#settle(waiter, await this.#inFlight.start(job, () => this.#performed(job)));
  }

  async #performed(job: RunningJob): Promise<JobEnd> {
    const { order } = job;
    const given = await this.#o.performer.perform(order, this.#commit.journalFor(job));
    const outcome = given.is === 'bug' ? this.#commit.afterBug(job, given.bug) : given;
    this.#inFlight.over(job);
    this.#generations.end(order);
    const credits = this.#budget.release(order.key);
    this.#pulse.beat();
    this.#beQuiet();
    this.#watch();
    return { job, outcome, credits };
  }

  /** What the end of a job means to a task that waited for it. False: the task is decided again. */
  #settle(waiter: Waiter, { job, outcome, credits }: JobEnd): boolean {
    const isOwn = job.itemRun === waiter.itemRun && job.step === waiter.step;
    switch (outcome.is) {
      case 'done':
        if (outcome.misnamed !== undefined) this.#endings.misnamed(waiter, outcome.misnamed);
        this.#done(waiter, job, { live: outcome.live, credits: isOwn ? credits : 0 });
        return true;
      case 'read':
        for (const { place, why } of outcome.unreadable) this.#o.fileFacts.unreadable(place, why);
        return false;
      case 'resupply':
        return isOwn && !this.#resupplied(waiter, outcome.why);
      case 'withheld': {
        const { closed } = this.#budget;
        // Refunds may still free credits for the task: the budget decides whether it waits.
        if (closed === undefined) return false;
        const ending = closed.because === 'left' ? 'later' : 'pending';
        this.#endings.end(waiter, { ending, why: outcome.why, held: { by: 'run' } });
        return true;
      }
      case 'ended':
        return this.#ended(waiter, job, outcome);
      default:
        return unreachable(outcome);
    }
  }

  #done(
    waiter: Waiter,
    job: RunningJob,
    { live, credits }: { readonly live: JsonObject; readonly credits: number },
  ): void {
    const { journal } = this.#o;
    const { itemRun, step } = waiter;
    const { order } = job;
    const fingerprint = fingerprintOf(job);
    const refreshed = itemRun.hasGiven(step.name) && order.operation !== 'create';
    const reused = job.itemRun !== itemRun || job.step !== step;
    if (reused) journal.append([{ event: 'serves', job: fingerprint, task: itemRun.task(step) }]);
    itemRun.give(step, fingerprint, { live, ledger: journal.ledger });
    this.#users.gave(itemRun, step, fingerprint);
    const readAgain =
      order.operation === 'attach' || 'detection' in order || order.operation === 'reupload';
    if (refreshed && readAgain) return this.#endings.refreshed(waiter);
    const project = projectOf(job, journal.ledger);
    this.#endings.end(waiter, { ending: 'done', why: '', reused, credits, project });
  }

  #ended(waiter: Waiter, job: RunningJob, outcome: Ended): boolean {
    const { ending, why, code, again, stops, named } = outcome;
    if (again === true && this.#attemptsLeft(job)) return false;
    if (!isStopped(outcome) && this.#isDeletedElsewhere(job, outcome)) return false;
    if (stops !== undefined) this.#stopAt(stops, why, waiter);
    else if (ending === 'failed') {
      if (job.fingerprint !== undefined) this.#o.failed.set(job.fingerprint, why);
      const isOwn = job.itemRun === waiter.itemRun && job.step === waiter.step;
      if (isOwn && job.order.operation === 'create')
        this.#stepBreaker.count(waiter.step, { code, why });
    }
    const later = this.#stop.isLeft && isStopped(outcome);
    const project = projectOf(job, this.#o.journal.ledger);
    const held = isHeld(outcome) ? ({ by: 'run' } as const) : undefined;
    const end = { ending: later ? ('later' as const) : ending, why, code, project, held, named };
    this.#endings.end(waiter, end);
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

  #stopAt(stops: NonNullable<Ended['stops']>, why: string, { step }: Waiter): void {
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
  #resupplied(waiter: Waiter, why: string): boolean {
    const { itemRun, step } = waiter;
    if (!itemRun.mayResupply(step.name)) {
      const told = `${why.replace(/\.$/, '')}, also after it was supplied again`;
      this.#endings.end(waiter, { ending: 'failed', why: told });
      return false;
    }
    redoSuppliers(itemRun, step);
    return true;
  }

  /** Done before: only the task must be recorded. */
  #reuse(waiter: Waiter, { fingerprint, job, why, files, others }: Reuse): void {
    const { itemRun, step } = waiter;
    const { journal, savedFirst } = this.#o;
    const { operation } = step.kind;
    const task = itemRun.task(step);
    const events = reuseEvents(task, operation, job, journal.ledger);
    if (events.length > 0) journal.append(events);
    if (operation === 'create') this.#budget.carryOver(itemRun, lastChargedHere(job) + others);
    itemRun.give(step, fingerprint, { live: undefined, ledger: journal.ledger });
    this.#users.gave(itemRun, step, fingerprint);
    const reused = savedFirst?.has(task) !== true;
    this.#endings.end(waiter, { ending: 'done', why, reused, files, project: job.project });
  }

  /**
   * Where nothing is in flight and tasks or items still wait, they are asked again; if that changes nothing, only projects that
   * earlier runs left hold the room.
   */
  #watch(): void {
    if (this.#isWatching || this.#inFlight.size > 0) return;
    this.#isWatching = true;
    setImmediate(() => {
      this.#isWatching = false;
      if (this.#inFlight.size > 0 || this.#isStopping) return;
      if (!this.#pulse.isAwaited) return;
      const { progress } = this.tally;
      this.#idle = progress === this.#progress ? this.#idle + 1 : 0;
      this.#progress = progress;
      if (this.#idle > 1) this.#generations.nothingEnds();
      this.#pulse.beat();
      this.#watch();
    });
  }
}

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

// Something has happened that tasks may wait for: room, credits, or the end of another task. Whoever is ready anyway goes
// first, then those who are ahead, then the others: what is paid for is finished before more is bought.

class Pulse {
  #ahead: (() => void)[] = [];
  #others: (() => void)[] = [];
  #isBeating = false;

  /** Resolves after the next beat. */
  next(isAhead: boolean): Promise<void> {
    return new Promise((resolve) => void (isAhead ? this.#ahead : this.#others).push(resolve));
  }

  get isAwaited(): boolean {
    return this.#ahead.length + this.#others.length > 0;
  }

  beat(): void {
    if (this.#isBeating || !this.isAwaited) return;
    this.#isBeating = true;
    setImmediate(() => {
      const others = this.#others.splice(0);
      for (const resolve of this.#ahead.splice(0)) resolve();
      setImmediate(() => {
        this.#isBeating = false;
        for (const resolve of others) resolve();
      });
    });
  }
}
