// The loop: start what may start, wait for the next thing that happened, make it durable, let it go on.
// It has one wait for the world (`runner.next`) and one for the journal (`journal.sync`) in every turn.
import { isObject, type JsonObject } from '../base/json.ts';
import { digestFrom } from '../base/digest.ts';
import { unreachable } from '../base/result.ts';
import { type JobLine, resultOf } from '../journal/line.ts';
import { committed } from '../journal/ledger.ts';
import type { Scope } from '../language/expression.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import { fill } from '../language/template.ts';
import { type Answer, ask } from '../plan/ask.ts';
import { downloadCount } from '../plan/decide.ts';
import { estimateOf } from '../plan/estimate.ts';
import { renewalOf } from '../plan/renew.ts';
import type { Ending, Phase, Turn } from '../plan/schedule.ts';
import { type Fingerprint, fingerprintFrom } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import { namedByContent } from '../task/outputs.ts';
import type { Happening, TaskEnding } from './happening.ts';
import type { JobOrder, Outcome } from './job.ts';
import type { Look } from './look.ts';
import {
  attachOrder,
  attemptName,
  bodyTrouble,
  copyOrder,
  type Head,
  headOf,
  rereadOrder,
  reuploadOrder,
  timeoutOf,
} from './orders.ts';
import type { Clock, Disk, Journal, Notice, Runner } from './ports.ts';
import { Tally } from './tally.ts';
import { Work } from './work.ts';

export interface LoopOptions {
  readonly pipeline: Pipeline;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  readonly items: AsyncIterator<Item>;
  readonly runner: Runner;
  readonly journal: Journal;
  readonly disk: Disk;
  readonly look: Look;
  readonly clock: Clock;
  /** Credits that this run may charge, at most. */
  readonly budget: number | undefined;
  /** A result that is gone here and there may be paid again. */
  readonly payAgain: boolean;
  readonly say: (happening: Happening) => void;
}

/** A task that waits for a job, and the job. */
interface Flight {
  readonly work: Work;
  readonly step: Step;
  readonly fingerprint: Fingerprint | undefined;
  readonly order: JobOrder;
  /** Tasks with the same fingerprint: one payment serves them all. */
  readonly followers: { readonly work: Work; readonly step: Step }[];
  /** Credits promised until the intent is in the ledger. */
  promised: number;
  charged: number;
}

type Decided = Extract<Answer, { is: 'decided' }>;

export class Loop {
  readonly tally = new Tally();
  readonly #o: LoopOptions;
  readonly #shared: Work;
  readonly #itemSteps: readonly Step[];
  readonly #works = new Set<Work>();
  /** Works in which something may start. */
  readonly #stirred = new Set<Work>();
  readonly #flights = new Map<string, Flight>();
  /** Running jobs by fingerprint. */
  readonly #airborne = new Map<Fingerprint, Flight>();
  readonly #failed = new Map<Fingerprint, string>();
  readonly #stoppedSteps = new Map<string, string>();
  /** Item-level steps that are not over for every item: what keeps a shared project. */
  readonly #unfinished = new Set<string>();
  #itemsOver = false;
  #keys = 0;
  #promised = 0;
  #stop: { readonly what: 'run' | 'interrupt'; readonly why: string } | undefined;
  #money: string | undefined;

  constructor(options: LoopOptions) {
    this.#o = options;
    const { steps, items } = options.pipeline;
    const all = items.kind === 'one';
    this.#itemSteps = all ? [] : steps.filter((step) => !step.shared);
    this.#shared = new Work({
      steps: all ? steps : steps.filter((step) => step.shared),
      item: undefined,
      shared: undefined,
      outside: (step) => this.#itemPhase(step),
    });
  }

  /** Stops: nothing new starts, what runs comes to an end. */
  interrupt(why: string): void {
    this.#halt({ what: 'interrupt', why });
  }

  get stopped(): { interrupted: boolean; unauthorized: boolean; money: boolean; why: string | undefined } {
    return {
      interrupted: this.#stop?.what === 'interrupt',
      unauthorized: this.#stop?.what === 'run',
      money: this.#money !== undefined,
      why: this.#stop?.why ?? this.#money,
    };
  }

  async run(): Promise<void> {
    this.#stir(this.#shared);
    for (;;) {
      await this.#admit();
      this.#startAll();
      if (this.#flights.size === 0) {
        if (this.#stop !== undefined || this.#isOver()) return;
        if (this.#stirred.size === 0 && this.#works.size >= this.#o.pipeline.limits.items)
          throw new Error('bug: nothing runs and nothing can start');
        continue;
      }
      await this.#handle(await this.#o.runner.next());
    }
  }

  #isOver(): boolean {
    return this.#admissionOver && this.#works.size === 0 && this.#shared.schedule.isOver;
  }

  /** No further item is taken in: there is none, or no money for it. */
  get #admissionOver(): boolean {
    return this.#itemsOver || this.#money !== undefined;
  }

  #itemPhase(step: string): Phase {
    if (!this.#admissionOver || this.#works.size > 0) return 'waiting';
    return this.#unfinished.has(step) || !this.#itemsOver ? 'blocked' : 'done';
  }

  /** Keeps the window of items full. */
  async #admit(): Promise<void> {
    const { items, pipeline } = this.#o;
    while (!this.#admissionOver && this.#stop === undefined && this.#works.size < pipeline.limits.items) {
      const next = await items.next();
      if (next.done === true) {
        this.#itemsOver = true;
        this.#stir(this.#shared);
        return;
      }
      const work = new Work({
        steps: this.#itemSteps,
        item: next.value,
        shared: this.#shared,
        outside: (step) => this.#shared.schedule.phase(step),
      });
      this.#works.add(work);
      this.#stir(work);
    }
  }

  #stir(work: Work): void {
    this.#stirred.add(work);
  }

  #startAll(): void {
    while (this.#stirred.size > 0 && this.#stop === undefined) {
      for (const work of this.#stirred) {
        this.#stirred.delete(work);
        for (let turn = work.schedule.next(); turn !== undefined; turn = work.schedule.next()) {
          this.#take(work, turn);
          if (this.#stop !== undefined) return;
        }
        if (work !== this.#shared && work.schedule.isOver) this.#leave(work);
      }
    }
  }

  #leave(work: Work): void {
    if (!this.#works.delete(work)) return;
    if (work.unwell) this.tally.itemsUnfinished += 1;
    else this.tally.itemsDone += 1;
    this.#o.say({
      type: 'item',
      item: work.item?.key ?? '',
      done: this.tally.itemsDone,
      of: this.tally.itemsDone + this.tally.itemsUnfinished,
    });
    if (this.#admissionOver && this.#works.size === 0) this.#stir(this.#shared);
  }

  #take(work: Work, turn: Turn): void {
    const { step } = turn;
    switch (turn.turn) {
      case 'block':
        return this.#end(work, step, 'blocked', `waits for ${turn.because}`);
      case 'skip':
        return this.#skip(work, step, `${turn.because} is skipped`);
      case 'start':
        return this.#consider(work, step);
      default:
        return unreachable(turn);
    }
  }

  #consider(work: Work, step: Step): void {
    const { look, journal, base } = this.#o;
    const answer = ask({
      step,
      task: work.task(step),
      names: work.byContent(base),
      facts: look,
      jobOf: (fingerprint) => journal.ledger.job(fingerprint),
      savers: this.#saversOf(work, step),
    });
    const unread = look.takeUnread();
    if (unread.length > 0)
      return this.#launch(work, step, undefined, {
        ...headOf(this.#key(), work.task(step), step),
        kind: 'digest',
        deed: 'digest',
        places: unread,
      });
    switch (answer.is) {
      case 'skip':
        return this.#skip(work, step, 'its if: is false');
      case 'trouble':
        return this.#fail(work, step, answer.trouble.message);
      case 'unread':
        throw new Error(`bug: ${work.task(step)} is unread and there is nothing to read`);
      case 'decided':
        return this.#act(work, step, answer);
      default:
        return unreachable(answer);
    }
  }

  #saversOf(work: Work, step: Step): readonly string[] {
    if (step.kind.deed !== 'delete' || step.discard) return [];
    return work.steps
      .filter((other) => other.kind.deed === 'download' && other.of === step.of)
      .map((other) => work.task(other));
  }

  #act(work: Work, step: Step, answer: Decided): void {
    const { decision, fingerprint, job } = answer;
    const head = headOf(this.#key(), work.task(step), step);
    const act = work.forced.has(step.name) ? 'begin' : decision.act;
    switch (act) {
      case 'reuse':
        if (job === undefined) throw new Error(`bug: ${head.task} reuses nothing`);
        return this.#reuse(work, step, fingerprint, job);
      case 'begin':
        return this.#begin(work, step, answer, head);
      case 'attach':
        if (job === undefined) throw new Error(`bug: ${head.task} has nothing to attach to`);
        return this.#launch(work, step, fingerprint, attachOrder(head, step, job, fingerprint));
      case 'copy':
        if (decision.act !== 'copy' || answer.wish.deed !== 'download') return;
        return this.#launch(
          work,
          step,
          undefined,
          copyOrder(head, answer.wish.to, fingerprint, decision.sources, this.#o.look),
        );
      case 'hold':
        return this.#end(work, step, 'held', decision.why);
      case 'lost':
        return this.#fail(work, step, `${decision.why}; --pay-again would pay for it again`);
      case 'refuse':
        return this.#fail(work, step, decision.why);
      default:
        return unreachable(act);
    }
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
      const outputs = this.#savedBy(work.task(step), job);
      return work.give(step.name, fingerprint, outputs, outputs);
    }
    const content = namedByContent(deed, fingerprint, resultOf(job), job.credits ?? 0);
    work.give(step.name, fingerprint, content, live);
  }

  #savedBy(task: string, job: JobLine): JsonObject {
    const outputs = (job.outputs ?? []).filter((output) => output.task === task);
    const paths = outputs.map((output) => this.#o.disk.asInput(output.path));
    return {
      paths,
      bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
      ...(paths[0] === undefined ? {} : { path: paths[0] }),
      ...(outputs[0] === undefined ? {} : { sha256: outputs[0].sha256 }),
    };
  }

  #begin(work: Work, step: Step, answer: Decided, head: Head): void {
    const { wish, fingerprint, job } = answer;
    const flying = this.#airborne.get(fingerprint);
    if (flying !== undefined && wish.deed !== 'download' && wish.deed !== 'delete') {
      work.schedule.start(step.name);
      flying.followers.push({ work, step });
      return;
    }
    switch (wish.deed) {
      case 'upload': {
        const fact = this.#o.look.input(wish.file);
        if (fact.is === 'absent' || fact.digest === undefined)
          return this.#fail(work, step, `${wish.file} went away`);
        return this.#launch(work, step, fingerprint, {
          ...head,
          deed: 'upload',
          fingerprint,
          from: { in: 'input', path: wish.file },
          name: wish.file,
          content: fact.digest,
        });
      }
      case 'detect':
      case 'create':
        return this.#request(work, step, fingerprint, head, job);
      case 'download':
        if (job?.project === undefined) return this.#fail(work, step, 'its project is not known');
        return this.#launch(work, step, undefined, {
          ...head,
          deed: 'download',
          fingerprint,
          tool: job.kind,
          project: job.project,
          to: wish.to,
          ...this.#freshDownloads(work, step, job),
        });
      case 'delete':
        if (job?.project === undefined) return this.#fail(work, step, 'its project is not known');
        return this.#launch(work, step, undefined, {
          ...head,
          deed: 'delete',
          fingerprint,
          tool: job.kind,
          project: job.project,
        });
      default:
        return unreachable(wish);
    }
  }

  /** Addresses that this run has just read, so that they need not be read again. */
  #freshDownloads(
    work: Work,
    step: Step,
    job: JobLine,
  ): { downloads?: readonly { url: string; expires_at: string }[] } {
    const listed = step.of === undefined ? undefined : work.given(step.of)?.live?.['downloads'];
    if (!Array.isArray(listed) || listed.length !== downloadCount(job)) return {};
    const soon = this.#o.clock.now() + 60_000;
    const downloads = listed.flatMap((entry) => {
      const { url, expires_at: until } = isObject(entry) ? entry : {};
      return typeof url === 'string' && typeof until === 'string' && Date.parse(until) > soon
        ? [{ url, expires_at: until }]
        : [];
    });
    return downloads.length === listed.length ? { downloads } : {};
  }

  /** A request whose body carries other steps' outputs: they must be live, and the body valid. */
  #request(work: Work, step: Step, fingerprint: Fingerprint, head: Head, job: JobLine | undefined): void {
    const renewing = this.#renew(work, step);
    if (renewing === 'started') return;
    if (renewing !== 'live') return this.#fail(work, step, renewing.lost);
    const filled = fill(step.with, work.live(this.#o.base));
    if (!filled.ok) return this.#fail(work, step, `${filled.error.text.trim()}: ${filled.error.message}`);
    const body = isObject(filled.value) ? filled.value : {};
    const trouble = bodyTrouble(step.kind, body);
    if (trouble !== undefined) return this.#fail(work, step, trouble);
    const timeoutMs = timeoutOf(step);
    if (step.kind.deed === 'detect')
      return this.#launch(work, step, fingerprint, { ...head, deed: 'detect', fingerprint, body, timeoutMs });
    this.#pay(work, step, fingerprint, head, { body, timeoutMs, attempt: (job?.attempt ?? 0) + 1 });
  }

  #pay(
    work: Work,
    step: Step,
    fingerprint: Fingerprint,
    head: Head,
    request: { readonly body: JsonObject; readonly timeoutMs: number; readonly attempt: number },
  ): void {
    const before = this.#failed.get(fingerprint) ?? this.#stoppedSteps.get(step.name);
    if (before !== undefined) return this.#fail(work, step, before);
    const { journal, pipeline, clock, budget } = this.#o;
    const estimate = estimateOf(step, request.body, journal.ledger);
    if (this.#money !== undefined) return this.#end(work, step, 'pending', this.#money);
    if (!estimate.known && (budget !== undefined || pipeline.budget.perItem !== undefined))
      return this.#fail(work, step, `its price is not known, which a budget needs: ${estimate.why}`);
    const reserve = estimate.known ? estimate.credits : 0;
    const spent = committed(journal.ledger.account) + this.#promised;
    if (budget !== undefined && spent + reserve > budget)
      return this.#outOfBudget(work, step, `the budget of ${budget} credits is reached: ${spent} are spent or set aside, this would take ${reserve}`);
    const cap = pipeline.budget.perItem;
    if (cap !== undefined && work.credits + reserve > cap)
      return this.#end(work, step, 'pending', `its item has a budget of ${cap} credits: ${work.credits} are spent, this would take ${reserve}`);
    const { name: given } = request.body;
    const shown = typeof given === 'string' && given !== '' ? given : `${pipeline.name} ${head.task}`;
    const name = attemptName(shown, () => clock.chance());
    const flight = this.#start(work, step, fingerprint, { ...head, deed: 'create', fingerprint, name, reserve, ...request });
    flight.promised = reserve;
    this.#promised += reserve;
    work.credits += reserve;
  }

  #outOfBudget(work: Work, step: Step, why: string): void {
    this.#money ??= why;
    this.#end(work, step, 'pending', why);
  }

  /** Renews what a request is about to carry. `started`: this step waits again until that is done. */
  #renew(work: Work, step: Step): 'live' | 'started' | { readonly lost: string } {
    let started = false;
    for (const name of step.uses) {
      const owner = work.ownerOf(name);
      const given = owner?.given(name);
      const before = owner?.step(name);
      if (owner === undefined || before === undefined || given === undefined || given.live !== undefined) continue;
      const job = this.#o.journal.ledger.job(given.fingerprint);
      if (job === undefined) throw new Error(`bug: ${name} has given without a job`);
      const renewal = renewalOf(before.kind.deed, job, this.#o.clock.now(), this.#o.look);
      const head = headOf(this.#key(), owner.task(before), before);
      switch (renewal) {
        case 'recorded':
          owner.enliven(name, resultOf(job));
          break;
        case 'redo':
          owner.forced.add(name);
          owner.schedule.reopen(name);
          this.#stir(owner);
          started = true;
          break;
        case 'read':
        case 'upload': {
          const order =
            renewal === 'upload'
              ? reuploadOrder(head, job, this.#o.look)
              : before.kind.deed === 'detect'
                ? rereadOrder(head, before, job, given.fingerprint)
                : attachOrder(head, before, job, given.fingerprint);
          if (order === undefined) return { lost: `the files of ${owner.task(before)} are gone` };
          owner.schedule.reopen(name);
          this.#start(owner, before, given.fingerprint, order);
          started = true;
          break;
        }
        case 'lost':
          return {
            lost: `${owner.task(before)} is needed, its project was deleted and its file is gone; --pay-again would pay for it again`,
          };
        default:
          return unreachable(renewal);
      }
    }
    return started ? 'started' : 'live';
  }

  #key(): string {
    this.#keys += 1;
    return `j${this.#keys}`;
  }

  #launch(work: Work, step: Step, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    this.#start(work, step, fingerprint, order);
  }

  #start(work: Work, step: Step, fingerprint: Fingerprint | undefined, order: JobOrder): Flight {
    const flight: Flight = { work, step, fingerprint, order, followers: [], promised: 0, charged: 0 };
    work.schedule.start(step.name);
    this.#flights.set(order.key, flight);
    if (fingerprint !== undefined) this.#airborne.set(fingerprint, flight);
    this.#o.runner.start(order);
    return flight;
  }

  /** Takes all that happened, makes it durable where it must be, and lets the jobs go on. */
  async #handle(notices: readonly Notice[]): Promise<void> {
    const { journal, runner } = this.#o;
    const events = notices.filter((notice) => notice.is === 'event');
    if (events.length > 0) {
      journal.append(events.map(({ event }) => event));
      for (const { key, event } of events) {
        const flight = this.#flights.get(key);
        if (flight === undefined) throw new Error(`bug: an event of no job: ${key}`);
        if (event.event === 'intent') this.#keepPromise(flight);
        if (event.event === 'created') this.#charge(flight, event.credits - flightReserve(flight), event.credits);
        if (event.event === 'settled') this.#charge(flight, event.credits - flight.charged, event.credits);
        if (event.event === 'refused') this.#charge(flight, -flightReserve(flight), 0);
      }
      if (events.some(({ durable }) => durable)) await journal.sync();
      for (const { key } of events) runner.proceed(key);
    }
    for (const notice of notices) if (notice.is === 'ended') this.#land(notice.key, notice.outcome);
  }

  #keepPromise(flight: Flight): void {
    this.#promised -= flight.promised;
    flight.promised = 0;
  }

  #charge(flight: Flight, difference: number, charged: number): void {
    if (flight.order.deed === 'create') flight.work.credits += difference;
    flight.charged = charged;
  }

  #land(key: string, outcome: Outcome): void {
    const flight = this.#flights.get(key);
    if (flight === undefined) throw new Error(`bug: no job ${key} has landed`);
    this.#flights.delete(key);
    this.#keepPromise(flight);
    const { fingerprint } = flight;
    if (fingerprint !== undefined && this.#airborne.get(fingerprint) === flight) this.#airborne.delete(fingerprint);
    this.#settle(flight, outcome, flight, flight.charged);
    for (const follower of flight.followers) this.#settle(flight, outcome, follower, 0);
  }

  /** Ends one of the tasks that a job was for. */
  #settle(
    flight: Flight,
    outcome: Outcome,
    { work, step }: { readonly work: Work; readonly step: Step },
    charged: number,
  ): void {
    const leader = flight.work === work && flight.step === step;
    this.#stir(work);
    switch (outcome.end) {
      case 'done':
        return this.#done(flight, outcome.live, work, step, charged);
      case 'failed':
        if (outcome.again && this.#attemptsLeft(flight)) return work.schedule.reopen(step.name);
        if (flight.fingerprint !== undefined) this.#failed.set(flight.fingerprint, outcome.why);
        return this.#fail(work, step, outcome.why);
      case 'doubt':
        return this.#end(work, step, 'held', outcome.why);
      case 'pending':
        return this.#end(work, step, 'pending', outcome.why);
      case 'resupply':
        return leader ? this.#resupply(work, step, outcome.why) : work.schedule.reopen(step.name);
      case 'stop':
        if (outcome.what === 'run') this.#halt({ what: 'run', why: outcome.why });
        if (outcome.what === 'paid') this.#money ??= outcome.why;
        if (outcome.what === 'step') this.#stoppedSteps.set(step.name, outcome.why);
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
      flight.fingerprint ?? ('fingerprint' in order ? fingerprintFrom(digestFrom(order.fingerprint)) : undefined);
    if (fingerprint === undefined) throw new Error(`bug: ${order.task} is done and has no fingerprint`);
    const renewed = work.given(step.name) !== undefined && work.ownerOf(step.name) === work;
    const follower = flight.work !== work || flight.step !== step;
    if (follower)
      this.#o.journal.append([{ event: 'serves', job: fingerprint, task: work.task(step) }]);
    this.#give(work, step, fingerprint, live);
    if (renewed) return this.#over(work, step, 'done');
    this.#end(work, step, 'done', '', follower ? 'reused' : 'done', charged);
  }

  /** The free tasks that made a request's inputs are done again, once; then the request is sent again. */
  #resupply(work: Work, step: Step, why: string): void {
    if (work.resupplied.has(step.name)) return this.#fail(work, step, `${why}, also after it was supplied again`);
    work.resupplied.add(step.name);
    work.schedule.reopen(step.name);
    this.#spoil(work, step);
  }

  #spoil(work: Work, step: Step): void {
    for (const name of step.uses) {
      const owner = work.ownerOf(name);
      const before = owner?.step(name);
      if (owner === undefined || before === undefined || owner.schedule.phase(name) !== 'done') continue;
      if (before.kind.deed === 'create') owner.enliven(name, undefined);
      if (before.kind.deed !== 'upload' && before.kind.deed !== 'detect') continue;
      owner.enliven(name, undefined);
      owner.forced.add(name);
      owner.schedule.reopen(name);
      this.#stir(owner);
      this.#spoil(owner, before);
    }
  }

  #halt(stop: { readonly what: 'run' | 'interrupt'; readonly why: string }): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.#o.say({ type: 'stopping', why: stop.why });
    this.#o.runner.abort();
  }

  #skip(work: Work, step: Step, why: string): void {
    const task = work.task(step);
    const known = this.#o.journal.ledger.task(task);
    if (known?.state !== 'skipped' || known.why !== why)
      this.#o.journal.append([{ event: 'skipped', task, why }]);
    this.#end(work, step, 'skipped', why);
  }

  #fail(work: Work, step: Step, why: string): void {
    const task = work.task(step);
    const known = this.#o.journal.ledger.task(task);
    if (known?.state !== 'failed' || known.why !== why) this.#o.journal.append([{ event: 'failed', task, why }]);
    this.#end(work, step, 'failed', why);
  }

  #end(work: Work, step: Step, ending: Ending, why: string, shown: TaskEnding = shownAs(ending), credits = 0): void {
    const task = work.task(step);
    this.#over(work, step, ending);
    this.tally.add(task, shown, why);
    this.#o.say({ type: 'task', task, step: step.name, ending: shown, credits, ...(why === '' ? {} : { why }) });
  }

  #over(work: Work, step: Step, ending: Ending): void {
    work.schedule.end(step.name, ending);
    if (ending !== 'done' && ending !== 'skipped') {
      work.unwell = true;
      if (work !== this.#shared) this.#unfinished.add(step.name);
    }
    if (work === this.#shared) for (const other of this.#works) this.#stir(other);
  }
}

const shownAs = (ending: Ending): TaskEnding => (ending === 'held' ? 'doubt' : ending);

const flightReserve = ({ order }: Flight): number => (order.deed === 'create' ? order.reserve : 0);
