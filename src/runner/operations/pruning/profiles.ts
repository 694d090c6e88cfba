// The profiles of a pipeline share one state file, so what one profile leaves may be what another one needs.
import { ok, type Result } from '../../../contract/base/result.ts';
import { type Orphans, orphansWhere } from '../../plan/orphan.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import type { Problem } from '../pipeline/problem.ts';

/** The orphans that are orphans with every other profile, and without one, too. */
export async function withEveryProfile(
  own: Orphans,
  bound: BoundPipeline,
  survey: (other: BoundPipeline) => Promise<Result<Orphans, Problem>>,
): Promise<Result<Orphans, Problem>> {
  const others = await bound.otherProfiles();
  if (!others.ok) return others;
  let common = own;
  for (const other of others.value) {
    const found = await survey(other);
    if (!found.ok) return found;
    common = inBoth(common, found.value);
  }
  return ok(common);
}

/** The orphans of the first list, as they are there, that are in the second one too. */
export function inBoth(orphans: Orphans, others: Orphans): Orphans {
  const keys = new Set([...others.files, ...others.kept, ...others.projects].map(keyOf));
  return orphansWhere(orphans, (orphan) => keys.has(keyOf(orphan)));
}

function keyOf(orphan: Orphans['files' | 'kept' | 'projects'][number]): string {
  if ('project' in orphan) return `project ${orphan.project}`;
  return 'path' in orphan ? `file ${orphan.path} ${orphan.sha256}` : `kept ${orphan.sha256}`;
}
