// The orphans of a folder, in a few words, and the plan with which they must agree.

import { type Planned, plan, UnrunnablePlan } from '../../src/features/plan/plan.ts';
import {
  type Orphans,
  orphans,
  type Pruned,
  type PruneOptions,
  prune,
} from '../../src/features/prune/prune.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import { type Problem, resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { envOf, type Rig } from '../rig.ts';

export async function loaded(rig: Rig): Promise<LoadedPipeline> {
  const result = await loadPipeline(rig.file);
  return result;
}

export async function found(
  rig: Rig,
  local: LocalService,
  options: PruneOptions = {},
): Promise<Orphans> {
  const result = await orphans(await loaded(rig), { env: envOf(local), ...options });
  return result;
}

export async function refusal(
  rig: Rig,
  local: LocalService,
  options: PruneOptions = {},
): Promise<Problem> {
  const result = await resultOf(async () =>
    prune(await loaded(rig), { env: envOf(local), ...options }),
  );
  if (result.ok) throw new Error('prune was not refused');
  return result.error;
}

export async function pruned(
  rig: Rig,
  local: LocalService,
  options: PruneOptions = {},
): Promise<Pruned> {
  return await prune(await loaded(rig), { env: envOf(local), ...options });
}

export async function planned(rig: Rig, local: LocalService): Promise<Planned> {
  try {
    return await plan(await loaded(rig), { env: envOf(local) });
  } catch (error) {
    if (error instanceof UnrunnablePlan) return error.planned;
    throw error;
  }
}

/** Files by path, kept files by number, and projects by their first task. */
export const named = ({ files, kept, projects }: Pick<Orphans, 'files' | 'kept' | 'projects'>) => ({
  files: files.map(({ path }) => path).sort(),
  kept: kept.length,
  projects: projects.map(({ tasks }) => tasks[0]).sort(),
});

export const nothing = { files: [], kept: 0, projects: [] };
