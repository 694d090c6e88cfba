// `prune`: lists the orphans of a pipeline, and removes them: files of items that are gone, kept files, and projects at
// the service whose results are saved.
import { err, ok, type Result } from '../../contract/base/result.ts';
import { type Orphans, orphansWhere } from '../plan/orphan.ts';
import { type BoundPipeline, boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { inBoth, withEveryProfile } from './pruning/profiles.ts';
import { type Refused, type Removed, removeOrphans } from './pruning/remove.ts';
import { type SurveyOptions, survey } from './pruning/survey.ts';
import { type EditOptions, editState, type StateEdit } from './state/edit-state.ts';
import { type LocatedState, pathsLike } from './state/locate-state.ts';
import { chooseStore } from './store/choose-store.ts';
import { type OpenStore, openStore } from './store/open-store.ts';

export type { Orphans, Refused };

export interface PruneOptions extends EditOptions, SurveyOptions {
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
): Promise<Result<Prunable, Problem>> {
  return await editState(loaded, options, (edit) => find(boundPipeline(loaded), options, edit));
}

/**
 * Removes what earlier runs left and the pipeline no longer needs: saved files, kept files, and projects at the service whose
 * results are saved. With `listed`, removes only what is in that list too. A file that was changed, and a project that cannot be
 * deleted, stay: `refused` says why.
 *
 * @example
 * ```ts
 * import { loadPipeline, orphans, prune, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const listed = await orphans(loaded.value);
 * if (!listed.ok) throw new Error(renderProblem(listed.error));
 * for (const { path, bytes, at } of listed.value.files) console.log(path, bytes, new Date(at));
 * const pruned = await prune(loaded.value, { listed: listed.value, olderThanMs: 30 * 86_400_000 });
 * if (pruned.ok) console.log(pruned.value.removed.files.length, 'files removed');
 * else console.log(renderProblem(pruned.error));
 * ```
 */
export async function prune(
  loaded: LoadedPipeline,
  options: PruneOptions & { readonly listed?: Orphans } = {},
): Promise<Result<Pruned, Problem>> {
  const bound = boundPipeline(loaded);
  return await editState(loaded, options, async (edit): Promise<Result<Pruned, Problem>> => {
    const found = await find(bound, options, edit);
    if (!found.ok) return found;
    const chosen = options.listed === undefined ? found.value : inBoth(found.value, options.listed);
    const service = asksService(chosen) ? await edit.connect() : undefined;
    if (service?.ok === false) return err(service.error);
    const { paths } = edit.located;
    await using opened = await storeFor(chosen, bound, edit.located, options);
    const done = await removeOrphans(chosen, {
      ...{ journal: edit.journal, clock: edit.clock, folder: bound.folder, kept: paths.kept },
      ...{ api: service?.value.api, store: opened?.store },
    });
    return ok({ ...found.value, ...done });
  });
}

async function find(
  bound: BoundPipeline,
  options: PruneOptions,
  { located, journal: { ledger }, clock }: StateEdit,
): Promise<Result<Prunable, Problem>> {
  const { paths, rehearsal } = located;
  const { onWarning = () => undefined, olderThanMs } = options;
  const context = { paths, rehearsal, ledger, clock, onWarning };
  const own = await survey(bound, options, context);
  if (!own.ok) return own;
  const found = await withEveryProfile(own.value, bound, (other) =>
    survey(other, options, { ...context, paths: pathsLike(located, other, options) }),
  );
  if (!found.ok) return found;
  const until = clock.now() - (olderThanMs ?? 0);
  const old =
    olderThanMs === undefined ? found.value : orphansWhere(found.value, ({ at }) => at <= until);
  return ok({ ...old, state: paths.state });
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
  const chosen = chooseStore(bound, { target, env, paths, allowOutside });
  if (!chosen.ok || chosen.value === undefined) return undefined;
  return await openStore(chosen.value, new AbortController().signal);
}
