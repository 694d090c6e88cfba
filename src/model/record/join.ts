// Joins two lines of one key. Commutative, associative and idempotent, so it serves a file that is loaded, two sides of a
// merge, HEAD, and another machine's copy; and nothing that was paid is undone by a line that knows less.
import { asJson, canonical } from '../../base/json.ts';
import type { Attempt, Fault, Job, MarkLine, Output, RunLine, TaskLine } from './line.ts';
import { attemptStates } from './schemas.ts';

/** Fields are joined one by one; no line wins as a whole. Throws for lines of two jobs, which is a bug. */
export function joined(a: Job, b: Job): Job {
  if (a === b) return a;
  if (a.job !== b.job) throw new Error(`bug: ${a.job} joined with ${b.job}`);
  return compact({
    job: a.job,
    kind: larger(a.kind, b.kind),
    tasks: [...new Set([...a.tasks, ...b.tasks])].sort(),
    attempts: joinedBy(a.attempts, b.attempts, ({ name }) => name, joinedAttempt).sort(byAge),
    outputs: joinedBy(a.outputs, b.outputs, outputKey, joinedOutput),
    supplied: most(a.supplied, b.supplied, ({ at }) => at),
    take: most(a.take, b.take),
    picked: most(a.picked, b.picked, ({ at }) => at),
  });
}

/** The order of attempts in a line. */
export const byAge = (a: Attempt, b: Attempt): number => (a.at + a.name < b.at + b.name ? -1 : 1);

function joinedAttempt(a: Attempt, b: Attempt): Attempt {
  return compact({
    name: a.name,
    run: least(a.run, b.run),
    at: least(a.at, b.at),
    ...furthest(a, b),
    reserve: Math.max(a.reserve, b.reserve),
    measure: most(a.measure, b.measure),
    charge: most(a.charge, b.charge, ({ read }) => read),
    ...projects(a, b),
    settled: most(a.settled, b.settled, ({ at }) => at),
    gone: earlier(a.gone, b.gone),
    missing: most(a.missing, b.missing),
    result: most(a.result, b.result),
    fields: most(a.fields, b.fields),
    // Taken off for good: the outputs that allowed it are in the same line.
    to: a.to === undefined || b.to === undefined ? undefined : most(a.to, b.to),
    adopted: a.adopted && b.adopted,
    forgotten: earlier(a.forgotten, b.forgotten),
    gaveUp: earlier(a.gaveUp, b.gaveUp),
    notCharged: earlier(a.notCharged, b.notCharged),
    accepted: earlier(a.accepted, b.accepted),
  });
}

const rank = ({ state }: Attempt): number => attemptStates.indexOf(state);

function furthest(a: Attempt, b: Attempt): Pick<Attempt, 'state' | 'fault'> {
  if (rank(a) === rank(b)) return { state: a.state, fault: most<Fault>(a.fault, b.fault) };
  const { state, fault } = rank(a) > rank(b) ? a : b;
  return { state, fault };
}

/** All ids that one creation is said to have: more than one is a doubt for a person. */
function projects(a: Attempt, b: Attempt): Pick<Attempt, 'project' | 'clash'> {
  const named = [a, b].flatMap(({ project, clash = [] }) => [
    ...clash,
    ...(project ? [project] : []),
  ]);
  const all = [...new Set(named)].sort();
  return { project: all[0], clash: all.length > 1 ? all : undefined };
}

/** One content at one path, of one task. */
export const outputKey = ({ of, task, index, path, sha256 }: Output): string =>
  [of, task, index, path, sha256].join('\0');

/** `pruned` and `forgotten` count until the file is saved again. */
function joinedOutput(a: Output, b: Output): Output {
  const at = larger(a.at, b.at);
  const standing = (time: string | undefined): string | undefined =>
    time !== undefined && time >= at ? time : undefined;
  return compact({
    ...a,
    at,
    bytes: Math.max(a.bytes, b.bytes),
    seconds: most(a.seconds, b.seconds, Number),
    stored: most(a.stored, b.stored),
    kept: a.kept && b.kept,
    unchecked: a.unchecked && b.unchecked,
    pruned: standing(most(a.pruned, b.pruned)),
    forgotten: standing(most(a.forgotten, b.forgotten)),
  });
}

/** A run that ended has ended, and the larger count of its creations counts. */
export const joinedRun = (a: RunLine, b: RunLine): RunLine =>
  compact({
    run: a.run,
    at: least(a.at, b.at),
    ended: most(a.ended, b.ended),
    due: earlier(a.due, b.due),
    creations: most(a.creations, b.creations, Number),
    inputs: most(a.inputs, b.inputs),
  });

/** The newer one. */
export const joinedTask = (a: TaskLine, b: TaskLine): TaskLine => most(a, b, ({ at }) => at) ?? a;

/** A mark that was taken off stays off, unless another coordinator has begun, or more is missing than a person accepted. */
export function joinedMark(a: MarkLine, b: MarkLine): MarkLine {
  const later = (b.epoch ?? 0) - (a.epoch ?? 0) || (b.creations ?? 0) - (a.creations ?? 0);
  if (later !== 0) return later > 0 ? b : a;
  return compact({
    mark: a.mark,
    id: a.id,
    at: least(a.at, b.at),
    over: most(a.over, b.over),
    epoch: a.epoch ?? b.epoch,
    creations: a.creations ?? b.creations,
  });
}

function joinedBy<T>(
  a: readonly T[],
  b: readonly T[],
  key: (value: T) => string,
  join: (one: T, other: T) => T,
): T[] {
  if (a === b) return [...a];
  const all = new Map(a.map((value) => [key(value), value]));
  for (const value of b) {
    const known = all.get(key(value));
    all.set(key(value), known === undefined ? value : join(known, value));
  }
  return [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}

const least = <T extends string>(a: T, b: T): T => (a < b ? a : b);
const larger = <T extends string>(a: T, b: T): T => (a > b ? a : b);

const earlier = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || b === undefined ? (a ?? b) : least(a, b);

/** The larger one by `by`, then by its text; whoever has one. */
function most<T>(
  a: T | undefined,
  b: T | undefined,
  by: (value: T) => number | string = textOf,
): T | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  const [one, other] = [by(a), by(b)];
  if (one !== other) return one > other ? a : b;
  return textOf(a) >= textOf(b) ? a : b;
}

const textOf = (value: unknown): string => canonical(asJson(value));

/** Without fields that are undefined. */
function compact<T extends object>(value: T): T {
  for (const [key, field] of Object.entries(value))
    if (field === undefined) Reflect.deleteProperty(value, key);
  return value;
}
