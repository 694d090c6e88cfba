// Where the recorded files of a job are: in this checkout, in the store, elsewhere, or nowhere.
import { extensionOf } from '../contract/api/asset.ts';
import type { JobView } from '../model/job-view.ts';
import type { Output } from '../model/record/line.ts';
import { resultsOf } from './decide.ts';
import { type FileFact, isKept, isStored, type OutputFacts } from './facts.ts';
import type { Disk, Place } from './ports.ts';

/** The number of downloads of a complete job. */
export const downloadCount = (job: Pick<JobView, 'result'>): number => resultsOf(job) ?? 0;

/**
 * The files that only the store has, if every download of a job is safe here or in the store; undefined if some are not,
 * or if it has none.
 */
export function filesNotHere(
  job: JobView,
  isHere: (output: Output) => boolean,
  facts: OutputFacts,
): readonly Output[] | undefined {
  const found: Output[] = [];
  const count = downloadCount(job);
  for (let index = 0; index < count; index++) {
    const recorded = job.outputs.filter((output) => output.index === index);
    if (recorded.some(isHere)) continue;
    const stored = recorded.find((output) => isStored(output, facts));
    if (stored === undefined) return undefined;
    found.push(stored);
  }
  return count === 0 ? undefined : found;
}

/** True if the content is in this checkout: in its place, or kept. */
export const isSomewhere = (output: Output, facts: OutputFacts): boolean =>
  conditionOf(output, facts) === 'whole' || isKept(output, facts);

/**
 * The condition of a recorded file. `unread`: the content must be hashed before a decision. `lost`: it was here, and is
 * gone or cannot be read. `elsewhere`: another checkout saved it, and it has never been here, or the store has it.
 * `pruned`: `shotlist prune` removed it, whatever is in its place now.
 */
export type Condition = 'whole' | 'unread' | 'changed' | 'lost' | 'elsewhere' | 'pruned';

export function conditionOf(output: Output, facts: OutputFacts): Condition {
  const fact = facts.output(output.path);
  const pruned = output.pruned !== undefined;
  if (fact.is === 'absent') {
    if (isStored(output, facts)) return 'elsewhere';
    if (pruned) return 'pruned';
    return facts.isElsewhere(output) ? 'elsewhere' : 'lost';
  }
  if (fact.bytes === output.bytes && fact.digest === undefined) return 'unread';
  if (fact.bytes === output.bytes && fact.digest === output.sha256) return 'whole';
  return pruned ? 'pruned' : 'changed';
}

/** The place of an intact copy of a recorded output: its own, or among the kept files. */
export function placeOf(output: Output, facts: OutputFacts): Place {
  return conditionOf(output, facts) === 'whole'
    ? { in: 'output', path: output.path }
    : { in: 'kept', digest: output.sha256, extension: extensionOf(output.path) };
}

/** Asks about files, and reads those whose content decides, until the answer is certain. One that cannot be read is absent. */
export async function certainly<T>(
  disk: OutputFacts & Pick<Disk, 'digest'>,
  ask: (facts: OutputFacts) => T,
): Promise<T> {
  const unreadable = new Map<string, string>();
  for (;;) {
    const unread = new Map<string, Place>();
    const noted = (fact: FileFact, place: Place): FileFact => {
      if (fact.is === 'absent' || fact.digest !== undefined || fact.bytes === 0) return fact;
      const key = JSON.stringify(place);
      const why = unreadable.get(key);
      if (why !== undefined) return { is: 'absent', why };
      if (fact.unusable === undefined) unread.set(key, place);
      return fact;
    };
    const answer = ask({
      store: disk.store,
      output: (path) => noted(disk.output(path), { in: 'output', path }),
      isElsewhere: (output) => disk.isElsewhere(output),
      kept: (digest, extension) =>
        noted(disk.kept(digest, extension), { in: 'kept', digest, extension }),
    });
    if (unread.size === 0) return answer;
    for (const [key, place] of unread) {
      const read = await disk.digest(place);
      if (!read.ok) unreadable.set(key, read.error);
    }
  }
}
