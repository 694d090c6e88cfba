// The status of a state file: jobs by step kind and state, credits, and what needs a person.

import { adviceFor } from '../../contract/api/advice.ts';
import { isFailed, type StandingFailure, standingFailures } from '../../model/failures.ts';
import type { CreditTotals, Ledger } from '../../model/ledger.ts';
import type { JobLine, OutputLine } from '../../model/line.ts';
import { isWithheld } from '../../model/settled.ts';
import { stepOf } from '../../model/task.ts';
import type { FileCounts } from '../../plan/decide.ts';
import type { Condition } from '../../plan/recorded-files.ts';
import type { ResultFate } from '../../plan/result-fate.ts';

export interface Doubt {
  readonly tasks: readonly string[];
  readonly name: string;
  readonly since: string;
  readonly reserved: number;
  /** What is known about the request; undefined if the run ended before an answer. */
  readonly why?: string;
}

export interface Failure {
  readonly task: string;
  readonly why: string;
  /** What a person can do. */
  readonly advice?: string;
}

/** A paid and complete result without a recorded file, which no step downloads. */
export interface Remote {
  readonly tasks: readonly string[];
  readonly project: string;
  /** True with `keep: remote`. */
  readonly meant: boolean;
}

/** A paid and complete result without a recorded file: the next run downloads it. */
export interface Unsaved {
  readonly tasks: readonly string[];
  readonly project: string;
  /**
   * When the result's address expires, ISO 8601. While the project exists, a fresh address is
   * available.
   */
  readonly expires: string;
  /** True if the address has expired, or will within `expiringMs`. */
  readonly soon: boolean;
}

/** A charge that the service raised after its first answer. */
export interface Addition {
  readonly tasks: readonly string[];
  readonly project: string;
  readonly credits: number;
}

export interface Status {
  /** The process that is using the state file now. */
  readonly running?: string;
  readonly runs: number;
  readonly lastRun?: { readonly at: string; readonly ended?: string };
  readonly credits: CreditTotals;
  /** Jobs by step kind, then by state; `withheld`: not bought, because the run stopped or stopped buying. */
  readonly jobs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly outputs: number;
  /** Recorded files that are not here as recorded. Content that was never hashed counts as unchanged. */
  readonly files: FileCounts & {
    /** They were in this checkout, and are gone. */
    readonly lost: number;
  };
  readonly unsaved: readonly Unsaved[];
  readonly remote: readonly Remote[];
  readonly additions: readonly Addition[];
  readonly doubts: readonly Doubt[];
  readonly failures: readonly Failure[];
}

export interface StatusQuestion {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Results whose addresses expire within this time count as pressing, in milliseconds. */
  readonly expiringMs: number;
  /** What the pipeline does with a step's results. */
  readonly fateOf: (step: string) => ResultFate;
  /** The condition of a recorded file; `whole` if its content is anywhere in this checkout. */
  readonly conditionOf: (output: OutputLine) => Condition;
  /** True if the output store has the file. */
  readonly isStored: (output: OutputLine) => boolean;
  /**
   * The process that is using the state file. Then, a request without an answer is in progress, not
   * in doubt.
   */
  readonly running?: string | undefined;
}

export function statusOf(ledger: Ledger, question: StatusQuestion): Status {
  const { now, expiringMs, fateOf, running } = question;
  const jobs: Record<string, Record<string, number>> = {};
  const doubts: Doubt[] = [];
  const unsaved: Unsaved[] = [];
  const remote: Remote[] = [];
  const additions: Addition[] = [];
  const failed: JobLine[] = [];
  const files = new OddFiles(question);
  let outputs = 0;
  for (const job of ledger.jobs()) {
    files.note(job);
    if (isFailed(job)) failed.push(job);
    const states = jobs[job.kind] ?? {};
    const state = isWithheld(job) ? 'withheld' : job.state;
    states[state] = (states[state] ?? 0) + 1;
    jobs[job.kind] = states;
    outputs += (job.outputs ?? []).filter(({ pruned }) => pruned === undefined).length;
    if (job.state === 'doubt' || (job.state === 'intended' && running === undefined))
      doubts.push(doubtOf(job));
    const { added, project = '' } = job;
    if (job.state === 'complete' && (job.outputs?.length ?? 0) === 0 && counts(ledger, job)) {
      const fates = new Set(job.tasks.map((task) => fateOf(stepOf(task))));
      if (fates.has('fetched')) unsaved.push(unsavedOf(job, now + expiringMs));
      else if (!fates.has('used'))
        remote.push({ tasks: job.tasks, project, meant: fates.has('kept') });
    }
    if (added !== undefined) additions.push({ tasks: job.tasks, project, credits: added });
  }
  const last = ledger.runs().at(-1);
  return {
    running,
    runs: ledger.runs().length,
    ...(last === undefined ? {} : { lastRun: { at: last.at, ended: last.ended } }),
    credits: ledger.total,
    jobs,
    outputs,
    files: files.counts(ledger),
    unsaved: unsaved.sort((a, b) => (a.expires < b.expires ? -1 : a.expires > b.expires ? 1 : 0)),
    remote,
    additions,
    doubts,
    failures: standingFailures(ledger, failed).map(failureOf),
  };
}

/** False for a take that is not the picked one: the next run does not save it. */
function counts(ledger: Ledger, { take }: JobLine): boolean {
  return take === undefined || ledger.job(take.of)?.picked?.take === take.number;
}

interface OddFile {
  readonly at: string;
  readonly condition: Condition;
  readonly stored: boolean;
}

/** A path counts once, with its newest record: a later result may have replaced an earlier one. */
class OddFiles {
  readonly #question: StatusQuestion;
  readonly #odd = new Map<string, OddFile>();

  constructor(question: StatusQuestion) {
    this.#question = question;
  }

  note({ at, outputs = [] }: JobLine): void {
    for (const output of outputs) {
      const condition = this.#question.conditionOf(output);
      if (isHere(condition)) continue;
      const known = this.#odd.get(output.path);
      if (known === undefined || known.at < at)
        this.#odd.set(output.path, { at, condition, stored: this.#question.isStored(output) });
    }
  }

  /** A file that one record describes as it is counts as whole, whatever other records say of its path. */
  counts(ledger: Ledger): Status['files'] {
    const odd = this.#odd;
    if (odd.size > 0)
      for (const { outputs = [] } of ledger.jobs())
        for (const output of outputs)
          if (odd.has(output.path) && isHere(this.#question.conditionOf(output)))
            odd.delete(output.path);
    const files = { changed: 0, lost: 0, elsewhere: 0, stored: 0 };
    for (const { condition, stored } of odd.values()) {
      if (condition === 'changed' || condition === 'lost' || condition === 'elsewhere')
        files[condition] += 1;
      if (condition === 'elsewhere' && stored) files.stored += 1;
    }
    return files;
  }
}

const isHere = (condition: Condition): boolean => condition === 'whole' || condition === 'unread';

const doubtOf = (job: JobLine): Doubt => ({
  tasks: job.tasks,
  name: job.name ?? '',
  since: job.at,
  reserved: job.reserve ?? 0,
  why: job.error?.message,
});

function failureOf({ tasks, why, code }: StandingFailure): Failure {
  const advice = adviceFor(code);
  return { task: tasks.join(', '), why, advice };
}

/** interface.md, Project record: an address lasts 24 hours. */
const addressLifetimeMs = 24 * 3_600_000;

function unsavedOf({ tasks, project = '', expires, at }: JobLine, until: number): Unsaved {
  const runsOut = expires ?? new Date(Date.parse(at) + addressLifetimeMs).toISOString();
  return { tasks, project, expires: runsOut, soon: Date.parse(runsOut) <= until };
}
