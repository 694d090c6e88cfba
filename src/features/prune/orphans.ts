// Finds the orphans of a pipeline, for plan and prune: the plan of all items, the state file and the disk together.

import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import type { OutputFacts } from '../../core/facts.ts';
import type { Disk } from '../../core/ports.ts';
import { certainly } from '../../core/recorded-files.ts';
import type { ItemList } from '../../files/items.ts';
import { type ItemFiles, keptFilesIn, Leftovers } from '../../files/leftovers.ts';
import { type Items, isExclusion } from '../../language/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, problem, resultOf } from '../../language/load/refusal.ts';
import { type Combination, combinationsOf } from '../../model/combinations.ts';
import { commonBase } from '../../model/item.ts';
import { viewIn, viewsOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { realPathOf } from '../../service-api/consent.ts';
import { loadState } from '../../state/load-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { refuse } from '../refuse.ts';
import { findOrphans } from './find-orphans.ts';
import {
  noOrphans,
  type Orphan,
  type OrphanCounts,
  type Orphans,
  orphanCounts,
  orphansOf,
  orphansWhere,
} from './orphan.ts';
import { type PlanReferences, pathKey } from './references.ts';

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
  search: OrphanSearch & {
    readonly paths: Pick<RunPaths, 'state'>;
    readonly excluded: ReadonlySet<string>;
  },
  rehearsal: boolean,
): Promise<OrphanCounts | undefined> {
  const { bound, paths, items, disk, excluded } = search;
  if (items.count < items.total || excluded.size > 0) return undefined;
  // Only `prune` plans with every profile.
  if (bound.profiles.length > 0) return undefined;
  const likely = found(search, disk);
  if (likely === undefined) return orphanCounts(noOrphans);
  if (namesake(bound) !== undefined) return undefined;
  if (rehearsal) return orphanCounts(likely);
  const own = await resultOf(() => withoutShared(likely, bound, paths));
  return own.ok ? orphanCounts(own.value) : undefined;
}

/** Reads every file whose hash is not known. */
export async function certainOrphans(search: OrphanSearch): Promise<Orphans> {
  return (await certainly(search.disk, (facts) => found(search, facts))) ?? noOrphans;
}

/** Undefined if the plan needs everything that is recorded. */
function found(
  { bound, paths, items, ledger, references, missingFolders = false }: OrphanSearch,
  facts: OutputFacts,
): Orphans | undefined {
  const kept = keptFilesIn(paths.kept);
  if (kept.length === 0 && !references.mayMiss(ledger.size)) return undefined;
  const { pipeline, folder } = bound;
  const { output } = paths;
  const { blind } = items;
  const files = itemFilesOf(pipeline.items);
  return findOrphans({
    steps: pipeline.steps,
    items,
    references,
    jobs: () => viewsOf(ledger),
    jobOf: (fingerprint) => viewIn(ledger, fingerprint),
    kept,
    facts,
    leftovers: new Leftovers({ folder, output, blind, missingFolders, items: files }),
  });
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

// What other pipelines of the folder share with this one: its state file, its output folder, its kept files. An orphan
// of this pipeline may be what another one needs.

/** A larger file is no pipeline file. */
const maxPipelineBytes = 10_000_000;

/** Why nobody can tell which results belong to this pipeline; undefined if one can. */
export function namesake({ folder, file, name }: BoundPipeline): Problem | undefined {
  const own = realPathOf(file);
  const other = readdirSync(folder)
    .filter((entry) => /\.ya?ml$/i.test(entry))
    .map((entry) => join(folder, entry))
    .find((path) => realPathOf(path) !== own && hasName(path, name));
  if (other === undefined) return undefined;
  return problem(
    `${basename(other)} is named ${JSON.stringify(name)} too, so the two files share one state file: nobody can tell which results belong to which`,
    file,
    'give one of them another name: (its next run then begins with a new state file), or move it to another folder',
  );
}

/** A file that is not valid may be valid tomorrow: then, a line with the name is enough. */
function hasName(path: string, name: string): boolean {
  const parsed = resultOf(() => parsePipeline(path));
  if (parsed.ok) return parsed.value.pipeline.name === name;
  const read = readRegularFile(path, { max: maxPipelineBytes });
  const text = read.ok ? read.value.toString('utf8') : '';
  return text.split('\n').some((line) => /^\s*["']?pipeline\b/.test(line) && line.includes(name));
}

/** Without the orphans that another state file in the folder records, too. */
export async function withoutShared(
  orphans: Orphans,
  { folder }: BoundPipeline,
  { state }: Pick<RunPaths, 'state'>,
): Promise<Orphans> {
  const wanted = new Set(orphansOf(orphans).map(sharedKey));
  if (wanted.size === 0) return orphans;
  const seen = new Set<string>();
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (entry.endsWith('.state.jsonl') && path !== state) await look(path, wanted, seen);
  }
  const own = orphansWhere(orphans, (orphan) => !seen.has(sharedKey(orphan)));
  return { ...own, left: { ...own.left, shared: seen.size } };
}

/** Other pipelines know a file by its place, and a kept one by its content. */
function sharedKey(orphan: Orphan): string {
  if ('project' in orphan) return `project ${orphan.project}`;
  return 'path' in orphan ? `file ${pathKey(orphan.path)}` : `content ${orphan.sha256}`;
}

async function look(path: string, wanted: ReadonlySet<string>, seen: Set<string>): Promise<void> {
  const loaded = await loadState(path);
  if (!loaded.ok) {
    const hint = 'it may record what prune would remove: repair it, or move it away';
    refuse(
      `another state file in the folder cannot be read: ${loaded.error}`,
      hint,
      relative('.', path),
    );
  }
  for (const { project, outputs } of viewsOf(loaded.value.ledger)) {
    const keys = [
      ...(project === undefined ? [] : [`project ${project}`]),
      ...outputs.flatMap((one) => [`file ${pathKey(one.path)}`, `content ${one.sha256}`]),
    ];
    for (const key of keys) if (wanted.has(key)) seen.add(key);
  }
}
