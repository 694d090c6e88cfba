// The rebuilder: decides whether a task is needed, and why. `plan` asks with what is known now, and `run` asks when the
// task is ready, so the two cannot disagree.

import { worthAnotherAttempt } from '../contract/api/failure.ts';
import type { Facts, OutputFacts } from '../core/disk-facts.ts';
import type { FileCounts } from '../core/file-counts.ts';
import { wantedPath } from '../core/output-path.ts';
import {
  allStored,
  askedCount,
  conditionOf,
  downloadCount,
  filesElsewhere,
  isComplete,
  isSomewhere,
  isStored,
  keptCopy,
  wholeCopies,
} from '../core/recorded-files.ts';
import type { JobLine, OutputLine } from '../model/line.ts';
import type { Reason } from './reason.ts';
import type { TakeChoice } from './takes.ts';

export type Decision =
  /** Done before, by this task or by another task with the same content. `files`: those of a download, unless all are whole. */
  | { readonly act: 'reuse'; readonly reason: Reason; readonly files?: FileCounts }
  /** Must be done. For a tool, this costs credits. */
  | { readonly act: 'begin'; readonly reason: Reason }
  /** Already paid: the run only waits for the result. */
  | { readonly act: 'attach'; readonly reason: Reason }
  /** A local file already has the result, so it is copied to another place. */
  | { readonly act: 'copy'; readonly reason: Reason; readonly sources: readonly OutputLine[] }
  /** The files are here, and the store does not have these yet. */
  | { readonly act: 'store'; readonly reason: Reason; readonly sources: readonly OutputLine[] }
  /** Perhaps paid; nobody knows. Only a person can resolve it. */
  | { readonly act: 'doubt'; readonly reason: Reason }
  /** The result is lost here and at the service. To pay for it again requires the user's permission. */
  | { readonly act: 'lost'; readonly reason: Reason }
  /** Must not be done in the current state: a failure. */
  | { readonly act: 'keep'; readonly reason: Reason }
  /** Left to the checkout that has the files. No failure. */
  | { readonly act: 'defer'; readonly reason: Reason };

/** upload, face-detect: free, and done once. Stale values are refreshed when a step that needs them begins. */
export function decideSupply(job: JobLine | undefined): Decision {
  return job?.state === 'supplied'
    ? { act: 'reuse', reason: { code: 'same-content' } }
    : { act: 'begin', reason: { code: 'new-content' } };
}

export function decideCreate(job: JobLine | undefined): Decision {
  switch (job?.state) {
    case undefined:
      return { act: 'begin', reason: { code: 'new-request' } };
    case 'failed':
      return { act: 'begin', reason: { code: 'failed-before', error: job.error?.code } };
    case 'forgotten':
      return { act: 'begin', reason: { code: 'forgotten' } };
    case 'created':
      return { act: 'attach', reason: { code: 'paid-already', project: job.project } };
    case 'complete':
      return { act: 'reuse', reason: { code: 'same-request' } };
    case 'deleted':
      // What it had is not known: it was gone before anybody saw its end.
      return job.result === undefined && job.outputs === undefined
        ? { act: 'lost', reason: { code: 'gone-unseen' } }
        : { act: 'reuse', reason: { code: 'same-request' } };
    case 'intended':
    case 'doubt':
      return { act: 'doubt', reason: { code: 'in-doubt' } };
    case 'supplied':
      throw new Error(`bug: a tool's job is "supplied" (${job.job})`);
  }
}

/** A creation, by the take that counts. A reroll saves the take too, so without its files it is not done. */
export function decideTake({ number, saveTo }: TakeChoice, job: JobLine | undefined): Decision {
  const decision = decideCreate(job);
  if (saveTo === undefined) return decision;
  if (decision.act === 'begin')
    return { ...decision, reason: { code: 'take-asked', take: number } };
  return decision.act === 'reuse' && job?.state === 'complete' && !isComplete(job)
    ? { act: 'attach', reason: { code: 'take-not-saved', take: number } }
    : decision;
}

export interface DownloadQuestion {
  readonly task: string;
  readonly to: string;
  /** The job of the step that the task refers to. */
  readonly job: JobLine;
  /** True if every file must be in this checkout. */
  readonly required: boolean;
  /** Files of the job that are on this machine, outside this checkout, or in the store. */
  readonly copies?: () => readonly OutputLine[];
}

export function decideDownload(question: DownloadQuestion, facts: Facts): Decision {
  const { task, to, job, required, copies } = question;
  const recorded = job.outputs ?? [];
  const count = downloadCount(job);
  const own = recorded.filter((output) => {
    const wanted = output.task === task ? wantedPath(output, to, count) : undefined;
    return wanted !== undefined && facts.recordedAs(wanted) === output.path;
  });
  const states = own.map((output) => standingOf(output, facts));
  const fine: readonly Standing[] = [
    'whole',
    'edited',
    ...(required ? [] : ['elsewhere' as const]),
  ];
  if (count > 0 && own.length === count && states.every((state) => fine.includes(state)))
    return unstored(own, facts) ?? reused(own, states, facts);
  const spare = wholeCopies(job, facts);
  if (spare !== undefined && spare.length > 0)
    return { act: 'copy', reason: { code: 'at-other-place' }, sources: spare };
  if (job.state !== 'deleted') return { act: 'begin', reason: { code: codeAgain(states) } };
  const others = count === 0 ? [] : (copies?.() ?? []);
  if (count > 0 && others.length === count)
    return { act: 'copy', reason: { code: 'saved-by-other-run' }, sources: others };
  const [away] = filesElsewhere(job, facts) ?? [];
  if (away !== undefined)
    return { act: 'lost', reason: { code: 'deleted-and-elsewhere', path: away.path } };
  if (job.adopted !== undefined && recorded.length === 0)
    return { act: 'lost', reason: { code: 'deleted-and-no-copy' } };
  const pruned = recorded.find((output) => conditionOf(output, facts) === 'pruned')?.pruned;
  return pruned === undefined
    ? { act: 'lost', reason: { code: 'deleted-and-gone' } }
    : { act: 'lost', reason: { code: 'deleted-and-pruned', at: pruned } };
}

/**
 * The state of a recorded file. `superseded`: another result of ours replaced it, and it was kept. `edited`: somebody
 * changed it, which they may do.
 */
type Standing = 'whole' | 'lost' | 'elsewhere' | 'superseded' | 'edited' | 'pruned';

function standingOf(output: OutputLine, facts: Facts): Standing {
  const condition = conditionOf(output, facts);
  if (condition === 'changed') return keptCopy(output, facts) ? 'superseded' : 'edited';
  if (condition === 'elsewhere' && keptCopy(output, facts)) return 'superseded';
  return condition === 'unread' ? 'whole' : condition;
}

/** Files that are here and that the store of this run lacks. */
function unstored(own: readonly OutputLine[], facts: Facts): Decision | undefined {
  if (facts.store === undefined) return undefined;
  const sources = own.filter(
    (output) => standingOf(output, facts) === 'whole' && !isStored(output, facts),
  );
  if (sources.length === 0) return undefined;
  return { act: 'store', reason: { code: 'not-in-store-yet' }, sources };
}

function reused(
  own: readonly OutputLine[],
  states: readonly Standing[],
  facts: OutputFacts,
): Decision {
  const numberOf = (state: Standing): number => states.filter((one) => one === state).length;
  const stored = own.filter(
    (output, index) => states[index] === 'elsewhere' && isStored(output, facts),
  ).length;
  const files = { changed: numberOf('edited'), elsewhere: numberOf('elsewhere'), stored };
  if (files.elsewhere > 0) {
    const isFetchable = own.every((one) => isSomewhere(one, facts) || isStored(one, facts));
    const code = isFetchable ? 'in-store' : 'in-other-checkout';
    return { act: 'reuse', reason: { code }, files };
  }
  if (files.changed > 0) return { act: 'reuse', reason: { code: 'changed-on-disk' }, files };
  return { act: 'reuse', reason: { code: 'downloaded-before' } };
}

function codeAgain(states: readonly Standing[]) {
  if (states.length === 0) return 'not-downloaded-yet';
  if (states.includes('elsewhere') && !states.includes('lost')) return 'required-here';
  return states.includes('pruned') ? 'file-pruned' : 'file-gone';
}

export interface DeleteQuestion {
  readonly job: JobLine;
  /** The downloads of the project beside the delete: each must have its files. */
  readonly savers: readonly string[];
  /** True if the result is discarded on purpose. */
  readonly discard: boolean;
}

/**
 * Promise 2: a project is deleted only after its files are on disk, verified and recorded. With a store, also after they
 * are in the store: the disk of a machine in CI does not last. Files that only the store has are enough.
 */
export function decideDelete({ job, savers, discard }: DeleteQuestion, facts: Facts): Decision {
  if (job.state === 'deleted') return { act: 'reuse', reason: { code: 'deleted-before' } };
  if (job.state !== 'complete')
    return { act: 'keep', reason: { code: 'not-complete', state: job.state } };
  // Whoever paid for it may not have saved it yet.
  if (discard && job.adopted !== undefined)
    return { act: 'defer', reason: { code: 'paid-by-another' } };
  if (discard) return { act: 'begin', reason: { code: 'discarded' } };
  const savedBy = (task: string): readonly OutputLine[] =>
    (job.outputs ?? []).filter((output) => output.task === task);
  // A result that was held back is at the service alone. One that was late may have been saved since.
  const asked = askedCount(job);
  const isSaved = (count: number): boolean =>
    savers.length > 0 && savers.every((task) => savedBy(task).length >= count);
  if (asked !== undefined && !isSaved(asked))
    return { act: 'keep', reason: { code: 'fewer-results', listed: downloadCount(job), asked } };
  const unproved = job.outputs?.find(
    (output) => output.unproved === true && (savers.length === 0 || savers.includes(output.task)),
  );
  if (unproved !== undefined)
    return { act: 'keep', reason: { code: 'unproved-file', path: unproved.path } };
  let away = false;
  for (const task of savers) {
    const own = savedBy(task);
    if (own.length < downloadCount(job))
      return { act: 'keep', reason: { code: 'saver-without-files', task } };
    for (const output of own.filter((one) => !isSomewhere(one, facts) && !isStored(one, facts))) {
      const condition = conditionOf(output, facts);
      if (condition !== 'elsewhere')
        return {
          act: 'keep',
          reason: { code: 'saved-file-not-whole', path: output.path, condition },
        };
      away = true;
    }
    const waiting =
      facts.store === undefined ? undefined : own.find((one) => !isStored(one, facts));
    if (waiting !== undefined && !away)
      return { act: 'keep', reason: { code: 'saved-file-not-in-store', path: waiting.path } };
  }
  // The items download the result of a shared step: every file must be somewhere, whichever task saved it.
  if (savers.length === 0) {
    if ((wholeCopies(job, facts)?.length ?? 0) < downloadCount(job)) {
      if (filesElsewhere(job, facts) === undefined)
        return { act: 'keep', reason: { code: 'no-files-on-disk' } };
      away = true;
    } else if (facts.store !== undefined && !allStored(job, facts))
      return { act: 'keep', reason: { code: 'not-all-in-store' } };
  }
  return away
    ? { act: 'defer', reason: { code: 'files-elsewhere' } }
    : { act: 'begin', reason: { code: 'files-safe' } };
}

// Which failed creations `shotlist tick` does not repeat: nobody watches it, and the same request would fail again.

/** The service will answer the same request in the same way. */
const lastingFailures: readonly string[] = [
  'refused',
  'not-found',
  'expired',
  'forbidden',
  'canceled',
];

/** Why a failed job is left to a person; undefined if it may begin again. `attempts`: `retry:` of its step. */
export function finalFailure(job: JobLine | undefined, attempts: number): string | undefined {
  if (job?.state !== 'failed' || job.error === undefined) return undefined;
  const { code, message } = job.error;
  const ended = job.project !== undefined;
  const final = ended
    ? !worthAnotherAttempt(code) || job.attempt >= attempts
    : lastingFailures.includes(code);
  return final ? `${code}: ${message}` : undefined;
}
