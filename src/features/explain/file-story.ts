// The story of a file: where it comes from, by the state files that record its content.
import type { Header, JobLine, OutputLine, PastAttempt, RunLine } from '../../model/line.ts';
import { itemOf, stepOf } from '../../model/task.ts';
import type { Origin } from '../provenance/origin.ts';

export interface FileStory {
  /** As the user named it. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Results with this content. */
  readonly results: readonly ResultStory[];
  /** Uploads of this content: the file is an input. */
  readonly uploads: readonly UploadStory[];
  /** Results that were saved under this name, with other content. */
  readonly formerly: readonly ResultStory[];
  /** How many state files were read. */
  readonly searched: number;
}

export interface UploadStory {
  readonly state: string;
  readonly pipeline: string;
  readonly tasks: readonly string[];
  readonly at: string;
}

export interface ResultStory {
  /** The state file that records the result. */
  readonly state: string;
  readonly pipeline: string;
  /** The address of the service, or `rehearsal`. */
  readonly service: string;
  /** The download that saved the file. */
  readonly task: string;
  readonly step: string;
  readonly item?: string;
  /** Where it was saved, relative to the pipeline file. */
  readonly path: string;
  /** True if that is the file that was asked about. */
  readonly here: boolean;
  readonly sha256: string;
  /** Which of the project's downloads, from 0. */
  readonly index: number;
  /** When `prune` was told to remove it, ISO 8601. */
  readonly pruned?: string;
  /** The step kind that made it. */
  readonly uses: string;
  /** The tasks that the result serves. */
  readonly tasks: readonly string[];
  readonly fingerprint: string;
  readonly project?: string;
  /** The state of the job, and when it entered that state. */
  readonly status: JobLine['state'];
  readonly at: string;
  /** How often a creation was begun. */
  readonly attempts: number;
  /** Credits of the last attempt, refund included. */
  readonly credits: number;
  /** Earlier attempts that the service took, or may have. */
  readonly past: readonly PastAttempt[];
  /** The run that sent the last attempt. */
  readonly run?: { readonly number: number; readonly at: string };
  /** Absent if this checkout does not know what the result was made of. */
  readonly origin?: Origin;
}

export interface ResultRecord {
  readonly state: string;
  readonly header: Header;
  readonly job: JobLine;
  readonly output: OutputLine;
  readonly here: boolean;
  readonly runs: readonly RunLine[];
  readonly isFannedOut: (task: string) => boolean;
}

export function resultStory(
  { state, header, job, output, here, runs, isFannedOut }: ResultRecord,
  origin: Origin | undefined,
): ResultStory {
  const { task, path, sha256, index, pruned } = output;
  const item = itemOf(task, isFannedOut(task));
  const run = runs.find(({ run: number }) => number === job.sender);
  return {
    ...{ state, pipeline: header.pipeline, service: header.service },
    ...{ task, step: stepOf(task), item },
    ...{ path, here, sha256, index, pruned },
    ...{ uses: job.kind, tasks: job.tasks, fingerprint: job.job },
    project: job.project,
    ...{ status: job.state, at: job.at, attempts: job.attempt },
    ...{ credits: job.credits ?? 0, past: job.past ?? [] },
    ...(run === undefined ? {} : { run: { number: run.run, at: run.at } }),
    origin,
  };
}
