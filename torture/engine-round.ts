// One round of the engine's torture: checkouts, their processes, and what happens to them, until the photos are done.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LocalService } from '../src/service/start.ts';
import { photo } from '../test/photo.ts';
import { type Postgres, query } from '../test/postgres.ts';
import { Client } from '../test/service/client.ts';
import { Fleet, type Ground, type Member, mainSource } from './engine-fleet.ts';
import {
  type CheckContext,
  checkAlways,
  checkEnd,
  checkLedgers,
  openDoubts,
} from './invariants.ts';
import { auditLedgers, ledgerAt } from './ledger-audit.ts';
import { resolveDoubts } from './resolve-doubts.ts';
import type { CutWire } from './wire-cutter.ts';
import type { Workspace } from './workspace.ts';

/**
 * - `workers`: only workers are struck, so nothing may be in doubt.
 * - `folder`: all share one checkout, and each coordinator follows in it.
 * - `bucket`: three checkouts share only the database and a bucket; one coordinator stands by.
 */
export const scenes = ['workers', 'folder', 'bucket'] as const;
export type Scene = (typeof scenes)[number];

export type Blow =
  | 'kill-worker'
  | 'freeze-worker'
  | 'kill-coordinator'
  | 'freeze-coordinator'
  | 'crash'
  | 'cut-service'
  | 'cut-database'
  | 'cut-bucket'
  | 'dump'
  | 'restore';

export type Counts = Record<Blow | 'doubts' | 'under way' | 'lies' | 'photos' | 'seconds', number>;

export interface RoundParts {
  readonly scene: Scene;
  readonly chance: () => number;
  /** In two rows, each in its order: what happens to workers, and to all else. */
  readonly blows: readonly (readonly Blow[])[];
  readonly boundMs: number;
  readonly workers: number;
  readonly items: number;
  readonly postgres: Postgres;
  /** The address of the database, past the wire. */
  readonly database: string;
  readonly wires: Readonly<Record<'service' | 'database' | 'bucket', CutWire>>;
  readonly service: LocalService;
  readonly checkouts: readonly Workspace[];
  readonly envOf: (checkout: Workspace) => Readonly<Record<string, string>>;
  /** A checkout of somebody who has not mounted the shared folder. */
  readonly elsewhere: Workspace;
  readonly main?: string | undefined;
  readonly onNote: (line: string) => void;
}

const lyingWorker = fileURLToPath(new URL('./lying-worker.ts', import.meta.url));
const liesPerRound = 8;
/** Photos that are added when all are done too early. */
const more = 60;
const hungMs = 120_000;

export class EngineRound {
  readonly violations: string[] = [];
  readonly counts: Counts;
  readonly #o: RoundParts;
  readonly #fleet: Fleet;
  readonly #began = Date.now();
  readonly #log: string[] = [];
  #isEnding = false;
  #items = 0;
  #dump: string | undefined;
  #refused = 0;

  constructor(parts: RoundParts) {
    this.#o = parts;
    this.#fleet = new Fleet((member) => void this.#ended(member));
    const none = { doubts: 0, 'under way': 0, lies: 0, photos: 0, seconds: 0 };
    const kinds: readonly Blow[] = [...parts.blows.flat(), 'kill-worker', 'freeze-worker'];
    this.counts = { ...none, ...Object.fromEntries(kinds.map((kind) => [kind, 0])) } as Counts;
  }

  get items(): number {
    return this.#items;
  }

  get log(): readonly string[] {
    return this.#log;
  }

  async play(): Promise<void> {
    const { items, workers, blows, scene, checkouts } = this.#o;
    await this.#grow(items);
    this.#startCoordinator();
    if (scene === 'bucket') this.#startCoordinator();
    for (let index = 0; index < workers; index++)
      this.#startWorker(checkouts[index % checkouts.length]);
    if (scene === 'folder') this.#startWorker(this.#o.elsewhere);
    if (scene === 'folder') this.#startLiar();
    await Promise.all(blows.map((row) => this.#strikeAll(row)));
    this.counts.seconds = Math.round((Date.now() - this.#began) / 1000);
  }

  // The processes

  get #main(): string {
    return this.#o.main ?? mainSource;
  }

  get #url(): string {
    const url = new URL(this.#o.database);
    url.port = `${this.#o.wires.database.port}`;
    return url.href;
  }

  #coordinatorLine(database = this.#url): readonly string[] {
    return [this.#main, 'run', 'pipeline.yaml', '--hosted', '--engine', database];
  }

  #groundOf(checkout: Workspace): Ground {
    return { folder: checkout.folder, env: this.#o.envOf(checkout) };
  }

  /** In a checkout in which no coordinator runs. */
  #startCoordinator(): void {
    const taken = new Set(this.#fleet.running('coordinator').map(({ folder }) => folder));
    const free = this.#o.checkouts.filter(({ folder }) => !taken.has(folder));
    const checkout = free[Math.floor(this.#o.chance() * free.length)];
    if (checkout === undefined) return;
    const member = this.#fleet.start(
      'coordinator',
      this.#coordinatorLine(),
      this.#groundOf(checkout),
    );
    this.#note(`${member.name} starts in ${checkout.folder}`);
  }

  /** Workers have no key. */
  #startWorker(checkout = this.#o.checkouts[0]): void {
    if (checkout === undefined) return;
    const { folder, env } = this.#groundOf(checkout);
    const { SHOTLIST_API_KEY: _, SHOTLIST_BASE_URL: __, ...own } = env;
    const line = [this.#main, 'worker', 'pipeline.yaml', '--engine', this.#url, '--json'];
    const role = checkout === this.#o.elsewhere ? 'stranger' : 'worker';
    this.#fleet.start(role, line, { folder, env: own });
  }

  #startLiar(): void {
    const [checkout] = this.#o.checkouts;
    if (checkout === undefined) return;
    const seed = Math.floor(this.#o.chance() * 1e6);
    const args = [lyingWorker, this.#url, checkout.folder, `${liesPerRound}`, `${seed}`];
    this.#fleet.start('liar', args, this.#groundOf(checkout));
  }

  async #ended(member: Member): Promise<void> {
    const { name, role, code, lines, isStruck, folder } = member;
    this.#note(
      `${name} ended: ${code}${isStruck ? ', struck' : ''}: ${lines.slice(-2).join(' / ')}`,
    );
    this.counts.lies += member.lies;
    const trace = lines.filter((line) => /^\s+at \S+ \(|^\w*Error: /.test(line));
    if (trace.length > 0) this.#find(`${name} broke: ${lines.join('\n')}`);
    if (this.#isEnding || role === 'liar') return;
    if (role === 'coordinator') {
      // The run is over: there is more to do.
      if (!isStruck && isRefused(member)) this.#excuse(member);
      else if (!isStruck) await this.#grow(more);
      await wait(isStruck ? 0 : 500);
      const wanted = this.#o.scene === 'bucket' ? 2 : 1;
      const awake = this.#fleet.running('coordinator').filter(({ isFrozen }) => !isFrozen);
      if (!this.#isEnding && awake.length < wanted) this.#startCoordinator();
    } else {
      if (!isStruck) this.#excuse(member);
      await wait(isStruck ? 0 : 500);
      const checkouts = [...this.#o.checkouts, this.#o.elsewhere];
      if (!this.#isEnding) this.#startWorker(checkouts.find((one) => one.folder === folder));
    }
  }

  /** A process may end by itself because the database is away when it starts, or because another one runs. */
  #excuse({ name, code, lines }: Member): void {
    this.#refused += 1;
    const isKnown =
      /the database .* (cannot be used|refused)|cannot be stored|stood by|locked|another run/.test(
        lines.join(' '),
      );
    if (!isKnown || this.#refused > 60)
      this.#find(`${name} ended by itself with ${code}: ${lines.join('\n')}`);
  }

  async #grow(count: number): Promise<void> {
    const folders = [...this.#o.checkouts, this.#o.elsewhere].map(({ folder }) => folder);
    for (let left = count; left > 0; left--) {
      this.#items += 1;
      const picture = await photo(this.#items);
      for (const folder of folders)
        writeFileSync(join(folder, 'photos', `p${this.#items}.png`), picture);
    }
    this.counts.photos = this.#items;
  }

  // What happens to them

  async #strikeAll(row: readonly Blow[]): Promise<void> {
    const { chance, boundMs } = this.#o;
    for (const [index, blow] of row.entries()) {
      const left = this.#began + boundMs - Date.now();
      if (this.violations.length > 0 || (left < 0 && blow !== 'restore')) continue;
      await wait((chance() * Math.max(0, left)) / (row.length - index));
      if (await this.#strike(blow)) this.counts[blow] += 1;
    }
  }

  /** False: there was nobody to strike. */
  async #strike(blow: Blow): Promise<boolean> {
    const { chance, wires, postgres, database } = this.#o;
    switch (blow) {
      case 'kill-worker':
      case 'freeze-worker': {
        const worker = await this.#servingWorker();
        if (worker === undefined) return false;
        this.#note(`${blow} ${worker.name}`);
        if (blow === 'kill-worker') worker.kill();
        else {
          worker.freeze();
          void wait(3_000 + chance() * 10_000).then(() => worker.thaw());
        }
        return true;
      }
      case 'kill-coordinator': {
        const acting = await this.#acting();
        if (acting === undefined) return false;
        this.#note(`${blow} ${acting.name}, ${wires.service.creations()} on the wire`);
        acting.kill();
        await acting.ended;
        this.counts['under way'] += await this.#underWay();
        return true;
      }
      case 'freeze-coordinator':
        return await this.#freezeCoordinator();
      case 'crash':
        this.#note(blow);
        await postgres.crash();
        await wait(chance() * 2_000);
        await postgres.restart();
        return true;
      case 'cut-service': {
        const cut = wires.service.cut(chance() * 3_000);
        this.#note(`${blow}, ${cut} on the wire`);
        this.counts['under way'] += cut;
        return true;
      }
      case 'cut-database':
      case 'cut-bucket':
        this.#note(blow);
        wires[blow === 'cut-bucket' ? 'bucket' : 'database'].cut(chance() * 3_000);
        return true;
      case 'dump':
        if ((await this.#acting()) === undefined) return false;
        this.#note(blow);
        wires.database.cut(3_000);
        this.#dump = await postgres.newDatabase(database);
        return true;
      case 'restore':
        return await this.#restore();
    }
  }

  async #servingWorker(): Promise<Member | undefined> {
    for (let tries = 0; tries < 200; tries++) {
      const serving = this.#fleet
        .running('worker')
        .filter(({ isServing, isFrozen }) => isServing && !isFrozen);
      const one = serving[Math.floor(this.#o.chance() * serving.length)];
      if (one !== undefined) return one;
      await wait(50);
    }
    return undefined;
  }

  /** The coordinator that holds the run, when it has bought something. */
  async #acting(): Promise<Member | undefined> {
    const paid = this.#o.service.ledger().length;
    for (let tries = 0; tries < 300; tries++) {
      const member = await this.#holder();
      if (member !== undefined && this.#o.service.ledger().length > paid) return member;
      await wait(100);
    }
    this.#note('nobody buys');
    return undefined;
  }

  async #holder(): Promise<Member | undefined> {
    const [row] = await query(
      this.#o.database,
      'select coordinator from shotlist.run where until > clock_timestamp()',
    ).catch(() => []);
    const pid = Number(/process (\d+)/.exec(`${row?.['coordinator']}`)?.[1]);
    const coordinators = this.#fleet.running('coordinator');
    return coordinators.find((one) => one.pid === pid && !one.isFrozen);
  }

  /** How many creations the rows do not know the end of. */
  async #underWay(): Promise<number> {
    for (;;) {
      try {
        const rows = await query(
          this.#o.database,
          `select 1 from shotlist.job where line like '%"state":"intended"%'`,
        );
        return rows.length;
      } catch {
        await wait(100);
      }
    }
  }

  /** With a standby: until that one has taken over. It finds that its term is over, and ends. */
  async #freezeCoordinator(): Promise<boolean> {
    const { chance, scene } = this.#o;
    const acting = await this.#acting();
    if (acting === undefined) return false;
    this.#note(`freeze-coordinator ${acting.name}`);
    acting.freeze();
    if (scene === 'folder') {
      await wait(2_000 + chance() * 16_000);
      acting.thaw();
      acting.isStruck = false;
      return true;
    }
    await wait(1_000);
    this.counts['under way'] += await this.#underWay();
    if (this.#fleet.running('coordinator').length < 2) this.#startCoordinator();
    for (let tries = 0; (await this.#holder()) === undefined; tries++) {
      if (tries > 400) this.#find(`nobody took over from ${acting.name} in 40 s`);
      if (tries > 400) break;
      await wait(100);
    }
    await wait(chance() * 5_000);
    this.#note(`thaw ${acting.name}`);
    acting.thaw();
    const ended = await Promise.race([acting.ended, wait(60_000, 'goes on', { ref: false })]);
    if (ended === 'goes on' || ended === 0)
      this.#find(`${acting.name} was taken over and ${ended}: ${acting.lines.join('\n')}`);
    return true;
  }

  /** Somebody puts an older copy of the database into its place. */
  async #restore(): Promise<boolean> {
    const acting = await this.#acting();
    const [checkout] = this.#o.checkouts;
    if (acting === undefined || checkout === undefined || this.#dump === undefined) return false;
    // Its mark has been written since.
    await wait(5_000);
    this.#isEnding = true;
    acting.kill();
    await acting.ended;
    this.counts['under way'] += await this.#underWay();
    const before = this.#o.service.ledger().filter(({ kind }) => kind === 'charge').length;
    const refused = await this.#command(this.#coordinatorLine(this.#dump), checkout);
    const text = refused.lines.join('\n');
    this.#note(`restore: ${refused.code} ${text}`);
    const after = this.#o.service.ledger().filter(({ kind }) => kind === 'charge').length;
    if (refused.code !== 2 || !text.includes('audit') || after !== before)
      this.#find(`an older database was not refused: ${after - before} charges, ${text}`);
    return true;
  }

  async #command(args: readonly string[], checkout: Workspace): Promise<Member> {
    const member = this.#fleet.start('coordinator', args, this.#groundOf(checkout));
    if ((await Promise.race([member.ended, wait(hungMs, 'hangs', { ref: false })])) === 'hangs') {
      this.#find(`${args.slice(1).join(' ')} hangs: ${member.lines.join('\n')}`);
      member.kill();
    }
    return member;
  }

  // The end

  /** The record comes back into the state file of each checkout, and doubts are settled as a person does. */
  async finish(): Promise<void> {
    this.#isEnding = true;
    const { service, checkouts } = this.#o;
    await new Client(service).ask('POST', '/hub/faults/clear', {});
    for (const one of this.#fleet.running()) if (one.isFrozen) one.thaw();
    const over = Promise.all(this.#fleet.running('coordinator').map(({ ended }) => ended));
    if ((await Promise.race([over, wait(hungMs, 'hangs', { ref: false })])) === 'hangs')
      this.#find(
        `a coordinator hangs: ${this.#fleet.running('coordinator').map(({ name, lines }) => `${name} ${lines.join('\n')}`)}`,
      );
    for (const checkout of checkouts) await this.#settle(checkout);
    if (this.#o.scene === 'workers' && this.counts.doubts > 0)
      this.#find(`${this.counts.doubts} in doubt, though only workers were killed`);
    if (this.counts.doubts > this.counts['under way'])
      this.#find(`${this.counts.doubts} in doubt, and ${this.counts['under way']} were under way`);
  }

  async #settle(checkout: Workspace): Promise<void> {
    const { service, envOf } = this.#o;
    let text = '';
    for (let tries = 0; tries < 8 && this.violations.length === 0; tries++) {
      const line = [...this.#coordinatorLine(), '--require-outputs'];
      const { code, lines } = await this.#command(line, checkout);
      if (code === 0) return;
      text = lines.join('\n');
      // What a liar has put there.
      for (const [, path = ''] of text.matchAll(
        /(out\/p\d+\.png) is (?:not as it was|there already)/g,
      ))
        rmSync(join(checkout.folder, path), { force: true });
      const audit = await auditLedgers(checkout, service);
      if (typeof audit === 'string') return this.#find(audit);
      if (code !== 4) continue;
      this.counts.doubts += openDoubts(audit).length;
      for (const wrong of await resolveDoubts(checkout, audit, envOf(checkout))) this.#find(wrong);
    }
    this.#find(`not complete: ${text}`);
  }

  /** What must hold when all is done. */
  async check(contextOf: (checkout: Workspace) => CheckContext): Promise<void> {
    const { service, checkouts, elsewhere, database } = this.#o;
    for (const checkout of checkouts) {
      const audit = await auditLedgers(checkout, service);
      if (typeof audit === 'string') return this.#find(audit);
      const context = contextOf(checkout);
      const checks = [...checkAlways(audit, context), ...checkEnd(audit, context)];
      for (const wrong of [...checks, ...checkLedgers(audit), ...this.#noNameTwice()])
        this.#find(`${checkout.folder}: ${wrong}`);
      if (!isBack(checkout)) this.#find(`${checkout.state} says that the record is away`);
    }
    // Others have fetched files since the first ones were there.
    const last = checkouts.at(-1)?.state ?? '';
    const ledger = await ledgerAt(last);
    const rows = await query(database, `select line from shotlist.job where key like 'job %'`);
    const strange = rows.filter(({ line }) => !ledger.holds(`${line}`));
    if (strange.length > 0 || rows.length !== [...ledger.jobs()].length)
      this.#find(`${strange.length} of ${rows.length} rows are not in ${last}`);
    const out = existsSync(elsewhere.output) ? readdirSync(elsewhere.output) : [];
    if (out.some((name) => name.endsWith('.png')))
      this.#find(`results went to a folder that is not shared: ${out.join(', ')}`);
  }

  /** Two projects of one name: a creation was sent twice. */
  #noNameTwice(): readonly string[] {
    const charges = this.#o.service.ledger().filter(({ kind }) => kind === 'charge');
    const names = charges.map(({ name }) => name ?? '');
    const twice = names.filter((name, index) => names.indexOf(name) !== index);
    return twice.map((name) => `${name} was charged twice`);
  }

  leaveEvidence(): void {
    for (const member of this.#fleet.running())
      this.#note(`${member.name}: ${member.lines.join('\n')}`);
    const [checkout] = this.#o.checkouts;
    if (checkout === undefined) return;
    writeFileSync(join(checkout.folder, 'torture-story.txt'), this.#log.join('\n'));
    writeFileSync(
      join(checkout.folder, 'torture-service-ledger.json'),
      JSON.stringify(this.#o.service.ledger(), undefined, 1),
    );
  }

  #find(violation: string): void {
    this.#note(`violation: ${violation}`);
    this.violations.push(violation);
  }

  #note(line: string): void {
    const noted = `${((Date.now() - this.#began) / 1000).toFixed(1)} s: ${line}`;
    this.#log.push(noted);
    this.#o.onNote(noted);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#fleet.close();
  }
}

/** No mark of the state file says that the record is in a database. */
function isBack({ state }: Workspace): boolean {
  const lines = readFileSync(state, 'utf8').trimEnd().split('\n');
  return !lines.some((line) => line.includes('"mark":"away"') && !line.includes('"over":'));
}

/** It ended before it began. */
const isRefused = ({ code, lines }: Member): boolean =>
  code === 2 || lines.some((line) => /cannot be (used|stored)/.test(line));
