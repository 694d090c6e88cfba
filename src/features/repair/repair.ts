// `repair`: reads a damaged, older or missing state file, git's version of it and the user's receipts, and proposes a state
// file that is safe. Never changes the file: the user replaces it by the proposal.
import { existsSync, lstatSync } from 'node:fs';
import { open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import type { RawLine } from '../../base/raw-line.ts';
import { ok } from '../../base/result.ts';
import { scrubbed } from '../../base/scrub.ts';
import { isSystemProblem, systemCode, systemReason } from '../../base/system-error.ts';
import { isSqlite } from '../../files/cache-database.ts';
import { syncFolder } from '../../files/output-folders.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import { memoryStore } from '../../model/job-store.ts';
import type { Header, JobLine, RunLine, TaskLine } from '../../model/line.ts';
import { stepOf } from '../../model/task.ts';
import { realClock } from '../../run/clock.ts';
import { checkAddress } from '../../service-api/address.ts';
import { writeLedger } from '../../state/compaction.ts';
import { linkProblem, loadState } from '../../state/load-state.ts';
import { locateState } from '../../state/locate-state.ts';
import { lockState, strangerTo } from '../../state/lock-state.ts';
import { rawLines } from '../../state/raw-lines.ts';
import { adoptedLine, isPayment } from '../../state/receipts/receipt.ts';
import { bookFor } from '../../state/receipts/receipt-book.ts';
import { filesHere } from '../../state/receipts/remembered-payments.ts';
import { isLacking, type ReceiptLines } from '../../state/repair/complement.ts';
import type { Damage } from '../../state/repair/damage.ts';
import { isWhole, type Repair, type RepairContext, repairOf } from '../../state/repair/proposal.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { headVersion } from '../git/git.ts';
import type { ReadOptions } from '../open-state.ts';
import { refuse, refuseIf } from '../refuse.ts';

/** `service`: the one that the ids belong to, if the file no longer says so. */
export interface RepairOptions extends ReadOptions {
  /** `--write`: write the proposal to this file, which must not exist yet. */
  readonly write?: string | undefined;
}

export interface Repaired {
  /** The state file, which stays unchanged. */
  readonly state: string;
  readonly pipeline: string;
  /** True if there is no file, but git or the receipts know what it had. */
  readonly missing: boolean;
  /** True if the file loads as it is, with at most harmless damage. */
  readonly intact: boolean;
  /** True if git's version of the file, or the user's receipts, know of payments that the file does not know. */
  readonly lacking: boolean;
  /** In the order of the lines. */
  readonly damages: readonly Damage[];
  readonly proposal: Proposal;
  /** Where the proposal was written. */
  readonly written?: string;
}

/** The content of the proposed state file. */
export interface Proposal extends Omit<Repair, 'damages' | 'header' | 'ledger'> {
  /** Absent if no line says which service the ids belong to. */
  readonly header?: Header;
  readonly jobs: readonly JobLine[];
  readonly runs: readonly RunLine[];
  readonly tasks: readonly TaskLine[];
}

/**
 * Lists the damage in a state file, and proposes a state file that is safe. Never changes the damaged file.
 *
 * @example
 * ```ts
 * import { loadPipeline, repair } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const repaired = await repair(pipeline);
 * for (const { line, what } of repaired.damages) console.log(line, what);
 * ```
 */
export async function repair(
  loaded: LoadedPipeline,
  options: RepairOptions = {},
): Promise<Repaired> {
  const bound = boundPipeline(loaded);
  const { pipeline, name } = bound;
  const { paths, rehearsal } = locateState(bound, options);
  const { state } = paths;
  const stats = lstatSync(state, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) refuse(linkProblem(state), undefined, 'the state file');
  if (options.write !== undefined) await refuseTarget(paths, options.write);
  const service = rehearsal ? 'rehearsal' : serviceOf(pipeline, options);
  const { clock = realClock, onWarning = () => undefined } = options;
  await using _lock = await lockState(paths, 'edit', { clock, onWarning });
  const isMissing = stats === undefined;
  const lines = isMissing ? ok([]) : await rawLines(state);
  if (!lines.ok) return refuse(lines.error, undefined, 'the state file');
  const kindOf = (task: string): string | undefined => paidKindOf(pipeline, task);
  const context = { pipeline: name, service, kindOf, isMissing };
  const found = await proposalFor(lines.value, context, { bound, paths, rehearsal, options });
  if (isMissing && found.ledger.size === 0)
    refuse(`there is no state file: ${state}`, 'there is nothing to repair', bound.file);
  const owner = found.header?.service ?? service;
  if (owner !== undefined) options.onState?.(owner);
  const repaired = {
    state,
    pipeline: name,
    missing: isMissing,
    intact: isWhole(found),
    lacking: isLacking(found),
    damages: found.damages.map(shown),
    proposal: proposalOf(found),
  };
  if (options.write === undefined || (repaired.intact && !repaired.lacking)) return repaired;
  const { header } = found;
  if (header === undefined)
    return refuse(
      `${state} has no header, and no other line says which service its ids belong to`,
      'name the service: --service <address>, or --rehearse',
    );
  refuseIf(strangerTo(header, state, name));
  return { ...repaired, written: await writeProposal(resolve(options.write), header, found) };
}

interface Repairing {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly rehearsal: boolean;
  readonly options: RepairOptions;
}

/** The union of what can be read of the file, of git's version of it, and of the user's receipts. */
async function proposalFor(
  raw: readonly RawLine[],
  context: RepairContext,
  repairing: Repairing,
): Promise<Repair> {
  const alone = repairOf(raw, context);
  // While a database has the record, the file is behind on purpose.
  if (alone.header?.away !== undefined) return alone;
  const { state } = repairing.paths;
  const { env = process.env } = repairing.options;
  const text = await headVersion(state, undefined, { env });
  const head = text === undefined ? undefined : repairOf(rawLinesOf(text), context);
  const isOwn = head?.header !== undefined && head.header.pipeline === context.pipeline;
  const service = alone.header?.service ?? (isOwn ? head.header?.service : undefined);
  const { receipts, paidAt } = receiptsOf(service, repairing);
  const owner = service ?? paidAt;
  if (owner === undefined) return alone;
  const told = { ...context, service: owner };
  if (text === undefined || head?.header?.service !== owner || !isOwn)
    return repairOf(raw, told, { head: undefined, receipts });
  // The commit may have a damaged file, too.
  const known = receipts.map(({ own }) => own);
  const committed = repairOf(rawLinesOf(text), { ...told, known });
  return repairOf(raw, told, { head: committed.ledger, receipts });
}

const rawLinesOf = (text: string): readonly RawLine[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({
      text: line,
      wellFormed: !line.includes('\ufffd'),
      terminated: true,
    }));

interface ReceiptsOfState {
  readonly receipts: readonly ReceiptLines[];
  /** The service that was paid, if there is only one. */
  readonly paidAt: string | undefined;
}

/** `service`: undefined if neither the file nor git says it. */
function receiptsOf(
  service: string | undefined,
  { bound, paths, rehearsal, options }: Repairing,
): ReceiptsOfState {
  const { clock = realClock, env = process.env, onWarning = () => undefined } = options;
  const header = { service: rehearsal ? 'rehearsal' : (service ?? '') };
  using book = bookFor(header, { bound, paths, clock, env, onWarning, readOnly: true });
  try {
    const all = [...book.store.ofState(book.source.state)].filter(isPayment);
    const services = [...new Set(all.map((receipt) => receipt.service))];
    const paidAt = services.length === 1 ? services[0] : undefined;
    const owner = service ?? paidAt;
    const at = new Date(clock.now()).toISOString();
    const store = storeNameOf(bound.pipeline);
    const receipts = all
      .filter((receipt) => receipt.service === owner)
      .map((receipt) => {
        const isOwn = book.isOwn(receipt);
        const here = isOwn ? filesHere(receipt, book.source, store) : [];
        const own = here.length === 0 ? receipt.line : { ...receipt.line, outputs: [...here] };
        return { own, adopted: adoptedLine(receipt, { at, isOwn, here }) };
      });
    return { receipts, paidAt };
  } catch (error) {
    if (!isSqlite(error) && !isSystemProblem(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    onWarning(`your receipts (${book.store.file}) cannot be read: ${why}`);
    return { receipts: [], paidAt: undefined };
  }
}

function proposalOf({ damages: _, header, ledger, ...proposal }: Repair): Proposal {
  return {
    ...proposal,
    ...(header === undefined ? {} : { header }),
    jobs: [...ledger.jobs()],
    runs: ledger.runs(),
    tasks: ledger.tasks(),
  };
}

/** The tool behind a task: the kind of its step, or of the step that it downloads or deletes. */
function paidKindOf({ steps }: Pipeline, task: string): string | undefined {
  const name = stepOf(task);
  const step = steps.find((known) => known.name === name);
  const source = step?.of === undefined ? step : steps.find((known) => known.name === step.of);
  return source?.kind.name;
}

function serviceOf(
  pipeline: Pipeline,
  { service, env = process.env }: RepairOptions,
): string | undefined {
  const address = service ?? (env['SHOTLIST_BASE_URL'] || undefined) ?? pipeline.service;
  return address === undefined ? undefined : checkAddress(address);
}

/** Checked before anything is read: a proposal replaces no file. */
async function refuseTarget({ state }: RunPaths, write: string): Promise<void> {
  const file = resolve(write);
  const hint = 'name a new file; move it into place yourself after you have reviewed it';
  let place: string;
  let own: string | undefined;
  try {
    place = join(await realpath(dirname(file)), basename(file));
    own = existsSync(state) ? await realpath(state) : undefined;
  } catch (error) {
    return refuse(`the folder of ${file} ${systemReason(error)}`);
  }
  if (place === own) refuse(`--write ${write} is the damaged file itself`, hint);
  if (existsSync(file)) refuse(`--write ${write} exists already, and nothing is overwritten`, hint);
}

/** Syncs the proposal and reads it back: a proposal must load. */
async function writeProposal(file: string, header: Header, { ledger }: Repair): Promise<string> {
  try {
    await using handle = await open(file, 'wx', 0o644);
    await writeLedger(handle, header, ledger);
    await syncFolder(dirname(file));
  } catch (error) {
    // If another process created the file meanwhile, it is not ours to remove.
    if (systemCode(error) !== 'EEXIST') await rm(file, { force: true });
    throw new Refusal({ ...problem(`${file} ${systemReason(error)}`), reason: 'system' });
  }
  const read = await loadState(file, memoryStore());
  if (!read.ok) throw new Error(`bug: the proposal does not load: ${read.error}`);
  return file;
}

/** Of a damaged line. */
const maxShownChars = 60;

/** A damaged line may contain anything, even the content of another file: a possible secret is not shown. */
function shown(found: Damage): Damage {
  const { begins, what } = found;
  const safe = { ...found, what: printable(scrubbed(what)) };
  if (begins === undefined) return safe;
  const start = printable(scrubbed(begins).replace(/(?![0-9a-f]{64}\b)[\w-]{24,}/g, '…'));
  const short = start.length > maxShownChars ? `${start.slice(0, maxShownChars)}…` : start;
  return { ...safe, begins: short };
}
