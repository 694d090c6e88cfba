// One round of the engine's torture: checkouts, their processes, and what happens to them, until the photos are done.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { digestOfBytes } from '../src/base/digest.ts';
import { realClock } from '../src/core/clock.ts';
import { EngineDatabase } from '../src/distributed/database.ts';
import type { LocalService } from '../src/service/start.ts';
import { type Lie, lieAbout } from '../test/distributed/liar.ts';
import { photo } from '../test/photo.ts';
import { type Postgres, query } from '../test/postgres.ts';
import { Client } from '../test/service/client.ts';
import { type Ground, Member, type Role } from './engine-fleet.ts';
import {
  type CheckContext,
  checkAlways,
  checkEnd,
  checkLedgers,
  openDoubts,
} from './invariants.ts';
import { auditLedgers, type LedgerAudit, ledgerAt } from './ledger-audit.ts';
import { resolveDoubts } from './resolve-doubts.ts';
import type { CutWire } from './wire-cutter.ts';
import type { Workspace } from './workspace.ts';

/**
 * - `workers`: only workers are struck, so nothing may be in doubt.
 * - `folder`: all share one checkout, and each coordinator follows in it. One worker has not mounted it, and one lies.
 * - `bucket`: three checkouts share only the database and a bucket; one coordinator stands by.
 */
export const scenes = ['folder', 'bucket', 'workers'] as const;
export type Scene = (typeof scenes)[number];

export type Blow =
  | 'worker killed'
  | 'worker frozen'
  | 'coordinator killed'
  | 'coordinator frozen'
  | 'crash of Postgres'
  | 'cut'
  /** Somebody puts an older copy of the database into its place. */
  | 'restore';

export interface RoundParts {
  readonly scene: Scene;
  readonly chance: () => number;
  /** In two rows, each in its order: what happens to workers, and to all else. */
  readonly blows: readonly (readonly Blow[])[];
  /** Nothing happens to them later; milliseconds. */
  readonly boundMs: number;
  readonly items: number;
  readonly postgres: Postgres;
  /** The address of the database, past the wire. */
  readonly database: string;
  readonly wires: Readonly<Record<'service' | 'database' | 'bucket', CutWire>>;
  readonly service: LocalService;
  readonly checkouts: readonly Workspace[];
  readonly secret: string;
  readonly envOf: (checkout: Workspace) => Ground['env'];
  /** A checkout of somebody who has not mounted the shared folder. */
  readonly elsewhere: Workspace;
  /** The file of the command. */
  readonly main: string;
  readonly onNote: (line: string) => void;
}

const workers = 3;
/** How often a worker lies. */
const maxLies = 8;
/** Photos that come when all are done too early. */
const more = 40;
/** Longer than all the photos of a round take, on a slow machine. */
const hungMs = 600_000;
/** Why a process may end by itself: what it needs is away when it begins, or it is not wanted. */
const excuse = /cannot be (used|stored)|stood by|locked|another run|taken over/;
const trace = /^\s+at \S+ \(|^\w*Error: /m;

export class EngineRound {
  readonly violations: string[] = [];
  readonly counts: Record<string, number> = {};
  items = 0;
  readonly #o: RoundParts;
  readonly #members = new Set<Member>();
  readonly #began = Date.now();
  /** Who ends is followed by another one. */
  #isOn = true;
  #isLying = true;

  constructor(parts: RoundParts) {
    this.#o = parts;
    // The processes end with this one.
    process.once('exit', this.#killAll);
  }

  readonly #killAll = (): void => {
    for (const member of this.#members) member.signal('SIGKILL');
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOn = false;
    this.#isLying = false;
    process.off('exit', this.#killAll);
    const all = [...this.#members].map(({ ended }) => ended);
    this.#killAll();
    await Promise.all(all);
  }

  async play(): Promise<void> {
    const { items, blows, scene, checkouts, elsewhere } = this.#o;
    await this.#grow(items);
    for (let index = 0; index < this.#coordinators; index++) this.#startCoordinator();
    for (let index = 0; index < workers; index++)
      this.#startWorker(checkouts[index % checkouts.length] ?? elsewhere);
    if (scene === 'folder') {
      this.#startWorker(elsewhere);
      void this.#lie(checkouts[0] ?? elsewhere);
    }
    await Promise.all(blows.map((row) => this.#strikeAll(row)));
    this.#count('seconds', Math.round((Date.now() - this.#began) / 1000));
  }

  // The processes

  get #coordinators(): number {
    return this.#o.scene === 'bucket' ? 2 : 1;
  }

  get #url(): string {
    return this.#o.database.replace(/:\d+\//, `:${this.#o.wires.database.port}/`);
  }

  #groundOf(checkout: Workspace): Ground {
    return { folder: checkout.folder, env: this.#o.envOf(checkout) };
  }

  /** The oldest first. Frozen ones run, too. */
  #running(role: Role): readonly Member[] {
    return [...this.#members].filter((member) => member.role === role);
  }

  #start(role: Role, args: readonly string[], ground: Ground): Member {
    const member = new Member(role, args, ground);
    this.#members.add(member);
    void member.ended.then(() => this.#ended(member));
    return member;
  }

  #coordinator(checkout: Workspace, database = this.#url, ...flags: readonly string[]): Member {
    const line = [this.#o.main, 'run', 'pipeline.yaml', '--hosted', '--engine', database];
    return this.#start('coordinator', [...line, ...flags], this.#groundOf(checkout));
  }

  /** In a checkout in which no other one runs. */
  #startCoordinator(): void {
    const taken = this.#running('coordinator').map(({ folder }) => folder);
    const free = this.#o.checkouts.filter(({ folder }) => !taken.includes(folder));
    const checkout = free[Math.floor(this.#o.chance() * free.length)];
    if (checkout !== undefined) this.#coordinator(checkout);
  }

  /** Workers have no key. */
  #startWorker(checkout: Workspace): void {
    const { folder, env } = this.#groundOf(checkout);
    const { SHOTLIST_API_KEY: _, SHOTLIST_BASE_URL: __, ...own } = env;
    const line = [this.#o.main, 'worker', 'pipeline.yaml', '--engine', this.#url, '--json'];
    this.#start('worker', line, { folder, env: own });
  }

  /** As a worker that has the secret. */
  async #lie({ folder }: Workspace): Promise<void> {
    const { chance, secret } = this.#o;
    const pipeline = 'torture';
    const lie: Lie = (path, content) => {
      this.#count('lies', 1);
      const other = Buffer.from(`no picture ${chance()}`);
      const how = Math.floor(chance() * 3);
      if (how > 0) writeFileSync(join(folder, path), how === 1 ? content : other);
      const said = how === 1 ? other : content;
      return { bytes: said.length, sha256: digestOfBytes(said) };
    };
    const isOver = (): boolean => !this.#isLying || (this.counts['lies'] ?? 0) >= maxLies;
    while (!isOver()) {
      const database = await EngineDatabase.open({ url: this.#url, shown: 'the database' }, 2);
      // It is away now and then, and has no tables at first.
      await lieAbout({ database, secret, pipeline }, lie, isOver).catch(() => wait(300));
      await database.close();
    }
  }

  async #ended(member: Member): Promise<void> {
    const { role, code, lines, text, folder } = member;
    this.#members.delete(member);
    this.#note(`ended: ${member.name}, ${code}: ${lines.slice(-2).join(' / ')}`);
    const isExcused = code === null || lines.some((line) => excuse.test(line));
    if (trace.test(lines.join('\n')) || (role === 'worker' && !isExcused)) this.#find(text);
    // The run is over: there is more to do.
    if (role === 'coordinator' && !isExcused && this.#isOn) await this.#grow(more);
    await wait(300);
    const awake = this.#running('coordinator').filter(({ isFrozen }) => !isFrozen);
    if (!this.#isOn) return;
    if (role === 'coordinator' && awake.length < this.#coordinators) this.#startCoordinator();
    const checkouts = [...this.#o.checkouts, this.#o.elsewhere];
    const checkout = checkouts.find((one) => one.folder === folder);
    if (role === 'worker' && checkout !== undefined) this.#startWorker(checkout);
  }

  async #grow(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      this.items += 1;
      const picture = await photo(this.items);
      for (const { folder } of [...this.#o.checkouts, this.#o.elsewhere]) {
        // Whole at once: a coordinator may be looking.
        writeFileSync(join(folder, 'photo.part'), picture);
        renameSync(join(folder, 'photo.part'), join(folder, 'photos', `p${this.items}.png`));
      }
    }
    this.#count('photos', count);
  }

  // What happens to them

  async #strikeAll(row: readonly Blow[]): Promise<void> {
    const { chance, boundMs } = this.#o;
    for (const [index, blow] of row.entries()) {
      const left = this.#began + boundMs - Date.now();
      if (left < 0 || this.violations.length > 0) return;
      await wait((chance() * left) / (row.length - index));
      this.#note(blow);
      if (await this.#strike(blow)) this.#count(blow, 1);
    }
  }

  /** False: there was nobody to strike. */
  async #strike(blow: Blow): Promise<boolean> {
    const { chance, wires, postgres } = this.#o;
    if (blow === 'crash of Postgres') {
      await postgres.crash();
      await wait(chance() * 2_000);
      await postgres.restart();
      return true;
    }
    if (blow === 'cut') {
      const names = ['service', 'database', 'bucket'] as const;
      const safe = this.#o.scene === 'workers' ? ['database' as const] : names;
      const wire = wires[safe[Math.floor(chance() * safe.length)] ?? 'database'];
      wire.cut(chance() * 3_000);
      return true;
    }
    const isWorker = blow === 'worker killed' || blow === 'worker frozen';
    const member = isWorker ? await this.#servingWorker() : await this.#acting();
    if (member === undefined) return false;
    this.#note(`${blow}: ${member.name}`);
    if (blow === 'worker killed') member.signal('SIGKILL');
    else if (blow === 'worker frozen') void this.#freeze(member, 3_000 + chance() * 10_000);
    else if (blow === 'coordinator killed') await this.#kill(member);
    else if (blow === 'restore') await this.#restore();
    else if (this.#coordinators === 1) await this.#freeze(member, 2_000 + chance() * 16_000);
    else await this.#freezeUntilTakenOver(member);
    return true;
  }

  async #freeze(member: Member, ms: number): Promise<void> {
    member.signal('SIGSTOP');
    await wait(ms);
    member.signal('SIGCONT');
  }

  /** A coordinator. */
  async #kill(member: Member): Promise<void> {
    member.signal('SIGKILL');
    await member.ended;
    // What it had sent to the database may still be committed.
    await wait(1_000);
    await this.#countUnderWay();
  }

  /** It finds that its term is over, and ends. */
  async #freezeUntilTakenOver(member: Member): Promise<void> {
    member.signal('SIGSTOP');
    await wait(1_000);
    await this.#countUnderWay();
    if (this.#running('coordinator').length < 2) this.#startCoordinator();
    const other = await this.#soon(40_000, () => this.#holder());
    if (other === undefined) this.#find(`nobody took over from ${member.name}`);
    await wait(this.#o.chance() * 5_000);
    member.signal('SIGCONT');
    await this.#over(member, 60_000);
    if (member.code === 0) this.#find(`it was taken over: ${member.text}`);
  }

  async #restore(): Promise<void> {
    const { postgres, database, wires, checkouts, elsewhere } = this.#o;
    wires.database.cut(5_000);
    const older = await postgres.newDatabase(database);
    const acting = await this.#acting();
    // By now the state file says that more is bought.
    await wait(8_000);
    this.#isOn = false;
    if (acting !== undefined) await this.#kill(acting);
    const before = this.#charges.length;
    const refused = this.#coordinator(checkouts[0] ?? elsewhere, older);
    await this.#over(refused, hungMs);
    if (!/older than the state file/.test(refused.text) || this.#charges.length > before)
      this.#find(`an older database was not refused: ${refused.text}`);
    this.#isOn = true;
    this.#startCoordinator();
  }

  get #charges() {
    return this.#o.service.ledger().filter(({ kind }) => kind === 'charge');
  }

  async #soon<T>(ms: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    for (const end = Date.now() + ms; Date.now() < end; await wait(50)) {
      const found = await look();
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #servingWorker(): Promise<Member | undefined> {
    return this.#soon(10_000, async () => {
      const all = this.#running('worker').filter((one) => one.isServing && !one.isFrozen);
      return all[Math.floor(this.#o.chance() * all.length)];
    });
  }

  /** The coordinator that holds the run, when something more has been bought. */
  #acting(): Promise<Member | undefined> {
    const before = this.#charges.length;
    return this.#soon(40_000, async () =>
      this.#charges.length > before ? await this.#holder() : undefined,
    );
  }

  async #holder(): Promise<Member | undefined> {
    const held = 'select coordinator from shotlist.run where until > clock_timestamp()';
    const [row] = await query(this.#o.database, held).catch(() => []);
    const pid = Number(/process (\d+)/.exec(`${row?.['coordinator']}`)?.[1]);
    return this.#running('coordinator').find((one) => one.pid === pid && !one.isFrozen);
  }

  /** Creations of which the rows do not say how they ended. */
  async #countUnderWay(): Promise<void> {
    const intended = `select 1 from shotlist.job where line like '%"state":"intended"%'`;
    const rows = await this.#soon(60_000, () =>
      query(this.#o.database, intended).catch(() => undefined),
    );
    this.#count('under way', rows?.length ?? 0);
  }

  async #over(member: Member, ms: number): Promise<void> {
    const hangs = wait(ms, 'hangs', { ref: false });
    if ((await Promise.race([member.ended, hangs])) !== 'hangs') return;
    this.#find(`hangs: ${member.text}`);
    member.signal('SIGKILL');
  }

  // The end

  /** The record comes back into the state file of each checkout, and doubts are settled as a person does. */
  async finish(): Promise<void> {
    this.#isOn = false;
    const { service, checkouts, scene, wires } = this.#o;
    this.#isLying = false;
    await new Client(service).ask('POST', '/hub/faults/clear', {});
    await Promise.all(this.#running('coordinator').map((one) => this.#over(one, hungMs)));
    for (const checkout of checkouts) await this.#settle(checkout);
    this.#count('under way', wires.service.lost());
    const { doubts = 0, 'under way': most = 0 } = this.counts;
    if (doubts > (scene === 'workers' ? 0 : most))
      this.#find(`${doubts} in doubt, and ${most} were under way when coordinators died`);
  }

  async #settle(checkout: Workspace): Promise<void> {
    for (let tries = 0; tries < 8 && this.violations.length === 0; tries++) {
      const run = this.#coordinator(checkout);
      await this.#over(run, hungMs);
      // What a liar has put there.
      for (const [, path = ''] of run.text.matchAll(
        /(out\/p\d+\.png) is (?:not as|there already)/g,
      ))
        rmSync(join(checkout.folder, path), { force: true });
      if (run.code === 4) await this.#resolve(checkout);
      if (run.code !== 0) continue;
      return await this.#over(this.#coordinator(checkout, this.#url, '--require-outputs'), hungMs);
    }
    this.#find(`not complete: ${checkout.folder}`);
  }

  async #resolve(checkout: Workspace): Promise<void> {
    const audit = await this.#audit(checkout);
    if (audit === undefined) return;
    const names = openDoubts(audit).map(({ name }) => name);
    this.#count('doubts', names.length);
    this.#count('charged', this.#charges.filter(({ name }) => names.includes(name ?? '')).length);
    // A person waits until what a silent coordinator has sent cannot arrive any more.
    const later = { ...realClock, now: () => realClock.now() + 20 * 60_000 };
    for (const wrong of await resolveDoubts(checkout, audit, this.#o.envOf(checkout), later))
      this.#find(wrong);
  }

  async #audit(checkout: Workspace): Promise<LedgerAudit | undefined> {
    const audit = await auditLedgers(checkout, this.#o.service);
    if (typeof audit !== 'string') return audit;
    this.#find(audit);
    return undefined;
  }

  /** What must hold when all is done. */
  async check(known: Omit<CheckContext, 'workspace'>): Promise<void> {
    const { checkouts, elsewhere, database } = this.#o;
    for (const workspace of checkouts) {
      const context = { ...known, workspace };
      // What a killed coordinator had begun to fetch, and another one has saved in its own checkout.
      if (checkouts.length > 1)
        for (const name of readdirSync(workspace.output))
          if (name.endsWith('.part')) rmSync(join(workspace.output, name));
      const audit = await this.#audit(workspace);
      if (audit === undefined) return;
      const checks = [...checkAlways(audit, context), ...checkEnd(audit, context)];
      for (const wrong of [...checks, ...checkLedgers(audit)]) this.#find(wrong);
      const lines = readFileSync(workspace.state, 'utf8').split('\n');
      if (lines.some((line) => line.includes('"mark":"away"') && !line.includes('"over":')))
        this.#find(`${workspace.state} says that the record is away`);
    }
    const names = this.#charges.map(({ name }) => name);
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    if (twice.length > 0) this.#find(`sent twice: ${twice.join(', ')}`);
    // Others have fetched files since the first ones were complete.
    const last = checkouts.at(-1)?.state ?? '';
    const ledger = await ledgerAt(last);
    const rows = await query(database, `select line from shotlist.job where key like 'job %'`);
    const strange = rows.filter(({ line }) => !ledger.holds(`${line}`)).length;
    if (strange > 0 || rows.length !== [...ledger.jobs()].length)
      this.#find(`${strange} of ${rows.length} rows are not in ${last}`);
    if (
      existsSync(elsewhere.output) &&
      readdirSync(elsewhere.output).some((name) => /png$/.test(name))
    )
      this.#find('results went to a folder that is not shared');
  }

  #count(what: string, times: number): void {
    this.counts[what] = (this.counts[what] ?? 0) + times;
  }

  #find(violation: string): void {
    this.#note(`violation: ${violation}`);
    this.violations.push(violation);
  }

  #note(line: string): void {
    this.#o.onNote(`${((Date.now() - this.#began) / 1000).toFixed(1)} s: ${line}`);
  }
}
