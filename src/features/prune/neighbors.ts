// What other pipelines of the folder share with this one: its state file, its output folder, its kept files. An orphan
// of this pipeline may be what another one needs.
import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { parsePipeline } from '../../language/load/parse.ts';
import { type Problem, problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import { type Orphans, orphansWhere } from '../../plan/orphan.ts';
import { pathKey } from '../../plan/plan-references.ts';
import { realPathOf } from '../../service-api/consent.ts';
import { diskStore } from '../../state/job-store.ts';
import { loadState } from '../../state/load-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';

/** A larger file is no pipeline file; in bytes. */
const largest = 10_000_000;

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
  const read = readRegularFile(path, { max: largest });
  const text = read.ok ? read.value.toString('utf8') : '';
  return text.split('\n').some((line) => /^\s*["']?pipeline\b/.test(line) && line.includes(name));
}

/** Without the orphans that another state file in the folder records, too. */
export async function withoutShared(
  orphans: Orphans,
  { folder }: BoundPipeline,
  { state }: Pick<RunPaths, 'state'>,
): Promise<Orphans> {
  const { files, kept, projects } = orphans;
  const wanted = [
    ...files.map(({ path }) => `file ${pathKey(path)}`),
    ...kept.map(({ sha256 }) => `content ${sha256}`),
    ...projects.map(({ project }) => `project ${project}`),
  ];
  if (wanted.length === 0) return orphans;
  const others = readdirSync(folder).filter((entry) => entry.endsWith('.state.jsonl'));
  const paths = others.map((entry) => join(folder, entry)).filter((path) => path !== state);
  const seen = new Set<string>();
  for (const path of paths) await look(path, new Set(wanted), seen);
  const isShared = (key: string): boolean => seen.has(key);
  const left = orphansWhere(orphans, (orphan) => {
    if ('project' in orphan) return !isShared(`project ${orphan.project}`);
    return 'path' in orphan
      ? !isShared(`file ${pathKey(orphan.path)}`)
      : !isShared(`content ${orphan.sha256}`);
  });
  return { ...left, left: { ...left.left, shared: seen.size } };
}

async function look(path: string, wanted: ReadonlySet<string>, seen: Set<string>): Promise<void> {
  const store = diskStore();
  try {
    const loaded = await loadState(path, store);
    if (!loaded.ok) {
      const hint = 'it may record what prune would remove: repair it, or move it away';
      throw new Refusal(
        problem(
          `another state file in the folder cannot be read: ${loaded.error}`,
          relative('.', path),
          hint,
        ),
      );
    }
    for (const { project, outputs = [] } of loaded.value.ledger.jobs()) {
      const keys = [
        ...(project === undefined ? [] : [`project ${project}`]),
        ...outputs.flatMap((one) => [`file ${pathKey(one.path)}`, `content ${one.sha256}`]),
      ];
      for (const key of keys) if (wanted.has(key)) seen.add(key);
    }
    return;
  } finally {
    store.close();
  }
}
