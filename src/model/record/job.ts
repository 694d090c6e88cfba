// What can happen to a job, and what its line says then. Every move only adds: joined with the line before it, the new line
// stays as it is, because HEAD's older line is joined at each load.
import { faceDetect } from '../../contract/kinds.ts';
import { byAge, joined } from './join.ts';
import type {
  Attempt,
  AttemptState,
  Charge,
  Fault,
  Job,
  MarkName,
  Measure,
  Output,
} from './line.ts';

type OutputPlace = Pick<Output, 'of' | 'task' | 'index' | 'path'>;

/** What stays true of a result. */
type Lasting = NonNullable<Attempt['result']>;

/** `attempt` names whose fact it is. */
export type Move = { readonly job: string } & (
  | {
      readonly is: 'supplied';
      readonly kind: string;
      readonly task: string;
      readonly result: Lasting;
    }
  | {
      readonly is: 'intent';
      readonly kind: string;
      readonly task: string;
      readonly attempt: string;
      readonly reserve: number;
      readonly measure?: Measure | undefined;
      readonly to?: Attempt['to'];
      readonly fields?: Readonly<Record<string, string>> | undefined;
      readonly take?: Job['take'];
      /** The attempts that a person wants done again, in the same line. */
      readonly forgets: readonly string[];
    }
  | {
      readonly is: 'created';
      readonly attempt: string;
      readonly project: string;
      readonly charge: Charge | undefined;
    }
  | { readonly is: 'refused' | 'doubt'; readonly attempt: string; readonly fault: Fault }
  | {
      readonly is: 'complete';
      readonly attempt: string;
      readonly charge: Charge | undefined;
      readonly result: Lasting;
    }
  | {
      readonly is: 'failed';
      readonly attempt: string;
      readonly charge: Charge | undefined;
      readonly fault: Fault;
    }
  | { readonly is: 'charged'; readonly attempt: string; readonly charge: Charge }
  | { readonly is: 'output'; readonly output: Omit<Output, 'at'> }
  | ({ readonly is: 'stored'; readonly store: string } & OutputPlace)
  | ({ readonly is: 'pruned' | 'unsaved' } & OutputPlace)
  | { readonly is: 'deleted' | 'gone' | 'missing'; readonly attempt: string }
  | { readonly is: 'settled'; readonly attempt: string; readonly project: string }
  | { readonly is: 'said'; readonly attempt: string; readonly mark: MarkName }
  | { readonly is: 'serves'; readonly task: string }
  | { readonly is: 'picked'; readonly take: number }
  /** Joined in: from receipts (its attempts are adopted), HEAD, or a file that git changed. */
  | { readonly is: 'known'; readonly line: Job }
);

/**
 * The only way in which a job changes. An illegal move throws: files hold lines and no moves, so that only a bug can make
 * one. `at`: now, ISO 8601; where the clock is behind what is recorded, a change is later than what it changes all the same.
 */
export function stateAfter(before: Job | undefined, move: Move, run: string, at: string): Job {
  switch (move.is) {
    case 'known':
      return before === undefined ? move.line : joined(before, move.line);
    case 'supplied': {
      const job = before ?? nothing(move.job, move.kind);
      if (job.attempts.length > 0) return bug(move, 'it is paid for');
      return withTask(
        { ...job, supplied: { at: after(at, job.supplied?.at), result: move.result } },
        move.task,
      );
    }
    case 'intent':
      return intended(before ?? nothing(move.job, move.kind), move, run, at);
  }
  if (before === undefined) return bug(move, 'there is no such job');
  switch (move.is) {
    case 'serves':
      return withTask(before, move.task);
    case 'picked':
      return { ...before, picked: { take: move.take, at: after(at, before.picked?.at) } };
    case 'output':
      return withOutput(before, move, at);
    case 'stored':
      return amended(before, move, (output) => ({ ...output, stored: move.store }));
    case 'pruned':
      return amended(before, move, (output) => ({
        ...output,
        pruned: output.pruned ?? after(at, output.at),
      }));
    case 'unsaved':
      return amended(before, move, (output) => ({
        ...output,
        forgotten: output.forgotten ?? after(at, output.at),
      }));
    default:
      return attempted(before, move, at);
  }
}

type AttemptMove = Extract<Move, { readonly attempt: string }>;

/** The states from which a move is legal. What a person says is always legal. */
const from: Readonly<Record<string, readonly AttemptState[]>> = {
  // An event may say that a creation was taken, whatever its answer was.
  created: ['intended', 'doubt', 'refused'],
  refused: ['intended'],
  doubt: ['intended'],
  complete: ['created', 'complete'],
  failed: ['created', 'failed'],
  charged: ['created', 'failed', 'complete', 'deleted'],
  deleted: ['created', 'complete'],
  gone: ['created', 'complete'],
  missing: ['created', 'complete'],
  settled: ['created', 'failed', 'complete', 'deleted'],
};

function attempted(before: Job, move: Exclude<AttemptMove, { is: 'intent' }>, at: string): Job {
  const attempt = before.attempts.find(({ name }) => name === move.attempt);
  if (attempt === undefined) return bug(move, 'there is no such attempt');
  const legal = from[move.is];
  if (legal !== undefined && !legal.includes(attempt.state)) bug(move, `it is ${attempt.state}`);
  // What a project costs, and that it is gone, is said by whoever paid.
  if (attempt.adopted && ownFacts.has(move.is)) bug(move, 'another state file paid for it');
  const { fault: _, ...rest } = attempt;
  const put = (changed: Attempt): Job => ({
    ...before,
    attempts: before.attempts.map((one) => (one === attempt ? changed : one)),
  });
  const charge = (read: Charge | undefined): Pick<Attempt, 'charge'> =>
    read === undefined || attempt.adopted
      ? {}
      : { charge: { ...read, read: after(read.read, attempt.charge?.read) } };
  switch (move.is) {
    case 'created':
      return put({ ...rest, ...charge(move.charge), project: move.project, state: 'created' });
    case 'refused':
    case 'doubt':
      return put({ ...attempt, fault: move.fault, state: move.is });
    case 'complete':
      return withoutDone(
        put({ ...rest, ...charge(move.charge), result: move.result, state: 'complete' }),
        attempt.name,
      );
    case 'failed':
      return put({ ...attempt, ...charge(move.charge), fault: move.fault, state: 'failed' });
    case 'charged':
      return put({ ...attempt, ...charge(move.charge) });
    case 'deleted':
      return put({ ...rest, state: 'deleted' });
    case 'gone':
      return put({ ...attempt, gone: attempt.gone ?? at });
    case 'missing':
      // A later reading would outdate it, also one by a clock that was ahead.
      return put({ ...attempt, missing: after(after(at, attempt.missing), attempt.charge?.read) });
    case 'settled':
      return put({
        ...attempt,
        settled: { project: move.project, at: after(at, attempt.settled?.at) },
      });
    case 'said':
      return put({ ...attempt, [move.mark]: attempt[move.mark] ?? at });
  }
}

const ownFacts: ReadonlySet<Move['is']> = new Set<Move['is']>(['charged', 'gone']);

function intended(
  before: Job,
  move: Extract<Move, { readonly is: 'intent' }>,
  run: string,
  at: string,
): Job {
  const { task, attempt: name, reserve, measure, fields, to, take, forgets } = move;
  const others = before.attempts.map((other) =>
    forgets.includes(other.name) ? { ...other, forgotten: other.forgotten ?? at } : other,
  );
  if (others.some((other) => other.name === name)) bug(move, 'its name is taken');
  const living = others.find((other) => !isOver(other));
  if (living !== undefined) bug(move, `${living.name} is ${living.state}`);
  const attempt: Attempt = { name, run, at, state: 'intended', reserve };
  if (measure !== undefined) attempt.measure = measure;
  if (fields !== undefined) attempt.fields = { ...fields };
  if (to !== undefined && to.length > 0) attempt.to = to;
  const attempts = [...others, attempt].sort(byAge);
  const job: Job = { ...before, attempts };
  if (take !== undefined) job.take = take;
  return withTask(job, task);
}

function withOutput(before: Job, move: Extract<Move, { readonly is: 'output' }>, at: string): Job {
  const { output } = move;
  const owner = before.attempts.find(({ name }) => name === output.of);
  if (owner === undefined || !isFinished(owner)) return bug(move, 'it is of no finished attempt');
  const times = before.outputs
    .filter(
      ({ of, task, index }) => of === output.of && task === output.task && index === output.index,
    )
    .flatMap((known) => [known.at, known.pruned ?? known.at, known.forgotten ?? known.at])
    .sort();
  const next: Output = { ...output, at: after(at, times.at(-1)) };
  return withoutDone(joined(before, { ...before, outputs: [next] }), output.of);
}

/** What is gone may have been saved by another pipeline. */
const isFinished = ({ state, gone, missing }: Attempt): boolean =>
  state === 'complete' || state === 'deleted' || gone !== undefined || missing !== undefined;

function amended(before: Job, move: Move & OutputPlace, change: (output: Output) => Output): Job {
  const { of, task, index, path } = move;
  const isIt = (output: Output): boolean =>
    output.of === of && output.task === task && output.index === index && output.path === path;
  if (!before.outputs.some(isIt)) return bug(move, 'there is no such output');
  return {
    ...before,
    outputs: before.outputs.map((output) => (isIt(output) ? change(output) : output)),
  };
}

/** `to` leaves the line when all files are recorded. */
function withoutDone(job: Job, name: string): Job {
  const attempt = job.attempts.find((one) => one.name === name);
  const count = attempt?.result?.['downloads'];
  if (attempt?.to === undefined || typeof count !== 'number') return job;
  const { to, ...rest } = attempt;
  const tasks = to === 'kept' ? [undefined] : to.map(({ task }) => task);
  const isSaved = (task: string | undefined, index: number): boolean =>
    job.outputs.some(
      (output) =>
        output.of === name &&
        output.index === index &&
        (task === undefined || output.task === task),
    );
  for (const task of tasks)
    for (let index = 0; index < count; index++) if (!isSaved(task, index)) return job;
  return { ...job, attempts: job.attempts.map((one) => (one === attempt ? rest : one)) };
}

const nothing = (job: string, kind: string): Job => ({
  job,
  kind,
  tasks: [],
  attempts: [],
  outputs: [],
});

const withTask = (job: Job, task: string): Job =>
  job.tasks.includes(task) ? job : { ...job, tasks: [...job.tasks, task].sort() };

/** A time that replaces a time is later than it, by a millisecond at least: else a join with an older line undoes it. */
const after = (at: string, before: string | undefined): string =>
  before === undefined || at > before ? at : new Date(Date.parse(before) + 1).toISOString();

function bug(move: Move, why: string): never {
  throw new Error(`bug: "${move.is}" cannot happen to the job ${move.job}: ${why}`);
}

const isMarked = ({ forgotten, gaveUp }: Attempt): boolean =>
  forgotten !== undefined || gaveUp !== undefined;

/** Nobody knows whether it was taken. */
/** The code of a doubt that a coordinator of several machines has left: it may still be alive somewhere. */
export const silentCoordinator = 'silent';

export const isOpen = ({ state }: Attempt): boolean => state === 'intended' || state === 'doubt';

/** Two ids for one creation, until a person says which of them it is. */
export const isClash = ({ clash, settled }: Attempt): boolean =>
  clash !== undefined && (settled === undefined || !clash.includes(settled.project));

/** The project of a creation; of several ids, the one that a person chose. */
export const projectOf = ({ project, settled }: Attempt): string | undefined =>
  settled?.project ?? project;

/** Nothing can come of it any more, or a person said that it does not count. */
export const isOver = (attempt: Attempt): boolean =>
  isMarked(attempt) ||
  (!isClash(attempt) &&
    (attempt.state === 'refused' ||
      attempt.state === 'failed' ||
      (attempt.notCharged !== undefined && isOpen(attempt))));

/** The higher one counts. What is gone may have its files here; it is behind all that is there. */
function weight({ state, gone }: Attempt): number {
  const order: readonly AttemptState[] = ['doubt', 'created', 'deleted', 'complete'];
  return order.indexOf(state === 'intended' ? 'doubt' : state) - (gone === undefined ? 0 : 0.5);
}

const best = (attempts: readonly Attempt[]): Attempt | undefined =>
  [...attempts].sort(
    (a, b) =>
      weight(b) - weight(a) || (a.at === b.at ? (a.name > b.name ? -1 : 1) : a.at > b.at ? -1 : 1),
  )[0];

/**
 * The attempt that counts, if one does: what is complete, deleted, created, in doubt. A clash is a doubt whatever its state,
 * and counts before all others.
 */
export function current({ attempts }: Job): Attempt | undefined {
  const [only] = attempts;
  if (attempts.length === 1 && only !== undefined && !isOver(only)) return only;
  const clash = best(attempts.filter((attempt) => isClash(attempt) && !isMarked(attempt)));
  if (clash !== undefined) return clash;
  const living = best(attempts.filter((attempt) => !isOver(attempt)));
  return living ?? best(attempts.filter(isDone));
}

/** Its results are there, or were, whatever a person said when nobody knew that. */
export const isDone = ({ state }: Attempt): boolean => state === 'complete' || state === 'deleted';

/** What it holds or cost, in credits. */
export const creditsOf = (attempt: Attempt): number =>
  attempt.state === 'refused' || (attempt.notCharged !== undefined && isOpen(attempt))
    ? 0
    : (attempt.charge?.credits ?? attempt.reserve);

/** What the service has charged this state file for a job. */
export const chargedFor = (job: Job | undefined): number =>
  (job?.attempts ?? []).reduce(
    (sum, { charge, adopted }) => sum + (adopted ? 0 : (charge?.credits ?? 0)),
    0,
  );

const isPaid = ({ state, charge }: Attempt): boolean =>
  ['created', 'complete', 'deleted'].includes(state) ||
  (state === 'failed' && (charge?.credits ?? 0) > 0);

/** The state file began a creation of it, or has detected faces: what receipts bring back if the file is lost. */
export const isOwn = ({ kind, attempts, supplied }: Job): boolean =>
  attempts.some(({ adopted }) => adopted === undefined) ||
  (supplied !== undefined && kind === faceDetect.name);

/** Paid by this state file, and neither done again on purpose nor accepted by a person: of these, a job has one. */
export const isUnexpected = (attempt: Attempt): boolean =>
  isPaid(attempt) &&
  attempt.state !== 'failed' &&
  !attempt.adopted &&
  attempt.forgotten === undefined &&
  attempt.accepted === undefined;
