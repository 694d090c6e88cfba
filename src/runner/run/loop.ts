// The loop: start what may start, wait for the next thing that happened, make it durable, let it go on.
// It has one wait in every turn, `runner.next`; a job that must wait for the journal holds up nobody else.

import { digestFrom } from '../../contract/base/digest.ts';
import type { JsonObject } from '../../contract/base/json.ts';
import { unreachable } from '../../contract/base/result.ts';
import type { JobLine } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import type { StepTurn } from '../plan/schedule.ts';
import type { Ending, Phase } from '../plan/turn.ts';
import type { TaskEnding } from '../report/run-event.ts';
import { type Fingerprint, fingerprintFrom } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import type { Action } from './action.ts';
import { Barrier } from './barrier.ts';
import { Budget } from './budget.ts';
import { Dispatcher } from './dispatcher.ts';
import { FailurePolicy } from './failure-policy.ts';
import { give } from './giving.ts';
import { GroupCommit } from './group-commit.ts';
import { InFlight, type RunningJob, type Waiter } from './in-flight.ts';
import { ItemRun } from './item-run.ts';
import type { JobOrder, Landing, Outcome } from './jobs/job.ts';
import type { Notice } from './jobs/ports.ts';
import type { LoopOptions } from './loop-options.ts';
import { type Renewing, supplyAgain } from './refresh-inputs.ts';
import { StepBreaker } from './step-breaker.ts';
import { type Halted, type Stopped, SummaryBuilder, stoppedBy } from './summary-builder.ts';
import { shownAs, TaskReporter } from './task-reporter.ts';
import { Window } from './window.ts';

export class Loop {
  readonly summary = new SummaryBuilder();
  readonly #o: LoopOptions;
  readonly #shared: ItemRun;
  readonly #itemSteps: readonly Step[];
  readonly #window: Window;
  readonly #inFlight: InFlight;
  readonly #budget: Budget;
  readonly #dispatcher: Dispatcher;
  readonly #commit: GroupCommit;
  readonly #stepBreaker: StepBreaker;
  readonly #failurePolicy: FailurePolicy;
  readonly #barrier: Barrier;
  readonly #reporter: TaskReporter;
  /** Content for which a job was begun in this run; kept only where steps are left out. */
  readonly #begun: Set<Fingerprint> | undefined;
  #stop: Halted | undefined;

  constructor(options: LoopOptions) {
    this.#o = options;
    this.#inFlight = new InFlight(options.runner);
    const { journal, runner, onEvent, pipeline } = options;
    const { steps, items, budget: limits, tolerated } = pipeline;
    this.#budget = new Budget({ journal, total: options.budget, perItem: limits.perItem });
    if (options.closed !== undefined) this.#budget.close(options.closed);
    this.#stepBreaker = new StepBreaker(steps);
    const [budget, inFlight, stepBreaker] = [this.#budget, this.#inFlight, this.#stepBreaker];
    this.#commit = new GroupCommit({ journal, runner, onEvent, budget, inFlight, stepBreaker });
    this.#failurePolicy = new FailurePolicy(tolerated, options.total, budget);
    this.#barrier = new Barrier(options.partial);
    this.#reporter = new TaskReporter({ summary: this.summary, journal, onEvent });
    if (options.someLeftOut) this.#begun = new Set();
    this.#dispatcher = new Dispatcher({
      ...options,
      budget,
      stepBreaker,
      key: () => this.#inFlight.key(),
      inUse: (itemRun, step, fingerprint) =>
        this.#inFlight.clashes(step, fingerprint) ||
        this.#window.keepsFrom(itemRun, step, fingerprint),
      isInFlight: (fingerprint) => this.#inFlight.has(fingerprint),
      begunNow: (fingerprint) => this.#begun?.has(fingerprint) === true,
    });
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    this.#shared = new ItemRun({
      steps: all ? steps : steps.filter((step) => step.shared),
      item: undefined,
      shared: undefined,
      outside: (step) => this.#itemPhase(step),
    });
    this.#window = new Window({
      items: options.items,
      size: options.pipeline.limits.items,
      open: (item) => this.#open(item),
    });
  }

  #open(item: Item): ItemRun {
    return new ItemRun({
      steps: this.#itemSteps,
      item,
      shared: this.#shared,
      outside: (step) => this.#shared.schedule.phase(step),
    });
  }

  get stopped(): Stopped {
    return stoppedBy(this.#stop, this.#budget.closed);
  }

  async run(): Promise<void> {
    this.#window.stir(this.#shared);
    let idle = 0;
    for (;;) {
      const before = this.summary.progress;
      if (!this.#admissionOver && this.#stop === undefined && this.#window.fill())
        this.#window.stir(this.#shared);
      this.#startAll();
      idle = this.#inFlight.size === 0 && this.summary.progress === before ? idle + 1 : 0;
      if (this.#inFlight.size === 0) {
        if (this.#stop !== undefined || this.#isOver()) return this.#countOne();
        if (idle > 1) throw new Error('bug: nothing runs and nothing can start');
        // What a task waited for may have ended without a job.
        this.#window.askAgain();
        continue;
      }
      // Items that left without a job made room: others do not wait for the jobs of those that stayed.
      const room = this.#window.hasRoom && !this.#admissionOver && this.#stop === undefined;
      this.#handle(await this.#inFlight.happened(room));
    }
  }

  /** Without items the shared steps are the one thing that is done, or not. */
  #countOne(): void {
    const { kind } = this.#o.pipeline.items;
    if (kind === 'one' && this.#shared.schedule.isOver && !this.#shared.unfinished)
      this.summary.itemsDone += 1;
  }

  #isOver(): boolean {
    return this.#admissionOver && this.#window.isEmpty && this.#shared.schedule.isOver;
  }

  /** No further item is taken in: there is none, or no money for it. */
  get #admissionOver(): boolean {
    return this.#window.exhausted || this.#noneToBuy;
  }

  /** Nothing more is bought, and not because only what is there already was to be saved. */
  get #noneToBuy(): boolean {
    return this.#budget.closed !== undefined && this.#budget.closed.because !== 'saving';
  }

  /** How a step of the items stands, for the shared steps that wait for all of them. */
  #itemPhase(step: string): Phase {
    const over = this.#admissionOver && this.#window.isEmpty;
    return this.#barrier.phase(step, { over, all: this.#window.exhausted });
  }

  #startAll(): void {
    while (this.#stop === undefined) {
      const itemRun = this.#window.next();
      if (itemRun === undefined) return;
      for (let turn = itemRun.schedule.next(); turn !== undefined; turn = itemRun.schedule.next()) {
        this.#take(itemRun, turn);
        if (this.#stop !== undefined) return;
      }
      if (itemRun !== this.#shared && itemRun.schedule.isOver) this.#grant(itemRun);
    }
  }

  #grant(itemRun: ItemRun): void {
    if (!this.#window.close(itemRun)) return;
    this.#failurePolicy.over(itemRun);
    if (itemRun.unfinished) this.summary.itemsUnfinished += 1;
    else this.summary.itemsDone += 1;
    this.#o.onEvent({
      type: 'item',
      item: itemRun.item?.key ?? '',
      ok: !itemRun.unfinished,
      changed: itemRun.changed,
      of: this.summary.itemsDone + this.summary.itemsUnfinished,
    });
    if (this.#admissionOver && this.#window.isEmpty) this.#window.stir(this.#shared);
  }

  #take(itemRun: ItemRun, turn: StepTurn): void {
    const { step } = turn;
    switch (turn.turn) {
      case 'block':
        return this.#end(itemRun, step, 'blocked', `waits for ${turn.because}`);
      case 'skip':
        return this.#note(itemRun, step, 'skipped', `${turn.because} is skipped`);
      case 'exclude':
        return this.#end(itemRun, step, 'excluded', `${turn.because} is left out`);
      case 'start':
        return this.#act(itemRun, step, this.#dispatcher.nextAction(itemRun, step));
      default:
        return unreachable(turn.turn);
    }
  }

  #act(itemRun: ItemRun, step: Step, action: Action): void {
    switch (action.action) {
      case 'job':
        return this.#launch(itemRun, step, action.fingerprint, action.order);
      case 'join':
        this.#inFlight.join({ itemRun, step }, action.fingerprint);
        return;
      case 'wait':
        return this.#window.wait(itemRun, step);
      case 'reuse':
        return this.#reuse(itemRun, step, action.fingerprint, action.job);
      case 'renew':
        for (const renewing of action.list) this.#renew(renewing);
        return this.#window.stir(itemRun);
      case 'skip':
        return this.#note(itemRun, step, 'skipped', action.why);
      case 'fail':
        return this.#note(itemRun, step, 'failed', action.why);
      case 'exclude':
        return this.#end(itemRun, step, 'excluded', action.why);
      case 'hold':
        itemRun.credits += action.reserve;
        return this.#end(itemRun, step, 'held', action.why);
      case 'later':
        return this.#end(itemRun, step, 'pending', action.why);
      case 'block':
        return this.#end(itemRun, step, 'blocked', action.why);
      default:
        return unreachable(action);
    }
  }

  /** Starts a job, or joins the one that is in the air for the same content. */
  #launch(
    itemRun: ItemRun,
    step: Step,
    fingerprint: Fingerprint | undefined,
    order: JobOrder,
  ): void {
    if (fingerprint !== undefined && this.#inFlight.join({ itemRun, step }, fingerprint)) return;
    if (order.operation === 'create') this.#budget.reserve(itemRun, order);
    if (order.operation === 'attach' && !order.settled)
      this.#budget.attach(itemRun, order.key, order.credits);
    if (fingerprint !== undefined && !this.#isDone(fingerprint)) this.#begun?.add(fingerprint);
    this.#inFlight.start({ itemRun, step }, fingerprint, order);
  }

  /** Done by this run or an earlier one: a job for it only makes its values fresh. */
  #isDone(fingerprint: Fingerprint): boolean {
    const state = this.#o.journal.ledger.job(fingerprint)?.state;
    return state === 'supplied' || state === 'complete' || state === 'deleted';
  }

  /** The step goes back among the waiting until its values are fresh; what uses it waits with it. */
  #renew(renewing: Renewing): void {
    const { owner, step } = renewing;
    if (owner.schedule.phase(step.name) !== 'done') return;
    owner.schedule.reopen(step.name);
    if (renewing.how === 'redo') owner.forced.add(step.name);
    else this.#launch(owner, step, renewing.fingerprint, renewing.order);
    this.#window.stir(owner);
  }

  /** Done before: it only has to be known for whom. */
  #reuse(itemRun: ItemRun, step: Step, fingerprint: Fingerprint, job: JobLine): void {
    const task = itemRun.task(step);
    const { operation } = step.kind;
    const inbox = !job.tasks.includes(task) || this.#o.journal.ledger.task(task) !== undefined;
    if (operation !== 'download' && operation !== 'delete' && inbox)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task }]);
    itemRun.credits += operation === 'create' ? (job.credits ?? 0) : 0;
    this.#give(itemRun, step, fingerprint, undefined);
    const now = this.#o.rescued?.has(task) === true;
    this.#end(itemRun, step, 'done', '', now ? 'done' : 'reused');
  }

  #give(
    itemRun: ItemRun,
    step: Step,
    fingerprint: Fingerprint,
    live: JsonObject | undefined,
  ): void {
    give(itemRun, step, { fingerprint, live, ledger: this.#o.journal.ledger });
  }

  /** Records all that happened, then ends what is over. */
  #handle(notices: readonly Notice[]): void {
    if (this.#commit.take(notices)) this.#window.askAgain();
    for (const notice of notices)
      if (notice.is === 'ended') this.#complete(notice.key, notice.outcome);
  }

  #complete(key: string, ended: Outcome): void {
    this.#window.askAgain();
    const outcome = ended.end === 'bug' ? this.#commit.afterBug(key, ended.bug) : ended;
    const running = this.#inFlight.complete(key);
    this.#budget.release(running);
    this.#settle(running, outcome, running, Math.max(0, running.charged - running.before));
    for (const follower of running.followers) this.#settle(running, outcome, follower, 0);
  }

  /** Ends one of the tasks that a job was for. */
  #settle(running: RunningJob, outcome: Landing, { itemRun, step }: Waiter, charged: number): void {
    const leader = running.itemRun === itemRun && running.step === step;
    this.#window.stir(itemRun);
    switch (outcome.end) {
      case 'done':
        if (outcome.misnamed !== undefined) this.#reporter.misnamed(step, outcome.misnamed);
        return this.#done(running, outcome.live, itemRun, step, charged);
      case 'read':
        for (const { place, why } of outcome.unreadable) this.#o.fileFacts.unreadable(place, why);
        return itemRun.schedule.reopen(step.name);
      case 'failed':
        if (outcome.again && this.#attemptsLeft(running)) return itemRun.schedule.reopen(step.name);
        if (running.fingerprint !== undefined) this.#o.failed.set(running.fingerprint, outcome.why);
        if (leader && running.order.operation === 'create') this.#stepBreaker.count(step, outcome);
        return this.#note(itemRun, step, 'failed', outcome.why, outcome.code);
      case 'doubt':
        return this.#end(itemRun, step, 'held', outcome.why);
      case 'pending':
        return this.#end(itemRun, step, 'pending', outcome.why);
      case 'resupply':
        return leader
          ? this.#resupply(itemRun, step, outcome.why)
          : itemRun.schedule.reopen(step.name);
      case 'stop':
        this.#stopAt(outcome, step);
        return outcome.what === 'step'
          ? this.#note(itemRun, step, 'failed', outcome.why, outcome.failure.reason)
          : this.#end(itemRun, step, 'pending', outcome.why);
      case 'withheld':
        // Others may be refunded yet, and make room for it: the budget says whether it waits.
        if (this.#budget.closed === undefined) return itemRun.schedule.reopen(step.name);
        return this.#end(itemRun, step, 'pending', outcome.why);
      case 'stopped':
        return this.#end(itemRun, step, 'pending', 'stopped');
      default:
        return unreachable(outcome);
    }
  }

  #stopAt({ what, why, failure }: Extract<Outcome, { end: 'stop' }>, step: Step): void {
    if (what === 'run') this.halt({ what: failure.reason === 'outage' ? 'outage' : 'run', why });
    if (what === 'step') this.#stepBreaker.refuse(step, why);
    const because = failure.reason === 'payment-required' ? 'credits' : 'machine';
    if (what === 'paid') this.#budget.close({ because, why });
  }

  #attemptsLeft({ order, step }: RunningJob): boolean {
    if (order.operation !== 'create' && order.operation !== 'attach') return false;
    return (this.#o.journal.ledger.job(order.fingerprint)?.attempt ?? 0) < step.attempts;
  }

  #done(
    running: RunningJob,
    live: JsonObject,
    itemRun: ItemRun,
    step: Step,
    charged: number,
  ): void {
    itemRun.forced.delete(step.name);
    const { order } = running;
    const fingerprint =
      running.fingerprint ??
      ('fingerprint' in order ? fingerprintFrom(digestFrom(order.fingerprint)) : undefined);
    if (fingerprint === undefined)
      throw new Error(`bug: ${order.task} is done and has no fingerprint`);
    const renewed = itemRun.hasGiven(step.name) && order.operation !== 'create';
    const follower = running.itemRun !== itemRun || running.step !== step;
    if (follower)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task: itemRun.task(step) }]);
    this.#give(itemRun, step, fingerprint, live);
    const readAgain =
      order.operation === 'attach' || 'detection' in order || order.operation === 'reupload';
    if (renewed && readAgain) return this.#over(itemRun, step, 'done');
    this.#end(itemRun, step, 'done', '', follower ? 'reused' : 'done', charged);
  }

  /** The free tasks that made a request's inputs are done again, once; then the request is sent again. */
  #resupply(itemRun: ItemRun, step: Step, why: string): void {
    if (itemRun.resupplied.has(step.name))
      return this.#note(itemRun, step, 'failed', `${why}, also after it was supplied again`);
    itemRun.resupplied.add(step.name);
    itemRun.schedule.reopen(step.name);
    for (const owner of supplyAgain(itemRun, step)) this.#window.stir(owner);
  }

  /** Nothing new starts, what runs comes to an end. */
  halt(stop: Halted): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#o.onEvent({ type: 'stopping', why: stop.why });
    this.#o.runner.abort();
  }

  /** An end without a job to speak for it is recorded, once. */
  #note(
    itemRun: ItemRun,
    step: Step,
    event: 'skipped' | 'failed',
    why: string,
    code?: string,
  ): void {
    const task = itemRun.task(step);
    const known = this.#o.journal.ledger.task(task);
    const what = event === 'failed' && code !== undefined ? { code } : {};
    if (known?.state !== event || known.why !== why)
      this.#o.journal.append([{ event, task, why, ...what }]);
    this.#end(itemRun, step, event, why);
  }

  #end(
    itemRun: ItemRun,
    step: Step,
    ending: Ending,
    why: string,
    shown: TaskEnding = shownAs(ending),
    credits = 0,
  ): void {
    this.#over(itemRun, step, ending);
    this.#reporter.ended(itemRun, step, { ending, why, shown, credits });
  }

  #over(itemRun: ItemRun, step: Step, ending: Ending): void {
    itemRun.schedule.end(step.name, ending);
    if (itemRun !== this.#shared) this.#barrier.note(step.name, ending);
    if (ending !== 'done' && ending !== 'skipped' && ending !== 'excluded')
      itemRun.unfinished = true;
    if (ending === 'failed') this.#failurePolicy.failed(itemRun);
    if (itemRun === this.#shared) this.#window.stirAll();
  }
}
