// The loop: start what may start, wait for the next thing that happened, make it durable, let it go on.
// It has one wait in every turn, `runner.next`; a job that must wait for the journal holds up nobody else.

import { digestFrom } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { unreachable } from '../base/result.ts';
import { type JobLine, resultOf } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import type { Ending, Phase, Turn } from '../plan/schedule.ts';
import type { Happening, TaskEnding } from '../report/happening.ts';
import { type Fingerprint, fingerprintFrom } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import { namedByContent } from '../task/outputs.ts';
import { type Flight, Flights, type Passenger } from './flights.ts';
import type { JobOrder, Outcome } from './job.ts';
import { savedOutputs } from './orders.ts';
import type { Notice, Runner } from './ports.ts';
import { Purse } from './purse.ts';
import { type Renewing, suppliersOf } from './renewals.ts';
import { type Move, Starter, type StarterOptions } from './starter.ts';
import { type Stopped, Tally } from './tally.ts';
import { Window } from './window.ts';
import { Work } from './work.ts';

export interface LoopOptions
  extends Pick<StarterOptions, 'pipeline' | 'base' | 'journal' | 'look' | 'clock' | 'payAgain'> {
  /** In this order; each group is over before the next begins. */
  readonly items: readonly Iterable<Item>[];
  readonly runner: Runner;
  /** Credits that this run may charge, at most. */
  readonly budget: number | undefined;
  readonly say: (happening: Happening) => void;
}

export class Loop {
  readonly tally = new Tally();
  readonly #o: LoopOptions;
  readonly #shared: Work;
  readonly #itemSteps: readonly Step[];
  readonly #window: Window;
  readonly #flights: Flights;
  readonly #purse: Purse;
  readonly #starter: Starter;
  /** Tasks that wait for another item to be done with their project. */
  readonly #patient: Passenger[] = [];
  /** Item-level steps that are not over for every item: what keeps a shared project. */
  readonly #unfinished = new Set<string>();
  #stop: { readonly what: 'run' | 'interrupt'; readonly why: string } | undefined;

  constructor(options: LoopOptions) {
    this.#o = options;
    this.#flights = new Flights(options.runner);
    const { steps, items, budget } = options.pipeline;
    this.#purse = new Purse({
      ledger: options.journal.ledger,
      budget: options.budget,
      perItem: budget.perItem,
    });
    this.#starter = new Starter({
      ...options,
      purse: this.#purse,
      key: () => this.#flights.key(),
      inUse: (work, step, fingerprint) =>
        this.#flights.clash(step, fingerprint) || this.#window.keepsFrom(work, step, fingerprint),
      inAir: (fingerprint) => this.#flights.has(fingerprint),
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

  /** Stops: nothing new starts, what runs comes to an end. */
  interrupt(why: string): void {
    this.#halt({ what: 'interrupt', why });
  }

  get stopped(): Omit<Stopped, 'full'> {
    return {
      interrupted: this.#stop?.what === 'interrupt',
      unauthorized: this.#stop?.what === 'run',
      money: this.#purse.empty !== undefined,
      why: this.#stop?.why ?? this.#purse.empty,
    };
  }

  async run(): Promise<void> {
    this.#window.stir(this.#shared);
    let idle = 0;
    for (;;) {
      const before = this.tally.ended;
      if (!this.#admissionOver && this.#stop === undefined && this.#window.fill())
        this.#window.stir(this.#shared);
      this.#startAll();
      idle = this.#flights.size === 0 && this.tally.ended === before ? idle + 1 : 0;
      if (this.#flights.size === 0) {
        if (this.#stop !== undefined || this.#isOver()) return;
        if (idle > 1) throw new Error('bug: nothing runs and nothing can start');
        continue;
      }
      this.#handle(await this.#o.runner.next());
    }
  }

  #isOver(): boolean {
    return this.#admissionOver && this.#window.isEmpty && this.#shared.schedule.isOver;
  }

  /** No further item is taken in: there is none, or no money for it. */
  get #admissionOver(): boolean {
    return this.#window.exhausted || this.#purse.empty !== undefined;
  }

  /** How a step of the items stands, for the shared steps that wait for all of them. */
  #itemPhase(step: string): Phase {
    if (!this.#admissionOver || !this.#window.isEmpty) return 'waiting';
    return this.#unfinished.has(step) || !this.#window.exhausted ? 'blocked' : 'done';
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
    if (work.unwell) this.tally.itemsUnfinished += 1;
    else this.tally.itemsDone += 1;
    this.#o.say({
      type: 'item',
      item: work.item?.key ?? '',
      well: !work.unwell,
      news: work.news,
      of: this.tally.itemsDone + this.tally.itemsUnfinished,
    });
    if (this.#admissionOver && this.#window.isEmpty) this.#window.stir(this.#shared);
  }

  #take(work: Work, turn: Turn): void {
    const { step } = turn;
    switch (turn.turn) {
      case 'block':
        return this.#end(work, step, 'blocked', `waits for ${turn.because}`);
      case 'skip':
        return this.#note(work, step, 'skipped', `${turn.because} is skipped`);
      case 'start':
        return this.#move(work, step, this.#starter.consider(work, step));
      default:
        return unreachable(turn);
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
        work.schedule.start(step.name);
        this.#patient.push({ work, step });
        return;
      case 'reuse':
        return this.#reuse(work, step, move.fingerprint, move.job);
      case 'renew':
        for (const renewing of move.list) this.#renew(renewing);
        return this.#window.stir(work);
      case 'skip':
        return this.#note(work, step, 'skipped', move.why);
      case 'fail':
        return this.#note(work, step, 'failed', move.why);
      case 'hold':
        return this.#end(work, step, 'held', move.why);
      case 'later':
        return this.#end(work, step, 'pending', move.why);
      default:
        return unreachable(move);
    }
  }

  /** Starts a job, or joins the one that is in the air for the same content. */
  #launch(work: Work, step: Step, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    if (fingerprint !== undefined && this.#flights.join({ work, step }, fingerprint)) return;
    if (order.deed === 'create') this.#purse.promise(work, order);
    this.#flights.start({ work, step }, fingerprint, order);
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
    const { deed } = step.kind;
    const news = !job.tasks.includes(task) || this.#o.journal.ledger.task(task) !== undefined;
    if (deed !== 'download' && deed !== 'delete' && news)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task }]);
    work.credits += deed === 'create' ? (job.credits ?? 0) : 0;
    this.#give(work, step, fingerprint, undefined);
    this.#end(work, step, 'done', '', 'reused');
  }

  /** Puts a finished task's outputs where later steps look for them. */
  #give(work: Work, step: Step, fingerprint: Fingerprint, live: JsonObject | undefined): void {
    const job = this.#o.journal.ledger.job(fingerprint);
    if (job === undefined) throw new Error(`bug: ${work.task(step)} gave without a job`);
    const { deed } = step.kind;
    if (deed === 'download' || deed === 'delete') {
      const outputs = savedOutputs(job, work.task(step));
      return work.give(step, fingerprint, outputs, outputs);
    }
    const content = namedByContent(deed, fingerprint, resultOf(job), job.credits ?? 0);
    work.give(step, fingerprint, content, live);
  }

  /** Records all that happened, lets the jobs go on as soon as it is durable where it must be. */
  #handle(notices: readonly Notice[]): void {
    const { journal, runner } = this.#o;
    const durable: string[] = [];
    for (const notice of notices) {
      if (notice.is === 'ended') continue;
      journal.append([notice.event]);
      this.#purse.hear(this.#flights.get(notice.key), notice.event);
      if (notice.durable) durable.push(notice.key);
      else runner.proceed(notice.key);
    }
    if (durable.length > 0) this.#sync(durable);
    for (const notice of notices) if (notice.is === 'ended') this.#land(notice.key, notice.outcome);
  }

  /** Jobs go on when the disk has what they said; the loop does not wait, others' syncs are grouped meanwhile. */
  #sync(keys: readonly string[]): void {
    const { journal, runner } = this.#o;
    journal.sync().then(
      () => {
        for (const key of keys) runner.proceed(key);
      },
      (error: unknown) => runner.fail(error),
    );
  }

  #land(key: string, outcome: Outcome): void {
    for (const { work, step } of this.#patient.splice(0)) {
      work.schedule.reopen(step.name);
      this.#window.stir(work);
    }
    const flight = this.#flights.land(key);
    this.#purse.settle(flight);
    this.#settle(flight, outcome, flight, flight.charged);
    for (const follower of flight.followers) this.#settle(flight, outcome, follower, 0);
  }

  /** Ends one of the tasks that a job was for. */
  #settle(flight: Flight, outcome: Outcome, { work, step }: Passenger, charged: number): void {
    const leader = flight.work === work && flight.step === step;
    this.#window.stir(work);
    switch (outcome.end) {
      case 'done':
        return this.#done(flight, outcome.live, work, step, charged);
      case 'failed':
        if (outcome.again && this.#attemptsLeft(flight)) return work.schedule.reopen(step.name);
        if (flight.fingerprint !== undefined)
          this.#starter.noteFailure(flight.fingerprint, outcome.why);
        return this.#note(work, step, 'failed', outcome.why);
      case 'doubt':
        return this.#end(work, step, 'held', outcome.why);
      case 'pending':
        return this.#end(work, step, 'pending', outcome.why);
      case 'resupply':
        return leader ? this.#resupply(work, step, outcome.why) : work.schedule.reopen(step.name);
      case 'stop':
        if (outcome.what === 'run') this.#halt({ what: 'run', why: outcome.why });
        if (outcome.what === 'paid') this.#purse.empty ??= outcome.why;
        if (outcome.what === 'step') this.#starter.noteRefusal(step, outcome.why);
        return this.#end(work, step, outcome.what === 'step' ? 'failed' : 'pending', outcome.why);
      case 'stopped':
        return this.#end(work, step, 'pending', 'stopped');
      default:
        return unreachable(outcome);
    }
  }

  #attemptsLeft({ order, step }: Flight): boolean {
    return order.deed === 'create' && order.attempt < step.attempts;
  }

  #done(flight: Flight, live: JsonObject, work: Work, step: Step, charged: number): void {
    work.forced.delete(step.name);
    if (flight.order.deed === 'digest') return work.schedule.reopen(step.name);
    const { order } = flight;
    const fingerprint =
      flight.fingerprint ??
      ('fingerprint' in order ? fingerprintFrom(digestFrom(order.fingerprint)) : undefined);
    if (fingerprint === undefined)
      throw new Error(`bug: ${order.task} is done and has no fingerprint`);
    const renewed = work.hasGiven(step.name) && order.deed !== 'create';
    const follower = flight.work !== work || flight.step !== step;
    if (follower)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task: work.task(step) }]);
    this.#give(work, step, fingerprint, live);
    if (renewed) return this.#over(work, step, 'done');
    this.#end(work, step, 'done', '', follower ? 'reused' : 'done', charged);
  }

  /** The free tasks that made a request's inputs are done again, once; then the request is sent again. */
  #resupply(work: Work, step: Step, why: string): void {
    if (work.resupplied.has(step.name))
      return this.#note(work, step, 'failed', `${why}, also after it was supplied again`);
    work.resupplied.add(step.name);
    work.schedule.reopen(step.name);
    for (const { owner, step: supplier } of suppliersOf(work, step)) {
      if (owner.forced.has(supplier.name)) continue;
      owner.enliven(supplier.name, undefined);
      owner.forced.add(supplier.name);
      owner.schedule.reopen(supplier.name);
      this.#window.stir(owner);
    }
  }

  #halt(stop: { readonly what: 'run' | 'interrupt'; readonly why: string }): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#o.say({ type: 'stopping', why: stop.why });
    this.#o.runner.abort();
  }

  /** An end without a job to speak for it is recorded, once. */
  #note(work: Work, step: Step, event: 'skipped' | 'failed', why: string): void {
    const task = work.task(step);
    const known = this.#o.journal.ledger.task(task);
    if (known?.state !== event || known.why !== why) this.#o.journal.append([{ event, task, why }]);
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
    const task = work.task(step);
    this.#over(work, step, ending);
    if (shown !== 'reused' && shown !== 'skipped') work.news = true;
    this.tally.add(task, shown, why);
    this.#o.say({
      type: 'task',
      task,
      step: step.name,
      ending: shown,
      credits,
      ...(why === '' ? {} : { why }),
    });
  }

  #over(work: Work, step: Step, ending: Ending): void {
    work.schedule.end(step.name, ending);
    if (ending !== 'done' && ending !== 'skipped') {
      work.unwell = true;
      if (work !== this.#shared) this.#unfinished.add(step.name);
    }
    if (work === this.#shared) this.#window.stirAll();
  }
}

const shownAs = (ending: Ending): TaskEnding => (ending === 'held' ? 'doubt' : ending);
