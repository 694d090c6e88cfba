// The rebuilder: is a task needed, and why? Asked by `plan` with what is known now and by `run` when the task
// is ready, so that the two cannot disagree.
import { extensionOf } from '../../contract/api/asset.ts';
import type { JobLine, OutputLine } from '../journal/line.ts';
import type { Facts } from './facts.ts';
import { wantedPath } from './output-path.ts';

export type Decision =
  /** Done before, by this task or another with the same content. */
  | { readonly act: 'reuse'; readonly why: string }
  /** Needs doing. For a tool this is what costs credits. */
  | { readonly act: 'begin'; readonly why: string }
  /** Paid already: only its result is waited for. */
  | { readonly act: 'attach'; readonly why: string }
  /** The result is in a local file already: only its place is new. */
  | { readonly act: 'copy'; readonly why: string; readonly sources: readonly OutputLine[] }
  /** It may have been paid; nobody knows. Only a person moves it. */
  | { readonly act: 'doubt'; readonly why: string }
  /** The result is gone here and there: it would have to be paid again, which needs a person's word. */
  | { readonly act: 'lost'; readonly why: string }
  /** Must not be done as things are. */
  | { readonly act: 'keep'; readonly why: string };

export type Act = Decision['act'];

/** upload, face-detect: free, done once; stale values are renewed when something that needs them begins. */
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
      return { act: 'begin', why: 'forgotten: it is made again' };
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
  /** The job of the step that it is of. */
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
    if (states.every((state) => state === 'whole' || state === 'edited'))
      return states.includes('edited')
        ? { act: 'reuse', why: 'downloaded before, and changed on disk since: left alone' }
        : { act: 'reuse', why: 'downloaded before' };
  }
  const spare = wholeCopies(job, facts);
  if (spare !== undefined && spare.length > 0)
    return { act: 'copy', why: 'downloaded before to another place', sources: spare };
  if (job.state !== 'deleted')
    return { act: 'begin', why: own.length > 0 ? 'its file is gone' : 'not downloaded yet' };
  return { act: 'lost', why: 'its project was deleted and the downloaded file is gone or changed' };
}

/**
 * What became of a file in its place. `superseded`: another result of ours took the place, and this one was kept.
 * `edited`: somebody changed it, which is theirs to do.
 */
function standingOf(
  output: OutputLine,
  facts: Facts,
): 'whole' | 'absent' | 'superseded' | 'edited' {
  const condition = conditionOf(output, facts);
  if (condition === 'absent') return 'absent';
  if (condition === 'changed') return keptCopy(output, facts) ? 'superseded' : 'edited';
  return 'whole';
}

/** How many downloads a complete job has, as the journal keeps it. */
export function downloadCount(job: JobLine): number {
  const count = job.result?.['downloads'];
  return typeof count === 'number' ? count : 0;
}

/** One whole recorded file for each of a job's downloads, under whatever task or path; undefined: not all. */
export function wholeCopies(job: JobLine, facts: Facts): readonly OutputLine[] | undefined {
  const found: OutputLine[] = [];
  for (let index = 0; index < downloadCount(job); index++) {
    const whole = (job.outputs ?? []).find(
      (output) => output.index === index && isSomewhere(output, facts),
    );
    if (whole === undefined) return undefined;
    found.push(whole);
  }
  return found;
}

const isSomewhere = (output: OutputLine, facts: Facts): boolean =>
  conditionOf(output, facts) === 'whole' || keptCopy(output, facts);

/** An output whose place was taken by another is kept under its hash. */
export function keptCopy(output: OutputLine, facts: Facts): boolean {
  return facts.kept(output.sha256, extensionOf(output.path)).is === 'file';
}

/** `unread`: its content must be hashed before anything can be said. */
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
  /** The tasks beside it that download the project: each must have its files. */
  readonly savers: readonly string[];
  /** The result is thrown away on purpose. */
  readonly discard: boolean;
}

/** Promise 2: a project is deleted only after its files are on disk, verified and recorded. */
export function decideDelete({ job, savers, discard }: DeleteQuestion, facts: Facts): Decision {
  if (job.state === 'deleted') return { act: 'reuse', why: 'deleted before' };
  if (job.state !== 'complete') return { act: 'keep', why: `its project is ${job.state}` };
  if (discard) return { act: 'begin', why: 'its result is thrown away on purpose' };
  for (const task of savers) {
    const own = (job.outputs ?? []).filter((output) => output.task === task);
    if (own.length < downloadCount(job))
      return { act: 'keep', why: `kept: ${task} has not downloaded it` };
    const bad = own.find(
      (output) => conditionOf(output, facts) !== 'whole' && !keptCopy(output, facts),
    );
    if (bad !== undefined)
      return { act: 'keep', why: `kept: ${bad.path} is ${conditionOf(bad, facts)} on disk` };
  }
  // The items download what a shared step made: every file must be somewhere, whoever fetched it.
  if (savers.length === 0 && (wholeCopies(job, facts)?.length ?? 0) < downloadCount(job))
    return { act: 'keep', why: 'kept: no download has its files on disk' };
  return { act: 'begin', why: 'its files are safe' };
}
