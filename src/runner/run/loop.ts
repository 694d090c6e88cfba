// The loop: start what is ready, wait for the next notice, make it durable, let the job continue. Each turn waits only
// in `inFlight.happened`. A job that must wait for the journal delays no other job.
import { err, unreachable } from '../../contract/base/result.ts';
import { reuseEvents } from '../journal/reuse-events.ts';
import { lastChargedHere } from '../journal/state.ts';
import type { Step } from '../language/pipeline.ts';
import { Barrier } from '../plan/barrier.ts';
import { calendarCaps } from '../plan/calendar-budget.ts';
import type { End, Phase } from '../plan/ending.ts';
import { type GenerationLimits, Generations } from '../plan/generations.ts';
import type { ItemNeeds } from '../plan/needs.ts';
import type { StepTurn } from '../plan/schedule.ts';
import type { Turn } from '../plan/turn.ts';
import type { RunEvent } from '../report/run-event.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import { taskId } from '../task/task.ts';
import type { Action, Reuse, RunTerms } from './action.ts';
import { Budget, type Closed } from './budget.ts';
import { Completion } from './completion.ts';
import { Dispatcher } from './dispatcher.ts';
import { FailurePolicy } from './failure-policy.ts';
import { GroupCommit } from './group-commit.ts';
import { InFlight, type Waiter } from './in-flight.ts';
import type { FanRun } from './items/fan-run.ts';
import { GatheredRuns } from './items/gathered-runs.ts';
import { ItemRun } from './items/item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Notice, Runner } from './jobs/ports.ts';
import type { Refresh } from './refresh-inputs.ts';
import { SettledTasks } from './settled-tasks.ts';
import { StepBreaker } from './step-breaker.ts';
import { type Halted, Stop, type Stopped } from './stop.ts';
import { SummaryBuilder } from './summary-builder.ts';
import { TaskEndings } from './task-endings.ts';
import { Window } from './window.ts';

export interface LoopOptions extends RunTerms {
  readonly items: Iterable<Item>;
  /** Items for which the plan has found nothing to do; default: none. They are reported first. */
  readonly settled?: Iterable<Item>;
  /** The number of the pipeline's items in this run. */
  readonly total: number;
  /** As in `InFlightOptions`. */
  readonly begunJobs: Set<Fingerprint> | undefined;
  /** True if the run includes only some of the pipeline's items. */
  readonly partial: boolean;
  readonly runner: Runner;
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
  /** Tasks that this run finished already, before it bought anything new. */
  readonly savedFirst?: ReadonlySet<string>;
  readonly onEvent: (event: RunEvent) => void;
}

/** The tasks that stand for all elements of a fan-out, and the task of each element. */
const tasksOf = ({ steps }: FanRun<ItemRun>, { item }: ItemRun) =>
  steps.map(({ name, shared }) => {
    const of = shared ? undefined : item;
    return { all: taskId(name, of), elementOf: (index: number) => taskId(name, of, index) };
  });

export class Loop {
  readonly summary = new SummaryBuilder();
  readonly #o: LoopOptions;
  readonly #shared: ItemRun;
  readonly #itemSteps: readonly Step[];
  readonly #window: Window;
  readonly #inFlight: InFlight;
  readonly #budget: Budget;
  readonly #generations: Generations;
  readonly #dispatcher: Dispatcher;
  readonly #commit: GroupCommit;
  readonly #barrier: Barrier;
  readonly #stop: Stop;
  readonly #endings: TaskEndings;
  readonly #completion: Completion;
  readonly #gathered: GatheredRuns;

  constructor(options: LoopOptions) {
    this.#o = options;
    const { journal, runner, onEvent, pipeline, clock, budget: total } = options;
    const { steps, items, limits } = pipeline;
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    const { partial, orderOf } = options;
    const progress = (): Window => this.#window;
    this.#gathered = new GatheredRuns({ steps: this.#itemSteps, partial, orderOf, progress });
    this.#shared = new ItemRun({
      steps: all ? steps : steps.filter((step) => step.shared),
      item: undefined,
      shared: undefined,
      outside: (step) => this.#itemPhase(step),
      gathered: this.#gathered,
    });
    const window = new Window({
      items: options.items,
      size: limits.items,
      open: (item) => this.#open(item),
      admit: ({ key }) => this.#budget.admit(key),
      closed: () => this.#budget.shut,
    });
    const { needs, begun, balance } = options;
    const caps = {
      total,
      balance,
      perItem: pipeline.budget.perItem,
      calendar: calendarCaps(pipeline),
    };
    const onClosed = (why: string): void => runner.close(why);
    const budget = new Budget({ ...caps, journal, clock, needs, begun, onClosed });
    if (options.closed !== undefined) budget.close(options.closed);
    const inFlight = new InFlight(options);
    const stepBreaker = new StepBreaker(steps);
    const failurePolicy = new FailurePolicy(pipeline.failureLimits, options.total, budget);
    const barrier = new Barrier(options.partial);
    const stop = new Stop(runner, onEvent);
    const commit = new GroupCommit({
      ...{ journal, runner, onEvent, budget, inFlight, stepBreaker },
      remembered: options.remembered,
    });
    const told = { summary: this.summary, misnaming: options.misnaming, onEvent };
    const endings = new TaskEndings({ journal, window, barrier, failurePolicy, budget, ...told });
    const terms = { ledger: journal.ledger, steps, limits: options.generationLimits };
    const generations = new Generations({ ...terms, now: () => options.clock.now() });
    const parts = { inFlight, window, budget, generations, commit, stepBreaker, stop, endings };
    this.#completion = new Completion({ ...options, ...parts });
    this.#dispatcher = new Dispatcher({ ...options, ...parts });
    this.#window = window;
    this.#budget = budget;
    this.#generations = generations;
    this.#inFlight = inFlight;
    this.#barrier = barrier;
    this.#stop = stop;
    this.#commit = commit;
    this.#endings = endings;
  }

  #open(item: Item): ItemRun {
    const itemRun = new ItemRun({
      steps: this.#itemSteps,
      item,
      shared: this.#shared,
      outside: (step) => this.#shared.schedule.phase(step),
    });
    this.#gathered.add(itemRun);
    return itemRun;
  }

  get stopped(): Stopped {
    return this.#stop.stopped(this.#budget.end, this.#window.isExhausted);
  }

  halt(halted: Halted): void {
    this.#stop.halt(halted);
  }

  /** Buys nothing more and admits no item. Running jobs end, except that nobody waits for projects that render. */
  leave(why: string): void {
    this.#budget.close({ because: 'left', why });
  }

  async run(): Promise<void> {
    const { settled = [], onEvent } = this.#o;
    const settledTasks = new SettledTasks(this.summary, onEvent);
    await settledTasks.passItems(settled, this.#itemSteps, () => this.#stop.isHalted);
    this.#budget.admit('');
    this.#window.stirWhole(this.#shared);
    let idle = 0;
    for (;;) {
      const before = this.summary.progress;
      if (!this.#window.isShut && !this.#stop.isHalted) {
        const isLast = this.#window.fill();
        // A cap may admit no further item after the last one in progress is over.
        if (isLast || this.#window.isDrained) this.#window.stirWhole(this.#shared);
      }
      this.#startAll();
      idle = this.#inFlight.size === 0 && this.summary.progress === before ? idle + 1 : 0;
      if (this.#inFlight.size === 0) {
        if (this.#stop.isHalted || this.#isOver()) return this.#countOne();
        if (idle > 1) this.#generations.nothingEnds();
        // The task that others wait for may have ended without a job.
        this.#window.askAgain();
        continue;
      }
      // Items that ended without a job left room: admit others before waiting for a job.
      const room = this.#window.hasRoom && !this.#window.isShut && !this.#stop.isHalted;
      this.#handle(await this.#inFlight.happened(room));
    }
  }

  /** Without items, the shared steps count as one item. */
  #countOne(): void {
    const one = this.#o.pipeline.items.kind === 'one';
    if (one && this.#shared.isOver && !this.#shared.isUnfinished) this.summary.addItem(true);
  }

  #isOver(): boolean {
    return this.#window.isDrained && this.#shared.isOver;
  }

  /** The phase of an item-level step, for the shared steps that wait for all items. */
  #itemPhase(step: string): Phase {
    const { isDrained: over, rest } = this.#window;
    return this.#barrier.phase(step, { over, rest });
  }

  #startAll(): void {
    while (!this.#stop.isHalted) {
      const itemRun = this.#window.next();
      if (itemRun === undefined) return;
      const { schedule } = itemRun;
      for (;;) {
        const next = schedule.next();
        const opened = next === undefined ? itemRun.nextFan() : undefined;
        if (next !== undefined) this.#take(itemRun, next);
        else if (opened !== undefined) this.#fanOut(itemRun, opened.fan, opened.turn);
        else break;
        if (this.#stop.isHalted) return;
      }
      if (!itemRun.isShared && itemRun === itemRun.root && itemRun.isOver) this.#leave(itemRun);
    }
  }

  #leave(itemRun: ItemRun): void {
    // Only a fan-in has the values of an item refreshed after the item is over.
    this.#budget.over(itemRun);
    if (!this.#window.close(itemRun)) return this.#window.stirWhole(this.#shared);
    this.#endings.itemOver(itemRun);
    if (this.#window.isDrained) this.#window.stirWhole(this.#shared);
  }

  /** Begins a fan-out: from here on, its elements take their turns. */
  #fanOut(itemRun: ItemRun, fan: FanRun<ItemRun>, turn: Turn): void {
    const step = fan.steps.find(({ name }) => name === fan.fan.step);
    if (step === undefined) throw new Error(`bug: the fan-out of ${fan.fan.step} lacks its step`);
    const elements =
      turn === 'start' ? this.#dispatcher.elements(fan, itemRun, step) : err<End>(turn);
    const lanes = itemRun.open(fan, elements.ok ? elements.value : undefined);
    if (elements.ok) this.#budget.opened(itemRun, tasksOf(fan, itemRun), lanes.length);
    for (const lane of lanes) this.#window.stir(lane);
    const [first] = lanes;
    if (elements.ok) this.#endings.opened(itemRun, step);
    else if (first !== undefined) this.#endings.end({ itemRun: first, step }, elements.error);
  }

  #take(itemRun: ItemRun, { step, turn }: StepTurn): void {
    if (turn !== 'start') return this.#endings.end({ itemRun, step }, turn);
    this.#act({ itemRun, step }, this.#dispatcher.nextAction(itemRun, step));
  }

  #act(waiter: Waiter, action: Action): void {
    const { itemRun, step } = waiter;
    switch (action.action) {
      case 'start':
        return this.#start(waiter, action.fingerprint, action.order);
      case 'join':
        this.#inFlight.join(waiter, action.fingerprint);
        return;
      case 'wait':
        return this.#window.wait(itemRun, step);
      case 'reuse':
        return this.#reuse(waiter, action);
      case 'refresh':
        for (const refresh of action.list) this.#refresh(refresh);
        return this.#window.stir(itemRun);
      case 'end':
        this.#budget.carryOver(itemRun, action.reserve ?? 0);
        return this.#endings.end(waiter, action);
      default:
        return unreachable(action);
    }
  }

  /** Starts a job, or joins the one in flight for the same content. */
  #start(waiter: Waiter, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    if (fingerprint !== undefined && this.#inFlight.join(waiter, fingerprint)) return;
    this.#budget.reserve(waiter.itemRun, order);
    this.#generations.begin(order);
    this.#inFlight.start(waiter, fingerprint, order);
  }

  /** The step becomes pending until its values are fresh; the steps that use it wait too. */
  #refresh(refresh: Refresh): void {
    const { owner, step } = refresh;
    if (owner.schedule.phase(step.name) !== 'done') return;
    if (refresh.how === 'redo') owner.redo(step.name);
    else {
      owner.schedule.reopen(step.name);
      this.#start({ itemRun: owner, step }, refresh.fingerprint, refresh.order);
    }
    this.#window.stir(owner);
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
    this.#window.gave(itemRun, step, fingerprint);
    const reused = savedFirst?.has(task) !== true;
    this.#endings.end(waiter, { ending: 'done', why, reused, files, project: job.project });
  }

  /** Records all notices, then ends the jobs that are over. */
  #handle(notices: readonly Notice[]): void {
    if (this.#commit.take(notices)) this.#window.askAgain();
    for (const notice of notices)
      if (notice.is === 'begun') this.#endings.begun(this.#inFlight.get(notice.key));
      else if (notice.is === 'ended') this.#completion.complete(notice.key, notice.outcome);
  }
}
