// The record of a run with an engine: its lines are rows, written in groups. The state file has an away mark until the run
// ends; then it is written whole.
import { createHash } from 'node:crypto';
import { ok, type Result } from '../base/result.ts';
import type { Clock } from '../core/ports.ts';
import type { Ledger } from '../model/record/ledger.ts';
import { type Line, lineText, type MarkLine } from '../model/record/line.ts';
import { GroupSync } from '../state/group-sync.ts';
import type { RunFile } from '../state/run-file.ts';
import { RecordLost } from '../state/state-file.ts';
import { DatabaseAway, DatabaseRefused, type Patience, retryWhileAway } from './connection.ts';
import type { EngineDatabase, RecordRow, Term } from './database.ts';
import type { Promptness } from './promptness.ts';

const groupRows = 1_000;

export interface PostgresFileTerms {
  /** Opens the state file, which calls `onNews` when another program has changed it. */
  readonly open: (onNews: () => void) => RunFile;
  readonly ledger: Ledger;
  readonly database: EngineDatabase;
  readonly term: Term;
  readonly clock: Pick<Clock, 'now'>;
  readonly promptness: Promptness;
  /** How long it waits while the database is away. */
  readonly patience: Patience;
}

/**
 * Whoever appends a line has put it into the ledger before. After a failure, nothing more becomes a row; what is said of
 * creations that were sent goes into the marked state file, so that the next run here knows it.
 */
export class PostgresFile implements RunFile {
  readonly #terms: PostgresFileTerms;
  readonly #file: RunFile;
  #mark: MarkLine;
  /** By key, in the order of their last lines. */
  readonly #pending = new Map<string, RecordRow>();
  /** The ledger may know what the rows do not. */
  #isBehind = true;
  /** When the server was started. */
  #started: string | undefined;
  /** How many attempts the rows have, at least. */
  #attempts = 0;
  /** The state file need not say more of the rows now. */
  #isMarked = true;
  readonly #groups = new GroupSync(() => this.#guarded(() => this.#write()));
  #failure: { readonly error: unknown } | undefined;

  private constructor(terms: PostgresFileTerms) {
    const { ledger, term, clock } = terms;
    this.#terms = terms;
    this.#file = terms.open(() => {
      this.#isBehind = true;
    });
    const before = ledger.mark('away', term.run)?.epoch ?? 0;
    const epoch = Math.max(before, term.marked) + 1;
    this.#mark = { mark: 'away', id: term.run, at: new Date(clock.now()).toISOString(), epoch };
  }

  /** Brings the rows what they lack, and marks the state file. The ledger has joined the rows. */
  static async begin(terms: PostgresFileTerms): Promise<PostgresFile> {
    const file = new PostgresFile(terms);
    const { database, term } = terms;
    await file.#guarded(async () => {
      await file.#write();
      await file.#fenced(() => database.mark(term, file.#mark.epoch ?? 0));
      await file.#putMark();
    });
    return file;
  }

  append(text: string): void {
    const line: Line = JSON.parse(text);
    const row = rowOf(line, text);
    if (row === undefined) return;
    this.#pending.delete(row.key);
    this.#pending.set(row.key, row);
    if ('job' in line)
      for (const { name, state } of line.attempts)
        if (state === 'intended') this.#terms.promptness.intends(name);
  }

  /** Resolves when all lines that were appended are in the database, and the term was still ours. */
  sync(): Promise<void> {
    return this.#groups.sync();
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      await work();
    } catch (error) {
      this.#failure ??= { error: this.#reason(error) };
      await this.#keep();
      throw this.#failure.error;
    }
  }

  /** What was only intended is not sent any more, and would be a doubt. */
  async #keep(): Promise<void> {
    for (const { key, line } of this.#pending.values())
      if (key.startsWith('job ') && !line.includes('"state":"intended"')) this.#file.append(line);
    this.#pending.clear();
    await this.#file.flush();
  }

  /**
   * Looks at the state file first: what git brought may have been paid by somebody else. Writes no line whose `sync` is that of
   * the next batch: that one may fail, and a creation of which only the intent is there is a doubt.
   */
  async #write(): Promise<void> {
    const attempts = this.#terms.ledger.attempts;
    const rows = [...this.#pending.values()];
    await this.#file.sync();
    await this.#put(rows);
    while (this.#isBehind) await this.#bring();
    for (const row of rows) if (this.#pending.get(row.key) === row) this.#pending.delete(row.key);
    this.#attempts = attempts;
    if (!this.#isMarked && attempts !== this.#mark.creations) await this.#putMark();
    this.#isMarked = true;
  }

  /**
   * Writes all lines that the rows do not have as they are in the ledger. Jobs first: a run's line says how many creations
   * there must be.
   */
  async #bring(): Promise<void> {
    const { ledger, database, term, patience } = this.#terms;
    this.#isBehind = false;
    const has = await retryWhileAway(patience, async () => {
      const early = new Set(ledger.textsBeforeJobs());
      const keys = new Set<string>();
      for await (const page of database.rows(term.run))
        for (const { key, line } of page) if (early.has(line) || ledger.holds(line)) keys.add(key);
      return keys;
    });
    const jobs: RecordRow[] = [];
    const others: RecordRow[] = [];
    for (const text of ledger.texts()) {
      const row = has.has(jobKeyIn(text)) ? undefined : rowOf(JSON.parse(text), text);
      if (row === undefined || has.has(row.key)) continue;
      if (row.attempts === 0) others.push(row);
      else jobs.push(row);
      if (jobs.length === groupRows) await this.#put(jobs.splice(0));
    }
    await this.#put([...jobs, ...others]);
  }

  async #put(rows: readonly RecordRow[]): Promise<void> {
    const { database, term } = this.#terms;
    for (let at = 0; at < rows.length; at += groupRows) {
      const group = rows.slice(at, at + groupRows);
      const started = await this.#fenced(() => database.write(term, group));
      // It may have lost lines, or is another one, to which they had not come.
      if (this.#started !== undefined && started !== this.#started) this.#isBehind = true;
      this.#started = started;
    }
  }

  async #fenced<T>(work: () => Promise<T | false | undefined>): Promise<T> {
    const done = await retryWhileAway(this.#terms.patience, work);
    if (done !== false && done !== undefined) return done;
    const { shown } = this.#terms.database.address;
    throw new TermOver(`another coordinator has taken over this run in the database ${shown}`);
  }

  #reason(error: unknown): unknown {
    if (!(error instanceof DatabaseAway || error instanceof DatabaseRefused)) return error;
    const { shown } = this.#terms.database.address;
    return new RecordLost(`the database ${shown} takes no more lines (${error.message})`);
  }

  /**
   * Call with each renewal of the term: soon, the state file says how many attempts the rows have, so that an older database is
   * noticed. A failure is reported by the next `sync`.
   */
  remark(): void {
    this.#isMarked = false;
    // Nobody waits for it here, and the failure stays: whoever commits next hears of it.
    this.sync().catch(() => undefined);
  }

  async #putMark(): Promise<void> {
    this.#mark = { ...this.#mark, creations: this.#attempts };
    this.#terms.ledger.put(this.#mark);
    this.#file.append(lineText(this.#mark));
    await this.#file.sync();
  }

  async flush(): Promise<void> {
    if (this.#failure !== undefined) return await this.#keep();
    while (this.#pending.size > 0 || this.#groups.isWaiting) await this.sync();
    await this.#groups.running;
  }

  /** Writes the state file whole, without the mark. The rows stay, for other checkouts. */
  async writeWhole(): Promise<Result<void, string>> {
    await this.flush();
    const { database, term, ledger, clock } = this.#terms;
    await this.#guarded(async () => {
      await this.#fenced(() => database.renew(term));
      // Not appended: the mark may leave the file only with the last line that it lacks.
      ledger.put({
        ...this.#mark,
        creations: this.#attempts,
        over: new Date(clock.now()).toISOString(),
      });
      const written = await this.#file.writeWhole();
      if (!written.ok) throw new RecordLost(`${written.error}: the record stays in the database`);
    });
    return ok(undefined);
  }

  /** The state file keeps its mark unless it was written whole. */
  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }
}

/** Another coordinator writes the record now. */
export class TermOver extends RecordLost {}

/** The key of most lines, which need not be parsed for it. */
const jobKeyIn = (text: string): string => `job ${text.slice('{"job":"'.length).slice(0, 64)}`;

/** Undefined for a line that is in the state file only. */
function rowOf(line: Line, text: string): RecordRow | undefined {
  if ('job' in line) return { key: `job ${line.job}`, line: text, attempts: line.attempts.length };
  const key = keyOf(line);
  return key === undefined ? undefined : { key, line: text, attempts: 0 };
}

function keyOf(line: Exclude<Line, { job: string }>): string | undefined {
  if ('mark' in line) return line.mark === 'away' ? undefined : `mark ${line.mark} ${line.id}`;
  // A name may be longer than an index takes.
  if ('task' in line) return `task ${createHash('sha256').update(line.task).digest('hex')}`;
  return 'run' in line ? `run ${line.run}` : undefined;
}
