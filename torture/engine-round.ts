// One tortured run: starts the processes, strikes by plan, replaces what ends, and lets it come to its end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalService } from '../src/service/start.ts';
import { photo } from '../test/photo.ts';
import type { Postgres } from '../test/postgres.ts';
import { resolveInDatabase } from './engine-doubts.ts';
import { endFaults, type FaultCount } from './engine-faults.ts';
import { Fleet, type Member, type MemberEnd } from './engine-fleet.ts';
import { type Disturbance, disturbanceText, type PlannedDisturbance } from './engine-plan.ts';
import { type Blow, keepRecords, lastRecord, tablesText } from './engine-record.ts';
import { auditLedgers } from './ledger-audit.ts';
import { resolveDoubts } from './resolve-doubts.ts';
import type { Workspace } from './workspace.ts';

export interface EngineTotals {
  readonly items: number;
  /** How many processes ran. */
  readonly coordinators: number;
  readonly workers: number;
  readonly killedWorkers: number;
  readonly killedCoordinators: number;
  readonly freezes: number;
  readonly crashes: number;
  /** Doubts that a person resolved. */
  readonly resolved: number;
}

export interface EngineRoundOptions {
  readonly chance: () => number;
  readonly plan: readonly PlannedDisturbance[];
  readonly postgres: Postgres;
  /** The address of the database. */
  readonly database: string;
  readonly workspace: Workspace;
  readonly service: LocalService;
  readonly items: number;
  readonly workers: number;
  readonly places: number;
  readonly onEvent: (line: string) => void;
  /** Hears everything that happens. */
  readonly onNote?: ((line: string) => void) | undefined;
}

/** Without progress and without a blow for so long, the run hangs. */
const hangsMs = 180_000;
const watchMs = 1_000;
/** The time in which the last request of a killed process arrives. */
const arrivalMs = 1_000;
/** After so long without a payment, a blow comes all the same. */
const idleMs = 20_000;
/** A process may fail because the database is away, or was a moment ago. */
const recoveryMs = 20_000;

export class EngineRound implements AsyncDisposable {
  readonly blows: Blow[] = [];
  faults: FaultCount | undefined;
  readonly #o: EngineRoundOptions;
  readonly #fleet: Fleet;
  readonly #began = Date.now();
  readonly #log: string[] = [];
  readonly #violations: string[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly #thaws: Promise<void>[] = [];
  readonly #counts = { items: 0, coordinators: 0, workers: 0, resolved: 0 };
  readonly #struck = { killedWorkers: 0, killedCoordinators: 0, freezes: 0, crashes: 0 };
  #isOver = false;
  /** When the last blow was over and the faults had ended. */
  #calmSince: number | undefined;
  #last = { progress: '', at: Date.now() };
  /** When the database came back. */
  #lastAway = 0;

  constructor(options: EngineRoundOptions) {
    this.#o = options;
    const { workspace, database, service, places } = options;
    this.#fleet = new Fleet({
      ...{ workspace, database, places, service: service.address, key: service.key },
      onEnd: (end) => this.#ended(end),
    });
    this.#counts.items = options.items;
  }

  get totals(): EngineTotals {
    return { ...this.#counts, ...this.#struck };
  }

  /** Returns the violations that showed while it ran. */
  async play(): Promise<readonly string[]> {
    const { database, workers, plan } = this.#o;
    for (const { code, member } of await this.#fleet.refused())
      if (code === 0 || !member.lines.join('').includes('engine migrate'))
        this.#find(`without tables, it ended with ${code}: ${member.lines.join('\n')}`);
    const migrated = await this.#fleet.command(['engine', 'migrate', '--engine', database]);
    if (migrated.code !== 0) throw new Error(migrated.member.lines.join('\n'));
    await keepRecords(database);
    for (let count = 0; count < workers; count++) this.#startWorker();
    this.#startCoordinator();
    const watching = setInterval(() => void this.#watch(), watchMs);
    try {
      await this.#strikeAll(plan);
      if (this.#isOver) return this.#violations;
      this.faults = await endFaults(this.#o.service);
      this.#note('calm');
      this.#calmSince = Date.now();
      if (this.#fleet.running('coordinator').length === 0) this.#startCoordinator();
      await this.#over.promise;
      return this.#violations;
    } finally {
      clearInterval(watching);
      await this.#leave();
    }
  }

  async #strikeAll(plan: readonly PlannedDisturbance[]): Promise<void> {
    for (const { after, what } of plan) {
      await this.#somethingHappens();
      await Promise.race([wait(after), this.#over.promise]);
      if (this.#isOver) return;
      this.#note(disturbanceText(what));
      await this.#strike(what);
    }
    await Promise.race([Promise.all(this.#thaws), this.#over.promise]);
  }

  /** A blow to processes that only start shows little. */
  async #somethingHappens(): Promise<void> {
    const { service } = this.#o;
    const paid = service.ledger().length;
    for (let waited = 0; waited < idleMs && !this.#isOver; waited += 20) {
      if (service.ledger().length > paid && this.#workers.length > 0) return;
      await wait(20);
    }
  }

  get #workers(): readonly Member[] {
    return this.#fleet.running('worker').filter((one) => one.isServing && !one.frozen);
  }

  async #strike(what: Disturbance): Promise<void> {
    switch (what.how) {
      case 'kill-worker': {
        const worker = await this.#one(() => this.#workers);
        if (worker === undefined) return;
        this.#kill(worker);
        this.#struck.killedWorkers += 1;
        return;
      }
      case 'kill-coordinator': {
        if (what.standby) {
          this.#startCoordinator();
          await wait(this.#o.chance() * 3000);
        }
        const coordinator = await this.#one(() => this.#fleet.running('coordinator').slice(0, 1));
        if (coordinator === undefined) return;
        this.#kill(coordinator);
        this.#struck.killedCoordinators += 1;
        return;
      }
      case 'freeze': {
        const member = await this.#one(() =>
          what.who === 'worker'
            ? this.#workers
            : this.#fleet.running('coordinator').filter(({ frozen }) => !frozen),
        );
        if (member === undefined) return;
        if (what.who === 'coordinator') this.#startCoordinator();
        this.#struck.freezes += 1;
        this.#thaws.push(this.#freeze(member, what.ms));
        return;
      }
      case 'crash-database':
        return await this.#crash(what.ms);
    }
  }

  #kill(member: Member): void {
    const at = Date.now();
    this.#blow({ text: `kill ${member.name}`, from: at, until: at, pid: member.pid });
    member.kill();
  }

  async #freeze(member: Member, ms: number): Promise<void> {
    const from = Date.now();
    member.freeze();
    await wait(ms);
    member.thaw();
    this.#note(`${member.name} goes on`);
    this.#blow({ text: `freeze ${member.name}`, from, until: Date.now(), pid: member.pid });
  }

  async #crash(ms: number): Promise<void> {
    const from = Date.now();
    this.#struck.crashes += 1;
    this.#lastAway = Number.POSITIVE_INFINITY;
    await this.#o.postgres.crash();
    await wait(ms);
    await this.#o.postgres.restart();
    this.#lastAway = Date.now();
    this.#blow({ text: 'crash', from, until: this.#lastAway, pid: undefined });
  }

  #blow(blow: Blow): void {
    this.blows.push(blow);
    this.#last = { ...this.#last, at: Date.now() };
  }

  /** One of those that there are, or that come soon; undefined: the run is over. */
  async #one(among: () => readonly Member[]): Promise<Member | undefined> {
    const place = this.#o.chance();
    for (;;) {
      const list = among();
      if (list.length > 0) return list[Math.floor(place * list.length)];
      if (this.#isOver) return undefined;
      await wait(20);
    }
  }

  #startWorker(): void {
    if (this.#isOver) return;
    this.#counts.workers += 1;
    this.#fleet.startWorker();
  }

  #startCoordinator(): void {
    if (this.#isOver) return;
    this.#counts.coordinators += 1;
    this.#fleet.startCoordinator();
  }

  #ended({ member, code, asked }: MemberEnd): void {
    if (this.#isOver) return;
    this.#note(`${member.name} ended: ${asked ? 'killed' : `code ${code}`}`);
    if (!asked) this.#judge(member, code);
    if (member.role === 'coordinator') {
      void this.#next(asked ? undefined : code, member).catch((error: unknown) => {
        this.#find(`the torture failed: ${error instanceof Error ? error.stack : String(error)}`);
        this.#finish();
      });
      return;
    }
    if (asked) this.#startWorker();
    else setTimeout(() => this.#startWorker(), 300);
  }

  /** What goes wrong while the database is away is no bug, and a coordinator may be told that another one has taken over. */
  #judge({ name, role, lines }: Member, code: number | null): void {
    const text = lines.slice(-12).join('\n');
    if (role === 'worker') {
      const wasAway = Date.now() - this.#lastAway < recoveryMs;
      const unreachable = wasAway && /the database .* cannot be used/.test(text);
      if (!unreachable) this.#find(`${name} ended by itself with code ${code}: ${text}`);
      else this.#note(text);
      return;
    }
    const end = lines.at(-1) ?? '';
    if (!end.startsWith('{"type":"ended"') && !end.startsWith('{"problem"'))
      this.#find(`${name} broke with code ${code}: ${text}`);
    else this.#note(end.slice(0, 2000));
  }

  /** A coordinator has ended: what a person or a supervisor does next. */
  async #next(code: number | null | undefined, member: Member): Promise<void> {
    const others = this.#fleet.running('coordinator').length;
    if (code === 0) {
      const calm = this.#calmSince;
      if (calm !== undefined && member.started > calm && others === 0) return this.#finish();
      if (calm === undefined) await this.#addPhotos();
    }
    if (code === 4 && others === 0) await this.#resolve();
    if (code !== undefined && code !== 0) await wait(500);
    if (this.#fleet.running('coordinator').length === 0) this.#startCoordinator();
  }

  /** Everything was done too early: more comes along. */
  async #addPhotos(): Promise<void> {
    const { items, workspace } = this.#o;
    const first = this.#counts.items + 1;
    for (let number = first; number < first + items; number++)
      writeFileSync(join(workspace.folder, 'photos', `p${number}.png`), await photo(number));
    this.#counts.items += items;
  }

  /** In the state file, after an export. */
  async #resolve(): Promise<void> {
    const { workspace, service } = this.#o;
    await wait(arrivalMs);
    const audit = await auditLedgers(workspace, service);
    if (typeof audit === 'string') return this.#find(audit);
    const open = [...audit.state.jobs()].filter(({ state }) => state === 'doubt').length;
    const env = { SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key };
    const failures = await resolveDoubts(workspace, audit, env);
    this.#note(`resolved ${open} doubts in the state file`);
    this.#counts.resolved += open - failures.length;
    for (const failure of failures) this.#note(failure);
    if (this.#calmSince !== undefined) for (const failure of failures) this.#find(failure);
  }

  #looks = 0;

  /** Looks whether it goes on, and now and then resolves doubts in the database. */
  async #watch(): Promise<void> {
    const { database, service } = this.#o;
    this.#looks += 1;
    const last = await lastRecord(database);
    const progress = `${last} ${service.ledger().length}`;
    if (progress !== this.#last.progress) this.#last = { progress, at: Date.now() };
    if (Date.now() - this.#last.at > hangsMs && !this.#isOver) {
      this.#find(`no progress for ${hangsMs / 1000} s: ${this.#whatEveryoneDoes()}`);
      return this.#finish();
    }
    if (this.#looks % 10 !== 0 || this.#isOver || last === undefined) return;
    try {
      const { resolved, refused } = await resolveInDatabase(this.#o);
      this.#counts.resolved += resolved;
      if (resolved + refused.length > 0)
        this.#note(`resolved ${resolved} doubts in the database; ${refused.join('; ')}`);
    } catch (error) {
      this.#note(`resolving failed: ${String(error)}`);
    }
  }

  #whatEveryoneDoes(): string {
    return this.#fleet.all
      .map(({ name, pid, frozen, lines }) =>
        [`${name} (${pid})${frozen ? ' frozen' : ''}`, ...lines.slice(-3)].join('\n    '),
      )
      .join('\n  ');
  }

  #finish(): void {
    this.#isOver = true;
    this.#over.resolve();
  }

  /** The workers are asked to leave, and must. */
  async #leave(): Promise<void> {
    this.#isOver = true;
    if (this.#violations.length > 0) await this.leaveEvidence(this.#violations);
    const workers = this.#fleet.running('worker');
    for (const worker of workers) worker.leave();
    const all = Promise.all(workers.map(({ ended }) => ended));
    const ends = await Promise.race([all, wait(45_000, undefined, { ref: false })]);
    if (ends === undefined) this.#find(`a worker does not leave: ${this.#whatEveryoneDoes()}`);
    for (const { member, code } of ends ?? [])
      if (code !== 0)
        this.#find(`${member.name} left with code ${code}: ${member.lines.slice(-8).join('\n')}`);
  }

  /** A local run has nothing left to do, and asks the service for nothing. */
  async runForFree(): Promise<readonly string[]> {
    const { service, workspace } = this.#o;
    const asked = JSON.stringify(service.requests());
    const end = await this.#fleet.command(['run', workspace.file, '--json']);
    const text = end.member.lines.slice(-5).join('\n');
    return [
      ...(end.code === 0 ? [] : [`a local run afterwards ended with ${end.code}: ${text}`]),
      ...(JSON.stringify(service.requests()) === asked ? [] : ['a local run was not free']),
    ];
  }

  async leaveEvidence(violations: readonly string[]): Promise<void> {
    const { workspace, database, service } = this.#o;
    const write = (name: string, text: string): void =>
      writeFileSync(join(workspace.folder, name), text);
    const lines = this.#fleet.all.map(({ name, pid, lines }) => [`${name} ${pid}`, ...lines]);
    write('torture-story.txt', [...violations, '', ...this.#log, '', ...lines.flat()].join('\n'));
    write('torture-blows.json', JSON.stringify(this.blows, undefined, 1));
    write('torture-service-ledger.json', JSON.stringify(service.ledger(), undefined, 1));
    write('torture-tables.txt', await tablesText(database));
  }

  #find(sentence: string): void {
    this.#note(`violation: ${sentence}`);
    this.#violations.push(sentence);
    this.#o.onEvent(`violation: ${sentence}`);
  }

  #note(text: string): void {
    const seconds = ((Date.now() - this.#began) / 1000).toFixed(1);
    this.#log.push(`${seconds} ${text}`);
    this.#o.onNote?.(`${seconds} ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#fleet.close();
  }
}
