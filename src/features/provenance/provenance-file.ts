// The provenance file beside an output. A file that is not ours is never replaced or removed.
import { lstatSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { digestOfBytes } from '../../base/digest.ts';
import { removeLeftover } from '../../base/leftover.ts';
import type { Redactor } from '../../base/redactor.ts';
import { readOwnFile } from '../../base/regular-file.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import type { Disk } from '../../core/ports.ts';
import { certainly, conditionOf } from '../../core/recorded-files.ts';
import { Leftovers } from '../../files/leftovers.ts';
import { createNew } from '../../files/new-file.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { type JobView, viewsOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Output } from '../../model/record/line.ts';
import { fannedOutIn } from '../../model/task.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { pathKey } from '../prune/references.ts';
import {
  maxProvenanceBytes,
  type Origin,
  outputOfProvenance,
  provenanceFileOf,
  provenanceOf,
  provenanceText,
} from './provenance.ts';

/** - `current`: ours, and about this content.
 * - `missing`: missing, or ours and about earlier content.
 * - `foreign`: something else has the name. */
type ProvenanceCondition = 'current' | 'missing' | 'foreign';

/** `output` is absolute and exists. Throws system errors. */
export function provenanceCondition(output: string, sha256: string): ProvenanceCondition {
  const file = provenanceFileOf(output);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isFile()) return 'foreign';
  const read = readOwnFile(file, { max: maxProvenanceBytes });
  const about = read.ok ? outputOfProvenance(read.value.toString('utf8')) : undefined;
  if (about === undefined) return 'foreign';
  return about === sha256 ? 'current' : 'missing';
}

/** All of it or nothing. Throws system errors. */
async function writeProvenanceFile(output: string, text: string): Promise<void> {
  const file = provenanceFileOf(output);
  const part = join(dirname(file), `.shotlist-${digestOfBytes(file).slice(0, 32)}.part`);
  try {
    {
      await using handle = await createNew(part);
      await handle.writeFile(text);
    }
    await rename(part, file);
  } catch (error) {
    await removeLeftover(part);
    throw error;
  }
}

/** After its output was removed. If the disk refuses, the file does no harm. */
export async function removeProvenanceFile(output: string, sha256: string): Promise<void> {
  try {
    if (provenanceCondition(output, sha256) === 'current') await unlink(provenanceFileOf(output));
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
  }
}

// Writes the provenance files of a pipeline's outputs after a run. Everything is paid, saved and recorded by then: if a
// file cannot be written, the run says so, and the next run writes it.

interface ProvenanceContext {
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  readonly disk: Disk;
  readonly rehearsal: boolean;
  readonly redactor: Redactor;
  /** If it is aborted, the rest is left to the next run. */
  readonly signal: AbortSignal | undefined;
  readonly onWarning: (message: string) => void;
  readonly origins: Origins;
}

/** What results were made from. */
interface Origins {
  /** False: a later run writes the files of this job. */
  has(job: string): boolean;
  get(job: string): Origin | undefined;
}

export async function writeProvenance(context: ProvenanceContext): Promise<void> {
  const { bound, ledger, disk, rehearsal, redactor, signal, onWarning, origins } = context;
  const isFannedOut = fannedOutIn(bound.pipeline.steps);
  const common = { pipeline: bound.name, rehearsal, runs: ledger.runs(), isFannedOut };
  const foreign: string[] = [];
  /** The output that is looked at or written. */
  let current = '';
  try {
    for (const { job, output } of outputsHere(context)) {
      if (signal?.aborted === true) return;
      current = resolve(bound.folder, output.path);
      const condition = provenanceCondition(current, output.sha256);
      if (condition === 'foreign') foreign.push(provenanceFileOf(current));
      if (condition !== 'missing') continue;
      // Two results can have been saved under one name, one after the other.
      if ((await certainly(disk, (facts) => conditionOf(output, facts))) !== 'whole') continue;
      const origin = origins.get(job.job);
      const provenance = redactor.value(provenanceOf({ ...common, job, output, origin }));
      await writeProvenanceFile(current, provenanceText(provenance));
    }
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    const file = shownPath(provenanceFileOf(current));
    onWarning(
      `${file} ${systemReason(error)}: provenance files are missing; the next run writes them`,
    );
  }
  const [first] = foreign;
  if (first === undefined) return;
  const more = foreign.length === 1 ? '' : `; the same is true of ${foreign.length - 1} more`;
  onWarning(
    `${shownPath(first)} is not a provenance file of shotlist, so it is left as it is${more}`,
  );
}

/** Outputs that are files in the output folder, and whose provenance file has a name of its own. */
function* outputsHere({
  bound,
  paths,
  ledger,
  origins,
}: ProvenanceContext): Generator<{ readonly job: JobView; readonly output: Output }> {
  const beside = { blind: false, missingFolders: false, items: undefined };
  const files = new Leftovers({ folder: bound.folder, output: paths.output, ...beside });
  const jobs = viewsOf(ledger);
  const taken = new Set<string>();
  for (const { outputs } of jobs)
    for (const { path } of outputs) if (/\.json$/i.test(path)) taken.add(pathKey(path));
  for (const job of jobs)
    for (const output of origins.has(job.job) ? job.outputs : []) {
      const isTaken = taken.has(pathKey(provenanceFileOf(output.path)));
      if (output.pruned === undefined && !isTaken && files.isReachable(output.path))
        yield { job, output };
    }
}
