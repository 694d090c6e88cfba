// What the user's receipts know of a state file's own payments joins it as soon as it is opened: a state file lives in git, so
// it may be gone, or older than they are. Git's HEAD is joined when it is loaded.
import { basename } from 'node:path';
import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';
import type { Env } from '../base/user-folder.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { storeNameOf } from '../language/store.ts';
import { jobOf } from '../model/job-view.ts';
import type { JobLine } from '../model/line.ts';
import { jobFacts } from '../model/state.ts';
import type { Loaded } from '../state/load-state.ts';
import { isPayment, knownNames, type Receipt } from '../state/receipts/receipt.ts';
import { branchAt, receiptsFileOf, stateName } from '../state/receipts/receipt-book.ts';
import { ReceiptStore } from '../state/receipts/receipt-store.ts';
import { filesHere } from '../state/receipts/remembered-payments.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { missingText } from '../views/receipts-text.ts';

interface OwnState {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly state: Pick<Loaded, 'ledger' | 'header'>;
  readonly env: Env;
  readonly now: () => number;
  readonly onWarning: (message: string) => void;
}

/** Returns a sentence for the user; undefined if the receipts know nothing more. */
export function joinOwnReceipts(own: OwnState): string | undefined {
  const { bound, paths, state, env, now, onWarning } = own;
  const { record } = state.ledger;
  if (record === undefined) return undefined;
  const service = state.header?.service ?? paths.serviceName;
  const file = receiptsFileOf(paths, service, env);
  using store = new ReceiptStore({ file, now, onWarning, readOnly: true });
  const source = { folder: bound.folder, pipeline: basename(bound.file) };
  const unknown = new BranchCounts();
  const found: Receipt[] = [];
  store.eachUnknown(
    stateName(paths),
    (job, name) => knownNames(state.ledger.job(job)).has(name),
    (receipt) => {
      if ((service === '' || receipt.service === service) && isPayment(receipt))
        found.push(receipt);
    },
  );
  for (const receipt of found) {
    const outputs = filesHere(receipt, source, storeNameOf(bound.pipeline));
    // What was adopted is another's payment, and is asked for when it is needed.
    if (receipt.line.adopted !== undefined) continue;
    record.join(jobOf({ ...receipt.line, outputs: [...outputs] }));
    unknown.add(receipt);
  }
  if (unknown.creations === 0) return undefined;
  state.ledger.refresh();
  return notice(unknown, own);
}

class BranchCounts {
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
const costOf = ({ state, credits = 0, reserve = 0 }: JobLine): number =>
  jobFacts[state].inDoubt ? reserve : credits;

function notice(unknown: BranchCounts, { state, paths, bound }: OwnState): string {
  const shown = shownPath(paths.state);
  const branch = branchAt(bound.folder);
  const payments = missingText(unknown);
  const where = `(${madeText(unknown)})`;
  const safe = 'they count from here on, and nothing is paid again';
  if (state.header === undefined)
    return `${shown} is missing, and your receipts have ${payments} of it ${where}; ${safe}`;
  if (branch !== undefined && !unknown.newest.has(branch) && !unknown.newest.has(undefined))
    return `${shown} of branch ${printable(branch)} does not have ${payments} that your receipts know of other branches ${where}; ${safe}`;
  return `${shown} does not have ${payments} that your receipts know of it ${where}; ${safe}`;
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
