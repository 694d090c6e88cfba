// `repair`: joins what can be read of a damaged, older or missing state file with git's version of it, the copies beside it and
// the user's receipts. Says what is in no record, so that a person can look.
import { constants, copyFileSync, createReadStream, existsSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { systemReason } from '../../base/system-error.ts';
import { realClock } from '../../core/clock.ts';
import { createNew } from '../../files/new-file.ts';
import { syncFolder } from '../../files/output-folders.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { isUnexpected, stateAfter } from '../../model/record/job.ts';
import type { Ledger, MissingCreations, Totals } from '../../model/record/ledger.ts';
import { lineText } from '../../model/record/line.ts';
import { formatVersion } from '../../model/record/schemas.ts';
import { checkAddress } from '../../service-api/address.ts';
import { copiesOf } from '../../state/copies.ts';
import { joinOther, type OtherRecord, wholeTexts } from '../../state/load-record.ts';
import { headerIn } from '../../state/load-state.ts';
import { locateState } from '../../state/locate-state.ts';
import { lockState, strangerTo } from '../../state/lock-state.ts';
import { acceptedMarks, repaired, type UnreadableLine } from '../../state/repair.ts';
import { type PaidTwice, paidTwiceOf } from '../../views/paid-twice-text.ts';
import { gitRecords } from '../git/records.ts';
import { openReceipts, type ReceiptsTerms } from '../open-receipts.ts';
import type { ReadOptions } from '../open-state.ts';
import { refuse, refuseIf } from '../refuse.ts';

/** `service`: the one that the ids belong to, if no record says so. */
export interface RepairOptions extends ReadOptions {
  /** `--write`: replace the state file, and keep the old one beside it. */
  readonly write?: boolean | undefined;
  /** `--accept`: a person has looked at what is missing, or paid twice, and goes on without it. */
  readonly accept?: boolean | undefined;
}

/** What another record added. */
interface Addition {
  /** Where it is. */
  readonly name: string;
  readonly creations: number;
  readonly credits: number;
}

export interface Repaired {
  readonly state: string;
  readonly pipeline: string;
  /** True if there is no file, but another record knows what it had. */
  readonly missing: boolean;
  /** True if every line can be read, and no other record knows more. */
  readonly intact: boolean;
  /** In the order of the lines. */
  readonly unreadable: readonly UnreadableLine[];
  /** What git's HEAD, the copies and the receipts know that the file does not. */
  readonly additions: readonly Addition[];
  /** Creations that are in no record. Nothing is bought until a person accepts that. */
  readonly lost: readonly MissingCreations[];
  /** True if there is a header alone: a run writes more, so lines are missing. */
  readonly bare: boolean;
  /** Since when the record has been in a database; undefined: it is not. Nothing is bought until a person accepts that. */
  readonly away: string | undefined;
  readonly paidTwice: readonly PaidTwice[];
  /** Of the record that is or would be written. */
  readonly jobs: number;
  readonly credits: Totals;
  /** Copies that the record has joined: they can be removed. */
  readonly copies: readonly string[];
  /** Set if the file was replaced: where the old one is now; empty if there was none. */
  readonly written?: string;
}

/**
 * Joins everything that is known of a state file. Without `write`, changes nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, repair } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const repaired = await repair(pipeline);
 * for (const { number, why } of repaired.unreadable) console.log(number, why);
 * ```
 */
export async function repair(
  loaded: LoadedPipeline,
  options: RepairOptions = {},
): Promise<Repaired> {
  const bound = boundPipeline(loaded);
  const { paths, rehearsal } = locateState(bound, options);
  const { state } = paths;
  const { clock = realClock, env = process.env, onWarning = () => undefined } = options;
  await using _lock = await lockState(paths, 'edit', { clock, onWarning });
  const copies = copiesOf(state);
  const service =
    headerIn(state)?.service ??
    (rehearsal ? 'rehearsal' : serviceOf(bound.pipeline.service, options));
  const at = new Date(clock.now()).toISOString();
  const header = { shotlist: formatVersion, pipeline: bound.name, service: service ?? '' } as const;
  const about = { service, bound, paths, clock, env, onWarning };
  const others = async (): Promise<readonly OtherRecord[]> => {
    const { records } = await gitRecords(paths, env, true);
    const receipts = receiptsOf(about);
    const own = receipts === undefined ? [] : [receipts];
    return [...records, ...copies.map(fileRecord), ...own];
  };
  const alone = await repaired(state, [], header, at);
  if (!alone.ok) return refuse(alone.error, undefined, 'the state file');
  const additions = await additionsOf(alone.value.ledger, await others());
  const found = await repaired(state, await others(), header, at);
  if (!found.ok) return refuse(found.error, undefined, 'the state file');
  const record = found.value;
  record.warnings.forEach(onWarning);
  // The machine that paid knows by its receipts what lines that nobody can read may have said.
  if (receiptsOf(about) !== undefined)
    for (const mark of record.ledger.marks())
      if (mark.mark === 'lost' && mark.creations === undefined)
        record.ledger.put({ ...mark, over: at });
  const isThere = record.version !== undefined;
  if (!isThere && record.ledger.isEmpty)
    refuse(`there is no state file: ${state}`, 'there is nothing to repair', bound.file);
  if (service !== undefined) options.onState?.(service);
  refuseIf(record.ledger.header && strangerTo(record.ledger.header, state, bound.name));
  if (options.accept === true) accept(record.ledger, at);
  const result: Repaired = {
    state,
    pipeline: bound.name,
    missing: !isThere,
    intact: record.unreadable.length === 0 && additions.length === 0 && isThere,
    unreadable: record.unreadable,
    additions,
    lost: record.ledger
      .marks()
      .filter(({ mark }) => mark === 'lost')
      .map(({ id, creations = 0 }) => ({ run: id, creations })),
    bare: record.ledger.isEmpty,
    away: record.ledger.marks().find(({ mark }) => mark === 'away')?.at,
    paidTwice: record.ledger.paidTwice().map(paidTwiceOf),
    jobs: [...record.ledger.jobs()].length,
    credits: record.ledger.totals(),
    copies,
  };
  const isWritten = options.write === true || options.accept === true;
  if (!isWritten || (result.intact && copies.length === 0 && options.accept !== true))
    return result;
  if (service === undefined)
    return refuse(
      `${state} has no header, and no other record says which service its ids belong to`,
      'name the service: --service <address>, or --rehearse',
    );
  const isDamaged = isThere && record.unreadable.length > 0;
  return { ...result, written: await replace(state, record.ledger, isDamaged) };
}

function fileRecord(file: string): OtherRecord {
  return { name: basename(file), lines: linesOf(file) };
}

async function* linesOf(file: string): AsyncGenerator<readonly string[]> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield [line];
}

/** Of the receipts of this state file: what it paid for. Undefined if there are none. */
function receiptsOf(terms: Omit<ReceiptsTerms, 'ledger' | 'writes'>): OtherRecord | undefined {
  const receipts = openReceipts({ ...terms, writes: false });
  const lines = [...receipts.ownLines()].map(({ line }) => lineText(line));
  receipts.close();
  return lines.length === 0 ? undefined : { name: 'your receipts', lines: texts(lines) };
}

async function* texts(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines;
}

async function additionsOf(
  ledger: Ledger,
  others: readonly OtherRecord[],
): Promise<readonly Addition[]> {
  const additions: Addition[] = [];
  for (const other of others) {
    const [before, known] = [ledger.totals(), creationsOf(ledger)];
    await joinOther(ledger, other);
    const after = ledger.totals();
    const credits = after.charged + after.reserved - before.charged - before.reserved;
    const creations = creationsOf(ledger) - known;
    if (creations > 0 || credits !== 0) additions.push({ name: other.name, creations, credits });
  }
  return additions;
}

function creationsOf(ledger: Ledger): number {
  let count = 0;
  for (const _ of ledger.own()) count += 1;
  return count;
}

function serviceOf(
  named: string | undefined,
  { service, env = process.env }: RepairOptions,
): string | undefined {
  const address = service ?? (env['SHOTLIST_BASE_URL'] || undefined) ?? named;
  return address === undefined ? undefined : checkAddress(address);
}

function accept(ledger: Ledger, at: string): void {
  if (ledger.runs().length === 0) ledger.put({ run: `${at}-none`, at, ended: at, creations: 0 });
  for (const mark of acceptedMarks(ledger, at)) ledger.put(mark);
  for (const job of ledger.paidTwice()) {
    const paid = job.attempts.filter(isUnexpected).sort((a, b) => (a.at < b.at ? -1 : 1));
    const after = paid
      .slice(1)
      .reduce(
        (line, { name }) =>
          stateAfter(line, { job: job.job, is: 'said', attempt: name, mark: 'accepted' }, '', at),
        job,
      );
    ledger.put(after);
  }
}

/** Synced, and in one step. Returns where the old file is; empty if it was not kept. */
async function replace(state: string, ledger: Ledger, keeps: boolean): Promise<string> {
  const part = `${state}.part`;
  const old = keeps ? freeName(`${state}.damaged`) : '';
  try {
    {
      await using handle = await createNew(part);
      for (const piece of wholeTexts(ledger)) await handle.appendFile(piece);
      await handle.sync();
    }
    // A copy, so that at no moment there is no state file.
    if (keeps) copyFileSync(state, old, constants.COPYFILE_EXCL);
    renameSync(part, state);
    await syncFolder(dirname(state));
    return old;
  } catch (error) {
    throw new Refusal({ ...problem(`${state} ${systemReason(error)}`), reason: 'system' });
  }
}

function freeName(file: string): string {
  let name = file;
  for (let number = 2; existsSync(name); number++) name = `${file}-${number}`;
  return name;
}
