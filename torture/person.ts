// The person who looks into the hub: every doubt is resolved by what the service's ledger says of its unique name.
import { loadPipeline } from '../src/runner/operations/pipeline/load.ts';
import type { LoadedPipeline } from '../src/runner/operations/pipeline/loaded-pipeline.ts';
import { renderProblem } from '../src/runner/operations/pipeline/problem.ts';
import { type Resolution, resolve } from '../src/runner/operations/resolve.ts';
import type { Books } from './books.ts';
import { doubtsOf } from './check.ts';
import type { Room } from './room.ts';

const attempts = 6;

/** Answers what went wrong. */
export async function resolveAll(
  room: Room,
  books: Books,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const loaded = await loadPipeline(room.file);
  if (!loaded.ok) return [renderProblem(loaded.error)];
  const wrong: string[] = [];
  for (const { tasks, name } of doubtsOf(books)) {
    const [task = ''] = tasks;
    const charged = books.paid.find((one) => one.name === name);
    const resolution: Resolution =
      charged === undefined ? { how: 'not-charged' } : { how: 'project', project: charged.project };
    const problem = await tryToResolve(loaded.value, task, resolution, env);
    if (problem !== undefined) wrong.push(`${task} could not be resolved: ${problem}`);
  }
  return wrong;
}

/** The service has its faults here too, and a person tries again. Answers why it did not come to be. */
async function tryToResolve(
  loaded: LoadedPipeline,
  task: string,
  resolution: Resolution,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const resolved = await resolve(loaded, task, resolution, { env });
    if (resolved.ok) return undefined;
    if (attempt === attempts) return renderProblem(resolved.error);
  }
}
