// Strikes the processes of a distributed run and its database by plan, and remembers every blow.
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalService } from '../src/service/start.ts';
import type { Postgres } from '../test/postgres.ts';
import type { Fleet, Member } from './engine-fleet.ts';
import { type Disturbance, disturbanceText, type PlannedDisturbance } from './engine-plan.ts';
import type { Blow } from './engine-record.ts';
import type { Story } from './engine-story.ts';

export interface StrikeOptions {
  readonly chance: () => number;
  readonly fleet: Fleet;
  readonly postgres: Postgres;
  readonly service: LocalService;
  readonly story: Story;
  readonly startCoordinator: () => void;
  /** Aborted when the run has ended, or hangs. */
  readonly over: AbortSignal;
}

/** After so long without a payment, a blow comes all the same. */
const idleMs = 20_000;
const lookMs = 20;

export class Strikes {
  readonly blows: Blow[] = [];
  readonly counts = { killedWorkers: 0, killedCoordinators: 0, freezes: 0, crashes: 0 };
  readonly #o: StrikeOptions;
  readonly #thaws: Promise<void>[] = [];
  #lastBlow = Date.now();
  #lastAway = 0;

  constructor(options: StrikeOptions) {
    this.#o = options;
  }

  /** When a blow was over last, in epoch milliseconds. */
  get lastBlow(): number {
    return this.#lastBlow;
  }

  /** When the database came back; infinite while it is away. */
  get lastAway(): number {
    return this.#lastAway;
  }

  /** Resolves when the last blow is over. */
  async all(plan: readonly PlannedDisturbance[]): Promise<void> {
    const { over, story } = this.#o;
    for (const { after, what } of plan) {
      await this.#payment();
      await this.#pause(after);
      if (over.aborted) return;
      story.note(disturbanceText(what));
      await this.#strike(what);
    }
    await Promise.all(this.#thaws);
  }

  /** A blow to processes that only start shows little. */
  async #payment(): Promise<void> {
    const { service, over } = this.#o;
    const paid = service.ledger().length;
    for (let waited = 0; waited < idleMs && !over.aborted; waited += lookMs) {
      if (service.ledger().length > paid && this.#workers.length > 0) return;
      await wait(lookMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { over } = this.#o;
    for (let waited = 0; waited < ms && !over.aborted; waited += lookMs) await wait(lookMs);
  }

  get #workers(): readonly Member[] {
    return awake(this.#o.fleet.running('worker')).filter(({ isServing }) => isServing);
  }

  async #strike(what: Disturbance): Promise<void> {
    const { fleet, chance, startCoordinator } = this.#o;
    switch (what.how) {
      case 'kill-worker':
        if (await this.#kill(() => this.#workers)) this.counts.killedWorkers += 1;
        return;
      case 'kill-coordinator': {
        if (what.standby) {
          startCoordinator();
          await this.#pause(chance() * 3000);
        }
        const oldest = () => fleet.running('coordinator').slice(0, 1);
        if (await this.#kill(oldest)) this.counts.killedCoordinators += 1;
        return;
      }
      case 'freeze': {
        const { who, ms } = what;
        const member = await this.#one(() =>
          who === 'worker' ? this.#workers : awake(fleet.running('coordinator')),
        );
        if (member === undefined) return;
        if (who === 'coordinator') startCoordinator();
        this.counts.freezes += 1;
        this.#thaws.push(this.#freeze(member, ms));
        return;
      }
      case 'crash-database':
        return await this.#crash(what.ms);
    }
  }

  async #kill(among: () => readonly Member[]): Promise<boolean> {
    const member = await this.#one(among);
    if (member === undefined) return false;
    const at = Date.now();
    this.#blow({ text: `kill ${member.name}`, from: at, until: at, pid: member.pid });
    member.kill();
    return true;
  }

  async #freeze(member: Member, ms: number): Promise<void> {
    const from = Date.now();
    member.freeze();
    await this.#pause(ms);
    member.thaw();
    this.#o.story.note(`${member.name} goes on`);
    this.#blow({ text: `freeze ${member.name}`, from, until: Date.now(), pid: member.pid });
  }

  async #crash(ms: number): Promise<void> {
    const { postgres } = this.#o;
    const from = Date.now();
    this.counts.crashes += 1;
    this.#lastAway = Number.POSITIVE_INFINITY;
    await postgres.crash();
    await this.#pause(ms);
    await postgres.restart();
    this.#lastAway = Date.now();
    this.#blow({ text: 'crash', from, until: this.#lastAway, pid: undefined });
  }

  #blow(blow: Blow): void {
    this.blows.push(blow);
    this.#lastBlow = Date.now();
  }

  /** One of those that there are, or that come soon; undefined: the run is over. */
  async #one(among: () => readonly Member[]): Promise<Member | undefined> {
    const { chance, over } = this.#o;
    const place = chance();
    for (;;) {
      const list = among();
      if (list.length > 0) return list[Math.floor(place * list.length)];
      if (over.aborted) return undefined;
      await wait(lookMs);
    }
  }
}

const awake = (members: readonly Member[]): readonly Member[] =>
  members.filter(({ frozen }) => !frozen);
