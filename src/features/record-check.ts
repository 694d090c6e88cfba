// Compares a state file with the other records of its payments, as soon as it is opened: the version in git's HEAD, and the
// user's receipts. A state file lives in git, so it may be gone, or older than both.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printable } from '../base/printable.ts';
import { shellWord } from '../base/shell.ts';
import { count } from '../base/text.ts';
import type { Env } from '../base/user-folder.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { memoryStore } from '../model/job-store.ts';
import type { Ledger } from '../model/ledger.ts';
import type { JobLine } from '../model/line.ts';
import { jobFacts } from '../model/state.ts';
import type { Content } from '../state/file-version.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { isPayment, knownNames, type Receipt } from '../state/receipts/receipt.ts';
import {
  branchAt,
  type ReceiptBook,
  receiptsFileOf,
  stateName,
} from '../state/receipts/receipt-book.ts';
import { ReceiptStore } from '../state/receipts/receipt-store.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { type MissingPayments, missingText } from '../views/receipts-text.ts';
import { headVersion } from './git/git.ts';

export interface RecordCheck {
  /** HEAD's version, if it has payments or runs that the file lacks. */
  readonly head: Ledger | undefined;
  /** The content is not known to be what this machine wrote last. */
  readonly differs: boolean;
  /** Sentences for the user: what the file lacks, and how to get it back. */
  readonly notices: readonly string[];
}

/** Of a file that is what this machine wrote last, or that another process is writing. */
export const unchecked: RecordCheck = { head: undefined, differs: false, notices: [] };

export interface CheckedFile {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly state: Pick<Loaded, 'ledger' | 'header' | 'content'>;
  readonly env: Env;
  readonly now: () => number;
  readonly onWarning: (message: string) => void;
}

/** `isBusy`: another process is writing the file. `repair`: the command line. */
export async function checkRecord(
  file: CheckedFile,
  repair: string,
  isBusy: () => Promise<boolean>,
): Promise<RecordCheck> {
  const { state, paths } = file;
  const store = receiptsOf(file);
  try {
    const noted = store.lastWritten(stateName(paths));
    if (noted !== undefined && noted.digest === state.content?.sha256) return unchecked;
    if (await isBusy()) return unchecked;
    const found = await headLedger(file);
    const head = found !== undefined && isAhead(found, state.ledger) ? found : undefined;
    const unknown = new BranchCounts();
    eachReceiptUnknown(file, store, [state.ledger, ...(head === undefined ? [] : [head])], (one) =>
      unknown.add(one),
    );
    const notices: string[] = [];
    if (head !== undefined) notices.push(headNotice(head, state, paths));
    if (unknown.creations > 0) {
      const branch = branchAt(file.bound.folder);
      notices.push(receiptsNotice(unknown, { state, paths, repair, branch, noted: noted?.at }));
    }
    return { head, notices, differs: true };
  } finally {
    store.close();
  }
}

/** Opens the receipts of a state file for reading. */
export function receiptsOf({ paths, state, env, now, onWarning }: CheckedFile): ReceiptStore {
  const file = receiptsFileOf(paths, state.header?.service ?? paths.serviceName, env);
  return new ReceiptStore({ file, now, onWarning, readOnly: true });
}

/** Visits the receipts of a state file whose creations none of the ledgers knows. */
export function eachReceiptUnknown(
  { paths, state }: Pick<CheckedFile, 'paths' | 'state'>,
  store: ReceiptStore,
  ledgers: readonly Ledger[],
  visit: (receipt: Receipt) => void,
): void {
  const service = state.header?.service ?? paths.serviceName;
  store.eachUnknown(
    stateName(paths),
    (job, name) => ledgers.some((ledger) => knownNames(ledger.job(job)).has(name)),
    (receipt) => {
      if (service === '' || receipt.service === service) visit(receipt);
    },
  );
}

/** What only the receipts have of the record. */
export function onlyInReceipts(file: CheckedFile): MissingPayments {
  const store = receiptsOf(file);
  const unknown = new BranchCounts();
  try {
    eachReceiptUnknown(file, store, [file.state.ledger], (receipt) => unknown.add(receipt));
  } finally {
    store.close();
  }
  return { creations: unknown.creations, credits: unknown.credits };
}

/** A payment that the state file does not know, and who does. */
export interface MissingRecord {
  readonly line: JobLine;
  /** The end of a sentence. */
  readonly why: string;
}

/** Everything that only git's HEAD or the receipts have of the record. */
export async function missingRecords(file: CheckedFile): Promise<readonly MissingRecord[]> {
  const { ledger } = file.state;
  const projects = new Set(ledger.projects());
  const isMissing = ({ project }: JobLine): boolean =>
    project === undefined || !projects.has(project);
  const head = await headLedger(file);
  const inHead = new Map<string, JobLine>();
  for (const line of head === undefined ? [] : paymentsBeyond(head, ledger))
    if (isMissing(line)) inHead.set(line.name ?? line.job, line);
  const missing: MissingRecord[] = [];
  const store = receiptsOf(file);
  try {
    eachReceiptUnknown(file, store, [ledger], ({ line, source: { branch } }) => {
      if (!isMissing(line)) return;
      const made = `${branch === undefined ? '' : `, branch ${branch}`}, ${line.at.slice(0, 10)}`;
      const others = inHead.delete(line.name ?? line.job)
        ? 'git HEAD and your receipts'
        : 'your receipts';
      missing.push({ line, why: `not in the state file, only in ${others}${made}` });
    });
  } finally {
    store.close();
  }
  for (const line of inHead.values())
    missing.push({ line, why: `not in the state file, only in git HEAD, ${line.at.slice(0, 10)}` });
  return missing;
}

/** The version in git's HEAD; undefined if it is that of the file, if there is none, or if it is another pipeline's. */
export async function headLedger({
  bound,
  paths,
  state,
  env,
}: Pick<CheckedFile, 'bound' | 'paths' | 'state' | 'env'>): Promise<Ledger | undefined> {
  const text = await headVersion(paths.state, state.content?.bytes, { env });
  if (text === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-head-'));
  try {
    const copy = join(folder, 'state.jsonl');
    await writeFile(copy, text);
    const loaded = await loadState(copy, memoryStore());
    const header = loaded.ok ? loaded.value.header : undefined;
    if (!loaded.ok || header?.pipeline !== bound.name) return undefined;
    const service = state.header?.service ?? paths.serviceName;
    return service === '' || header.service === service ? loaded.value.ledger : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The jobs that were paid, and that a ledger does not know. */
export function* paymentsBeyond(head: Ledger, ledger: Ledger): Generator<JobLine> {
  for (const line of head.jobs()) {
    const known = ledger.job(line.job);
    if (line.name === undefined ? known !== undefined : knownNames(known).has(line.name)) continue;
    if (isPayment({ line })) yield line;
  }
}

/**
 * Notes that the state file is what this machine wrote last: as long as it stays so, nothing else is compared. Not while HEAD
 * has payments that this run did not need: they would be forgotten.
 */
export function noteRecord(
  { store, source }: ReceiptBook,
  { head }: RecordCheck,
  ledger: Ledger,
  content: Content | undefined,
  now: number,
): void {
  if (content === undefined || (head !== undefined && hasMore(head, ledger))) return;
  // Without a database, HEAD would be compared again and again.
  const doing = head === undefined ? 'note' : 'write';
  store.noteWritten(source.state, content.sha256, { at: new Date(now).toISOString(), doing });
}

const isAhead = (head: Ledger, ledger: Ledger): boolean =>
  hasMore(head, ledger) || runsBeyond(head, ledger) > 0;

const hasMore = (head: Ledger, ledger: Ledger): boolean =>
  paymentsBeyond(head, ledger).next().done !== true;

/** A merge may have renumbered runs. */
function runsBeyond(head: Ledger, ledger: Ledger): number {
  const known = new Set(ledger.runs().map(({ at }) => at));
  return head.runs().filter(({ at, charged }) => charged > 0 && !known.has(at)).length;
}

class BranchCounts implements MissingPayments {
  creations = 0;
  credits = 0;
  /** The newest payment of each branch. */
  readonly newest = new Map<string | undefined, string>();

  add({ line, source: { branch } }: Pick<Receipt, 'line' | 'source'>): void {
    this.creations += 1;
    this.credits += costOf(line);
    const at = this.newest.get(branch);
    if (at === undefined || at < line.at) this.newest.set(branch, line.at);
  }
}

/** What a payment has cost, or what is set aside for it. */
export const costOf = ({ state, credits = 0, reserve = 0 }: JobLine): number =>
  jobFacts[state].inDoubt ? reserve : credits;

function headNotice(
  head: Ledger,
  { ledger, content }: CheckedFile['state'],
  { state }: RunPaths,
): string {
  const shown = shownPath(state);
  let [creations, credits] = [0, 0];
  for (const line of paymentsBeyond(head, ledger)) {
    creations += 1;
    credits += costOf(line);
  }
  const payments = missingText({ creations, credits });
  const safe = 'plan and run take over what they need of HEAD, and nothing is paid again';
  const cure = `git checkout HEAD -- ${shellWord(shown)}`;
  if (content === undefined)
    return `${shown} is missing, and git HEAD has it with ${payments}; ${cure} puts it back, and until then, ${safe}`;
  const more = creations > 0 ? payments : count(runsBeyond(head, ledger), 'run');
  return isBehind(ledger, head)
    ? `${shown} is older than the version in git HEAD, which has ${more} more; ${cure} puts that version back, and until then, ${safe}`
    : `${shown} lacks ${more} that the version in git HEAD has; ${safe}`;
}

/** True if HEAD's version has everything that the file has: then the file may be replaced. */
function isBehind(ledger: Ledger, head: Ledger): boolean {
  if (runsBeyond(ledger, head) > 0) return false;
  for (const { job, at } of ledger.jobs()) {
    const known = head.job(job);
    if (known === undefined || known.at < at) return false;
  }
  return true;
}

interface Noticed {
  readonly state: CheckedFile['state'];
  readonly paths: RunPaths;
  /** The command line. */
  readonly repair: string;
  /** The branch that is checked out. */
  readonly branch: string | undefined;
  /** When this machine wrote the file last. */
  readonly noted: string | undefined;
}

function receiptsNotice(
  unknown: BranchCounts,
  { state, paths, repair, branch, noted }: Noticed,
): string {
  const shown = shownPath(paths.state);
  const payments = missingText(unknown);
  const where = `(${madeText(unknown)})`;
  const safe = `plan and run take over what they need, nothing is paid again, and ${repair} brings back the rest`;
  if (state.content === undefined)
    return `${shown} is missing, and your receipts have ${payments} of it ${where}; ${safe}`;
  if (branch !== undefined && !unknown.newest.has(branch) && !unknown.newest.has(undefined))
    return `${shown} of branch ${printable(branch)} does not have ${payments} that your receipts know of other branches ${where}; ${safe}`;
  return noted === undefined
    ? `${shown} was not written by this machine, and does not have ${payments} that your receipts know of it ${where}; ${safe}`
    : `${shown} is older than what this machine wrote last on ${noted.slice(0, 10)}, and lacks ${payments} that your receipts have ${where}; ${safe}`;
}

const maxBranches = 3;

/** Branches and days, the newest first. Without git there are no branches to tell apart. */
function madeText({ newest }: BranchCounts): string {
  const all = [...newest].sort(([, a], [, b]) => (a < b ? 1 : -1));
  const [newestAt] = newest.values();
  if (newest.size === 1 && newest.has(undefined) && newestAt !== undefined)
    return `on ${newestAt.slice(0, 10)}`;
  const named = all
    .slice(0, maxBranches)
    .map(
      ([branch, at]) =>
        `${branch === undefined ? 'outside a branch' : `branch ${printable(branch)}`} on ${at.slice(0, 10)}`,
    );
  const others = all.length - maxBranches;
  return [...named, ...(others > 0 ? [`${count(others, 'more branch')}`] : [])].join(', ');
}
