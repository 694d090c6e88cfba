// The takes of a task in a report: their files side by side, and the command that chooses another one.

import { timesOf } from '../../journal/job-times.ts';
import type { Ledger } from '../../journal/ledger.ts';
import type { JobLine, OutputLine } from '../../journal/line.ts';
import { jobFacts, worthOf } from '../../journal/state.ts';
import { numberOf } from '../../journal/take-index.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import { allTakes } from '../../plan/takes.ts';
import { commandText } from '../takes-text.ts';
import { mailable } from './mailable.ts';
import type { ReportFile, ReportTask } from './report-data.ts';

export interface TakesQuestion {
  readonly ledger: Ledger;
  /** The pipeline file as a command line has it, with the flags that say which state is meant. */
  readonly file: string;
}

/** None for a task with one take. */
export function reportTakes(
  { task, take }: PlannedTask,
  { ledger, file }: TakesQuestion,
  fileOf: (output: OutputLine) => ReportFile,
): Pick<ReportTask, 'takes'> {
  if (take === undefined || take.known < 2) return {};
  const takes = allTakes(ledger, take.first).map((job) => {
    const number = numberOf(job);
    const isPicked = number === take.number;
    const { ended } = timesOf(job);
    const credits = worthOf(job);
    const isChoice = !isPicked && jobFacts[job.state].hasResult && mailable(task) === task;
    const command = commandText('pick', file, task, String(number));
    return {
      ...{ number, state: job.state },
      ...(isPicked ? { picked: true as const } : {}),
      ...(credits === 0 ? {} : { credits }),
      ...(ended === undefined ? {} : { at: ended }),
      ...(isChoice ? { command } : {}),
      files: filesOf(job, task).map(fileOf),
    };
  });
  return { takes };
}

/** The copy of a take lasts: in the place of the result, another take may be by now. */
function filesOf({ outputs = [] }: JobLine, task: string): readonly OutputLine[] {
  const left = outputs.filter(({ pruned }) => pruned === undefined);
  const own = left.filter((output) => output.task === task);
  const byIndex = new Map([...left, ...own].map((output) => [output.index, output]));
  return [...byIndex.values()].sort((a, b) => a.index - b.index);
}
