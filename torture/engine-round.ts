// One tortured run: starts the processes, replaces what ends, does what a person or a supervisor would do, and lets the run
// come to its end.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalService } from '../src/service/start.ts';
import { photo } from '../test/photo.ts';
import type { Postgres } from '../test/postgres.ts';
import { resolveInDatabase } from './engine-doubts.ts';
import { endFaults, type FaultCount } from './engine-faults.ts';
import { Fleet, type Member, type MemberEnd } from './engine-fleet.ts';
import type { PlannedDisturbance } from './engine-plan.ts';
import { type Blow, keepRecords, lastRecord } from './engine-record.ts';
import { Story, type StoryOptions } from './engine-story.ts';
import { Strikes } from './engine-strikes.ts';
import { openDoubts } from './invariants.ts';
import { auditLedgers } from './ledger-audit.ts';
import { ownReceipts } from './own-receipts.ts';
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

export interface EngineRoundOptions extends StoryOptions {
  readonly chance: () => number;
  readonly plan: readonly PlannedDisturbance[];
  readonly postgres: Postgres;
  readonly workspace: Workspace;
  readonly service: LocalService;
  readonly items: number;
  readonly workers: number;
  readonly places: number;
  readonly main: string | undefined;
}

/** Without progress and without a blow for so long, the run hangs. */
const hangsMs = 180_000;
const watchMs = 1_000;
/** A person looks for doubts each time that so many looks have passed. */
const looksPerVisit = 10;
/** The time in which the last request of a killed process arrives. */
const arrivalMs = 1_000;
/** A process may fail because the database is away, or was a moment ago. */
const recoveryMs = 20_000;
/** A worker that is asked to leave must be gone by then. */
const leavesMs = 45_000;

export class EngineRound implements AsyncDisposable {
  readonly story: Story;
  faults: FaultCount | undefined;
  readonly #o: EngineRoundOptions;
  readonly #fleet: Fleet;
  readonly #strikes: Strikes;
  readonly #over = new AbortController();
  readonly #counts = { items: 0, coordinators: 0, workers: 0, resolved: 0 };
  /** When the last blow was over and the faults had ended. */
  #calmSince: number | undefined;
  #last = { progress: '', at: Date.now() };
  #looks = 0;

  constructor(options: EngineRoundOptions) {
    this.#o = options;
    const { workspace, database, service, places, main } = options;
    this.story = new Story(options);
    this.#fleet = new Fleet({
      ...{ workspace, database, places, main, service: service.address, key: service.key },
      onEnd: (end) => this.#ended(end),
    });
    this.#strikes = new Strikes({
      ...{ ...options, fleet: this.#fleet, story: this.story, over: this.#over.signal },
      startCoordinator: () => this.#startCoordinator(),
    });
    this.#counts.items = options.items;
  }

  get totals(): EngineTotals {
    return { ...this.#counts, ...this.#strikes.counts };
  }

  get blows(): readonly Blow[] {
    return this.#strikes.blows;
  }

  /** Resolves when the run is complete, or hangs. */
  async play(): Promise<void> {
    const { workers, plan, service } = this.#o;
    await this.#makeTables();
    for (let count = 0; count < workers; count++) this.#startWorker();
    this.#startCoordinator();
    const watching = setInterval(() => void this.#watch(), watchMs);
    try {
      await this.#strikes.all(plan);
      this.faults = await endFaults(service);
      this.story.note('calm');
      this.#calmSince = Date.now();
      if (this.#coordinators === 0) this.#startCoordinator();
      while (!this.#over.signal.aborted) await wait(50);
    } finally {
      clearInterval(watching);
      if (this.story.violations.length > 0) await this.leaveEvidence();
      await this.#leave();
    }
  }

  async #makeTables(): Promise<void> {
    const { database } = this.#o;
    for (const { code, member } of await this.#fleet.refused())
      if (code === 0 || !member.lines.join('').includes('engine migrate'))
        this.story.find(`without tables, it ended with ${code}: ${member.lines.join('\n')}`);
    const migrated = await this.#fleet.command(['engine', 'migrate', '--engine', database]);
    if (migrated.code !== 0) throw new Error(migrated.member.lines.join('\n'));
    await keepRecords(database);
  }

  get #coordinators(): number {
    return this.#fleet.running('coordinator').length;
  }

  #startWorker(): void {
    if (this.#over.signal.aborted) return;
    this.#counts.workers += 1;
    this.#fleet.startWorker();
  }

  #startCoordinator(): void {
    if (this.#over.signal.aborted) return;
    this.#counts.coordinators += 1;
    this.#fleet.startCoordinator();
  }

  #ended({ member, code, asked }: MemberEnd): void {
    if (this.#over.signal.aborted) return;
    this.story.note(`${member.name} ended: ${asked ? 'killed' : `code ${code}`}`);
    if (!asked) this.#judge(member, code);
    if (member.role === 'coordinator') {
      void this.#next(asked ? undefined : code, member).catch((error: unknown) => {
        this.story.find(`the torture failed: ${error instanceof Error ? error.stack : error}`);
        this.#over.abort();
      });
      return;
    }
    if (asked) this.#startWorker();
    else setTimeout(() => this.#startWorker(), 300);
  }

  /** Only a database that is away is a reason for a worker to end, and a coordinator says how its run ended. */
  #judge({ name, role, lines }: Member, code: number | null): void {
    const text = lines.slice(-12).join('\n');
    const last = lines.at(-1) ?? '';
    const wasAway = Date.now() - this.#strikes.lastAway < recoveryMs;
    const isRight =
      role === 'worker'
        ? wasAway && /the database .* cannot be used/.test(text)
        : last.startsWith('{"type":"ended"') || last.startsWith('{"problem"');
    if (isRight) this.story.note(last.slice(0, 2000));
    else this.story.find(`${name} ended by itself with code ${code}: ${text}`);
  }

  /** A coordinator has ended: what a person or a supervisor does next. */
  async #next(code: number | null | undefined, { started }: Member): Promise<void> {
    const calm = this.#calmSince;
    if (code === 0) {
      if (calm !== undefined && started > calm && this.#coordinators === 0)
        return this.#over.abort();
      if (calm === undefined) await this.#addPhotos();
    }
    if (code === 4 && this.#coordinators === 0) await this.#resolve();
    if (code !== undefined && code !== 0) await wait(500);
    if (this.#coordinators === 0) this.#startCoordinator();
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
    if (typeof audit === 'string') return this.story.find(audit);
    const open = openDoubts(audit).length;
    const env = {
      ...ownReceipts(),
      ...{ SHOTLIST_BASE_URL: service.address, SHOTLIST_API_KEY: service.key },
    };
    const failures = await resolveDoubts(workspace, audit, env);
    this.story.note(`resolved ${open} doubts in the state file`);
    this.#counts.resolved += open - failures.length;
    for (const failure of failures)
      if (this.#calmSince === undefined) this.story.note(failure);
      else this.story.find(failure);
  }

  /** Looks whether it goes on, and now and then resolves doubts in the database. */
  async #watch(): Promise<void> {
    const { database, service } = this.#o;
    this.#looks += 1;
    const visit = this.#looks % looksPerVisit === 0;
    const last = await lastRecord(database);
    const progress = `${last} ${service.ledger().length}`;
    if (progress !== this.#last.progress) this.#last = { progress, at: Date.now() };
    const silentMs = Date.now() - Math.max(this.#last.at, this.#strikes.lastBlow);
    if (this.#over.signal.aborted) return;
    if (silentMs > hangsMs) {
      this.story.find(`no progress for ${hangsMs / 1000} s: ${this.#whatEveryoneDoes()}`);
      return this.#over.abort();
    }
    if (!visit || last === undefined) return;
    try {
      const { resolved, refused } = await resolveInDatabase(this.#o);
      this.#counts.resolved += resolved;
      if (resolved + refused.length > 0)
        this.story.note(`resolved ${resolved} doubts in the database; ${refused.join('; ')}`);
    } catch (error) {
      if (Date.now() - this.#strikes.lastAway < recoveryMs) this.story.note(String(error));
      else this.story.find(`resolving failed: ${error instanceof Error ? error.stack : error}`);
    }
  }

  #whatEveryoneDoes(): string {
    return this.#fleet.all
      .map(({ name, pid, frozen, lines }) =>
        [`${name} (${pid})${frozen ? ' frozen' : ''}`, ...lines.slice(-3)].join('\n    '),
      )
      .join('\n  ');
  }

  /** The workers are asked to leave, and must. */
  async #leave(): Promise<void> {
    this.#over.abort();
    const workers = this.#fleet.running('worker');
    for (const worker of workers) worker.leave();
    const all = Promise.all(workers.map(({ ended }) => ended));
    const ends = await Promise.race([all, wait(leavesMs, undefined, { ref: false })]);
    if (ends === undefined) this.story.find(`a worker does not leave: ${this.#whatEveryoneDoes()}`);
    for (const { member, code } of ends ?? [])
      if (code !== 0)
        this.story.find(
          `${member.name} left with code ${code}: ${member.lines.slice(-8).join('\n')}`,
        );
  }

  /** A local run has nothing left to do, and asks the service for nothing. */
  async runForFree(): Promise<void> {
    const { service, workspace } = this.#o;
    const asked = JSON.stringify(service.requests());
    const end = await this.#fleet.command(['run', workspace.file, '--json']);
    const text = end.member.lines.slice(-5).join('\n');
    if (end.code !== 0) this.story.find(`a local run afterwards ended with ${end.code}: ${text}`);
    if (JSON.stringify(service.requests()) !== asked) this.story.find('a local run was not free');
  }

  async leaveEvidence(): Promise<void> {
    await this.story.leave(this.#fleet.all, this.blows);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#fleet.close();
  }
}
