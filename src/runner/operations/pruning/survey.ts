// The plan of the whole pipeline for a command that holds the state file open, and the orphans by that plan.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { RealDisk } from '../../adapters/files/disk.ts';
import { HashCache } from '../../adapters/files/hash-cache.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { identityOf } from '../../journal/run-identity.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Orphans } from '../../plan/orphan.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { boundaryOf, checkOutput, type OutsideOptions } from '../files/boundary.ts';
import type { RunPaths } from '../files/run-paths.ts';
import { checkOutputFolder } from '../files/writable.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import type { Problem } from '../pipeline/problem.ts';
import { listSelected } from '../planning/list-items.ts';
import { planItems } from '../planning/plan-items.ts';
import { valuesOf } from '../planning/prepare.ts';
import { certainOrphans } from './find.ts';
import { namesake, withoutShared } from './neighbors.ts';

export interface SurveyContext {
  readonly paths: RunPaths;
  readonly rehearsal: boolean;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
}

export interface SurveyOptions extends OutsideOptions {
  /** `--missing-folders`: items in missing or empty folders count as gone, and not as out of sight. */
  readonly missingFolders?: boolean | undefined;
}

const everything = { excluded: new Set<string>(), filter: {}, retryFailed: false };

export async function survey(
  bound: BoundPipeline,
  options: SurveyOptions,
  { paths, rehearsal, ledger, clock, onWarning }: SurveyContext,
): Promise<Result<Orphans, Problem>> {
  const unusable = namesake(bound) ?? checkOutput(bound, options) ?? checkOutputFolder(paths);
  if (unusable !== undefined) return err(unusable);
  const boundary = boundaryOf(bound, options);
  const { output, kept, hashes } = paths;
  using cache = new HashCache(hashes);
  const disk = new RealDisk({
    ...{ folder: bound.folder, output, kept, boundary, hashes: cache, clock },
    store: storeNameOf(bound.pipeline),
  });
  const listed = await listSelected(bound, paths, everything, { boundary, ledger, disk });
  if (!listed.ok) return listed;
  using items = listed.value;
  items.warnings.forEach(onWarning);
  const run = identityOf(ledger.runs(), {});
  const { references } = await planItems(bound, items, {
    base: { ...bound.base, run: valuesOf(bound.pipeline, run, clock.now()) },
    ...{ ledger, disk, clock, excluded: everything.excluded, requireOutputs: false },
  });
  const { missingFolders } = options;
  const search = { bound, paths, items, ledger, references, disk, missingFolders };
  const orphans = await certainOrphans(search);
  // A rehearsal has its folders for itself.
  return rehearsal ? ok(orphans) : await withoutShared(orphans, bound, paths);
}
