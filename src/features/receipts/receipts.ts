// `receipts`: lists what this user's own record knows to be paid for, writes it into a file, reads such a file, and forgets.
// It needs no state file, and sends nothing. The database, and what runs do with it, is in `state/receipts`.
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
import { digestOfBytes } from '../../base/digest.ts';
import { removeLeftoverNow } from '../../base/leftover.ts';
import { byteProblem } from '../../base/raw-line.ts';
import { realPathOr } from '../../base/real-path.ts';
import { openRegularSync } from '../../base/regular-file.ts';
import { isFailingDisk, isSystemProblem, systemReason } from '../../base/system-error.ts';
import type { Env } from '../../base/user-folder.ts';
import { isSqlite } from '../../files/cache-database.ts';
import { yamlIn } from '../../files/pipeline-files.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import { memoryStore } from '../../model/job-store.ts';
import { loadState } from '../../state/load-state.ts';
import { privateFolderOf } from '../../state/private-folder.ts';
import { eachLine, LineTooLong } from '../../state/raw-lines.ts';
import type { Receipt } from '../../state/receipts/receipt.ts';
import { receiptOf, receiptsFile } from '../../state/receipts/receipt-book.ts';
import {
  type ReceiptQuery,
  ReceiptStore,
  receiptsProblem,
} from '../../state/receipts/receipt-store.ts';
import { ForeignReceipts } from './foreign-receipts.ts';
import {
  exportHeaderText,
  isWorthKeeping,
  readExportHeader,
  readReceiptText,
  receiptText,
} from './receipt-line.ts';

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
 * import { exportReceipts, forgetReceipts, importReceipts, receipts } from 'shotlist';
 *
 * const list = receipts({ limit: 5 });
 * console.log(list.totals.receipts, 'receipts', list.totals.credits);
 * exportReceipts('receipts.jsonl');
 * const imported = await importReceipts('receipts.jsonl');
 * console.log(imported.added, 'new');
 * const forgotten = forgetReceipts({ before: '2020-01-01' });
 * console.log(forgotten.receipts, 'forgotten');
 * ```
 */
export function receipts({
  limit = 20,
  ...options
}: ReceiptsOptions & { readonly limit?: number } = {}): ReceiptList {
  return withReceipts(options, 'read', ({ store, of }) => {
    const { receipts: paid, credits, detections } = store.totals({ of });
    return {
      file: store.file,
      bytes: sizeOf(store.file),
      receipts: store.newest({ of, limit }).map(factsOf),
      totals: { receipts: paid, credits, detections },
    };
  });
}

function factsOf({ line, source, service, saved }: Receipt): ReceiptFacts {
  const { at, credits = 0, kind, tasks, state, project, name, job, take } = line;
  const { folder, pipeline, state: stateFile, branch } = source;
  return {
    at,
    credits,
    tool: kind,
    tasks,
    state,
    project,
    name,
    job,
    take: take?.number,
    service,
    folder,
    pipeline,
    stateFile,
    branch,
    files: saved.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
  };
}

export interface ExportedReceipts {
  readonly file: string;
  readonly receipts: number;
}

/** Writes receipts into a new file, as JSON Lines (schemas/receipts.schema.json). An example is at `receipts`. */
export function exportReceipts(file: string, options: ReceiptsOptions = {}): ExportedReceipts {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new Refusal(
      problem(`${file} exists already, and nothing is overwritten`, 'shotlist', 'name a new file'),
    );
  const exported = withReceipts(options, 'read', ({ store, of }): number => {
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
      throw new Refusal({ ...problem(`the file ${systemReason(error)}`, file), reason });
    }
    return count;
  });
  return { file, receipts: exported };
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

/** Far more than a million receipts. */
const maxImportBytes = 4_000_000_000;
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
): Promise<ImportedReceipts> {
  const target = targetOf(options);
  let disposable: Disposable | undefined;
  try {
    const opened = await openSource(file, target);
    const { source } = opened;
    disposable = opened.disposable;
    // Everything is checked before anything is changed.
    const checked = await check(file, source, target.rehearse);
    if (checked !== undefined) throw new Refusal(checked);
    return await addAll(file, source, target);
  } catch (error) {
    if (error instanceof WrongLine) throw new Refusal(problem(error.message, file, wrongLineHint));
    if (isSqlite(error)) throw new Refusal(problem(`it cannot be read (${error.message})`, file));
    if (!isSystemProblem(error)) throw error;
    throw new Refusal(problem(`the file ${systemReason(error)}`, file));
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
      : 'each rehearsal has its own receipts: add --rehearse --pipeline <file>';
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
): Promise<ImportedReceipts> {
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
    throw new Refusal(unusable(database, error));
  }
  return { file, kind, ...sums, unreadable: unreadable() - before };
}

interface Opened {
  readonly source: Source;
  readonly disposable?: Disposable;
}

async function openSource(file: string, target: Target): Promise<Opened> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Refusal(problem('the file does not exist', file));
  if (stats.isSymbolicLink())
    throw new Refusal(
      problem('it is a link, and links are not followed', file, 'name the file itself'),
    );
  if (!stats.isFile()) throw new Refusal(problem('it is not a regular file', file));
  if (stats.size > maxImportBytes) throw new Refusal(problem('it is larger than 4 GB', file));
  if (realPathOr(file) === realPathOr(target.file))
    throw new Refusal(problem('these are the receipts that are in use', file));
  const begin = beginOf(file);
  if (begin.startsWith('SQLite format 3\0') || /^receipts\.db/.test(basename(file)))
    return databaseSource(file);
  if (/^\s*\{"receipts":/.test(begin)) return await exportSource(file);
  if (/^\s*\{"shotlist":/.test(begin)) return await stateSource(file, target);
  throw new Refusal(
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

async function exportSource(file: string): Promise<Opened> {
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
  return { source: { kind: 'export', salt, receipts: read, unreadable: () => 0 } };
}

function databaseSource(file: string): Opened {
  const wal = lstatSync(`${file}-wal`, { throwIfNoEntry: false });
  if (wal !== undefined && (!wal.isFile() || wal.size > maxImportBytes))
    throw new Refusal(problem('it is not a regular file', `${file}-wal`));
  const foreign = new ForeignReceipts(file);
  try {
    if (!foreign.hasReceipts) throw new Refusal(problem('it has no receipts', file));
  } catch (error) {
    foreign.close();
    throw error;
  }
  const { salt } = foreign;
  return {
    source: {
      kind: 'database',
      salt: salt === undefined ? undefined : nameOfSalt(salt),
      receipts: () => foreign,
      unreadable: () => foreign.unreadable,
    },
    disposable: foreign,
  };
}

/** Paths in a state file are relative to the pipeline file, which is beside it unless `--pipeline` says another. */
async function stateSource(file: string, { of }: Target): Promise<Opened> {
  const loaded = await loadState(file, memoryStore());
  if (!loaded.ok)
    throw new Refusal(
      problem(loaded.error, 'the state file', 'nothing was imported; see: shotlist repair'),
    );
  const { ledger, header } = loaded.value;
  if (header === undefined) throw new Refusal(problem('the file does not exist', file));
  const { service, pipeline: name } = header;
  const here = realPathOr(dirname(resolve(file)));
  if (of !== undefined) {
    const parsed = parsePipeline(join(of.folder, of.pipeline));
    if (parsed.pipeline.name !== name)
      throw new Refusal(
        problem(
          `it is of the pipeline "${name}", and --pipeline names "${parsed.pipeline.name}"`,
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
  return { source: { kind: 'state', receipts: read, unreadable: () => 0 } };
}

/** The pipeline file with this name in a folder; if none can be read, the most likely one. */
function fileNamed(name: string, folder: string): string {
  const files = yamlIn(folder);
  const path = (files.ok ? files.value : []).find((one) => {
    const parsed = resultOf(() => parsePipeline(one));
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
}: ForgetReceiptsOptions): ForgottenReceipts {
  const time = timeOf(before);
  if (time === undefined)
    throw new Refusal(
      problem(
        `--before ${before} is no date`,
        'shotlist',
        'write a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z',
      ),
    );
  const { facts, detections } = withReceipts(options, 'read', ({ store, of }) => {
    const { receipts: paid, credits, open, detections } = store.totals({ of, before: time });
    const sums = { receipts: paid, credits, open };
    return { detections, facts: { file: store.file, before: time, ...sums, removed: false } };
  });
  if (dryRun || facts.receipts + detections === 0) return facts;
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
}: ReceiptsOptions): Target {
  const of =
    file === undefined
      ? undefined
      : { folder: realPathOr(resolve(dirname(file))), pipeline: basename(file) };
  if (!rehearse) return { file: receiptsFile(env), rehearse, of, onWarning };
  if (file === undefined || of === undefined) {
    const why = 'each rehearsal has its own receipts, so --rehearse needs --pipeline <file>';
    throw new Refusal(problem(why));
  }
  const parsed = parsePipeline(file);
  const { name } = parsed.pipeline;
  const database = join(privateFolderOf(of.folder), 'rehearsal', name, 'receipts.db');
  return { file: database, rehearse, of, onWarning };
}

function withReceipts<T>(
  options: ReceiptsOptions,
  access: 'read' | 'write',
  work: (opened: { readonly store: ReceiptStore; readonly of: ReceiptQuery['of'] }) => T,
): T {
  const { file, of, onWarning } = targetOf(options);
  using store = new ReceiptStore({
    file,
    onWarning,
    now: Date.now,
    readOnly: access === 'read',
  });
  try {
    return work({ store, of });
  } catch (error) {
    throw new Refusal(unusable(file, error));
  }
}

const unusable = (file: string, error: unknown): Problem =>
  problem(`your receipts (${file}) ${receiptsProblem(error)}`);

const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
