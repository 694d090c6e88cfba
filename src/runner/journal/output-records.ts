// The recorded files of a job: one for each task that saved it, and each download.
import type { EventLine, JobLine, OutputLine } from './line.ts';

type OutputEvent = Extract<EventLine, { readonly event: 'output' }>;

type Outputs = NonNullable<JobLine['outputs']>;

/** Replaces what was recorded of the file. The store still has content that is the same. */
export function withOutput(outputs: Outputs, event: OutputEvent): Outputs {
  const { task, index, path, bytes, sha256, duration } = event;
  const others = outputs.filter((output) => !isOf(output, event));
  const before = outputs.find((output) => isOf(output, event));
  const inStore =
    before?.stored !== undefined && before.sha256 === sha256 ? { stored: before.stored } : {};
  const length = duration === undefined ? {} : { duration };
  return [...others, { task, index, path, bytes, sha256, ...length, ...inStore }].sort(
    (a, b) => (a.task < b.task ? -1 : a.task > b.task ? 1 : 0) || a.index - b.index,
  );
}

/** Adds to what is recorded of a file; undefined if there is no such file. */
export function markedOutputs(
  outputs: Outputs = [],
  file: RecordedOutput,
  mark: Pick<OutputLine, 'stored'> | Pick<OutputLine, 'pruned'>,
): Outputs | undefined {
  if (!outputs.some((output) => isOf(output, file))) return undefined;
  return outputs.map((output) => (isOf(output, file) ? { ...output, ...mark } : output));
}

type RecordedOutput = Pick<OutputLine, 'task' | 'index'>;

const isOf = (output: RecordedOutput, { task, index }: RecordedOutput): boolean =>
  output.task === task && output.index === index;
