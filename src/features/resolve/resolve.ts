// `resolve`: the user settles a creation whose answer was lost. Verifies everything that can be verified.

import { err } from '../../base/result.ts';
import { validatorOf } from '../../base/schema.ts';
import { count } from '../../base/text.ts';
import { reasonOf, serviceId } from '../../contract/api/bounds.ts';
import { explainFailure } from '../../contract/api/failure.ts';
import type { Project } from '../../contract/api/project.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import { endMove } from '../../core/outputs.ts';
import type { Clock } from '../../core/ports.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import {
  type Problem,
  problem,
  Refusal,
  refusedKey,
  resultOf,
} from '../../language/load/refusal.ts';
import {
  type Doubt,
  doubtOf,
  doubtsIn,
  type JobState,
  type JobView,
  viewIn,
  viewOf,
  viewsOf,
} from '../../model/job-view.ts';
import { isClash, type Move, silentCoordinator } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { jobFacts } from '../../model/state.ts';
import { isRefusedKey, readPatiently } from '../../service-api/inquiry.ts';
import { type EditOptions, editState, type StateEdit } from '../edit-state.ts';
import { refuse } from '../refuse.ts';

/**
 * - `project`: the service accepted the creation, and this is its project; the project's record must have the attempt's
 *   name.
 * - `not-charged`: the service never accepted the creation; the next run may send it again.
 * - `abandon`: given up, because nobody can tell, or because its project never ends. What is set aside or charged stays counted, the
 *   project stays at the service, and only `--pay-again` pays for it again.
 */
export type Resolution =
  | { readonly how: 'project'; readonly project: string }
  | { readonly how: 'not-charged' }
  | { readonly how: 'abandon' };

export interface Resolved {
  readonly tasks: readonly string[];
  /** The attempt's name. */
  readonly name: string;
  /** The new state. */
  readonly state: JobState;
  readonly credits: number;
  readonly project?: string;
}

/**
 * Settles a creation that is in doubt: its project is known, the service never took it, or nobody can tell. Gives up a project
 * that still renders. `which` is a task's name, the name that was sent with the attempt, or the id of its project.
 *
 * @example
 * ```ts
 * import { loadPipeline, Refusal, resolve } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * try {
 *   const resolved = await resolve(pipeline, 'make:one', { how: 'not-charged' });
 *   console.log(resolved.state);
 * } catch (error) {
 *   if (!(error instanceof Refusal)) throw error;
 *   console.log(error.message); // make:one is not in doubt
 * }
 * ```
 */
export async function resolve(
  loaded: LoadedPipeline,
  which: string,
  resolution: Resolution,
  options: EditOptions = {},
): Promise<Resolved> {
  return await editState(loaded, options, async (edit) => {
    await learnDoubts(edit, options);
    const job = jobOf(edit.journal.ledger, which);
    const isGivenUp = resolution.how === 'abandon' && job.state === 'created';
    if (isDoubt(job) || isGivenUp) return await settleDoubt(job, resolution, edit);
    // The receipts may have known it, and the hub may show less: a project that is deleted looks as if it had never been.
    const isSaid = resolution.how === 'project' && job.project === resolution.project;
    if (isSaid) return resolvedOf(job);
    const project = job.project === undefined ? '' : `, project ${job.project}`;
    refuse(`${which} is not in doubt: it is ${job.state}${project}`);
  });
}

/**
 * Settles the doubts whose outcome the receipts of this user know, because another pipeline or a run that was killed has
 * recorded it.
 */
async function learnDoubts(
  edit: StateEdit,
  { onWarning = () => undefined }: EditOptions,
): Promise<void> {
  const { journal, receipts } = edit;
  const learnt: JobView[] = [];
  for (const doubt of doubtsIn(journal.ledger)) {
    const line = receipts.get(doubt.job)?.line;
    const attempt = line?.attempts.find(({ name }) => name === doubt.name);
    const isKnown =
      attempt !== undefined && attempt.state !== 'intended' && attempt.state !== 'doubt';
    if (line === undefined || !isKnown || !journal.join(line)) continue;
    learnt.push(viewIn(journal.ledger, doubt.job) ?? doubt);
  }
  if (learnt.length === 0) return;
  await journal.sync();
  const [first = ''] = learnt.flatMap(({ tasks }) => tasks);
  const which = learnt.length === 1 ? first : `${count(learnt.length, 'creation')} in doubt`;
  onWarning(`your receipts know what became of ${which}: the state file has it now`);
}

/** What is said of one doubt. `left`: it stays in doubt; `why` is a sentence about it. */
export type Verdict = Resolution | { readonly how: 'left'; readonly why: string };

export interface ResolvedAll {
  readonly settled: readonly (Resolved & { readonly how: Resolution['how'] })[];
  /** Still in doubt. */
  readonly left: readonly (Doubt & { readonly why: string })[];
}

/** The creations of a state file that are in doubt, and whose outcome the receipts do not know either. Sends nothing. */
export async function openDoubts(
  loaded: LoadedPipeline,
  options: EditOptions = {},
): Promise<readonly Doubt[]> {
  return await editState(loaded, options, async (edit) => {
    await learnDoubts(edit, options);
    return doubtsIn(edit.journal.ledger).map(doubtOf);
  });
}

/**
 * Settles everything that is in doubt, by one answer for each. What cannot be settled stays in doubt, and the rest is
 * settled all the same. `judge` is called once, with all doubts and with what else the state file knows.
 *
 * @example
 * ```ts
 * import { loadPipeline, resolveAll } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const resolved = await resolveAll(pipeline, () => () => ({ how: 'not-charged' }));
 * console.log(resolved.settled.length); // 0
 * ```
 */
export async function resolveAll(
  loaded: LoadedPipeline,
  judge: Judge,
  options: EditOptions = {},
): Promise<ResolvedAll> {
  return await editState(loaded, options, async (edit) => {
    await learnDoubts(edit, options);
    const doubts = doubtsIn(edit.journal.ledger);
    const judged = judge(doubts.map(doubtOf), edit.journal.ledger);
    const answers = doubts.map((doubt) => ({ doubt, verdict: judged(doubtOf(doubt)) }));
    const asksService = answers.some(({ verdict }) => verdict.how === 'project');
    const service = asksService ? await edit.connect() : undefined;
    const connected = service === undefined ? edit : { ...edit, connect: async () => service };
    const settled: ResolvedAll['settled'][number][] = [];
    const left: ResolvedAll['left'][number][] = [];
    let away: Problem | undefined;
    for (const { doubt, verdict } of answers) {
      const open = doubtOf(doubt);
      if (verdict.how === 'left') {
        left.push({ ...open, why: verdict.why });
        continue;
      }
      // To ask for each project of a service that is away would take minutes.
      const one =
        verdict.how === 'project' && away !== undefined
          ? err(away)
          : await resultOf(() => settleDoubt(doubt, verdict, connected));
      if (one.ok) settled.push({ ...one.value, how: verdict.how });
      else left.push({ ...open, why: one.error.diagnostics.map(sentenceOf).join('; ') });
      if (!one.ok && one.error.reason === 'unreachable') away = one.error;
    }
    return { settled, left };
  });
}

const sentenceOf = ({ message, hint }: Problem['diagnostics'][number]): string =>
  hint === undefined ? message : `${message} (${hint})`;

/** What becomes of each doubt, or why nothing at all is settled. */
export type Judge = (
  doubts: readonly Doubt[],
  ledger: Pick<Ledger, 'jobs'>,
) => (doubt: Doubt) => Verdict;

async function settleDoubt(
  doubt: JobView,
  resolution: Resolution,
  edit: StateEdit,
): Promise<Resolved> {
  const { journal } = edit;
  const { job: fingerprint, name: attempt = '' } = doubt;
  if (resolution.how === 'project')
    await journal.commit(...(await adopted(doubt, resolution.project, edit)));
  else {
    const mark = resolution.how === 'abandon' ? 'gaveUp' : 'notCharged';
    if (mark === 'notCharged') assertSettled(journal.ledger, fingerprint, attempt, edit.clock);
    await journal.commit({ job: fingerprint, is: 'said', attempt, mark });
  }
  const job = journal.ledger.job(fingerprint);
  const attempts = job?.attempts.filter(({ name }) => name === attempt) ?? [];
  if (job === undefined || attempts.length === 0) throw new Error(`bug: no attempt ${attempt}`);
  return resolvedOf(viewOf({ ...job, attempts }));
}

/** A system repeats for about a quarter of an hour what it could not send, also for a process that is frozen. */
const silentMs = 20 * 60_000;

/** A coordinator that fell silent may only be frozen or cut off, and what it sent may still come to the service. */
function assertSettled(ledger: Ledger, job: string, name: string, clock: Pick<Clock, 'now'>): void {
  const attempt = ledger.job(job)?.attempts.find((one) => one.name === name);
  const until = Date.parse(attempt?.at ?? '') + silentMs;
  if (attempt?.fault?.code !== silentCoordinator || clock.now() >= until) return;
  refuse(
    `a coordinator that fell silent was about to send ${name}, and its request may still arrive`,
    `look into the hub again after ${new Date(until).toISOString()}; --project <id> is possible at any time`,
  );
}

const resolvedOf = ({ tasks, name = '', state, credits = 0, project }: JobView): Resolved => ({
  tasks,
  name,
  state,
  credits,
  project,
});

const isDoubt = ({ state }: JobView): boolean => jobFacts[state].inDoubt;

/** The attempt of this name or project; of a task, what is in doubt first, then what still renders. */
function jobOf(ledger: Ledger, which: string): JobView {
  const isNamed = ({ tasks, name, project }: JobView): boolean =>
    tasks.includes(which) || name === which || project === which;
  const doubts = doubtsIn(ledger);
  const jobs = viewsOf(ledger).filter(isNamed);
  const known =
    doubts.find(isNamed) ?? jobs.find(({ state }) => state === 'created') ?? jobs.at(-1);
  if (known !== undefined) return known;
  const names = doubts.flatMap(({ tasks }) => tasks);
  const hint =
    suggestion(which, names) ??
    (names.length === 0 ? 'nothing is in doubt' : `in doubt: ${names.slice(0, 20).join(', ')}`);
  refuse(`the state file knows no task or project ${JSON.stringify(which)}`, hint);
}

/** The project must exist, have the attempt's name, and belong to no other job. */
async function adopted(doubt: JobView, project: string, edit: StateEdit): Promise<readonly Move[]> {
  const { journal, clock } = edit;
  const usable = validatorOf(serviceId);
  if (!usable(project))
    refuse(`--project: ${reasonOf(usable.errors)}`, 'copy the id of the project from the hub');
  for (const other of viewsOf(journal.ledger))
    if (
      (other.job !== doubt.job || other.name !== doubt.name) &&
      (other.project === project || other.past.some((past) => past.project === project))
    )
      refuse(`project ${project} belongs to ${other.tasks.join(', ')}`);
  const service = await edit.connect();
  const { kind } = doubt;
  const read = await readPatiently(service.api, clock, { kind, project });
  if (isRefusedKey(read)) throw new Refusal(refusedKey('resolve'));
  if (!read.ok) {
    const unread = problem(`the project ${project} cannot be read: ${explainFailure(read.error)}`);
    const away = read.error.reason === 'unreachable' || read.error.reason === 'unanswered';
    throw new Refusal(away ? { ...unread, reason: 'unreachable' } : unread);
  }
  return settled(doubt, read.value, edit);
}

function settled(doubt: JobView, record: Project, { journal, clock }: StateEdit): readonly Move[] {
  const { job, name: attempt = '', reserve = 0, adopted } = doubt;
  if (typeof record.name === 'string' && record.name !== attempt)
    refuse(
      `the project ${record.id} is named ${JSON.stringify(record.name)}, not ${JSON.stringify(attempt)}`,
      'this is another project; nothing was changed',
    );
  const { id: project } = record;
  const known = journal.ledger.job(job)?.attempts.find(({ name }) => name === attempt);
  // Two records named different projects for it, and what else they know stays true.
  if (known !== undefined && isClash(known)) return [{ job, is: 'settled', attempt, project }];
  const credits = record.credits_charged ?? reserve;
  const now = clock.now();
  const charge = { credits, read: new Date(now).toISOString() };
  const moves: Move[] = [{ job, is: 'created', attempt, project, charge }];
  if (doubt.project !== undefined) return moves;
  const end = endMove(record, { job, attempt }, credits, now);
  if (end !== undefined) moves.push(end);
  // It was deleted before its result was saved.
  if (end?.is === 'complete' && record.enabled === false)
    moves.push({ job, is: adopted ? 'missing' : 'gone', attempt });
  return moves;
}
