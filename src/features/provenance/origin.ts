// What a result was made from: the parameters of its job and the inputs behind them, from the kept manifests.
import type { JsonObject } from '../../base/json.ts';
import { type KeptManifest, textsOf, valueOfJob } from '../../model/manifest.ts';
import { readManifests } from '../../state/manifests.ts';

export interface OriginInput {
  /** The field of the request that takes the value, such as `assets.image_file_path`. */
  readonly field: string;
  /** The fingerprint of the job that the value comes from. */
  readonly fingerprint: string;
  /** Which output of that job the value is. */
  readonly output: string;
  /** The step kind of that job; absent, with all that follows, if nobody kept what the job was made of. */
  readonly uses?: string;
  /** For an upload: the file at the time, as the pipeline names it. */
  readonly file?: string;
  /** For an upload: the SHA-256 of the file. */
  readonly sha256?: string;
  readonly take?: number;
  readonly parameters?: JsonObject;
  readonly inputs?: readonly OriginInput[];
}

export interface Origin {
  /** 2 or more: the result of a reroll. Absent for the first take. */
  readonly take?: number;
  /** The request, with defaults. A value of another job is `shotlist:<fingerprint>/<output>`. */
  readonly parameters?: JsonObject;
  readonly inputs: readonly OriginInput[];
}

export type Manifests = ReadonlyMap<string, KeptManifest>;

/** Steps behind one another; a longer chain ends there. */
const maxDepth = 12;

/** Undefined if nobody kept what the job was made of. */
export function originOf(job: string, manifests: Manifests): Origin | undefined {
  const manifest = manifests.get(job);
  return manifest === undefined ? undefined : origin(manifest, manifests, maxDepth);
}

/** The jobs whose values a request takes, for the next round of reading manifests. */
export function usedBy({ body }: KeptManifest): readonly string[] {
  return textsOf(body).flatMap(([, text]) => valueOfJob(text)?.job ?? []);
}

function origin({ take, body }: KeptManifest, manifests: Manifests, depth: number): Origin {
  const inputs = textsOf(body).flatMap(([field, text]): OriginInput[] => {
    const value = valueOfJob(text);
    if (value === undefined) return [];
    const input = { field, fingerprint: value.job, output: value.output };
    const manifest = manifests.get(value.job);
    return [manifest === undefined ? input : { ...input, ...behind(manifest, manifests, depth) }];
  });
  return {
    ...(take === undefined ? {} : { take }),
    ...(body === undefined ? {} : { parameters: body }),
    inputs,
  };
}

function behind(
  manifest: KeptManifest,
  manifests: Manifests,
  depth: number,
): Omit<OriginInput, 'field' | 'fingerprint' | 'output'> {
  const { kind: uses, content, file } = manifest;
  if (content !== undefined)
    return { uses, sha256: content, ...(file === undefined ? {} : { file }) };
  return depth === 0 ? { uses } : { uses, ...origin(manifest, manifests, depth - 1) };
}

// The manifests of some jobs, and of all jobs whose results they use.

export async function manifestsBehind(file: string, jobs: ReadonlySet<string>): Promise<Manifests> {
  const manifests = new Map<string, KeptManifest>();
  const asked = new Set<string>();
  let wanted = jobs;
  while (wanted.size > 0) {
    const now = wanted;
    for (const job of now) asked.add(job);
    const found = await readManifests(file, (job) => now.has(job));
    for (const [job, manifest] of found) manifests.set(job, manifest);
    wanted = new Set([...found.values()].flatMap(usedBy).filter((job) => !asked.has(job)));
  }
  return manifests;
}
