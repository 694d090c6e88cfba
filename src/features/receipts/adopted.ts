// The job that a state file takes over from a receipt: nothing is charged for it again.
import type { JobLine, OutputLine } from '../../model/line.ts';
import { jobFacts } from '../../model/state.ts';
import { downloadCount } from '../../plan/recorded-files.ts';
import type { Receipt } from '../../state/receipts/receipt.ts';

export interface Adopting {
  /** ISO 8601. */
  readonly at: string;
  /** The task that asks for the result; undefined for a take that comes along. */
  readonly task?: string | undefined;
  /** True if the receipt is about this pipeline file in this folder. */
  readonly isOwn: boolean;
  /** The files that are in this checkout, as the state file records them. */
  readonly here: readonly OutputLine[];
}

/**
 * A project that is known is looked at first, unless all its files are here: it may be gone. An unknown outcome stays in doubt.
 */
export function adoptedLine({ line }: Receipt, { at, task, isOwn, here }: Adopting): JobLine {
  const { sender: _, silent: __, picked, past, tasks, outputs: ___, ...kept } = line;
  const own = isOwn ? tasks : [];
  const asks = task === undefined || own.includes(task) ? own : [...own, task].sort();
  const adopted: JobLine = {
    ...kept,
    adopted: at,
    tasks: asks,
    ...(here.length === 0 ? {} : { outputs: [...here] }),
    ...(isOwn && picked !== undefined ? { picked } : {}),
    ...(past === undefined
      ? {}
      : { past: past.map((one) => ({ ...one, adopted: true as const })) }),
  };
  if (jobFacts[line.state].inDoubt)
    return { ...adopted, state: 'doubt', error: { code: 'in_doubt', message: lostAnswer } };
  if (line.state !== 'complete') return adopted;
  const indexes = new Set(here.map(({ index }) => index));
  const isHere = downloadCount(line) > 0 && indexes.size >= downloadCount(line);
  return isHere ? adopted : { ...adopted, state: 'created' };
}

const lostAnswer = 'no run has recorded an answer';
