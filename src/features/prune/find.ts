// Finds the orphans of a pipeline, for plan and prune: the plan of all items, the state file and the disk together.

import type { ItemList } from '../../files/items.ts';
import { type ItemFiles, keptFilesIn, Leftovers } from '../../files/leftovers.ts';
import { type Items, isExclusion } from '../../language/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { type Combination, combinationsOf } from '../../model/combinations.ts';
import { commonBase } from '../../model/item.ts';
import type { Ledger } from '../../model/ledger.ts';
import { noOrphans, type OrphanCounts, type Orphans, orphanCounts } from '../../plan/orphan.ts';
import { findOrphans, type OrphanFacts } from '../../plan/orphans.ts';
import type { PlanReferences } from '../../plan/plan-references.ts';
import { FileFacts } from '../../run/file-facts.ts';
import type { Disk } from '../../run/jobs/ports.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import type { Prepared } from '../plan/prepare.ts';
import { namesake, withoutShared } from './neighbors.ts';

export interface OrphanSearch {
  readonly bound: BoundPipeline;
  readonly paths: Pick<RunPaths, 'output' | 'kept'>;
  /** All items. */
  readonly items: ItemList;
  readonly ledger: Ledger;
  readonly references: PlanReferences;
  readonly disk: Disk;
  /** Items in missing or empty folders count as gone, and not as out of sight. */
  readonly missingFolders?: boolean | undefined;
}

/**
 * What a plan can say without reading large files: a file of the recorded size counts as unchanged. Undefined if the plan
 * covers only some items or steps, if the pipeline has profiles, or if nobody can tell.
 */
export async function countOrphans(
  { bound, paths, items, state: { ledger }, planned, disk, excluded }: Prepared,
  rehearsal: boolean,
): Promise<OrphanCounts | undefined> {
  if (items.count < items.total || excluded.size > 0) return undefined;
  // Only `prune` plans with every profile.
  if (bound.profiles.length > 0) return undefined;
  const { references } = planned;
  const likely = found({ bound, paths, items, ledger, references, disk }, disk);
  if (likely === undefined) return orphanCounts(noOrphans);
  if (namesake(bound) !== undefined) return undefined;
  if (rehearsal) return orphanCounts(likely);
  const own = await resultOf(() => withoutShared(likely, bound, paths));
  return own.ok ? orphanCounts(own.value) : undefined;
}

/** Reads every file whose hash is not known. */
export async function certainOrphans(search: OrphanSearch): Promise<Orphans> {
  const { disk } = search;
  const facts = new FileFacts(disk);
  for (;;) {
    const orphans = found(search, facts);
    const unread = facts.takeUnread();
    if (orphans === undefined) return noOrphans;
    if (unread.length === 0) return orphans;
    for (const place of unread) {
      const digest = await disk.digest(place);
      if (!digest.ok) facts.unreadable(place, digest.error);
    }
  }
}

type Files = Pick<Disk, 'store' | 'output' | 'isElsewhere' | 'kept'>;

/** Undefined if the plan needs everything that is recorded. */
function found(
  { bound, paths, items, ledger, references, missingFolders = false }: OrphanSearch,
  files: Files,
): Orphans | undefined {
  const kept = keptFilesIn(paths.kept);
  if (kept.length === 0 && !references.mayMiss(ledger.size)) return undefined;
  const { pipeline, folder } = bound;
  const leftovers = new Leftovers({
    ...{ folder, output: paths.output, blind: items.blind, missingFolders },
    items: itemFilesOf(pipeline.items),
  });
  const facts: OrphanFacts = {
    store: files.store,
    output: (path) => files.output(path),
    isElsewhere: (output) => files.isElsewhere(output),
    kept: (digest, extension) => files.kept(digest, extension),
    isGone: (item) => leftovers.isGone(item),
    isReachable: (path) => leftovers.isReachable(path),
    writtenAt: (path) => leftovers.writtenAt(path),
  };
  const recorded = {
    jobs: () => ledger.jobs(),
    jobOf: (fingerprint: string) => ledger.job(fingerprint),
  };
  return findOrphans({ steps: pipeline.steps, items, ...recorded, references, kept, facts });
}

/** Undefined if the items are no files. */
function itemFilesOf(items: Items): ItemFiles | undefined {
  if (items.kind !== 'glob') return undefined;
  const base = commonBase(items.patterns.filter((pattern) => !isExclusion(pattern)));
  const { matrix } = items;
  const parts =
    matrix === undefined ? [0] : combinationsOf({ ...matrix, exclude: [] }).map(partsOf);
  return {
    base,
    named: items.key !== undefined,
    suffix: parts.length === 0 ? 0 : Math.min(...parts),
  };
}

const partsOf = ({ key }: Combination): number => key.split('/').length;
