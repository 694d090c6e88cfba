// `forget`: has the next run do a task again. The job's result is discarded; its cost stays in the ledger.
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type JobView, numberOf, placesOf, viewsOf } from '../../model/job-view.ts';
import type { Move } from '../../model/record/job.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { type EditOptions, editState } from '../edit-state.ts';
import { refuse } from '../refuse.ts';

/** `project`: the job of this project, even if the project is not finished. */
export type Forgettable =
  | { readonly by: 'task'; readonly task: string }
  | { readonly by: 'project'; readonly project: string };

export interface Forgotten {
  /** All tasks that start again: tasks with the same content share a job. */
  readonly tasks: readonly string[];
  readonly kind: string;
  /** `result`: the next run makes it again, and pays for it again. `files`: the next run downloads them again. */
  readonly what: 'result' | 'files';
  /** The job's cost so far, which stays in the ledger. */
  readonly credits: number;
  /** The project, which the service still has unless it was deleted. */
  readonly project?: string;
}

/**
 * Has the next run do a task again. What the task cost stays in the ledger.
 *
 * @example
 * ```ts
 * import { forget, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const forgotten = await forget(pipeline, { by: 'task', task: 'save:one' });
 * console.log(forgotten.tasks);
 * ```
 */
export async function forget(
  loaded: LoadedPipeline,
  which: Forgettable,
  options: EditOptions = {},
): Promise<Forgotten> {
  return await editState(loaded, options, async ({ journal }) => {
    const { job, moves, what } =
      which.by === 'task'
        ? byTask(journal.ledger, which.task)
        : byProject(journal.ledger, which.project);
    await journal.commit(...moves);
    return {
      tasks: what === 'files' && which.by === 'task' ? [which.task] : job.tasks,
      kind: job.kind,
      what,
      credits: job.credits ?? 0,
      project: job.project,
    };
  });
}

type Found = {
  readonly job: JobView;
  readonly moves: readonly Move[];
  readonly what: Forgotten['what'];
};

/** Only tasks of these step kinds own the job; other tasks of the job are downloads and deletes. */
function byTask(ledger: Ledger, task: string): Found {
  const names: string[] = [];
  let refused: string | undefined;
  for (const job of viewsOf(ledger)) {
    // The saved file of a take belongs to the paid task itself.
    const isOwn = job.tasks.includes(task);
    if (!isOwn && job.outputs.some((output) => output.task === task)) {
      const places = placesOf(ledger.job(job.job), task);
      const moves = places.map((place) => ({ job: job.job, is: 'unsaved' as const, ...place }));
      return { job, moves, what: 'files' };
    }
    if (!isOwn) {
      names.push(...job.tasks);
      continue;
    }
    if (!counts(ledger, job)) continue;
    refused = reasonAgainst(job);
    if (refused === undefined) return whole(job);
  }
  if (refused !== undefined) refuse(`${task} ${refused}`);
  if (ledger.task(task) !== undefined)
    refuse(`${task} was never done: the next run tries it again`);
  const hint = suggestion(task, names);
  refuse(
    `the state file knows no task ${JSON.stringify(task)}`,
    hint ?? 'shotlist status lists them',
  );
}

/** False for a take that is not the picked one. */
function counts(ledger: Ledger, job: JobView): boolean {
  const first = job.take?.of ?? job.job;
  return numberOf(job) === (ledger.job(first)?.picked?.take ?? 1);
}

function whole(view: JobView): Found {
  const { job, kind, name, tasks } = view;
  const [task = ''] = tasks;
  const move: Move =
    name === undefined
      ? { job, is: 'supplied', kind, task, result: {} }
      : { job, is: 'said', attempt: name, mark: 'forgotten' };
  return { job: view, moves: [move], what: 'result' };
}

/** Why a job cannot be forgotten by its task's name; undefined if it can. */
function reasonAgainst({ state, project }: JobView): string | undefined {
  switch (state) {
    case 'intended':
    case 'doubt':
      return 'is in doubt: settle it first (shotlist resolve)';
    case 'created':
      return `is paid and still running: wait for it, or name its project: --project ${project}`;
    case 'failed':
      return 'has failed: the next run tries it again';
    case 'forgotten':
      return 'is already forgotten';
    case 'supplied':
    case 'complete':
    case 'deleted':
      return undefined;
  }
}

function byProject(ledger: Ledger, project: string): Found {
  for (const job of viewsOf(ledger)) {
    if (job.project === project && job.state !== 'failed') return whole(job);
    if (job.project === project || job.past.some((past) => past.project === project))
      refuse(`project ${project} is an attempt of ${job.tasks.join(', ')} that is over already`);
  }
  refuse(`the state file knows no project ${JSON.stringify(project)}`);
}
