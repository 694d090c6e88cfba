// An orphan, as `prune` lists and removes it.
import type { Output } from '../../model/record/line.ts';
import type { UndecidedStep } from './references.ts';

/** A recorded file of a job. */
export interface RecordName {
  readonly job: string;
  readonly task: string;
  readonly index: number;
}

interface Common {
  /** The tasks that it was made for. */
  readonly tasks: readonly string[];
  /** When it was last made, saved or set aside, in milliseconds since 1970. */
  readonly at: number;
  /** What the result once cost. */
  readonly credits: number;
}

/** A saved file that is as it was recorded. */
export interface OrphanFile extends Common {
  /** Relative to the pipeline file. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly records: readonly RecordName[];
  /** Nothing is left of the result once `prune` has removed everything that it lists. */
  readonly last: boolean;
}

/** A file in `.shotlist` that a later result replaced. */
export interface OrphanKept extends Common {
  readonly sha256: string;
  readonly extension: string;
  readonly bytes: number;
  /** Projects that must still be at the service: apart from this file, they have the only copy of a result. */
  readonly backedBy: readonly Pick<OrphanProject, 'kind' | 'project'>[];
  /** The records that no other file here has. */
  readonly records: readonly RecordName[];
  readonly last: boolean;
}

/** A finished project whose files are saved. */
export interface OrphanProject extends Common {
  readonly job: string;
  readonly kind: string;
  readonly project: string;
  /** Files that only the output store has. */
  readonly onlyStored: readonly Output[];
}

/** What looks like an orphan, and is left alone: numbers of results, or of files. */
export interface LeftAlone {
  /** Files that somebody changed, relative to the pipeline file. */
  readonly changed: readonly string[];
  /** Steps that a run must decide first, where recorded results wait for that. */
  readonly undecided: readonly UndecidedStep[];
  /** Results of steps that read `run`. */
  readonly history: number;
  /** Results of items that may be only out of sight. */
  readonly unseen: number;
  /** Projects whose results are not saved here. */
  readonly unsaved: number;
  /** Projects that `keep: remote` leaves at the service. */
  readonly remote: number;
  /** Kept files that are the only copy of a result whose task the pipeline still has. */
  readonly lastCopies: number;
  /** Kept files that the state file does not know. */
  readonly unrecorded: number;
  /** Files outside the output folder, or behind a link. */
  readonly outside: number;
  /** What another state file in the folder records too. */
  readonly shared: number;
}

export interface Orphans {
  readonly files: readonly OrphanFile[];
  readonly kept: readonly OrphanKept[];
  readonly projects: readonly OrphanProject[];
  readonly left: LeftAlone;
}

export const noOrphans: Orphans = {
  files: [],
  kept: [],
  projects: [],
  left: {
    changed: [],
    undecided: [],
    history: 0,
    unseen: 0,
    unsaved: 0,
    remote: 0,
    lastCopies: 0,
    unrecorded: 0,
    outside: 0,
    shared: 0,
  },
};

/** The counts that a plan shows. */
export interface OrphanCounts {
  readonly files: number;
  readonly bytes: number;
  readonly kept: number;
  readonly keptBytes: number;
  readonly projects: number;
}

const bytesOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

export const orphanCounts = ({ files, kept, projects }: Orphans): OrphanCounts => ({
  files: files.length,
  bytes: bytesOf(files),
  kept: kept.length,
  keptBytes: bytesOf(kept),
  projects: projects.length,
});

/** The results of which nothing will be left, and what they cost. */
export function lostForGood({ files, kept }: Orphans): { results: number; credits: number } {
  const jobs = new Map<string, number>();
  for (const { records, last, credits } of [...files, ...kept])
    if (last) for (const { job } of records.slice(0, 1)) jobs.set(job, credits);
  return { results: jobs.size, credits: [...jobs.values()].reduce((sum, one) => sum + one, 0) };
}

export type Orphan = OrphanFile | OrphanKept | OrphanProject;

export const orphansOf = ({ files, kept, projects }: Orphans): readonly Orphan[] => [
  ...files,
  ...kept,
  ...projects,
];

/** Only the orphans that a rule accepts. */
export function orphansWhere(
  { files, kept, projects, left }: Orphans,
  accepts: (orphan: Orphan) => boolean,
): Orphans {
  return {
    files: files.filter(accepts),
    kept: kept.filter(accepts),
    projects: projects.filter(accepts),
    left,
  };
}
