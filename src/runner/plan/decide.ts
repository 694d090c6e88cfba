// The rebuilder: decides whether a task is needed, and why. `plan` asks with what is known now, and `run` asks when the
// task is ready, so the two cannot disagree.
import type { JobLine, OutputLine } from '../journal/line.ts';
import type { Facts, OutputFacts } from './facts.ts';
import { wantedPath } from './output-path.ts';
import {
  allStored,
  type Condition,
  conditionOf,
  downloadCount,
  filesElsewhere,
  isSomewhere,
  isStored,
  keptCopy,
  wholeCopies,
} from './recorded-files.ts';
import { isComplete, type TakeChoice } from './takes.ts';

export type Decision =
  /** Done before, by this task or by another task with the same content. `files`: those of a download, unless all are whole. */
  | { readonly act: 'reuse'; readonly why: string; readonly files?: FileCounts }
  /** Must be done. For a tool, this costs credits. */
  | { readonly act: 'begin'; readonly why: string }
  /** Already paid: the run only waits for the result. */
  | { readonly act: 'attach'; readonly why: string }
  /** A local file already has the result, so it is copied to another place. */
  | { readonly act: 'copy'; readonly why: string; readonly sources: readonly OutputLine[] }
  /** The files are here, and the store does not have these yet. */
  | { readonly act: 'store'; readonly why: string; readonly sources: readonly OutputLine[] }
  /** Perhaps paid; nobody knows. Only a person can resolve it. */
  | { readonly act: 'doubt'; readonly why: string }
  /** The result is lost here and at the service. To pay for it again requires the user's permission. */
  | { readonly act: 'lost'; readonly why: string }
  /** Must not be done in the current state: a failure. */
  | { readonly act: 'keep'; readonly why: string }
  /** Left to the checkout that has the files. No failure. */
  | { readonly act: 'defer'; readonly why: string };

export type Act = Decision['act'];

/** Recorded files that a run reuses although they are not here as recorded. */
export interface FileCounts {
  /** Somebody changed their content. */
  readonly changed: number;
  /** Another checkout saved them, and they have never been in this one; or the store has them. */
  readonly elsewhere: number;
  /** Those of them that the store has. */
  readonly stored: number;
}

export const sumOf = (one: FileCounts, other: FileCounts): FileCounts => ({
  changed: one.changed + other.changed,
  elsewhere: one.elsewhere + other.elsewhere,
  stored: one.stored + other.stored,
});

/** upload, face-detect: free, and done once. Stale values are refreshed when a step that needs them begins. */
export function decideSupply(job: JobLine | undefined): Decision {
  return job?.state === 'supplied'
    ? { act: 'reuse', why: 'same content as before' }
    : { act: 'begin', why: 'new content' };
}

export function decideCreate(job: JobLine | undefined): Decision {
  switch (job?.state) {
    case undefined:
      return { act: 'begin', why: 'new content or parameters' };
    case 'failed':
      return { act: 'begin', why: `the last attempt failed: ${job.error?.code ?? 'unknown'}` };
    case 'forgotten':
      return { act: 'begin', why: 'forgotten, so it runs again' };
    case 'created':
      return { act: 'attach', why: `paid already: project ${job.project}` };
    case 'complete':
    case 'deleted':
      return { act: 'reuse', why: 'same content and parameters as before' };
    case 'intended':
    case 'doubt':
      return {
        act: 'doubt',
        // The same for all, so that many are one line: status has the name of each.
        why: 'in doubt: the answer to its creation was lost, and nobody has said what became of it',
      };
    case 'supplied':
      throw new Error(`bug: a tool's job is "supplied" (${job.job})`);
  }
}

/** A creation, by the take that counts. A reroll saves the take too, so without its files it is not done. */
export function decideTake({ number, saveTo }: TakeChoice, job: JobLine | undefined): Decision {
  const decision = decideCreate(job);
  if (saveTo === undefined) return decision;
  if (decision.act === 'begin') return { ...decision, why: `take ${number}, as reroll asks` };
  return decision.act === 'reuse' && job?.state === 'complete' && !isComplete(job)
    ? { act: 'attach', why: `take ${number} is paid already, and not saved yet` }
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
    return { act: 'copy', why: 'downloaded before to another place', sources: spare };
  if (job.state !== 'deleted') return { act: 'begin', why: whyAgain(states) };
  const others = count === 0 ? [] : (copies?.() ?? []);
  if (count > 0 && others.length === count)
    return { act: 'copy', why: 'paid and saved by another run on this machine', sources: others };
  const [away] = filesElsewhere(job, facts) ?? [];
  if (away !== undefined)
    return { act: 'lost', why: `its project was deleted and ${elsewhereHint(away.path)}` };
  if (job.adopted !== undefined && recorded.length === 0)
    return {
      act: 'lost',
      why: 'its project was deleted, and no copy of its files is on this machine',
    };
  const pruned = recorded.find((output) => conditionOf(output, facts) === 'pruned')?.pruned;
  const gone = pruned === undefined ? 'is gone or changed' : `was pruned on ${pruned.slice(0, 10)}`;
  return { act: 'lost', why: `its project was deleted and the downloaded file ${gone}` };
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
  return { act: 'store', why: 'downloaded before, and not in the store yet', sources };
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
    const who = isFetchable ? 'the store has it' : 'another checkout saved it';
    return { act: 'reuse', why: `elsewhere: ${who}`, files };
  }
  if (files.changed > 0)
    return { act: 'reuse', why: 'downloaded before, and changed on disk since: left alone', files };
  return { act: 'reuse', why: 'downloaded before' };
}

function whyAgain(states: readonly Standing[]): string {
  if (states.length === 0) return 'not downloaded yet';
  if (states.includes('elsewhere') && !states.includes('lost'))
    return 'its file is elsewhere, and this run requires it here';
  return states.includes('pruned') ? 'its file was pruned' : 'its file is gone';
}

/** The end of a sentence about a file that must be here. */
export const elsewhereHint = (path: string): string =>
  `${path} is elsewhere: copy the file here from the checkout that saved it`;

const conditionText: Readonly<Record<Exclude<Condition, 'elsewhere'>, string>> = {
  whole: 'whole',
  unread: 'not read yet',
  changed: 'changed on disk',
  lost: 'lost',
  pruned: 'pruned',
};

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
  if (job.state === 'deleted') return { act: 'reuse', why: 'deleted before' };
  if (job.state !== 'complete') return { act: 'keep', why: `its project is ${job.state}` };
  if (discard) return { act: 'begin', why: 'its result is discarded on purpose' };
  let away = false;
  for (const task of savers) {
    const own = (job.outputs ?? []).filter((output) => output.task === task);
    if (own.length < downloadCount(job))
      return { act: 'keep', why: `kept: ${task} has not downloaded it` };
    for (const output of own.filter((one) => !isSomewhere(one, facts) && !isStored(one, facts))) {
      const condition = conditionOf(output, facts);
      if (condition !== 'elsewhere')
        return { act: 'keep', why: `kept: ${output.path} is ${conditionText[condition]}` };
      away = true;
    }
    const waiting =
      facts.store === undefined ? undefined : own.find((one) => !isStored(one, facts));
    if (waiting !== undefined && !away)
      return { act: 'keep', why: `kept: the store does not have ${waiting.path} yet` };
  }
  // The items download the result of a shared step: every file must be somewhere, whichever task saved it.
  if (savers.length === 0) {
    if ((wholeCopies(job, facts)?.length ?? 0) < downloadCount(job)) {
      if (filesElsewhere(job, facts) === undefined)
        return { act: 'keep', why: 'kept: no download has its files on disk' };
      away = true;
    } else if (facts.store !== undefined && !allStored(job, facts))
      return { act: 'keep', why: 'kept: the store does not have all its files yet' };
  }
  return away
    ? { act: 'defer', why: 'kept: its files are elsewhere' }
    : { act: 'begin', why: 'its files are safe' };
}
