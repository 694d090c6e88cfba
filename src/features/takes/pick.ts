// `pick`: chooses the take that counts. Sends nothing: the next run puts its file in its place, and does again what was
// made of another take.

import { digestOf } from '../../base/digest.ts';
import { extensionOf } from '../../contract/api/asset.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { Journal } from '../../core/journal.ts';
import { outputPath } from '../../core/output-path.ts';
import type { Disk } from '../../core/ports.ts';
import { certainly, downloadCount, isSomewhere, placeOf } from '../../core/recorded-files.ts';
import { numberOf, type Takes, takeFile, takesAfter, takesOf } from '../../core/takes.ts';
import { checkOutput, type OutsideOptions } from '../../files/boundary.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type JobView, viewOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Output } from '../../model/record/line.ts';
import { jobFacts } from '../../model/state.ts';
import { locateState } from '../../state/locate-state.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import { type EditOptions, editState } from '../edit-state.ts';
import { openItemsHere, type Tasks, tasksHere } from '../planning/here.ts';
import { refuse, refuseIf } from '../refuse.ts';
import { itemsNamed } from './named-tasks.ts';

export type PickOptions = Omit<EditOptions, 'onConnect'> & OutsideOptions;

export interface Picked extends Takes {
  /** The take that counts now; 1 is the first. */
  readonly take: number;
  /** False if it counted before. */
  readonly changed: boolean;
  /** The takes are those of a rehearsal. */
  readonly rehearsal: boolean;
}

/**
 * Chooses the take of a task that counts from now on. Pays nothing. The next run copies its file to its place, and runs
 * again what uses the result, unless it is known from before.
 *
 * @example
 * ```ts
 * import { loadPipeline, pick } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const picked = await pick(pipeline, 'make:one', 2);
 * console.log(picked.take);
 * ```
 */
export async function pick(
  loaded: LoadedPipeline,
  task: string,
  take: number,
  options: PickOptions = {},
): Promise<Picked> {
  const bound = boundPipeline(loaded);
  const { pipeline } = bound;
  const { paths: given } = locateState(bound, options);
  refuseIf(checkOutput(bound, options) ?? checkOutputFolder(given));
  return await editState(loaded, options, async ({ located, journal, receipts, clock }) => {
    const { paths, rehearsal } = located;
    const { ledger } = journal;
    const keys = itemsNamed(pipeline, [task]);
    using here = await openItemsHere(bound, options, { paths, ledger, clock, filter: { keys } });
    const tasks = await tasksHere(bound, here, { ledger, receipts, clock });
    const { first, before, changed } = chosenTake(tasks, task, take, ledger);
    if (changed) {
      await keepTake(before, task, here.disk, journal);
      await journal.commit({ job: first.job, is: 'picked', take });
    }
    return { ...takesAfter(ledger, first.job, pipeline.steps), take, changed, rehearsal };
  });
}

interface Chosen {
  readonly first: JobView;
  /** The take that has counted so far. */
  readonly before: JobView;
  readonly changed: boolean;
}

function chosenTake(tasks: Tasks, task: string, take: number, ledger: Ledger): Chosen {
  const planned = tasks.get(task);
  if (planned === undefined) {
    const hint = suggestion(task, tasks.keys()) ?? 'shotlist status lists the tasks with takes';
    return refuse(`there is no task ${JSON.stringify(task)}`, hint);
  }
  const { first: name, number = 1 } = planned.take ?? {};
  const all = name === undefined ? [] : takesOf(ledger, name).map(viewOf);
  const [first] = all;
  if (first === undefined || all.length < 2)
    return refuse(`${task} has one take at most`, 'shotlist reroll pays for another one');
  const wanted = all.find((job) => numberOf(job) === take);
  const before = all.find((job) => numberOf(job) === number) ?? first;
  const numbers = all.map(numberOf).join(', ');
  if (wanted === undefined)
    return refuse(`${task} has no take ${take}`, `its takes are ${numbers}`);
  if (!jobFacts[wanted.state].hasResult) {
    const { inDoubt } = jobFacts[wanted.state];
    return refuse(
      `take ${take} of ${task} ${inDoubt ? 'is in doubt' : 'has no result'}`,
      inDoubt ? 'settle it first: shotlist resolve' : 'shotlist reroll completes it',
    );
  }
  return { first, before, changed: take !== number };
}

// Keeps the file of a take before another one replaces it in its place: a copy in the folder of the takes, recorded.

/** A file that is not here, or that somebody has changed, is left as it is. */
async function keepTake(job: JobView, task: string, disk: Disk, journal: Journal): Promise<void> {
  const { outputs } = job;
  const kept = new Set(outputs.filter((one) => one.task === task).map(({ index }) => index));
  for (const output of outputs) {
    if (kept.has(output.index)) continue;
    // As it was recorded, in its place or among the kept files.
    if (!(await certainly(disk, (facts) => isSomewhere(output, facts)))) continue;
    kept.add(output.index);
    const extension = extensionOf(output.path);
    const position = { index: output.index, count: downloadCount(job), extension };
    const path = outputPath(takeFile(task, numberOf(job)), position);
    if (!path.ok) refuse(path.error);
    const temporary = await disk.temporary(path.value, digestOf({ job: job.job, to: path.value }));
    if (!temporary.ok) refuse(temporary.error.message);
    const into = temporary.value;
    const copied = await disk.copy(disk.fileAt(placeOf(output, disk)), into);
    const isSame = copied.ok && copied.value.digest === output.sha256;
    const placed = isSame ? await disk.place(into, path.value, copied.value.digest) : copied;
    if (!placed.ok || !isSame) {
      await disk.discard(into);
      const changed = `${output.path} changed while it was being copied`;
      refuse(placed.ok ? changed : placed.error.message);
    }
    const recorded = { ...recordOf(output), task, path: disk.recordedAs(path.value) };
    journal.note({ job: job.job, is: 'output', output: recorded });
  }
}

const recordOf = ({ at: _, stored: __, pruned: ___, ...output }: Output) => output;
