// A quick look at the content of a folder: bounded in entries and in time. Follows no links.
import { opendir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { extensionOf } from '../../../contract/api/asset.ts';
import type { Match } from './glob.ts';

const mostEntries = 5000;
const mostMs = 800;

export interface Glance {
  /** The visible files in the folder itself, counted by extension, the most frequent first. */
  readonly extensions: readonly (readonly [string, number])[];
  /** The names of the visible folders in the folder. */
  readonly folders: readonly string[];
  /** The number of hidden files in the folder. */
  readonly hidden: number;
  /** The number of files further below whose names match. */
  readonly fitting: number;
  /** True if the look ended before it had seen everything. */
  readonly cut: boolean;
}

/** Breadth first, real folders only. */
export async function glance(at: string, fits: Match): Promise<Glance> {
  const until = performance.now() + mostMs;
  const extensions = new Map<string, number>();
  const folders: string[] = [];
  let [hidden, fitting, left] = [0, 0, mostEntries];
  const queue = [at];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    const top = folder === at;
    try {
      for await (const entry of await opendir(folder)) {
        left -= 1;
        if (left < 0 || performance.now() > until) {
          queue.length = 0;
          break;
        }
        const { name } = entry;
        if (name.startsWith('.')) hidden += top && entry.isFile() ? 1 : 0;
        else if (entry.isDirectory()) {
          if (top) folders.push(name);
          queue.push(resolve(folder, name));
        } else if (!top) fitting += fits(name) ? 1 : 0;
        else extensions.set(extensionOf(name), (extensions.get(extensionOf(name)) ?? 0) + 1);
      }
    } catch {
      // An unreadable folder shows nothing. The search for files has already reported it.
    }
  }
  const cut = left < 0 || performance.now() > until;
  return { extensions: counted(extensions), folders, hidden, fitting, cut };
}

const counted = (map: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...map].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
