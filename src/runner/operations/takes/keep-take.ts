// Keeps the file of a take before another one replaces it in its place: a copy in the folder of the takes, recorded.
import { extensionOf } from '../../../contract/api/asset.ts';
import { digestOf } from '../../../contract/base/digest.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { RealDisk } from '../../adapters/files/disk.ts';
import type { JobLine, OutputLine } from '../../journal/line.ts';
import { numberOf } from '../../journal/take-index.ts';
import { outputPath } from '../../plan/output-path.ts';
import { downloadCount, isSomewhere } from '../../plan/recorded-files.ts';
import { takeFile } from '../../plan/takes.ts';
import { FileFacts } from '../../run/file-facts.ts';
import type { Journal } from '../../run/jobs/ports.ts';
import { placeOf } from '../../run/orders.ts';
import { type Problem, problem } from '../pipeline/problem.ts';

export interface KeepingTerms {
  readonly disk: RealDisk;
  readonly journal: Journal;
}

/** A file that is not here, or that somebody has changed, is left as it is. */
export async function keepTake(
  job: JobLine,
  task: string,
  { disk, journal }: KeepingTerms,
): Promise<Result<void, Problem>> {
  const { outputs = [] } = job;
  const facts = new FileFacts(disk);
  const kept = new Set(outputs.filter((one) => one.task === task).map(({ index }) => index));
  for (const output of outputs) {
    if (kept.has(output.index) || !(await isHere(output, facts, disk))) continue;
    kept.add(output.index);
    const extension = extensionOf(output.path);
    const position = { index: output.index, count: downloadCount(job), extension };
    const path = outputPath(takeFile(task, numberOf(job)), position);
    if (!path.ok) return err(problem(path.error));
    const temporary = await disk.temporary(path.value, digestOf({ job: job.job, to: path.value }));
    if (!temporary.ok) return err(problem(temporary.error.message));
    const into = temporary.value;
    const copied = await disk.copy(disk.fileAt(placeOf(output, facts)), into);
    const isSame = copied.ok && copied.value.digest === output.sha256;
    const placed = isSame ? await disk.place(into, path.value, copied.value.digest) : copied;
    if (!placed.ok || !isSame) {
      await disk.discard(into);
      const changed = `${output.path} changed while it was being copied`;
      return err(problem(placed.ok ? changed : placed.error.message));
    }
    const recorded = { ...recordOf(output), task, path: disk.recordedAs(path.value) };
    journal.append([{ event: 'output', job: job.job, ...recorded }]);
  }
  return ok(undefined);
}

const recordOf = ({ stored: _, pruned: __, ...output }: OutputLine) => output;

/** True if the content is as it was recorded, in its place or among the kept files. */
async function isHere(output: OutputLine, facts: FileFacts, disk: RealDisk): Promise<boolean> {
  isSomewhere(output, facts);
  for (const place of facts.takeUnread()) {
    const digest = await disk.digest(place);
    if (!digest.ok) facts.unreadable(place, digest.error);
  }
  return isSomewhere(output, facts);
}
