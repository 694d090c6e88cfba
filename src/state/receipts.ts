// The receipts: what this machine has paid for, whatever becomes of a state file. A row says of one job what the state files
// that paid for it say. It is claimed before a request is sent; everything else is a copy of lines, in groups, later.
import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { StatementSync } from 'node:sqlite';
import { digestOfBytes } from '../base/digest.ts';
import { realPathOr } from '../base/real-path.ts';
import { count } from '../base/text.ts';
import type { Clock } from '../core/ports.ts';
import { current, isOver, isOwn, projectOf } from '../model/record/job.ts';
import { joined } from '../model/record/join.ts';
import { type Attempt, type Job, lineText, type Output } from '../model/record/line.ts';
import { isReplaced, type OpenedReceipts, openReceipts, setAside } from './receipts-file.ts';
import { ReceiptsProblem, type ReceiptsReason, receiptsProblem } from './receipts-problem.ts';
import {
  hasAll,
  isSame,
  joinedRow,
  joinedRows,
  ownLine,
  type Party,
  type Payer,
  payerOf,
  type Row,
  type StoredRow,
  storedRow,
  withWords,
} from './receipts-row.ts';

export type ListedReceipt = Pick<StoredRow, 'service' | 'owner' | 'line' | 'parties'>;

export interface Receipt {
  /** To be joined with the line of the state file: attempts that another one paid for are adopted. Without outputs. */
  readonly line: Job;
  /** Files that were saved, under absolute paths: whoever reads one compares its hash. */
  readonly copies: readonly Output[];
  /** Who paid for the attempt that counts, or began it. */
  readonly payer: Payer;
  /** The process of another payer holds its lock now. Each read asks the system. */
  readonly isBusy: boolean;
  /** The payer has recorded whole files of all results. */
  readonly hasSaved: boolean;
}

export interface OwnLine {
  readonly line: Job;
  /** Where it was noted last. */
  readonly branch: string | undefined;
}

/**
 * `busy`: another process is sending the request. `known`: what counts instead, to be joined with the line of the state file.
 * `locked`: not sent, and buying pauses. `unwritable`: buying ends, and what is paid for is still saved. `why`: the end of a
 * sentence about the receipts.
 */
export type Claim =
  | { readonly is: 'go' }
  | { readonly is: 'busy'; readonly payer: Payer }
  | { readonly is: 'known'; readonly line: Job }
  | { readonly is: 'locked' | 'unwritable'; readonly why: string };

export interface ReceiptsOptions {
  readonly file: string;
  /** The service in the header of the state file. */
  readonly service: string;
  /** The state file of this command. */
  readonly by: Payer;
  /** Its lock file. */
  readonly lock: string;
  /** False for a command that only reads. */
  readonly writes: boolean;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** True if a process holds the lock. */
  readonly isHeld: (lock: string) => boolean;
  /** What the state file has: noted in a database that begins anew after damage. */
  readonly jobs: () => Iterable<Job>;
  /** A sentence without its end, each once. */
  readonly warn: (message: string, reason: ReceiptsReason) => void;
  readonly fileSystemOf?: ((folder: string) => number) | undefined;
}

const maxWaiting = 64;
const maxWaitMs = 250;
/** After a failure, which may have taken seconds. */
const retryMs = 30_000;
/** Lines that are added in one transaction: other commands wait meanwhile. */
const groupSize = 500;

export class Receipts {
  readonly file: string;
  /** With the real paths. */
  readonly by: Payer;
  readonly #options: ReceiptsOptions;
  readonly #lock: string;
  readonly #writer = randomUUID();
  readonly #ended = new AbortController();
  readonly #said = new Set<string>();
  #owner = '';
  #tables: Tables | undefined;
  /** By job: not written yet. */
  readonly #waiting = new Map<string, Job>();
  /** Attempts of this process, and whether its account was known when they were sent. */
  readonly #claimed = new Map<string, boolean>();
  #isTimed = false;
  /** Why the last attempt to write notes failed. */
  #failed: ReceiptsReason | undefined;
  #isUnreadable = false;
  /** The database has lost what this state file paid for. */
  #beginsAnew = false;
  /** Damaged databases: what can be read of them goes into the new one. */
  readonly #salvaged: string[] = [];

  /** Nothing is opened until it is needed, and nothing is made until there is something to write. */
  constructor(options: ReceiptsOptions) {
    const { file, by, lock } = options;
    this.file = file;
    this.#options = options;
    this.by = { ...by, state: realName(by.state), pipeline: realName(by.pipeline) };
    this.#lock = realName(lock);
  }

  /**
   * From here on, the rows of this account count, and those of an unknown one, which become its own. Until then all rows
   * count. '': it stays unknown.
   */
  ownedBy(owner: string): void {
    this.#owner = owner;
  }

  /**
   * Undefined if no other state file knows the job, or if the receipts cannot be read. What this one alone says is in
   * `ownLines`: the jobs of a run are asked for one by one, and most are its own.
   */
  get(job: string): Receipt | undefined {
    const { service } = this.#options;
    const row = this.#read((tables) => {
      const rows = tables.selectOthers.all(job, service, this.by.state);
      return this.#known(rows.map((raw) => storedRow(raw, job)));
    });
    if (row === undefined) return undefined;
    const line = this.#asSeen(row);
    if (isNothing(line)) return undefined;
    const counting = current(row.line);
    const party = payerOf(row.parties, counting?.name);
    const isBusy = (): boolean => this.#isBusy(row);
    return {
      line,
      copies: row.line.outputs.filter(({ pruned }) => pruned === undefined),
      payer: { state: party.state, pipeline: party.pipeline, branch: party.branch },
      get isBusy() {
        return isBusy();
      },
      hasSaved: counting !== undefined && hasAll(counting, row.line.outputs, party.saved),
    };
  }

  /**
   * The last act before a creation is sent: `line` has its intent, which is on disk. 'go' only if every other attempt that
   * anybody knows of is over, or is one that `line` forgets.
   */
  claim(line: Job, attempt: string): Claim {
    try {
      const claim = this.#write((tables): Claim => {
        const rows = this.#rows(tables, line.job);
        const other = this.#judge(rows, line, attempt);
        if (other !== undefined) return other;
        this.#claimed.set(attempt, this.#owner !== '');
        this.#store(tables, rows, line);
        return { is: 'go' };
      });
      if (claim.is === 'go') this.#waiting.delete(line.job);
      if (this.#failed !== undefined) this.flush();
      return claim;
    } catch (error) {
      const problem = receiptsProblem(error);
      const { reason, message: why } = problem;
      if (reason === 'locked') return { is: 'locked', why };
      if (mayPass(reason)) return { is: 'unwritable', why };
      this.#warn(problem);
      const other = this.#read((tables) =>
        this.#judge(this.#rows(tables, line.job), line, attempt),
      );
      return other ?? { is: 'go' };
    }
  }

  /** What has become of a job: written soon, and tried again later if that fails. Never throws. */
  note(line: Job): void {
    if (!isNotable(line)) return;
    this.#waiting.set(line.job, line);
    if (this.#failed !== undefined) this.#flushAfter(retryMs);
    else if (this.#waiting.size >= maxWaiting) this.flush();
    else this.#flushAfter(maxWaitMs);
  }

  /** Before a project is deleted, and at the end. False if something could not be written. */
  flush(): boolean {
    try {
      if (this.#waiting.size > 0)
        this.#write((tables) => {
          for (const line of this.#waiting.values()) this.#put(tables, line);
        });
      this.#waiting.clear();
      this.#failed = undefined;
      return true;
    } catch (error) {
      const problem = receiptsProblem(error);
      if ([...this.#waiting.values()].some(isPaid)) this.#warn(problem);
      // A person must do something first, and the warning says what is not here.
      if (!mayPass(problem.reason)) this.#waiting.clear();
      this.#failed = problem.reason;
      this.#flushAfter(retryMs);
      return false;
    }
  }

  /** What a state file has paid for, at once. Never throws. */
  add(lines: Iterable<Job>): void {
    const left = [...lines].filter(isNotable);
    try {
      while (left.length > 0) {
        const group = left.splice(0, groupSize);
        this.#write((tables) => {
          for (const line of group) this.#store(tables, this.#rows(tables, line.job), line);
        });
      }
    } catch (error) {
      this.#warn(receiptsProblem(error));
    }
  }

  /**
   * Jobs that this state file began, as it said so itself, where that is not what it says now: a lost or older file has
   * forgotten it, or the receipts could not be written. `textOf`: the line of a job.
   */
  *ownLines(textOf: (job: string) => string | undefined = () => undefined): Generator<OwnLine> {
    const { state } = this.by;
    const jobs = this.#read((tables) => tables.jobsOf.all(state, this.#options.service)) ?? [];
    for (const { job, parties } of jobs) {
      const text = textOf(String(job));
      // Whoever has said just this.
      if (text !== undefined && String(parties).includes(digestOfBytes(text))) continue;
      const row = this.#read((tables) => joinedRows(this.#rows(tables, String(job))));
      const own = row?.parties.find((party) => party.state === state);
      if (row !== undefined && own !== undefined)
        yield { line: ownLine(row.line, own), branch: own.branch };
    }
  }

  /** Of how many jobs this state file said that it began them. Undefined: there are no receipts yet. */
  get ownJobs(): number | undefined {
    const { service } = this.#options;
    return this.#read((tables) =>
      Number(tables.countJobsOf.get(this.by.state, service)?.['count']),
    );
  }

  /** True if nothing is known of any job of this service. */
  get isEmpty(): boolean {
    return this.#read((tables) => tables.any.get(this.#options.service)) === undefined;
  }

  /** True if the account that pays now has paid for the project, and was known when it did. */
  isOurs(job: string, project: string): boolean {
    return this.#ownersOf(job, project).includes(this.#owner);
  }

  /** Which account has paid for the project: the one that pays now, or another one; undefined if it was not known then. */
  payerOf(job: string, project: string): 'us' | 'another' | undefined {
    const owners = this.#ownersOf(job, project);
    if (owners.includes(this.#owner)) return 'us';
    return this.#owner !== '' && owners.some((owner) => owner !== '') ? 'another' : undefined;
  }

  #ownersOf(job: string, project: string): readonly string[] {
    const rows = this.#read((tables) => this.#rows(tables, job)) ?? [];
    return rows.flatMap(({ owner, line, parties }) => {
      const name = line.attempts.find((attempt) => projectOf(attempt) === project)?.name;
      return parties.some(({ sent }) => name !== undefined && sent.includes(name)) ? [owner] : [];
    });
  }

  /** What could not be written is in the state file only, and a warning says so. */
  close(): void {
    const left = this.flush() ? 0 : [...this.#waiting.values()].filter(isPaid).length;
    if (left > 0 && this.#failed !== undefined) {
      const payments = `${count(left, 'payment')} of this command ${left === 1 ? 'is' : 'are'}`;
      this.#say(
        `${payments} not in your receipts (${this.file}): the next run adds them`,
        this.#failed,
      );
    }
    this.#waiting.clear();
    this.#ended.abort();
    this.#closeFile();
  }

  #flushAfter(ms: number): void {
    if (this.#isTimed || this.#ended.signal.aborted) return;
    this.#isTimed = true;
    void this.#options.clock.sleep(ms, this.#ended.signal).then(() => {
      this.#isTimed = false;
      this.flush();
    });
  }

  // What rows say.

  #rows(tables: Tables, job: string): readonly StoredRow[] {
    return tables.select.all(job, this.#options.service).map((raw) => storedRow(raw, job));
  }

  /** What those say who may speak of the job. */
  #known(rows: readonly StoredRow[]): Row | undefined {
    const mine = this.#owner;
    return joinedRows(rows.filter(({ owner }) => mine === '' || owner === '' || owner === mine));
  }

  /** An attempt that was refused is nobody else's business. */
  #asSeen({ line, parties }: Row): Job {
    const own = parties.find(({ state }) => state === this.by.state)?.paid ?? [];
    const attempts = line.attempts.flatMap((attempt): Attempt[] => {
      if (own.includes(attempt.name)) return [attempt];
      return attempt.state === 'refused' ? [] : [{ ...attempt, adopted: true }];
    });
    return { ...line, attempts, outputs: [] };
  }

  #busyOf(line: Job): string | undefined {
    const { name = '', state } = current(line) ?? {};
    return state === 'intended' && this.#claimed.has(name) ? this.#lock : undefined;
  }

  /** Under our own lock there is nobody but us: whoever held it before is dead. */
  #isBusy({ busy }: Row): boolean {
    return busy !== undefined && busy !== this.#lock && this.#options.isHeld(busy);
  }

  /** Undefined if nothing stands against the attempt. */
  #judge(rows: readonly StoredRow[], line: Job, attempt: string): Claim | undefined {
    const row = this.#known(rows);
    // What a person said in our line reaches the attempts of others.
    const all = row === undefined ? line : joined(row.line, { ...line, outputs: [] });
    const living = all.attempts.filter((other) => other.name !== attempt && !isOver(other));
    if (living.length === 0) return undefined;
    if (row === undefined) return { is: 'known', line };
    if (living.every(({ state }) => state === 'intended') && this.#isBusy(row)) {
      const { state, pipeline, branch } = payerOf(row.parties, living[0]?.name);
      return { is: 'busy', payer: { state, pipeline, branch } };
    }
    return { is: 'known', line: this.#asSeen(row) };
  }

  // What is written.

  #put(tables: Tables, line: Job): void {
    const row = this.#ownRow(line);
    // Moves only add: what this process has written alone, it may replace.
    const { changes } = tables.replace.run(
      ...[JSON.stringify(row.line), JSON.stringify(row.parties), row.busy ?? null],
      ...[line.job, this.#options.service, this.#owner, this.#writer],
    );
    if (changes !== 1) this.#store(tables, this.#rows(tables, line.job), line);
  }

  #store(tables: Tables, all: readonly StoredRow[], line: Job): void {
    const { service } = this.#options;
    const own = this.#ownRow(line);
    const saved = own.parties[0]?.saved ?? [];
    const payer = this.#ownerOf(all, line);
    const rows = all.filter(({ owner }) => owner === payer || owner === '');
    const known = joinedRows(rows);
    if (known === undefined && isNothing(own.line) && own.line.outputs.length === 0) return;
    const row = known === undefined ? own : withWords(joinedRow(known, own), line, saved);
    const isPayer = payerOf(row.parties, current(row.line)?.name).state === this.by.state;
    const now: Row = { ...row, busy: isPayer ? own.busy : known?.busy };
    const moved = rows.filter(({ owner }) => owner !== payer);
    if (known !== undefined && moved.length === 0 && isSame(known, now)) return;
    const isOurs = rows.every(({ writer }) => writer === this.#writer);
    const alone = now.parties.length === 1 ? this.by.state : null;
    tables.put({ ...now, service, owner: payer }, alone, isOurs ? this.#writer : null);
    for (const { id } of moved) tables.remove.run(id);
  }

  /** Whoever is known to have paid stays who paid, whichever account the state file has now. */
  #ownerOf(rows: readonly StoredRow[], line: Job): string {
    const { name } = current(line) ?? line.attempts.at(-1) ?? {};
    const isOf = ({ owner, line }: StoredRow): boolean =>
      owner !== '' && line.attempts.some((attempt) => attempt.name === name);
    return rows.find(isOf)?.owner ?? this.#owner;
  }

  /** Only what this state file paid for, and the files that it saved: nobody speaks for others. */
  #ownRow(line: Job): Row {
    const { tasks, picked, ...rest } = line;
    const folder = dirname(this.by.pipeline);
    const attempts = line.attempts.filter(({ adopted }) => adopted === undefined);
    const outputs = line.outputs.map((file) => ({ ...file, path: resolve(folder, file.path) }));
    const party: Party = {
      ...this.by,
      tasks,
      picked,
      paid: attempts.map(({ name }) => name),
      sent: attempts.flatMap(({ name }) => (this.#claimed.get(name) === true ? [name] : [])),
      saved: [...new Set(outputs.map(({ path }) => path))],
      said: isOwn(line) ? digestOfBytes(lineText(line)) : undefined,
    };
    return {
      line: { ...rest, tasks: [], attempts, outputs },
      parties: [party],
      busy: this.#busyOf(line),
    };
  }

  // The file.

  #read<T>(work: (tables: Tables) => T): T | undefined {
    if (this.#isUnreadable) return undefined;
    try {
      const found = this.#use(!this.#options.writes ? 'look' : 'use', work);
      if (this.#salvaged.length === 0) return found;
      // They were set aside just now, and what can be read of them counts.
      this.#write(() => undefined);
      return this.#use('use', work);
    } catch (error) {
      this.#warn(receiptsProblem(error));
      this.#isUnreadable = true;
      return undefined;
    }
  }

  #write<T>(work: (tables: Tables) => T): T {
    if (!this.#options.writes) throw new Error('bug: receipts that are only read');
    const done = this.#use('make', (tables) =>
      tables.transact(() => {
        if (isReplaced(this.file, tables.opened)) throw new ReceiptsProblem('replaced', 'are gone');
        for (const file of this.#salvaged) salvage(file, tables);
        if (this.#beginsAnew)
          for (const line of this.#options.jobs())
            if (isNotable(line)) this.#store(tables, this.#rows(tables, line.job), line);
        return { value: work(tables) };
      }),
    );
    if (done === undefined) throw new Error('bug: receipts that were not made');
    this.#beginsAnew = false;
    this.#isUnreadable = false;
    this.#salvaged.length = 0;
    return done.value;
  }

  /** Once more if the database is damaged, or is not there any more. */
  #use<T>(to: 'look' | 'use' | 'make', work: (tables: Tables) => T): T | undefined {
    for (let isSecond = false; ; isSecond = true) {
      try {
        const tables = this.#opened(to);
        return tables === undefined ? undefined : work(tables);
      } catch (error) {
        const problem = receiptsProblem(error);
        const inode = problem.inode ?? this.#tables?.opened.inode;
        this.#closeFile();
        if (to === 'look' || isSecond || !this.#begin(problem, inode)) throw problem;
      }
    }
  }

  #opened(to: 'look' | 'use' | 'make'): Tables | undefined {
    if (this.#tables !== undefined) return this.#tables;
    const { fileSystemOf } = this.#options;
    let opened: OpenedReceipts | undefined;
    try {
      opened = openReceipts(this.file, to, fileSystemOf);
    } catch (error) {
      // What cannot be written may be readable all the same.
      if (to !== 'use' || receiptsProblem(error).reason !== 'unusable') throw error;
      opened = openReceipts(this.file, 'look', fileSystemOf);
    }
    if (opened === undefined) return undefined;
    if (opened.wasEmpty) this.#beginsAnew = true;
    this.#tables = new Tables(opened);
    return this.#tables;
  }

  /** False if nothing begins anew. */
  #begin({ reason, message }: ReceiptsProblem, inode: bigint | undefined): boolean {
    if (reason === 'damaged' || reason === 'older') {
      const aside = setAside(this.file, inode, reason, this.#options.clock.now());
      const lost = 'what cannot be read of them is not known any more';
      if (aside !== undefined) {
        this.#say(`your receipts ${message}, and are set aside (${aside}): ${lost}`, reason);
        this.#salvaged.push(aside);
      }
    } else if (reason !== 'replaced') return false;
    this.#beginsAnew = true;
    return true;
  }

  #closeFile(): void {
    this.#tables?.opened.database.close();
    this.#tables = undefined;
  }

  #warn({ reason, message }: ReceiptsProblem): void {
    const consequence = !this.#options.writes
      ? 'what other pipelines, or a lost state file, have paid for is not known'
      : 'payments of this run are in the state file only, until a later run adds them';
    this.#say(`your receipts (${this.file}) ${message}: ${consequence}`, reason);
  }

  #say(message: string, reason: ReceiptsReason): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#options.warn(message, reason);
  }
}

/** All rows, of all services and accounts, the oldest first. Throws what `receiptsProblem` knows. `skips`: rows that are none. */
export function* listReceipts(file: string, skips = false): Generator<ListedReceipt> {
  const opened = openReceipts(file, 'look');
  if (opened === undefined) return;
  const { database } = opened;
  try {
    const all = database.prepare(`SELECT job, ${columns} FROM receipt ORDER BY id`);
    for (const raw of all.iterate()) {
      const row = rowOrProblem(raw);
      if (row instanceof ReceiptsProblem && !skips) throw row;
      if (!(row instanceof ReceiptsProblem)) yield row;
    }
  } finally {
    database.close();
  }
}

function rowOrProblem(raw: Readonly<Record<string, unknown>>): StoredRow | ReceiptsProblem {
  try {
    return storedRow(raw, raw['job']);
  } catch (error) {
    return receiptsProblem(error);
  }
}

/** The rows that can be read. Which state file said what last is not known any more. */
function salvage(file: string, tables: Tables): void {
  const rows = listReceipts(file, true);
  try {
    for (const row of rows) tables.put({ ...row, busy: undefined }, null, null);
  } catch (error) {
    receiptsProblem(error);
  }
}

type OfAccount = Pick<StoredRow, 'service' | 'owner'>;

const columns = 'rowid AS id, service, owner, line, parties, busy, writer';

class Tables {
  readonly opened: OpenedReceipts;
  readonly select: StatementSync;
  readonly selectOthers: StatementSync;
  readonly #upsert: StatementSync;
  readonly replace: StatementSync;
  readonly remove: StatementSync;
  readonly #addState: StatementSync;
  readonly #addPayer: StatementSync;
  /** Their numbers. */
  readonly #states = new Map<string, number>();
  readonly jobsOf: StatementSync;
  readonly countJobsOf: StatementSync;
  readonly any: StatementSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;

  constructor(opened: OpenedReceipts) {
    const prepare = (sql: string): StatementSync => opened.database.prepare(sql);
    this.opened = opened;
    this.select = prepare(`SELECT ${columns} FROM receipt WHERE job = ? AND service = ?`);
    this.selectOthers = prepare(
      `SELECT ${columns} FROM receipt WHERE job = ? AND service = ? AND alone IS NOT ?`,
    );
    this.#upsert = prepare(
      'INSERT INTO receipt (job, service, owner, line, parties, busy, alone, writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ' +
        'ON CONFLICT (job, service, owner) DO UPDATE SET line = excluded.line, parties = excluded.parties, ' +
        'busy = excluded.busy, alone = excluded.alone, writer = excluded.writer RETURNING rowid AS id',
    );
    this.replace = prepare(
      'UPDATE receipt SET line = ?, parties = ?, busy = ? ' +
        'WHERE job = ? AND service = ? AND owner = ? AND writer = ?',
    );
    this.remove = prepare('DELETE FROM receipt WHERE rowid = ?');
    this.#addState = prepare(
      'INSERT INTO state (path, service) VALUES (?, ?) ' +
        'ON CONFLICT (path, service) DO UPDATE SET path = excluded.path RETURNING id',
    );
    this.#addPayer = prepare('INSERT OR IGNORE INTO payer (state, receipt) VALUES (?, ?)');
    const jobs =
      'FROM state JOIN payer ON state = state.id JOIN receipt ON receipt.rowid = receipt ' +
      'WHERE path = ? AND state.service = ?';
    this.jobsOf = prepare(`SELECT job, parties ${jobs}`);
    this.countJobsOf = prepare(`SELECT count(*) AS count ${jobs}`);
    this.any = prepare('SELECT 1 FROM receipt WHERE service = ? LIMIT 1');
    this.#begin = prepare('BEGIN IMMEDIATE');
    this.#commit = prepare('COMMIT');
  }

  /** `alone`: the state file that says all of it. */
  put(row: Row & OfAccount, alone: string | null, writer: string | null): void {
    const { service, owner, line, parties, busy = null } = row;
    const texts = [JSON.stringify(line), JSON.stringify(parties)] as const;
    const stored = this.#upsert.get(line.job, service, owner, ...texts, busy, alone, writer);
    for (const { state, said } of parties)
      if (said !== undefined)
        this.#addPayer.run(this.#stateOf(state, service), Number(stored?.['id']));
  }

  #stateOf(path: string, service: string): number {
    const name = `${path}\0${service}`;
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const id = Number(this.#addState.get(path, service)?.['id']);
    this.#states.set(name, id);
    return id;
  }

  transact<T>(work: () => T): T {
    const { database } = this.opened;
    this.#begin.run();
    try {
      const value = work();
      this.#commit.run();
      return value;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      this.#states.clear();
      throw error;
    }
  }
}

/** An upload can be made again for nothing. */
const isNotable = (line: Job): boolean => line.attempts.length > 0 || isOwn(line);

const isPaid = ({ attempts }: Job): boolean =>
  attempts.some(({ state, adopted }) => state !== 'refused' && adopted === undefined);

const isNothing = ({ attempts, supplied }: Job): boolean =>
  attempts.length === 0 && supplied === undefined;

/** Without a person. */
const mayPass = (reason: ReceiptsReason): boolean =>
  reason === 'locked' || reason === 'full' || reason === 'failing';

/** Links in its folders are resolved. */
const realName = (path: string): string => join(realPathOr(dirname(path)), basename(path));
