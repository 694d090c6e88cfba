// The rebuilder: decides whether a task is needed, and why. `plan` asks with what is known now, and `run` asks when the
// task is ready, so the two cannot disagree.
import { extensionOf } from '../../contract/api/asset.ts';
import type { JobLine, OutputLine } from '../journal/line.ts';
import type { Facts } from './facts.ts';
import { wantedPath } from './output-path.ts';

export type Decision =
  /** Done before, by this task or by another task with the same content. */
  | { readonly act: 'reuse'; readonly why: string }
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
  /** Must not be done in the current state. */
  | { readonly act: 'keep'; readonly why: string };

export type Act = Decision['act'];

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
        why: `in doubt: a creation named "${job.name}" was begun ${job.at} and its outcome is not known`,
      };
    case 'supplied':
      throw new Error(`bug: a tool's job is "supplied" (${job.job})`);
  }
}

export interface DownloadQuestion {
  readonly task: string;
  readonly to: string;
  /** The job of the step that the task refers to. */
  readonly job: JobLine;
}

export function decideDownload({ task, to, job }: DownloadQuestion, facts: Facts): Decision {
  const recorded = job.outputs ?? [];
  const count = downloadCount(job);
  const own = recorded.filter((output) => {
    const wanted = output.task === task ? wantedPath(output, to, count) : undefined;
    return wanted !== undefined && facts.recordedAs(wanted) === output.path;
  });
  if (count > 0 && own.length === count) {
    const states = own.map((output) => standingOf(output, facts));
    const sources = own.filter(
      (output, index) => states[index] === 'whole' && !isStored(output, facts),
    );
    if (states.every((state) => state === 'whole' || state === 'edited' || state === 'stored')) {
      if (facts.store !== undefined && sources.length > 0)
        return { act: 'store', why: 'downloaded before, and not in the store yet', sources };
      if (states.includes('edited'))
        return { act: 'reuse', why: 'downloaded before, and changed on disk since: left alone' };
      const where = states.includes('stored') ? ': the store has it' : '';
      return { act: 'reuse', why: `downloaded before${where}` };
    }
  }
  const spare = wholeCopies(job, facts);
  if (spare !== undefined && spare.length > 0)
    return { act: 'copy', why: 'downloaded before to another place', sources: spare };
  if (job.state !== 'deleted')
    return { act: 'begin', why: own.length > 0 ? 'its file is gone' : 'not downloaded yet' };
  return { act: 'lost', why: 'its project was deleted and the downloaded file is gone or changed' };
}

/**
 * The state of a recorded file. `stored`: not here, and the store has it. `superseded`: another result of ours replaced it, and it was kept. `edited`: somebody
 * changed it, which they may do.
 */
function standingOf(
  output: OutputLine,
  facts: Facts,
): 'whole' | 'absent' | 'stored' | 'superseded' | 'edited' {
  const condition = conditionOf(output, facts);
  if (condition === 'absent') return isStored(output, facts) ? 'stored' : 'absent';
  if (condition === 'changed') return keptCopy(output, facts) ? 'superseded' : 'edited';
  return 'whole';
}

/** The number of downloads of a complete job, from the journal. */
export function downloadCount(job: JobLine): number {
  const count = job.result?.['downloads'];
  return typeof count === 'number' ? count : 0;
}

/**
 * One intact recorded file for each of a job's downloads, under any task or path: on this disk, else in the store;
 * undefined if some are missing.
 */
export function wholeCopies(job: JobLine, facts: Facts): readonly OutputLine[] | undefined {
  const found: OutputLine[] = [];
  for (let index = 0; index < downloadCount(job); index++) {
    const all = (job.outputs ?? []).filter((output) => output.index === index);
    const copy =
      all.find((output) => isHere(output, facts)) ?? all.find((output) => isStored(output, facts));
    if (copy === undefined) return undefined;
    found.push(copy);
  }
  return found;
}

/** True if the file is on this disk, at its place or among the kept files. */
export const isHere = (output: OutputLine, facts: Facts): boolean =>
  conditionOf(output, facts) === 'whole' || keptCopy(output, facts);

/** True if the store of this run has the file, as far as is recorded. */
export const isStored = ({ stored }: OutputLine, { store }: Facts): boolean =>
  store !== undefined && stored === store;

/** True if a replaced output is kept under its hash. */
export function keptCopy(output: OutputLine, facts: Facts): boolean {
  return facts.kept(output.sha256, extensionOf(output.path)).is === 'file';
}

/** `unread`: the content must be hashed before a decision. */
export type Condition = 'whole' | 'absent' | 'changed' | 'unread';

export function conditionOf(output: OutputLine, facts: Facts): Condition {
  const fact = facts.output(output.path);
  if (fact.is === 'absent') return 'absent';
  if (fact.bytes !== output.bytes) return 'changed';
  if (fact.digest === undefined) return 'unread';
  return fact.digest === output.sha256 ? 'whole' : 'changed';
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
  if (job.state === 'deleted') return { act: 'reuse', why: 'deleted before' };
  if (job.state !== 'complete') return { act: 'keep', why: `its project is ${job.state}` };
  if (discard) return { act: 'begin', why: 'its result is discarded on purpose' };
  for (const task of savers) {
    const own = (job.outputs ?? []).filter((output) => output.task === task);
    if (own.length < downloadCount(job))
      return { act: 'keep', why: `kept: ${task} has not downloaded it` };
    const bad = own.find((output) => !isHere(output, facts) && !isStored(output, facts));
    if (bad !== undefined)
      return { act: 'keep', why: `kept: ${bad.path} is ${conditionOf(bad, facts)} on disk` };
    const unstored = own.find((output) => !isStored(output, facts));
    if (facts.store !== undefined && unstored !== undefined)
      return { act: 'keep', why: `kept: the store does not have ${unstored.path} yet` };
  }
  // The items download the result of a shared step: every file must be somewhere, whichever task saved it.
  if (savers.length === 0) {
    const copies = wholeCopies(job, facts) ?? [];
    if (copies.length < downloadCount(job))
      return { act: 'keep', why: 'kept: no download has its files on disk' };
    if (facts.store !== undefined && !allStored(job, facts))
      return { act: 'keep', why: 'kept: the store does not have all its files yet' };
  }
  return { act: 'begin', why: 'its files are safe' };
}

function allStored(job: JobLine, facts: Facts): boolean {
  const stored = (job.outputs ?? []).filter((output) => isStored(output, facts));
  return new Set(stored.map(({ index }) => index)).size >= downloadCount(job);
}
