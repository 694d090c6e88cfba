// Adds to what can be read of a state file what only git's version of it, or the user's receipts, know: jobs that are
// missing, and what became of those that the file knows from an earlier time.
import type { CreditTotals, Ledger } from '../../model/ledger.ts';
import type { JobLine, RunLine, TaskLine } from '../../model/line.ts';
import { chargedHere, jobFacts } from '../../model/state.ts';
import { ledgerOf, mergedRuns, type RenumberedRun, resent } from './merge.ts';
import { isSameAttempt, paymentsIn, preferred, progressOf } from './precedence.ts';

/** A payment of this state file, by the user's receipts. */
export interface ReceiptLines {
  /** As the state file had it. */
  readonly own: JobLine;
  /** The same, with no run that was charged for it. */
  readonly adopted: JobLine;
}

export interface OtherRecords {
  /** Undefined if git has no version of the file. */
  readonly head: Ledger | undefined;
  /** The earlier ones first. Only payments. */
  readonly receipts: readonly ReceiptLines[];
}

/** True if another record knows of payments that the file does not know. */
export const isLacking = ({ shares: { head, receipts } }: Pick<Complemented, 'shares'>): boolean =>
  head.added + head.updated + receipts.added + receipts.updated > 0;

export const noOtherRecords: OtherRecords = { head: undefined, receipts: [] };

/** How many jobs a record adds to those of the state file. */
export interface Share {
  /** Jobs that the file does not have. */
  readonly added: number;
  /** Jobs of which the file has only an earlier state. */
  readonly updated: number;
}

export interface Complemented {
  readonly jobs: readonly JobLine[];
  readonly tasks: readonly TaskLine[];
  readonly runs: readonly RunLine[];
  readonly renumbered: readonly RenumberedRun[];
  readonly shares: { readonly head: Share; readonly receipts: Share };
}

type Side = Pick<Complemented, 'jobs' | 'tasks' | 'runs'>;

export function complemented(file: Side, { head, receipts }: OtherRecords): Complemented {
  const withRuns =
    head === undefined ? { ...file, renumbered: [], theirs: [] } : joined(file, head);
  const { runs, tasks, renumbered } = withRuns;
  const jobs = new Map(withRuns.jobs.map((line) => [line.job, line]));
  const shares = { head: { added: 0, updated: 0 }, receipts: { added: 0, updated: 0 } };
  const put = (share: keyof typeof shares, line: JobLine): void => {
    shares[share][jobs.has(line.job) ? 'updated' : 'added'] += 1;
    jobs.set(line.job, line);
  };
  for (const line of withRuns.theirs) {
    const known = jobs.get(line.job);
    if (known === undefined) put('head', line);
    else if (lacks(known, line)) put('head', preferred(known, line).line);
  }
  let unassigned = netOf(ledgerOf({ runs, jobs: [], tasks: [] }).total);
  for (const line of jobs.values()) unassigned -= chargedHere(line);
  for (const receipt of receipts) {
    const known = jobs.get(receipt.own.job);
    if (known !== undefined && !mayTakeOver(known, receipt.own)) continue;
    const own = known === undefined ? receipt.own : withChargeOf(known, receipt.own);
    const more = chargedHere(own) - chargedHere(known);
    // If the runs were charged for more than the known jobs, this is what they were charged for.
    const isBooked = more <= Math.max(0, unassigned);
    const line = isBooked ? withRun(own, runs) : receipt.adopted;
    put('receipts', known === undefined ? line : preferred(known, line).line);
    unassigned -= chargedHere(jobs.get(own.job)) - chargedHere(known);
  }
  return { jobs: [...jobs.values()], tasks, runs, renumbered, shares };
}

const netOf = ({ charged, refunded }: CreditTotals): number => charged - refunded;

/** The runs of both, each once, and the jobs with the numbers that their runs have then. */
function joined(
  file: Side,
  head: Ledger,
): Side & { readonly renumbered: readonly RenumberedRun[]; readonly theirs: readonly JobLine[] } {
  const furthest = (run: RunLine, others: readonly RunLine[]): RunLine => {
    const other = others.find(({ at }) => at === run.at);
    return other !== undefined && isFurther(other, run) ? { ...other, run: run.run } : run;
  };
  const ours = file.runs.map((run) => furthest(run, head.runs()));
  const theirs = head.runs().map((run) => furthest(run, file.runs));
  const { runs, renumbered, numbers } = mergedRuns(ours, theirs, theirs);
  return {
    runs,
    renumbered,
    tasks: file.tasks,
    jobs: file.jobs.map((line) => resent(line, numbers.ours)),
    theirs: [...head.jobs()].map((line) => resent(line, numbers.theirs)),
  };
}

/** The credits of a run only grow. */
function isFurther(a: RunLine, b: RunLine): boolean {
  const [one, other] = [a.charged + a.refunded, b.charged + b.refunded];
  return one > other || (one === other && a.ended !== undefined && b.ended === undefined);
}

/** True if the file misses a payment of git's version, or what became of it. */
function lacks(known: JobLine, line: JobLine): boolean {
  const payments = paymentsIn(known);
  if (!paymentsIn(line).every((paid) => payments.some((own) => isSameAttempt(paid, own))))
    return true;
  return isLater(line, known);
}

const isLater = (line: JobLine, known: JobLine): boolean =>
  isSameAttempt(line, known) && progressOf(known) >= 0 && progressOf(known) < progressOf(line);

/** True if the receipt tells more of the job's attempt, or of one where the file knows of none. */
function mayTakeOver(known: JobLine, line: JobLine): boolean {
  if (isLater(line, known)) return true;
  const names = [known.name, ...(known.past ?? []).map(({ name }) => name)];
  if (names.includes(line.name)) return false;
  const { mayBegin, inDoubt } = jobFacts[known.state];
  const isNameless = inDoubt && known.name === undefined && !jobFacts[line.state].inDoubt;
  return isNameless || (mayBegin && known.state !== 'deleted' && !isPastOf(known, line));
}

const isPastOf = ({ past = [] }: JobLine, line: JobLine): boolean =>
  past.some((attempt) => isSameAttempt(attempt, line));

/** A charge that the file knows is in its runs. */
const withChargeOf = (known: JobLine, line: JobLine): JobLine =>
  known.project === undefined || known.credits === undefined || !isSameAttempt(known, line)
    ? line
    : {
        ...line,
        credits: known.credits,
        ...(known.adopted === undefined ? {} : { adopted: known.adopted }),
      };

function withRun(line: JobLine, runs: readonly RunLine[]): JobLine {
  if (line.sender === undefined || runs.some(({ run }) => run === line.sender)) return line;
  const { sender: _, ...rest } = line;
  return rest;
}
