// A receipt: what a user's own record says of one creation. It is the line of the job as a state file had it, and where
// that state file is. Receipts are outside every repository, so they survive whatever becomes of a state file.
import type { JobLine, NewEvent, OutputLine } from '../../model/line.ts';
import { jobFacts } from '../../model/state.ts';
import { downloadCount } from '../../plan/recorded-files.ts';

/** Who made a creation, so that a person recognizes it. Paths are absolute, and stay on this machine. */
export interface ReceiptSource {
  /** The folder of the pipeline file. */
  readonly folder: string;
  /** The name of the pipeline file. */
  readonly pipeline: string;
  readonly state: string;
  /** Undefined outside a git repository, and without a branch. */
  readonly branch?: string | undefined;
}

/** A file that was saved, and where. A later look tells whether it is still there: its content must have the hash. */
export interface SavedFile {
  /** Which of the project's downloads. */
  readonly index: number;
  /** The task that saved it. */
  readonly task: string;
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The store that has it too, as state files name stores. */
  readonly stored?: string | undefined;
}

export interface Receipt {
  /** The service's base address, or `rehearsal`. */
  readonly service: string;
  /** Without outputs: `saved` has them. */
  readonly line: JobLine;
  readonly saved: readonly SavedFile[];
  readonly source: ReceiptSource;
  /** A salted hash that names the account that paid; undefined if it is not known. */
  readonly account?: string | undefined;
  /** The lock of the run that sends the request; undefined as soon as the outcome is known. */
  readonly holder?: string | undefined;
}

/** True if the creation has cost something, or may have: the same request must not be bought again without a word. */
export const isPayment = ({ line }: Pick<Receipt, 'line'>): boolean =>
  line.state !== 'failed' && line.state !== 'forgotten' && line.state !== 'supplied';

/** The attempts that a state file knows of a job, by the names that were sent. */
export function knownNames(job: JobLine | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  if (job?.name !== undefined) names.add(job.name);
  for (const { name } of job?.past ?? []) names.add(name);
  return names;
}

/**
 * The receipt that counts for a request, of those that the state file does not know: the newest one whose project is known,
 * else the newest one whose outcome is not. `receipts`: the newest first.
 */
export function unknownPayment(
  receipts: readonly Receipt[],
  job: JobLine | undefined,
): Receipt | undefined {
  const names = knownNames(job);
  const unknown = receipts.filter(
    (receipt) => isPayment(receipt) && !names.has(receipt.line.name ?? ''),
  );
  return unknown.find(({ line }) => !jobFacts[line.state].inDoubt) ?? unknown[0];
}

export function withoutFiles({ outputs: _, ...line }: JobLine): JobLine {
  return line;
}

/** What is later in the life of an attempt. A state file that was put back may tell of an earlier state. */
const stages: Readonly<Record<JobLine['state'], number>> = {
  forgotten: 0,
  supplied: 0,
  intended: 1,
  doubt: 2,
  created: 3,
  complete: 4,
  failed: 5,
  deleted: 5,
};

/** True if another record of an attempt knows how it went on. It never makes a payment, or what may be one, undone. */
export const goesOn = (known: JobLine, told: JobLine): boolean =>
  stages[told.state] > stages[known.state] && told.state !== 'failed';

export const isState = (text: string): text is JobLine['state'] => Object.hasOwn(stages, text);

/** True if what is told of an attempt replaces all that a record in this state says of it. */
export const replaces = (told: JobLine, known: JobLine['state']): boolean =>
  told.adopted === undefined && !isBlank(told) && stages[told.state] >= stages[known];

const isBlank = ({ state, result }: JobLine): boolean =>
  state === 'deleted' && result === undefined;

/** What two records say of one attempt, put together. The tasks and the picked take are those of the one who paid. */
export function laterOf(known: JobLine, told: JobLine): JobLine {
  if (replaces(told, known.state)) return told;
  if (stages[told.state] < stages[known.state]) return known;
  // Whoever finds the project deleted cannot know what it had.
  if (isBlank(told) && known.result !== undefined)
    return laterOf(known, { ...told, result: known.result });
  const { tasks, attempt } = known;
  const { adopted: _, picked: __, past: ___, ...rest } = told;
  return {
    ...rest,
    tasks,
    attempt,
    ...(known.picked === undefined ? {} : { picked: known.picked }),
    ...(known.past === undefined ? {} : { past: known.past }),
  };
}

// What became of a creation in doubt, when a receipt knows: the journal tells it as if the answer had arrived.

export type Ending = Extract<NewEvent, { readonly event: 'created' | 'settled' | 'deleted' }>;

/** What became of an attempt, as events after its intent. */
export function endOf(
  job: string,
  { state, project, credits = 0, result, error }: JobLine,
): readonly Ending[] {
  const failure = error === undefined ? {} : { error };
  if (project === undefined) {
    const status = credits === 0 ? 'not_taken' : 'abandoned';
    return [{ event: 'settled', job, status, credits, ...failure }];
  }
  const created: Ending = { event: 'created', job, project, credits };
  if (state === 'failed')
    return [created, { event: 'settled', job, status: 'error', credits, ...failure }];
  if (state !== 'deleted') return [created];
  const why = 'another checkout on this machine deleted the project, as your receipts say';
  const kept = result === undefined ? {} : { result };
  return [
    created,
    { event: 'settled', job, status: 'complete', credits, ...kept },
    { event: 'deleted', job, why },
  ];
}

// The job that a state file takes over from a receipt: nothing is charged for it again.

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
  const { sender: _, runId: ____, silent: __, picked, past, tasks, outputs: ___, ...kept } = line;
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
