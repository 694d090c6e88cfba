// The latest detections: a batch lays one face over many photos, and a photo that was searched for faces has them swapped
// next. Detection is by far the slowest step, so each thread keeps its latest results.
import { hash } from 'node:crypto';
import type { Detection, Locate } from './detection.ts';

/** Entries: each is a digest and a few detections. */
const most = 256;
/** Detections with at least this confidence are kept; a search with less is never cached. */
const leastSure = 0.1;

/** Gives the same answers as `locate`. */
export function withCache(locate: Locate): Locate {
  const looks = new Map<string, readonly Detection[]>();
  return async (patch, confidence) => {
    if (confidence < leastSure) return locate(patch, confidence);
    const key = hash('sha256', patch.pixels, 'base64');
    const seen = looks.get(key) ?? (await locate(patch, leastSure));
    // The most recently used entry is the last one, so the first one is dropped.
    looks.delete(key);
    looks.set(key, seen);
    const [oldest] = looks.keys();
    if (looks.size > most && oldest !== undefined) looks.delete(oldest);
    return seen.filter(({ score }) => score >= confidence);
  };
}
