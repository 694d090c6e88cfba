// The manifests of some jobs, and of all jobs whose results they use.

import type { KeptManifest } from '../../model/manifest.ts';
import { readManifests } from '../../state/manifests.ts';
import { type Manifests, usedBy } from './origin.ts';

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
