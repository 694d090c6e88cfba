// Rerolls and picks as a program makes them, and a service whose every result has other bytes: the local service
// answers the same request with the same picture.
import { appendFile, readFile } from 'node:fs/promises';
import { digestOfBytes } from '../../src/base/digest.ts';
import { withInternals } from '../../src/features/internals.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { type Picked, pick } from '../../src/features/takes/pick.ts';
import { type Rerolled, type RerollOptions, reroll } from '../../src/features/takes/reroll.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import type { LocalService } from '../../src/service/start.ts';
import { envOf, photoPipeline, type Rig } from '../rig.ts';

/** The swap is kept at the service; a second paid step uses it. */
export const chained = `${photoPipeline.replace(/ {2}tidy.*\n/, '')}\
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  keep: { uses: download, with: { of: colour, to: "colour/\${{ item.stem }}.png" } }
`;

/** Every download ends in its own number. */
export function unlike(): Pick<RunInternals, 'api'> {
  let downloads = 0;
  return {
    api: (api) => ({
      ...api,
      async download(url, into) {
        const fetched = await api.download(url, into);
        if (!fetched.ok) return fetched;
        downloads += 1;
        await appendFile(into.path, `#${downloads}`);
        const content = await readFile(into.path);
        const digest = digestOfBytes(content);
        return { ...fetched, value: { ...fetched.value, bytes: content.length, digest } };
      },
    }),
  };
}

export const loadedFrom = async (rig: Rig): Promise<LoadedPipeline> => await loadPipeline(rig.file);

export async function rerolls(
  rig: Rig,
  to: LocalService,
  names: readonly string[],
  internals: RunInternals = {},
  options: RerollOptions = {},
): Promise<Rerolled> {
  const pace = { backoffMs: 1, speedFactor: 100 };
  const all = { ...options, env: envOf(to) };
  const own = withInternals(all, { ...pace, ...internals });
  return await reroll(await loadedFrom(rig), names, own);
}

export const picks = async (rig: Rig, task: string, take: number): Promise<Picked> =>
  await pick(await loadedFrom(rig), task, take);
