// `prune`: lists the orphans of a pipeline, and removes them: files of items that are gone, kept files, and projects at
// the service whose results are saved.
import { checkOutput, type OutsideOptions } from '../../files/boundary.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { resultOf } from '../../language/load/refusal.ts';
import { type LocatedState, pathsLike } from '../../state/locate-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import { chooseStore, type OpenStore, openStore } from '../../stores/open-store.ts';
import { type EditOptions, editState, type StateEdit } from '../edit-state.ts';
import { openItemsHere, walkHere } from '../planning/here.ts';
import { refuseIf } from '../refuse.ts';
import { type Orphan, type Orphans, orphansOf, orphansWhere } from './orphan.ts';
import { certainOrphans, namesake, withoutShared } from './orphans.ts';
import { referencesTo } from './references.ts';
import { type Refused, type Removed, removeOrphans } from './remove.ts';

export type { Orphans, Refused };

export interface PruneOptions extends EditOptions, OutsideOptions {
  /** `--missing-folders`: items in missing or empty folders count as gone, and not as out of sight. */
  readonly missingFolders?: boolean | undefined;
  /** Only orphans that were last made, saved or set aside at least this long ago, in milliseconds. */
  readonly olderThanMs?: number | undefined;
}

export interface Prunable extends Orphans {
  /** The state file. */
  readonly state: string;
}

export interface Pruned extends Prunable, Removed {}

/** Lists what `prune` would remove. Removes and sends nothing. */
export async function orphans(
  loaded: LoadedPipeline,
  options: PruneOptions = {},
): Promise<Prunable> {
  return await editState(loaded, options, (edit) => find(boundPipeline(loaded), options, edit));
}

/**
 * Removes what earlier runs left and the pipeline no longer needs: saved files, kept files, and projects at the service whose
 * results are saved. With `listed`, removes only what is in that list too. A file that was changed, and a project that cannot be
 * deleted, stay: `refused` says why.
 *
 * @example
 * ```ts
 * import { loadPipeline, orphans, prune } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const listed = await orphans(pipeline);
 * for (const { path, bytes, at } of listed.files) console.log(path, bytes, new Date(at));
 * const pruned = await prune(pipeline, { listed, olderThanMs: 30 * 86_400_000 });
 * console.log(pruned.removed.files.length, 'files removed');
 * ```
 */
export async function prune(
  loaded: LoadedPipeline,
  options: PruneOptions & { readonly listed?: Orphans } = {},
): Promise<Pruned> {
  const bound = boundPipeline(loaded);
  return await editState(loaded, options, async (edit): Promise<Pruned> => {
    const found = await find(bound, options, edit);
    const chosen = options.listed === undefined ? found : inBoth(found, options.listed);
    const service = asksService(chosen) ? await edit.connect() : undefined;
    const { paths } = edit.located;
    await using opened = await storeFor(chosen, bound, edit.located, options);
    const done = await removeOrphans(chosen, {
      journal: edit.journal,
      clock: edit.clock,
      folder: bound.folder,
      kept: paths.kept,
      api: service?.api,
      store: opened?.store,
    });
    return { ...found, ...done };
  });
}

async function find(
  bound: BoundPipeline,
  options: PruneOptions,
  edit: StateEdit,
): Promise<Prunable> {
  const { located, clock } = edit;
  const { paths } = located;
  let found = await survey(bound, options, edit, paths);
  // The profiles of a pipeline share one state file, so what one profile leaves may be what another one needs.
  for (const other of await bound.otherProfiles()) {
    const there = await survey(other, options, edit, pathsLike(located, other, options));
    found = inBoth(found, there);
  }
  const { olderThanMs } = options;
  const until = clock.now() - (olderThanMs ?? 0);
  const old = olderThanMs === undefined ? found : orphansWhere(found, ({ at }) => at <= until);
  return { ...old, state: paths.state };
}

const asksService = ({ projects, kept }: Orphans): boolean =>
  projects.length > 0 || kept.some(({ backedBy }) => backedBy.length > 0);

/** Undefined if no file has to be looked for in the store, or if the store must not be used. */
async function storeFor(
  { projects }: Orphans,
  bound: BoundPipeline,
  { paths, rehearsal }: LocatedState,
  { env = process.env, allowOutside }: PruneOptions,
): Promise<OpenStore | undefined> {
  if (projects.every(({ onlyStored }) => onlyStored.length === 0)) return undefined;
  const target = rehearsal
    ? ({ kind: 'rehearsal' } as const)
    : ({ kind: 'hosted', address: '', key: '' } as const);
  const chosen = resultOf(() => chooseStore(bound, { target, env, paths, allowOutside }));
  if (!chosen.ok || chosen.value === undefined) return undefined;
  return await openStore(chosen.value, new AbortController().signal);
}

/** The orphans of the first list, as they are there, that are in the second one too. */
function inBoth(orphans: Orphans, others: Orphans): Orphans {
  const keys = new Set(orphansOf(others).map(keyOf));
  return orphansWhere(orphans, (orphan) => keys.has(keyOf(orphan)));
}

function keyOf(orphan: Orphan): string {
  if ('project' in orphan) return `project ${orphan.project}`;
  return 'path' in orphan ? `file ${orphan.path} ${orphan.sha256}` : `kept ${orphan.sha256}`;
}

// The plan of the whole pipeline for a command that holds the state file open, and the orphans by that plan.

async function survey(
  bound: BoundPipeline,
  options: PruneOptions,
  { located, journal: { ledger }, clock }: StateEdit,
  paths: RunPaths,
): Promise<Orphans> {
  refuseIf(namesake(bound) ?? checkOutput(bound, options) ?? checkOutputFolder(paths));
  using here = await openItemsHere(bound, options, { paths, ledger, clock });
  const { items, disk } = here;
  if (options.onWarning !== undefined) items.warnings.forEach(options.onWarning);
  const references = (await referencesTo(ledger, bound, disk))();
  await walkHere(bound, here, { ledger, clock }, references.see);
  const { missingFolders } = options;
  const search = { bound, paths, items, ledger, references, disk, missingFolders };
  const orphans = await certainOrphans(search);
  // A rehearsal has its folders for itself.
  return located.rehearsal ? orphans : await withoutShared(orphans, bound, paths);
}
