// `receipts`: lists what this user's own record knows to be paid for, writes it into a file, reads such a file, and forgets.
// It needs no state file, and sends nothing.
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { digestOfBytes } from '../../contract/base/digest.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { removeLeftoverNow } from '../../contract/files/leftover.ts';
import { openRegularSync } from '../../contract/files/regular-file.ts';
import { isFailingDisk, isSystemProblem, systemReason } from '../../contract/files/system-error.ts';
import type { Env } from '../../contract/files/user-folder.ts';
import { isSqlite } from '../adapters/files/cache-database.ts';
import { realPathOr } from '../adapters/files/real-path.ts';
import { ForeignReceipts } from '../adapters/receipts/foreign-receipts.ts';
import {
  type ReceiptQuery,
  ReceiptStore,
  receiptsProblem,
} from '../adapters/receipts/receipt-store.ts';
import { loadState } from '../adapters/state/load-state.ts';
import { eachLine, LineTooLong } from '../adapters/state/raw-lines.ts';
import { memoryStore } from '../journal/job-store.ts';
import { byteProblem } from '../journal/raw-line.ts';
import type { Receipt } from '../receipts/receipt.ts';
import {
  exportHeaderText,
  isWorthKeeping,
  readExportHeader,
  readReceiptText,
  receiptText,
} from '../receipts/receipt-line.ts';
import { parsePipeline } from './pipeline/parse.ts';
import { type Problem, problem } from './pipeline/problem.ts';
import { receiptOf, receiptsFile } from './receipts/receipt-book.ts';
import { yamlIn } from './scheduling/find-files.ts';

export interface ReceiptsOptions {
  /** `--pipeline`: only the receipts of this pipeline file. */
  readonly pipeline?: string | undefined;
  /** `--rehearse`: the receipts of its rehearsal. */
  readonly rehearse?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

/** One payment. */
export interface ReceiptFacts {
  /** ISO 8601: when it entered its state. */
  readonly at: string;
  readonly credits: number;
  /** The step kind. */
  readonly tool: string;
  readonly tasks: readonly string[];
  /** Of the job, as state files have it. */
  readonly state: Receipt['line']['state'];
  readonly project?: string;
  /** The name that was sent. */
  readonly name?: string;
  /** The fingerprint of the request. */
  readonly job: string;
  /** The take, if it is not the first one. */
  readonly take?: number;
  readonly service: string;
  /** Of the pipeline file, absolute. */
  readonly folder: string;
  /** The name of the pipeline file. */
  readonly pipeline: string;
  readonly stateFile: string;
  readonly branch?: string;
  readonly files: readonly {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
}

export interface ReceiptList {
  /** The database, which need not exist. */
  readonly file: string;
  readonly bytes: number;
  /** The newest ones, the newest first. */
  readonly receipts: readonly ReceiptFacts[];
  readonly totals: {
    readonly receipts: number;
    readonly credits: number;
    /** Free face detections that are remembered. */
    readonly detections: number;
  };
}

/**
 * Lists what the receipts of this user know to be paid for. `exportReceipts` writes them into a file, `importReceipts` reads
 * one, and `forgetReceipts` removes old ones.
 *
 * @example
 * ```ts
 * import { exportReceipts, forgetReceipts, importReceipts, receipts, renderProblem } from 'shotlist';
 *
 * const list = receipts({ limit: 5 });
 * if (list.ok) console.log(list.value.totals.receipts, 'receipts', list.value.totals.credits);
 * const exported = exportReceipts('receipts.jsonl');
 * if (!exported.ok) console.log(renderProblem(exported.error));
 * const imported = await importReceipts('receipts.jsonl');
 * if (imported.ok) console.log(imported.value.added, 'new');
 * const forgotten = forgetReceipts({ before: '2020-01-01' });
 * if (forgotten.ok) console.log(forgotten.value.receipts, 'forgotten');
 * ```
 */
export function receipts({
  limit = 20,
  ...options
}: ReceiptsOptions & { readonly limit?: number } = {}): Result<ReceiptList, Problem> {
  return withReceipts(options, 'read', ({ store, of }) => {
    const { receipts: paid, credits, detections } = store.totals({ of });
    return {
      ...{ file: store.file, bytes: sizeOf(store.file) },
      receipts: store.newest({ of, limit }).map(factsOf),
      totals: { receipts: paid, credits, detections },
    };
  });
}

function factsOf({ line, source, service, saved }: Receipt): ReceiptFacts {
  const { at, credits = 0, kind, tasks, state, project, name, job, take } = line;
  const { folder, pipeline, state: stateFile, branch } = source;
  return {
    ...{ at, credits, tool: kind, tasks, state },
    ...(project === undefined ? {} : { project }),
    ...(name === undefined ? {} : { name }),
    job,
    ...(take === undefined ? {} : { take: take.number }),
    ...{ service, folder, pipeline, stateFile },
    ...(branch === undefined ? {} : { branch }),
    files: saved.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  };
}

export interface ExportedReceipts {
  readonly file: string;
  readonly receipts: number;
}

/** Writes receipts into a new file, as JSON Lines (schemas/receipts.schema.json). An example is at `receipts`. */
export function exportReceipts(
  file: string,
  options: ReceiptsOptions = {},
): Result<ExportedReceipts, Problem> {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    return err(
      problem(`${file} exists already, and nothing is overwritten`, 'shotlist', 'name a new file'),
    );
  const exported = withReceipts(options, 'read', ({ store, of }): Result<number, Problem> => {
    let count = 0;
    const lines = function* (): Generator<string> {
      const salt = store.saltTo('read');
      yield exportHeaderText(salt === undefined ? undefined : nameOfSalt(salt));
      for (const receipt of store.all()) {
        if (of !== undefined && !isFrom(of, receipt)) continue;
        count += 1;
        yield receiptText(receipt);
      }
    };
    // Opens the database, so that what goes wrong from here on with a file goes wrong with the export.
    store.totals({});
    try {
      writeNew(file, lines());
    } catch (error) {
      if (isSqlite(error) || !isSystemProblem(error)) throw error;
      const reason = isFailingDisk(error) ? 'system' : 'input';
      return err({ ...problem(`the file ${systemReason(error)}`, file), reason });
    }
    return ok(count);
  });
  if (!exported.ok) return exported;
  return exported.value.ok ? ok({ file, receipts: exported.value.value }) : exported.value;
}

const isFrom = ({ folder, pipeline }: NonNullable<ReceiptQuery['of']>, { source }: Receipt) =>
  source.folder === folder && source.pipeline === pipeline;

/** Tells two databases apart, and tells nothing about the salt. */
const nameOfSalt = (salt: string): string => digestOfBytes(salt).slice(0, 16);

/** The receipts name files and folders of this user: nobody else may read them. Throws system errors. */
function writeNew(file: string, lines: Iterable<string>): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    let [batch, size] = [[] as string[], 0];
    const flush = (): void => {
      const bytes = Buffer.from(batch.map((line) => `${line}\n`).join(''));
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      [batch, size] = [[], 0];
    };
    for (const line of lines) {
      batch.push(line);
      size += line.length;
      if (size > 1_000_000) flush();
    }
    flush();
    fsyncSync(descriptor);
  } catch (error) {
    removeLeftoverNow(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

export interface ImportedReceipts {
  readonly file: string;
  /** What the file is. */
  readonly kind: 'export' | 'state' | 'database';
  /** Receipts in the file. */
  readonly read: number;
  /** Receipts that were not here. */
  readonly added: number;
  /** Receipts that were here, and now know how the creation went on, or where else its files are. */
  readonly changed: number;
  /** Rows of a damaged database that could not be read. */
  readonly unreadable: number;
}

/** Bytes: far more than a million receipts. */
const mostBytes = 4_000_000_000;
/** Receipts that are written in one transaction: other commands wait meanwhile. */
const batchSize = 500;

interface Source {
  readonly kind: ImportedReceipts['kind'];
  /** Names the salt of the accounts; undefined: the accounts are not known. */
  readonly salt?: string | undefined;
  readonly unreadable: () => number;
  /** Yields the same each time. */
  readonly receipts: () => AsyncIterable<Receipt> | Iterable<Receipt>;
}

/**
 * Adds the receipts in a file: an export, a state file, or another database of receipts, even a damaged one. What is known
 * already is not added again. An example is at `receipts`.
 */
export async function importReceipts(
  file: string,
  options: ReceiptsOptions = {},
): Promise<Result<ImportedReceipts, Problem>> {
  const target = targetOf(options);
  if (!target.ok) return target;
  let disposable: Disposable | undefined;
  try {
    const opened = await openSource(file, target.value);
    if (!opened.ok) return opened;
    const { source } = opened.value;
    disposable = opened.value.disposable;
    // Everything is checked before anything is changed.
    const checked = await check(file, source, target.value.rehearse);
    if (checked !== undefined) return err(checked);
    return await addAll(file, source, target.value);
  } catch (error) {
    if (error instanceof WrongLine) return err(problem(error.message, file, wrongLineHint));
    if (isSqlite(error)) return err(problem(`it cannot be read (${error.message})`, file));
    if (!isSystemProblem(error)) throw error;
    return err(problem(`the file ${systemReason(error)}`, file));
  } finally {
    disposable?.[Symbol.dispose]();
  }
}

const wrongLineHint =
  'nothing was imported; remove the line if you do not need it, or export again';

async function check(
  file: string,
  { receipts: read, kind, unreadable }: Source,
  rehearse: boolean,
): Promise<Problem | undefined> {
  let count = 0;
  for await (const { service } of read()) {
    count += 1;
    if ((service === 'rehearsal') === rehearse) continue;
    const hint = rehearse
      ? 'leave out --rehearse'
      : 'the receipts of a rehearsal are beside it: add --rehearse --pipeline <file>';
    return problem(
      rehearse ? 'it has receipts of a service, not of a rehearsal' : 'it is of a rehearsal',
      file,
      `nothing was imported; ${hint}`,
    );
  }
  return kind === 'database' && count === 0 && unreadable() > 0
    ? problem(`none of its ${unreadable()} receipts can be read`, file)
    : undefined;
}

async function addAll(
  file: string,
  { kind, salt, receipts: read, unreadable }: Source,
  { file: database, onWarning }: Target,
): Promise<Result<ImportedReceipts, Problem>> {
  using store = new ReceiptStore({ file: database, now: Date.now, onWarning });
  const sums = { read: 0, added: 0, changed: 0 };
  const before = unreadable();
  try {
    const own = existsSync(database) ? store.saltTo('read') : undefined;
    const isSame = own !== undefined && salt === nameOfSalt(own);
    let batch: Receipt[] = [];
    const flush = (): void => {
      const { added, changed } = store.add(batch);
      sums.added += added;
      sums.changed += changed;
      batch = [];
    };
    for await (const receipt of read()) {
      sums.read += 1;
      batch.push(isSame ? receipt : { ...receipt, account: undefined });
      if (batch.length >= batchSize) flush();
    }
    if (batch.length > 0) flush();
  } catch (error) {
    if (error instanceof WrongLine) throw error;
    return err(unusable(database, error));
  }
  return ok({ file, kind, ...sums, unreadable: unreadable() - before });
}

interface Opened {
  readonly source: Source;
  readonly disposable?: Disposable;
}

async function openSource(file: string, target: Target): Promise<Result<Opened, Problem>> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return err(problem('the file does not exist', file));
  if (stats.isSymbolicLink())
    return err(problem('it is a link, and links are not followed', file, 'name the file itself'));
  if (!stats.isFile()) return err(problem('it is not a regular file', file));
  if (stats.size > mostBytes) return err(problem('it is larger than 4 GB', file));
  if (realPathOr(file) === realPathOr(target.file))
    return err(problem('these are the receipts that are in use', file));
  const begin = beginOf(file);
  if (begin.startsWith('SQLite format 3\0') || /^receipts\.db/.test(basename(file)))
    return databaseSource(file);
  if (/^\s*\{"receipts":/.test(begin)) return await exportSource(file);
  if (/^\s*\{"shotlist":/.test(begin)) return await stateSource(file, target);
  return err(
    problem(
      'it is no export of receipts, no state file, and no database of receipts',
      file,
      'nothing was imported; shotlist receipts --export writes such a file',
    ),
  );
}

function beginOf(file: string): string {
  const descriptor = openRegularSync(file);
  try {
    const bytes = Buffer.alloc(64);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** `message` names the line. */
class WrongLine extends Error {}

async function exportSource(file: string): Promise<Result<Opened, Problem>> {
  const lines = async function* (): AsyncGenerator<{ number: number; text: string }> {
    let number = 0;
    try {
      for await (const raw of eachLine(file)) {
        number += 1;
        const broken = byteProblem(raw);
        if (broken !== undefined) throw new WrongLine(`line ${number}: ${broken}`);
        if (raw.text.trim() !== '') yield { number, text: raw.text };
      }
    } catch (error) {
      if (error instanceof LineTooLong) throw new WrongLine(`line ${number + 1}: it is too long`);
      throw error;
    }
  };
  let salt: string | undefined;
  for await (const { number, text } of lines()) {
    const header = readExportHeader(text);
    if (!header.ok) throw new WrongLine(`line ${number}: ${header.error}`);
    ({ salt } = header.value);
    break;
  }
  const read = async function* (): AsyncGenerator<Receipt> {
    let isHeader = true;
    for await (const { number, text } of lines()) {
      if (!isHeader) {
        const receipt = readReceiptText(text);
        if (!receipt.ok) throw new WrongLine(`line ${number}: ${receipt.error}`);
        yield receipt.value;
      }
      isHeader = false;
    }
  };
  return ok({ source: { kind: 'export', salt, receipts: read, unreadable: () => 0 } });
}

function databaseSource(file: string): Result<Opened, Problem> {
  const wal = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && (!wal.isFile() || wal.size > mostBytes))
    return err(problem('it is not a regular file', `${file}-wal`));
  const foreign = new ForeignReceipts(file);
  try {
    if (!foreign.hasReceipts) {
      foreign.close();
      return err(problem('it has no receipts', file));
    }
  } catch (error) {
    foreign.close();
    throw error;
  }
  const { salt } = foreign;
  return ok({
    source: {
      ...{ kind: 'database', salt: salt === undefined ? undefined : nameOfSalt(salt) },
      ...{ receipts: () => foreign, unreadable: () => foreign.unreadable },
    },
    disposable: foreign,
  });
}

/** Paths in a state file are relative to the pipeline file, which is beside it unless `--pipeline` says another. */
async function stateSource(file: string, { of }: Target): Promise<Result<Opened, Problem>> {
  const loaded = await loadState(file, memoryStore());
  if (!loaded.ok)
    return err(
      problem(loaded.error, 'the state file', 'nothing was imported; see: shotlist repair'),
    );
  const { ledger, header } = loaded.value;
  if (header === undefined) return err(problem('the file does not exist', file));
  const { service, pipeline: name } = header;
  const here = realPathOr(dirname(resolve(file)));
  if (of !== undefined) {
    const parsed = parsePipeline(join(of.folder, of.pipeline));
    if (!parsed.ok) return parsed;
    if (parsed.value.pipeline.name !== name)
      return err(
        problem(
          `it is of the pipeline "${name}", and --pipeline names "${parsed.value.pipeline.name}"`,
          file,
          'nothing was imported',
        ),
      );
  }
  const paid = of ?? { folder: here, pipeline: fileNamed(name, here) };
  const source = { ...paid, state: join(here, basename(file)) };
  const read = function* (): Generator<Receipt> {
    for (const line of ledger.jobs())
      if (isWorthKeeping(line)) yield receiptOf(line, source, service);
  };
  return ok({ source: { kind: 'state', receipts: read, unreadable: () => 0 } });
}

/** The pipeline file with this name in a folder; if none can be read, the most likely one. */
function fileNamed(name: string, folder: string): string {
  const files = yamlIn(folder);
  const path = (files.ok ? files.value : []).find((one) => {
    const parsed = parsePipeline(one);
    return parsed.ok && parsed.value.pipeline.name === name;
  });
  return path === undefined ? `${name}.yaml` : basename(path);
}

export interface ForgetReceiptsOptions extends ReceiptsOptions {
  /** `--before`: a day such as `2026-01-31`, which begins at midnight UTC, or a time in ISO 8601. */
  readonly before: string;
  /** Only says what would be removed. */
  readonly dryRun?: boolean;
}

export interface ForgottenReceipts {
  readonly file: string;
  /** ISO 8601. */
  readonly before: string;
  readonly receipts: number;
  readonly credits: number;
  /** How many of them are of creations that are in doubt, or that are not finished. */
  readonly open: number;
  readonly removed: boolean;
}

/**
 * Removes the receipts that have not changed since a day. A state file that is lost later pays for their results again. An
 * example is at `receipts`.
 */
export function forgetReceipts({
  before,
  dryRun = false,
  ...options
}: ForgetReceiptsOptions): Result<ForgottenReceipts, Problem> {
  const time = timeOf(before);
  if (time === undefined)
    return err(
      problem(
        `--before ${before} is no date`,
        'shotlist',
        'write a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z',
      ),
    );
  const found = withReceipts(options, 'read', ({ store, of }) => {
    const { receipts: paid, credits, open, detections } = store.totals({ of, before: time });
    const sums = { receipts: paid, credits, open };
    return { detections, facts: { file: store.file, before: time, ...sums, removed: false } };
  });
  if (!found.ok) return found;
  const { facts, detections } = found.value;
  if (dryRun || facts.receipts + detections === 0) return ok(facts);
  return withReceipts(options, 'write', ({ store, of }) => {
    store.remove({ of, before: time });
    return { ...facts, removed: true };
  });
}

/** ISO 8601 as receipts have it; undefined for anything else. */
function timeOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text))
    return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  const time = new Date(ms).toISOString();
  // Such as 31 February, which counts as 3 March.
  return text.length > 10 || time.startsWith(text) ? time : undefined;
}

interface Target {
  /** The database. */
  readonly file: string;
  readonly rehearse: boolean;
  readonly of: ReceiptQuery['of'];
  readonly onWarning: (message: string) => void;
}

/** A pipeline file that is gone may still have receipts; only the place of a rehearsal depends on what is in the file. */
function targetOf({
  pipeline: file,
  rehearse = false,
  env = process.env,
  onWarning = () => undefined,
}: ReceiptsOptions): Result<Target, Problem> {
  const of =
    file === undefined
      ? undefined
      : { folder: realPathOr(resolve(dirname(file))), pipeline: basename(file) };
  if (!rehearse) return ok({ file: receiptsFile(env), rehearse, of, onWarning });
  if (file === undefined || of === undefined) {
    const why = 'the receipts of a rehearsal are beside it, so --rehearse needs --pipeline <file>';
    return err(problem(why));
  }
  const parsed = parsePipeline(file);
  if (!parsed.ok) return parsed;
  const database = join(
    ...[of.folder, '.shotlist', 'rehearsal', parsed.value.pipeline.name, 'receipts.db'],
  );
  return ok({ file: database, rehearse, of, onWarning });
}

function withReceipts<T>(
  options: ReceiptsOptions,
  access: 'read' | 'write',
  work: (opened: { readonly store: ReceiptStore; readonly of: ReceiptQuery['of'] }) => T,
): Result<T, Problem> {
  const target = targetOf(options);
  if (!target.ok) return target;
  const { file, of, onWarning } = target.value;
  using store = new ReceiptStore({
    ...{ file, onWarning, now: Date.now, readOnly: access === 'read' },
  });
  try {
    return ok(work({ store, of }));
  } catch (error) {
    return err(unusable(file, error));
  }
}

const unusable = (file: string, error: unknown): Problem =>
  problem(`your receipts (${file}) ${receiptsProblem(error)}`);

const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
