// Finds the job of a line whose fingerprint is changed or illegible: git's version of the state file and the user's receipts
// know it by the attempt's name or by the project, both of which are unique. Without them, a legible project keeps a job of
// its own, so that no payment is dropped.
import { digestOf } from '../../base/digest.ts';
import type { EventLine, JobLine, StateLine } from '../../model/line.ts';
import { isJobEvent } from '../../model/state.ts';
import { type Damage, damage, type ReadableLine, type UnreadableLine } from './damage.ts';
import { type Fields, projectsIn, textsIn } from './fragments.ts';

/**
 * The id of a job of which only the project is known: the SHA-256 of `{"project":"<id>"}`. No task asks for it, so nothing is
 * bought or removed because of it, until a later repair learns whose project it is.
 */
export const jobOfProject = (project: string): string => digestOf({ project });

/** What a line tells of an attempt. */
type Told = Pick<Fields, 'job' | 'name' | 'project' | 'past'>;

/** The jobs that are known by something else than their fingerprint. What is learned last counts. */
class Known {
  readonly #jobs = new Set<string>();
  readonly #byName = new Map<string, string>();
  readonly #byProject = new Map<string, string>();
  /** One changed digit leaves one half of a fingerprint as it was. */
  readonly #byHalf = new Map<string, string>();

  learn({ job, name, project, past = [] }: JobLine): void {
    this.#jobs.add(job);
    for (const half of halvesOf(job)) this.#byHalf.set(half, job);
    for (const attempt of [...past, { name, project }]) {
      if (attempt.name !== undefined && attempt.name !== '') this.#byName.set(attempt.name, job);
      if (attempt.project !== undefined) this.#byProject.set(attempt.project, job);
    }
  }

  learnEvent(event: EventLine): void {
    if (event.event === 'intent') this.#byName.set(event.name, event.job);
    if (event.event === 'created') this.#byProject.set(event.project, event.job);
  }

  /** Undefined if nothing is known about it. */
  jobOf({ job, name = '', project = '', past = [] }: Told): string | undefined {
    const owner = this.#byName.get(name) ?? this.#byProject.get(project);
    if (owner !== undefined) return owner;
    for (const attempt of past) {
      const found = this.#byName.get(attempt.name) ?? this.#byProject.get(attempt.project ?? '');
      if (found !== undefined) return found;
    }
    return job === undefined ? undefined : this.#alike(job);
  }

  /** The job that one of these texts names. */
  jobIn(texts: readonly string[]): string | undefined {
    for (const text of texts) {
      const owner = this.#byName.get(text) ?? this.#byProject.get(text);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  /** No two fingerprints are so alike by chance. */
  #alike(job: string): string | undefined {
    if (this.#jobs.has(job)) return job;
    for (const half of halvesOf(job)) {
      const known = this.#byHalf.get(half);
      if (known !== undefined && differing(known, job) <= maxChangedDigits) return known;
    }
    return undefined;
  }

  takeOf(first: string): string {
    return this.#alike(first) ?? first;
  }
}

/** A changed character of a row is two digits. */
const maxChangedDigits = 2;

const halvesOf = (job: string): readonly string[] => [`${job.slice(0, 32)}…`, `…${job.slice(32)}`];

const differing = (a: string, b: string): number =>
  [...a].filter((digit, index) => digit !== b[index]).length;

interface Lines {
  readonly reads: readonly ReadableLine[];
  readonly unread: readonly UnreadableLine[];
}

export interface Attributed extends Lines {
  readonly damages: readonly Damage[];
}

/** `others`: the jobs of git's version and of the receipts; the latter last. */
export function attributed({ reads, unread }: Lines, others: Iterable<JobLine>): Attributed {
  const known = new Known();
  for (const line of others) known.learn(line);
  const damages: Damage[] = [];
  const right = reads.map((read) => {
    const [state, was, now] = corrected(read.state, known);
    if (was !== now) damages.push(changed(read.number, was, now, tasksIn(state)));
    return state === read.state ? read : { ...read, state };
  });
  // What the file's own lines say of a job helps with the lines that cannot be read, but proves no fingerprint wrong.
  const own = new Known();
  for (const { state } of right) {
    if (state.type === 'job') own.learn(state.line);
    if (state.type === 'event') own.learnEvent(state.line);
  }
  return {
    reads: right,
    unread: unread.flatMap((line) => attributedFields(line, known, own)),
    damages,
  };
}

function changed(number: number, was: string, now: string, tasks: readonly string[]): Damage {
  const what = `the fingerprint of its job was changed: ${was.slice(0, 12)}… is ${now.slice(0, 12)}… by git or by your receipts`;
  return damage(number, 'fingerprint', what, { job: now, tasks });
}

const tasksIn = (state: StateLine): readonly string[] =>
  state.type === 'job'
    ? state.line.tasks
    : 'task' in state.line && state.line.task !== undefined
      ? [state.line.task]
      : [];

/** The line, the job that it named, and the job that it is about. */
function corrected(state: StateLine, known: Known): readonly [StateLine, string, string] {
  if (state.type === 'job') {
    const { line } = state;
    const job = known.jobOf(line) ?? line.job;
    const of = line.take === undefined ? '' : known.takeOf(line.take.of);
    const take = line.take === undefined || of === line.take.of ? line.take : { ...line.take, of };
    if (job === line.job && take === line.take) return [state, '', ''];
    const right = { ...line, job, ...(take === undefined ? {} : { take }) };
    return [{ type: 'job', line: right }, ...wordsFor(line, right)];
  }
  if (state.type !== 'event' || !isJobEvent(state.line)) return [state, '', ''];
  const { line } = state;
  const told = line.event === 'amended' ? { job: line.job } : line;
  const job = known.jobOf(told) ?? line.job;
  if (job === line.job) return [state, '', ''];
  const right =
    line.event === 'adopted' ? { ...line, job, line: { ...line.line, job } } : { ...line, job };
  return [{ type: 'event', line: right }, line.job, job];
}

const wordsFor = (line: JobLine, right: JobLine): readonly [string, string] =>
  line.job === right.job ? [line.take?.of ?? '', right.take?.of ?? ''] : [line.job, right.job];

/** An amended charge may be that of an earlier attempt, so its project names no job. */
function attributedFields(line: UnreadableLine, known: Known, own: Known): UnreadableLine[] {
  const { fields, text = '' } = line;
  if (fields.event === 'amended' || fields.shotlist !== undefined || fields.run !== undefined)
    return [line];
  const texts = textsIn(text);
  const job = known.jobOf(fields) ?? fields.job ?? own.jobOf(fields);
  const found = job ?? known.jobIn(texts) ?? own.jobIn(texts);
  const projects = fields.project === undefined ? projectsIn(text) : [fields.project];
  const [project] = projects;
  if (found !== undefined) {
    const isSure = fields.project === undefined && projects.length === 1 && !/"past"/.test(text);
    const more = isSure && project !== undefined ? { project } : {};
    return [{ ...line, fields: { ...fields, ...more, job: found } }];
  }
  return projects.length === 0
    ? [line]
    : projects.map((id) => ({
        ...line,
        fields: { ...fields, project: id, job: jobOfProject(id) },
      }));
}
