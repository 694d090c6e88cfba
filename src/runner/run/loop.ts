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
import { Announcer, shownAs } from './announcer.ts';
import { Barrier } from './barrier.ts';
import { Clerk } from './clerk.ts';
import { type Flight, Flights, type Passenger } from './flights.ts';
import { give } from './giving.ts';
import type { JobOrder, Landing, Outcome } from './jobs/job.ts';
import type { Notice } from './jobs/ports.ts';
import type { LoopOptions } from './loop-options.ts';
import type { Move } from './move.ts';
import { Purse } from './purse.ts';
import { Refusals } from './refusals.ts';
import { type Renewing, supplyAgain } from './renewals.ts';
import { Starter } from './starter.ts';
import { type Halted, type Stopped, stoppedBy, Tally } from './tally.ts';
import { Tolerance } from './tolerance.ts';
import { Window } from './window.ts';
import { Work } from './work.ts';

export class Loop {
  readonly tally = new Tally();
  readonly #o: LoopOptions;
  readonly #shared: Work;
  readonly #itemSteps: readonly Step[];
  readonly #window: Window;
  readonly #flights: Flights;
  readonly #purse: Purse;
  readonly #starter: Starter;
  readonly #clerk: Clerk;
  readonly #refusals: Refusals;
  readonly #tolerance: Tolerance;
  readonly #barrier: Barrier;
  readonly #announcer: Announcer;
  /** Content for which a job was begun in this run; kept only where steps are left out. */
  readonly #begun: Set<Fingerprint> | undefined;
  #stop: Halted | undefined;

  constructor(options: LoopOptions) {
    this.#o = options;
    this.#flights = new Flights(options.runner);
    const { journal, runner, onEvent, pipeline } = options;
    const { steps, items, budget, tolerated } = pipeline;
    this.#purse = new Purse({ journal, budget: options.budget, perItem: budget.perItem });
    if (options.closed !== undefined) this.#purse.close(options.closed);
    this.#refusals = new Refusals(steps);
    const [purse, flights, refusals] = [this.#purse, this.#flights, this.#refusals];
    this.#clerk = new Clerk({ journal, runner, onEvent, purse, flights, refusals });
    this.#tolerance = new Tolerance(tolerated, options.total, purse);
    this.#barrier = new Barrier(options.partial);
    this.#announcer = new Announcer({ tally: this.tally, journal, onEvent });
    if (options.someLeftOut) this.#begun = new Set();
    this.#starter = new Starter({
      ...options,
      purse,
      refusals,
      key: () => this.#flights.key(),
      inUse: (work, step, fingerprint) =>
        this.#flights.clash(step, fingerprint) || this.#window.keepsFrom(work, step, fingerprint),
      inAir: (fingerprint) => this.#flights.has(fingerprint),
      begunNow: (fingerprint) => this.#begun?.has(fingerprint) === true,
    });
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    this.#shared = new Work({
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

  #open(item: Item): Work {
    return new Work({
      steps: this.#itemSteps,
      item,
      shared: this.#shared,
      outside: (step) => this.#shared.schedule.phase(step),
    });
  }

  get stopped(): Stopped {
    return stoppedBy(this.#stop, this.#purse.closed);
  }

  async run(): Promise<void> {
    this.#window.stir(this.#shared);
    let idle = 0;
    for (;;) {
      const before = this.tally.progress;
      if (!this.#admissionOver && this.#stop === undefined && this.#window.fill())
        this.#window.stir(this.#shared);
      this.#startAll();
      idle = this.#flights.size === 0 && this.tally.progress === before ? idle + 1 : 0;
      if (this.#flights.size === 0) {
        if (this.#stop !== undefined || this.#isOver()) return this.#countOne();
        if (idle > 1) throw new Error('bug: nothing runs and nothing can start');
        // What a task waited for may have ended without a job.
        this.#window.askAgain();
        continue;
      }
      // Items that left without a job made room: others do not wait for the jobs of those that stayed.
      const room = this.#window.hasRoom && !this.#admissionOver && this.#stop === undefined;
      this.#handle(await this.#flights.happened(room));
    }
  }

  /** Without items the shared steps are the one thing that is done, or not. */
  #countOne(): void {
    const { kind } = this.#o.pipeline.items;
    if (kind === 'one' && this.#shared.schedule.isOver && !this.#shared.unfinished)
      this.tally.itemsDone += 1;
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
    return this.#purse.closed !== undefined && this.#purse.closed.because !== 'saving';
  }

  /** How a step of the items stands, for the shared steps that wait for all of them. */
  #itemPhase(step: string): Phase {
    const over = this.#admissionOver && this.#window.isEmpty;
    return this.#barrier.phase(step, { over, all: this.#window.exhausted });
  }

  #startAll(): void {
    while (this.#stop === undefined) {
      const work = this.#window.next();
      if (work === undefined) return;
      for (let turn = work.schedule.next(); turn !== undefined; turn = work.schedule.next()) {
        this.#take(work, turn);
        if (this.#stop !== undefined) return;
      }
      if (work !== this.#shared && work.schedule.isOver) this.#leave(work);
    }
  }

  #leave(work: Work): void {
    if (!this.#window.close(work)) return;
    this.#tolerance.over(work);
    if (work.unfinished) this.tally.itemsUnfinished += 1;
    else this.tally.itemsDone += 1;
    this.#o.onEvent({
      type: 'item',
      item: work.item?.key ?? '',
      ok: !work.unfinished,
      changed: work.changed,
      of: this.tally.itemsDone + this.tally.itemsUnfinished,
    });
    if (this.#admissionOver && this.#window.isEmpty) this.#window.stir(this.#shared);
  }

  #take(work: Work, turn: StepTurn): void {
    const { step } = turn;
    switch (turn.turn) {
      case 'block':
        return this.#end(work, step, 'blocked', `waits for ${turn.because}`);
      case 'skip':
        return this.#note(work, step, 'skipped', `${turn.because} is skipped`);
      case 'exclude':
        return this.#end(work, step, 'excluded', `${turn.because} is left out`);
      case 'start':
        return this.#move(work, step, this.#starter.consider(work, step));
      default:
        return unreachable(turn.turn);
    }
  }

  #move(work: Work, step: Step, move: Move): void {
    switch (move.move) {
      case 'job':
        return this.#launch(work, step, move.fingerprint, move.order);
      case 'join':
        this.#flights.join({ work, step }, move.fingerprint);
        return;
      case 'wait':
        return this.#window.wait(work, step);
      case 'reuse':
        return this.#reuse(work, step, move.fingerprint, move.job);
      case 'renew':
        for (const renewing of move.list) this.#renew(renewing);
        return this.#window.stir(work);
      case 'skip':
        return this.#note(work, step, 'skipped', move.why);
      case 'fail':
        return this.#note(work, step, 'failed', move.why);
      case 'exclude':
        return this.#end(work, step, 'excluded', move.why);
      case 'hold':
        work.credits += move.reserve;
        return this.#end(work, step, 'held', move.why);
      case 'later':
        return this.#end(work, step, 'pending', move.why);
      case 'block':
        return this.#end(work, step, 'blocked', move.why);
      default:
        return unreachable(move);
    }
  }

  /** Starts a job, or joins the one that is in the air for the same content. */
  #launch(work: Work, step: Step, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    if (fingerprint !== undefined && this.#flights.join({ work, step }, fingerprint)) return;
    if (order.operation === 'create') this.#purse.promise(work, order);
    if (order.operation === 'attach' && !order.settled)
      this.#purse.remember(work, order.key, order.credits);
    if (fingerprint !== undefined && !this.#isDone(fingerprint)) this.#begun?.add(fingerprint);
    this.#flights.start({ work, step }, fingerprint, order);
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
  #reuse(work: Work, step: Step, fingerprint: Fingerprint, job: JobLine): void {
    const task = work.task(step);
    const { operation } = step.kind;
    const inbox = !job.tasks.includes(task) || this.#o.journal.ledger.task(task) !== undefined;
    if (operation !== 'download' && operation !== 'delete' && inbox)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task }]);
    work.credits += operation === 'create' ? (job.credits ?? 0) : 0;
    this.#give(work, step, fingerprint, undefined);
    const now = this.#o.rescued?.has(task) === true;
    this.#end(work, step, 'done', '', now ? 'done' : 'reused');
  }

  #give(work: Work, step: Step, fingerprint: Fingerprint, live: JsonObject | undefined): void {
    give(work, step, { fingerprint, live, ledger: this.#o.journal.ledger });
  }

  /** Records all that happened, then ends what is over. */
  #handle(notices: readonly Notice[]): void {
    if (this.#clerk.take(notices)) this.#window.askAgain();
    for (const notice of notices) if (notice.is === 'ended') this.#land(notice.key, notice.outcome);
  }

  #land(key: string, ended: Outcome): void {
    this.#window.askAgain();
    const outcome = ended.end === 'bug' ? this.#clerk.afterBug(key, ended.bug) : ended;
    const flight = this.#flights.land(key);
    this.#purse.settle(flight);
    this.#settle(flight, outcome, flight, Math.max(0, flight.charged - flight.before));
    for (const follower of flight.followers) this.#settle(flight, outcome, follower, 0);
  }

  /** Ends one of the tasks that a job was for. */
  #settle(flight: Flight, outcome: Landing, { work, step }: Passenger, charged: number): void {
    const leader = flight.work === work && flight.step === step;
    this.#window.stir(work);
    switch (outcome.end) {
      case 'done':
        if (outcome.misnamed !== undefined) this.#announcer.misnamed(step, outcome.misnamed);
        return this.#done(flight, outcome.live, work, step, charged);
      case 'read':
        for (const { place, why } of outcome.unreadable) this.#o.fileFacts.unreadable(place, why);
        return work.schedule.reopen(step.name);
      case 'failed':
        if (outcome.again && this.#attemptsLeft(flight)) return work.schedule.reopen(step.name);
        if (flight.fingerprint !== undefined) this.#o.failed.set(flight.fingerprint, outcome.why);
        if (leader && flight.order.operation === 'create') this.#refusals.count(step, outcome);
        return this.#note(work, step, 'failed', outcome.why, outcome.code);
      case 'doubt':
        return this.#end(work, step, 'held', outcome.why);
      case 'pending':
        return this.#end(work, step, 'pending', outcome.why);
      case 'resupply':
        return leader ? this.#resupply(work, step, outcome.why) : work.schedule.reopen(step.name);
      case 'stop':
        this.#stopAt(outcome, step);
        return outcome.what === 'step'
          ? this.#note(work, step, 'failed', outcome.why, outcome.failure.reason)
          : this.#end(work, step, 'pending', outcome.why);
      case 'withheld':
        // Others may be refunded yet, and make room for it: the purse says whether it waits.
        if (this.#purse.closed === undefined) return work.schedule.reopen(step.name);
        return this.#end(work, step, 'pending', outcome.why);
      case 'stopped':
        return this.#end(work, step, 'pending', 'stopped');
      default:
        return unreachable(outcome);
    }
  }

  #stopAt({ what, why, failure }: Extract<Outcome, { end: 'stop' }>, step: Step): void {
    if (what === 'run') this.halt({ what: failure.reason === 'outage' ? 'outage' : 'run', why });
    if (what === 'step') this.#refusals.refuse(step, why);
    const because = failure.reason === 'payment-required' ? 'credits' : 'machine';
    if (what === 'paid') this.#purse.close({ because, why });
  }

  #attemptsLeft({ order, step }: Flight): boolean {
    if (order.operation !== 'create' && order.operation !== 'attach') return false;
    return (this.#o.journal.ledger.job(order.fingerprint)?.attempt ?? 0) < step.attempts;
  }

  #done(flight: Flight, live: JsonObject, work: Work, step: Step, charged: number): void {
    work.forced.delete(step.name);
    const { order } = flight;
    const fingerprint =
      flight.fingerprint ??
      ('fingerprint' in order ? fingerprintFrom(digestFrom(order.fingerprint)) : undefined);
    if (fingerprint === undefined)
      throw new Error(`bug: ${order.task} is done and has no fingerprint`);
    const renewed = work.hasGiven(step.name) && order.operation !== 'create';
    const follower = flight.work !== work || flight.step !== step;
    if (follower)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task: work.task(step) }]);
    this.#give(work, step, fingerprint, live);
    const readAgain =
      order.operation === 'attach' || 'detection' in order || order.operation === 'reupload';
    if (renewed && readAgain) return this.#over(work, step, 'done');
    this.#end(work, step, 'done', '', follower ? 'reused' : 'done', charged);
  }

  /** The free tasks that made a request's inputs are done again, once; then the request is sent again. */
  #resupply(work: Work, step: Step, why: string): void {
    if (work.resupplied.has(step.name))
      return this.#note(work, step, 'failed', `${why}, also after it was supplied again`);
    work.resupplied.add(step.name);
    work.schedule.reopen(step.name);
    for (const owner of supplyAgain(work, step)) this.#window.stir(owner);
  }

  /** Nothing new starts, what runs comes to an end. */
  halt(stop: Halted): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#o.onEvent({ type: 'stopping', why: stop.why });
    this.#o.runner.abort();
  }

  /** An end without a job is recorded once. A skip is recorded only where it follows a failure. */
  #note(work: Work, step: Step, event: 'skipped' | 'failed', why: string, code?: string): void {
    const task = work.task(step);
    const what = event === 'failed' && code !== undefined ? { code } : {};
    if (this.#o.journal.ledger.lacks({ task, state: event, why }))
      this.#o.journal.append([{ event, task, why, ...what }]);
    this.#end(work, step, event, why);
  }

  #end(
    work: Work,
    step: Step,
    ending: Ending,
    why: string,
    shown: TaskEnding = shownAs(ending),
    credits = 0,
  ): void {
    this.#over(work, step, ending);
    this.#announcer.ended(work, step, { ending, why, shown, credits });
  }

  #over(work: Work, step: Step, ending: Ending): void {
    work.schedule.end(step.name, ending);
    if (work !== this.#shared) this.#barrier.note(step.name, ending);
    if (ending !== 'done' && ending !== 'skipped' && ending !== 'excluded') work.unfinished = true;
    if (ending === 'failed') this.#tolerance.failed(work);
    if (work === this.#shared) this.#window.stirAll();
  }
}
