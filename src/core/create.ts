// What costs credits. The intent is on disk before the request is sent, and the project before anything uses it. Whoever reads
// `#pay` from top to bottom reads what happens, in that order.
import type { JsonObject } from '../base/json.ts';
import { err } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import { count } from '../base/text.ts';
import {
  type ApiFailure,
  explainFailure,
  remedy,
  worthAnotherAttempt,
} from '../contract/api/failure.ts';
import type { Project } from '../contract/api/project.ts';
import { creditsOf, current, isOpen, isOver, projectOf } from '../model/record/job.ts';
import type { Attempt, Job } from '../model/record/line.ts';
import type { Calls, Permit } from './calls.ts';
import { fewer, filesOf, isAway, type Known, knownOf } from './decide.ts';
import { Ended, endedBy, lost, stopped } from './ended.ts';
import type { Receipt } from './facts.ts';
import type { Expected, Inbox } from './inbox.ts';
import type { Live } from './live.ts';
import type { Watch } from './looks.ts';
import { endMove } from './outputs.ts';
import type { Projects } from './projects.ts';
import { textOf } from './reason.ts';
import { fieldDigests } from './request.ts';
import type { Task } from './scope.ts';
import type { Priority, Slot } from './slots.ts';
import type { StepBreaker } from './step-breaker.ts';
import type { World } from './world.ts';

export interface CreationParts extends World {
  readonly pipeline: string;
  readonly live: Live;
  readonly projects: Projects;
  readonly inbox: Inbox | undefined;
  readonly breaker: StepBreaker;
  /** Aborted when the run leaves the projects that still render. */
  readonly leave: AbortSignal;
  /** By job: the slots of projects that earlier ticks have left. */
  readonly kept: ReadonlyMap<string, Slot>;
}

/** What is followed: a task of this walk, or a job that is owed. */
export interface Followed extends Pick<Task, 'id' | 'fingerprint' | 'timeoutMs' | 'asked'> {
  readonly kind: { readonly name: string };
  readonly step: { readonly attempts: number };
}

/** A creation that was sent. */
interface Sending {
  readonly name: string;
  readonly reserve: number;
  readonly permit: Permit;
  readonly expected: Expected | undefined;
  /** No attempt follows. */
  readonly isLast: boolean;
}

/** A creation of an earlier run whose answer was lost. */
export interface Lost {
  readonly job: string;
  readonly attempt: string;
  readonly expected: Expected;
}

/** How long a run waits for another one that is paying for the same. */
const busyMs = 10 * 60_000;
const busyPauseMs = 250;

export class Creations {
  readonly #o: CreationParts;
  /** By job: the attempt that this run has sent last. */
  readonly #sent = new Map<string, string>();
  /** Another run has been paying for these for longer than anybody waits. */
  readonly #stuck = new Set<string>();
  /** By job: the creation that was answered last as not taken. An event that names it knows better. */
  readonly #answered = new Map<string, Pick<Sending, 'name' | 'reserve' | 'expected'>>();
  /** By tool: the highest charge so far, as a multiple of what was expected. */
  readonly #excess = new Map<string, number>();

  /** Requests whose inputs were supplied once more, because the service had them no longer. */
  readonly #resupplied = new Set<string>();

  constructor(parts: CreationParts) {
    this.#o = parts;
  }

  get #ledger() {
    return this.#o.journal.ledger;
  }

  #known(job: string): Known {
    return knownOf(this.#ledger, this.#o.receipts, job);
  }

  #current(job: string): Attempt | undefined {
    return this.#known(job).ownNow;
  }

  /** What this run has paid for, else what counts: a file that git changes meanwhile may bring another attempt. */
  #followed(job: string): Attempt | undefined {
    const sent = this.#sent.get(job);
    const own = this.#ledger.job(job)?.attempts.find(({ name }) => name === sent);
    return own?.state === 'created' ? own : this.#current(job);
  }

  /** Pays for a task, and follows its project until it is over. */
  async create(task: Task, priority: Priority, before = 0): Promise<void> {
    const { step, fingerprint } = task;
    const { slots, signal } = this.#o;
    let mayPayAgain = task.reason?.code === 'asked-again';
    for (let tries = before + 1; ; ) {
      using slot = await slots.take(step.kind.name, priority, signal);
      const sent = await this.#pay(task, mayPayAgain, tries >= step.attempts);
      if (typeof sent !== 'string') {
        slot[Symbol.dispose]();
        await sent.comesBack;
        continue;
      }
      if (sent !== 'busy' && sent !== 'again') mayPayAgain = false;
      if (sent === 'spent') tries += 1;
      if (sent === 'busy') {
        slot[Symbol.dispose]();
        await this.#another(fingerprint);
      }
      if (sent !== 'made') continue;
      try {
        return await this.follow(task, slot, 'new');
      } catch (error) {
        if (!isTemporary(error) || tries >= step.attempts) throw error;
        tries += 1;
      }
    }
  }

  /** `spent`: the service looked at it, and did not take it; `again`: nobody did. `comesBack`: it does not fit before. */
  async #pay(
    task: Task,
    mayPayAgain: boolean,
    isLast: boolean,
  ): Promise<'made' | 'busy' | 'again' | 'spent' | { comesBack: Promise<void> }> {
    const { spending, calls, live, journal, receipts, signal, inbox, breaker } = this.#o;
    const { fingerprint: job, price, scope } = task;
    if (price === undefined) throw new Error(`bug: ${task.id} has no price`);
    const first = await spending.first(task.kind.name, price.measure);
    let permit: Permit | undefined;
    let unsent: Expected | undefined;
    let isMade = false;
    try {
      permit = await calls.readyToCreate();
      const body = await live.body(task);
      if (signal.aborted) throw stopped();
      if (!permit.isGood) return 'again';
      const answered = this.#answered.get(job);
      this.#answered.delete(job);
      if (answered?.expected?.known.aborted === true && (await this.#told(task, answered))) {
        isMade = true;
        return 'made';
      }
      answered?.expected?.over();
      const against = breaker.against(task.step);
      if (against?.own === true) throw new Ended('failed', against.why);
      if (against !== undefined) throw new Ended('pending', against.why, { held: { by: 'run' } });
      // One turn from here to the commit. Another run may have paid meanwhile, or be about to.
      const known = receipts.get(job);
      const living = livingIn(this.#known(job).job);
      // What is in doubt is not paid for again, whoever asks.
      const theirs = mayPayAgain && living !== undefined && !isOpen(living) ? undefined : living;
      if (theirs !== undefined) {
        if (theirs.state === 'intended' && known?.isBusy === true) return 'busy';
        if (known !== undefined) this.#adopt(known.line);
        return 'made';
      }
      const reserve = spending.draw(scope.payer.key, job, price);
      if (reserve instanceof Promise) return { comesBack: reserve };
      if (typeof reserve !== 'number')
        throw new Ended('pending', reserve.why, { held: reserve.held });
      const name = this.#nameOf(task, body);
      const expected = inbox?.expect(name);
      unsent = expected;
      await journal.commit(
        ...(known === undefined ? [] : [{ job, is: 'known' as const, line: known.line }]),
        this.#intentOf(task, name, reserve, mayPayAgain ? this.#known(job).job : undefined),
      );
      this.#o.telling.begun(task);
      const withhold = (message: string): Promise<void> => {
        const fault = { code: 'withheld', message };
        return journal.commit({ job, is: 'refused', attempt: name, fault });
      };
      if (!this.#o.isAlone()) {
        await withhold('another run may have begun');
        throw stopped();
      }
      // Git may have changed the file while the intent was being written.
      if (!this.#ledger.isAlone(job, name)) {
        await withhold('the record knows another creation now');
        return 'again';
      }
      const line = this.#ledger.job(job);
      if (line === undefined) throw new Error(`bug: ${name} is not in the record`);
      const claim = receipts.claim(line, name);
      if (claim.is !== 'go') {
        await withhold('another run has begun it');
        if (claim.is === 'busy') return 'busy';
        if (claim.is === 'known') {
          this.#adopt(claim.line);
          return 'made';
        }
        throw new Ended('pending', `not sent: your receipts (${receipts.file}) ${claim.why}`, {
          stops: 'buying',
          code: claim.is,
        });
      }
      const fits = spending.stillFits(job);
      if (fits instanceof Promise) {
        await withhold('others were charged more than expected while this waited');
        return { comesBack: fits };
      }
      if (fits !== true) {
        await withhold(fits.why);
        throw new Ended('pending', fits.why, { held: fits.held });
      }
      if (!permit.isGood) {
        await withhold('other creations got no answer meanwhile');
        return 'again';
      }
      unsent = undefined;
      const answer = this.#own(
        await calls.create(task.kind.name, { ...body, name }, permit, expected?.known),
      );
      if (!answer.ok)
        return await this.#notMade(task, { name, reserve, permit, expected, isLast }, answer.error);
      permit.over('answered');
      breaker.taken(task.step);
      await this.#made(task, name, answer.value.id, answer.value.credits ?? reserve);
      expected?.over();
      isMade = true;
      return 'made';
    } finally {
      unsent?.over();
      permit?.over('unsent');
      first.over();
      if (!isMade) spending.over(job);
    }
  }

  /** An answer with the project of another creation says nothing about this one: it may be paid, or not. */
  #own(answer: Awaited<ReturnType<Calls['create']>>): typeof answer {
    if (!answer.ok || !this.#ledger.hasProject(answer.value.id)) return answer;
    const message = `the service answered with project ${answer.value.id}, which belongs to another creation`;
    return err({ reason: 'unanswered', message });
  }

  /** A name that people recognize in the hub, unique to the attempt, which the service returns unchanged. */
  #nameOf(task: Task, body: JsonObject): string {
    const given = body['name'];
    const shown =
      typeof given === 'string' && given !== '' ? given : `${this.#o.pipeline} ${task.id}`;
    const token = Array.from(
      { length: 10 },
      () => alphabet[Math.floor(this.#o.clock.chance() * alphabet.length)],
    );
    return `${shown.slice(0, 80).toWellFormed().replaceAll('\u0000', '')} #${token.join('')}`;
  }

  #intentOf(task: Task, attempt: string, reserve: number, forgotten: Job | undefined) {
    const { fingerprint: job, kind, id, step, take, first, text, destinations: to } = task;
    const forgets = (forgotten?.attempts ?? [])
      .filter((one) => !isOver(one) || one.gaveUp !== undefined)
      .map(({ name }) => name);
    return {
      job,
      is: 'intent' as const,
      kind: kind.name,
      task: id,
      attempt,
      reserve,
      measure: task.price?.measure,
      to: step.keepRemote ? undefined : to === 'kept' ? to : to.map((one) => ({ ...one })),
      fields: fieldDigests(text),
      take: take > 1 ? { of: first, number: take } : undefined,
      forgets,
    };
  }

  async #made(task: Task, attempt: string, project: string, credits: number): Promise<void> {
    const { journal, clock } = this.#o;
    const charge = { credits, read: new Date(clock.now()).toISOString() };
    const reserve = this.#current(task.fingerprint)?.reserve ?? 0;
    await journal.commit({ job: task.fingerprint, is: 'created', attempt, project, charge });
    this.#sent.set(task.fingerprint, attempt);
    this.#o.telling.charged(task, project, credits);
    this.#compare(task, project, { credits, reserve });
  }

  /** Of each tool, only a charge that exceeds what was expected by more than before is worth a word. */
  #compare(
    { id, kind }: Task,
    project: string,
    { credits, reserve }: { readonly credits: number; readonly reserve: number },
  ): void {
    const excess = reserve > 0 ? credits / reserve : 1;
    if (excess <= (this.#excess.get(kind.name) ?? 1)) return;
    this.#excess.set(kind.name, excess);
    const message =
      `${id}: project ${project} was charged ${count(credits, 'credit')} where ${reserve} were expected; ` +
      'later estimates are raised';
    this.#o.telling.remark(message, id, project);
  }

  async #notMade(
    task: Task,
    { name, reserve, permit, expected, isLast }: Sending,
    failure: ApiFailure,
  ): Promise<'made' | 'again' | 'spent'> {
    const { journal, live } = this.#o;
    const { fingerprint: job } = task;
    const fault = { code: failure.reason, message: scrubbed(explainFailure(failure)) };
    const what = remedy('create', failure);
    if (what === 'doubt') {
      permit.over('unanswered');
      await journal.commit({ job, is: 'doubt', attempt: name, fault });
      if (!(await this.#told(task, { name, reserve, expected })))
        throw new Ended('doubt', fault.message);
      permit.over('answered');
      return 'made';
    }
    const isOver = what !== 'retry' || isLast;
    if (isOver) expected?.over();
    else this.#answered.set(job, { name, reserve, expected });
    permit.over(
      what === 'fail' || what === 'resupply' || what === 'stop-step' ? 'answered' : 'unsent',
    );
    await journal.commit({ job, is: 'refused', attempt: name, fault });
    if (what === 'resupply') {
      if (this.#resupplied.has(job)) throw new Ended('failed', suppliedTwice(fault.message));
      this.#resupplied.add(job);
      live.forget(task);
      return 'again';
    }
    if (what !== 'retry') throw this.#refused(task, failure);
    if (failure.reason === 'late' || !permit.usesAttempt) return 'again';
    if (isLast) throw endedBy('create', failure);
    return 'spent';
  }

  /** What an event says of a creation in time. */
  async #told(
    task: Task,
    { name, reserve, expected }: Pick<Sending, 'name' | 'reserve' | 'expected'>,
  ): Promise<boolean> {
    const told = await this.#outcome(expected, reserve);
    if (told === undefined) return false;
    await this.#made(task, name, told.project, told.credits);
    expected?.over();
    return true;
  }

  async #outcome(expected: Expected | undefined, reserve: number) {
    const told = await expected?.outcome();
    // That of another creation says nothing about this one.
    if (told === undefined || this.#ledger.hasProject(told.id)) return undefined;
    const credits = told.credits_charged ?? (told.status === 'error' ? 0 : reserve);
    return { project: told.id, credits };
  }

  /** Perhaps the service refuses this step in general. */
  #refused({ step }: Task, failure: ApiFailure): Ended {
    const { breaker } = this.#o;
    const ended = endedBy('create', failure);
    const { code, message: why } = ended;
    if (remedy('create', failure) === 'stop-step') breaker.refuse(step, why);
    else breaker.count(step, code, why);
    return ended;
  }

  /** Another pipeline has paid for it. A doubt of it is for its own state file to settle. */
  #adopt(line: Job): void {
    const now = current(line);
    if (now === undefined) throw new Ended('pending', 'another run has not paid for it after all');
    if (now.state === 'intended' || now.state === 'doubt')
      throw new Ended('doubt', textOf({ code: 'doubt-elsewhere' }));
    this.#o.journal.join(line);
  }

  /** The receipt of a request that another process is paying for. */
  #busyAt(job: string): Receipt | undefined {
    const receipt = this.#o.receipts.get(job);
    const isBusy = receipt?.isBusy === true && current(receipt.line)?.state === 'intended';
    return isBusy ? receipt : undefined;
  }

  /** Waits until another process that is paying for the same is over with it. */
  async #another(job: string): Promise<void> {
    const { clock, signal, telling } = this.#o;
    const until = clock.elapsed() + busyMs;
    for (let told = false; ; told = true) {
      const receipt = this.#busyAt(job);
      if (receipt === undefined) return;
      const isStuck = this.#stuck.has(job) || clock.elapsed() >= until;
      if (isStuck) {
        this.#stuck.add(job);
        throw new Ended('doubt', textOf({ code: 'doubt-elsewhere' }));
      }
      if (!told) telling.waits(`${receipt.payer.pipeline} is paying for the same request`);
      await clock.sleep(busyPauseMs, signal);
      if (signal.aborted) throw stopped();
    }
  }

  /** What events say, in time, of creations of earlier runs whose answers were lost. */
  async settleDoubts(lost: readonly Lost[]): Promise<void> {
    const { journal, clock } = this.#o;
    await Promise.all(
      lost.map(async ({ job, attempt, expected }) => {
        const find = (): Attempt | undefined =>
          this.#ledger.job(job)?.attempts.find(({ name }) => name === attempt);
        const told = await this.#outcome(expected, find()?.reserve ?? 0);
        const now = find();
        if (told === undefined || now === undefined || !isOpen(now)) return;
        const { project, credits } = told;
        const charge = { credits, read: new Date(clock.now()).toISOString() };
        await journal.commit({ job, is: 'created', attempt, project, charge });
        expected.over();
      }),
    );
  }

  // Following

  /** Paid already, by this state file or another one; or another process is at it. `isEarly`: looks once. */
  async attach(task: Task, isEarly: boolean): Promise<void> {
    const { receipts, slots, signal } = this.#o;
    const { fingerprint: job } = task;
    // What is paid takes its slot before anybody who is about to pay: no turn is lost without need.
    if (this.#busyAt(job) !== undefined) await this.#another(job);
    const own = this.#current(job);
    const receipt = receipts.get(job);
    if ((own === undefined || projectOf(own) === undefined) && receipt !== undefined)
      this.#adopt(receipt.line);
    const now = this.#current(job);
    if (now?.state !== 'created') return;
    try {
      using slot = this.#o.kept.get(job) ?? (await slots.take(task.kind.name, 'owed', signal));
      return await this.follow(task, slot, isEarly ? 'early' : 'known');
    } catch (error) {
      const tries = this.#ledger.job(job)?.attempts.filter((one) => !one.forgotten).length ?? 1;
      const mayBuy = !now.adopted && task.scope.admitted === true && task.price !== undefined;
      if (!isTemporary(error) || tries >= task.step.attempts || !mayBuy) throw error;
      if (isEarly) throw new Ended('later', 'it is made again later');
      await this.create(task, 'begun', tries);
    }
  }

  /** Until the project is over. Throws `Ended`. */
  async follow(
    followed: Followed,
    slot: Slot | undefined,
    is: 'new' | 'known' | 'early',
  ): Promise<void> {
    const { fingerprint: job, timeoutMs } = followed;
    const [kind, { attempts }] = [followed.kind.name, followed.step];
    const { projects, looks, clock, calls, live, facts, spending, isTick, signal, inbox } = this.#o;
    const isNew = is === 'new';
    const spent = (): number => clock.elapsed() - calls.waitedMs;
    const until = spent() + timeoutMs;
    const first = this.#followed(job);
    const since = first === undefined || isNew ? clock.now() : Date.parse(first.at);
    spending.opens(job);
    using _ = { [Symbol.dispose]: () => spending.over(job) };
    const events = inbox === undefined ? 'never' : isNew ? 'always' : 'from-first-look';
    using watch = looks.watch(kind, since, events);
    for (let looked = 0; ; looked++) {
      const now = this.#followed(job);
      if (now === undefined) throw new Ended('failed', 'it was given up');
      if (isAway(now)) {
        if (now.state === 'deleted' || filesOf(this.#known(job), now, facts) !== undefined) return;
        throw lost(now.gone === undefined ? 'missing-at-service' : 'gone-at-service');
      }
      if (now.state === 'complete') return;
      const id = projectOf(now);
      if (now.state !== 'created' || id === undefined)
        throw new Ended('doubt', textOf({ code: 'in-doubt' }));
      if (is === 'early' && looked > 0 && !isTick)
        throw new Ended('rendering', `project ${id} still renders`);
      const isLeft = isTick
        ? isNew || looked > 0 || (inbox === undefined && !looks.isUseful(kind, since))
        : is !== 'early' && (await this.#isLeft(watch, id, until - spent()));
      if (isLeft) {
        slot?.leave();
        throw new Ended('rendering', `project ${id} still renders`);
      }
      if (signal.aborted) throw stopped();
      const project = await projects.read(job, kind, now, attempts);
      if (project === undefined) continue;
      if (await this.#settle(followed, now, project, isNew)) {
        watch.over(project);
        return live.learn(job, project);
      }
      if (spent() < until) continue;
      slot?.leave();
      throw new Ended('pending', `project ${id} is still ${project.status} after its timeout`);
    }
  }

  /** Waits for the time of the next look, or for an event. True if the run leaves what still renders. */
  async #isLeft(watch: Watch, project: string, leftMs: number): Promise<boolean> {
    const { inbox, leave } = this.#o;
    if (!leave.aborted) await watch.turn(inbox?.look(project), { leftMs, leave });
    return leave.aborted;
  }

  /** True if the project is complete. Throws if it failed. */
  async #settle(
    followed: Followed,
    attempt: Attempt,
    project: Project,
    isNew: boolean,
  ): Promise<boolean> {
    const { journal, clock, telling } = this.#o;
    const { fingerprint: job, id } = followed;
    const before = attempt.charge?.credits ?? 0;
    const about = { job, attempt: attempt.name };
    const end = endMove(project, about, creditsOf(attempt), clock.now());
    if (end === undefined) return false;
    // What another pipeline was charged is for it to know.
    await journal.commit(attempt.adopted ? { ...end, charge: undefined } : end);
    const change = attempt.adopted ? 0 : end.charge.credits - before;
    // What an earlier run had paid is given back to that run.
    if (isNew ? change !== 0 : change > 0) telling.charged(followed, project.id, change);
    if (change > 0 && before > 0)
      telling.remark(
        `${id}: the service added ${count(change, 'credit')} to what it had charged for project ${project.id}`,
        id,
        project.id,
      );
    if (end.is === 'failed') {
      const { code, message } = end.fault;
      throw new Ended('failed', `${code}: ${message}`, { code });
    }
    const after = this.#followed(job);
    const missing = after && fewer(followed, after)?.reason.about;
    if (missing !== undefined)
      telling.remark(
        `${id}: the service listed only ${missing} results that were asked for; the others may be late, or held back`,
        id,
        project.id,
      );
    return true;
  }
}

const livingIn = (job: Job | undefined): Attempt | undefined =>
  job?.attempts.find((attempt) => !isOver(attempt));

const isTemporary = (error: unknown): boolean =>
  error instanceof Ended && error.code !== undefined && worthAnotherAttempt(error.code);

const suppliedTwice = (why: string): string =>
  `${why.replace(/\.$/, '')}, also after it was supplied again`;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
