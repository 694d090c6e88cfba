// What was seen a moment ago: a batch lays the same actor's face over every photo, and a photo that was searched for
// faces has them swapped next. Looking is by far the dearest step, so a thread remembers its last looks.
import { hash } from 'node:crypto';
import type { Detection, Locate } from './detection.ts';

/** Looks that are remembered: each is a digest and a few detections. */
const most = 256;
/** Everything that is this sure is remembered; whoever asks for less is always shown a fresh look. */
const leastSure = 0.1;

/** The same answers as `locate` gives: what is less sure never hides what is surer. */
export function withCache(locate: Locate): Locate {
  const looks = new Map<string, readonly Detection[]>();
  return async (patch, confidence) => {
    if (confidence < leastSure) return locate(patch, confidence);
    const key = hash('sha256', patch.pixels, 'base64');
    const seen = looks.get(key) ?? (await locate(patch, leastSure));
    // The last one that was asked for stands last, so that the first is the one to forget.
    looks.delete(key);
    looks.set(key, seen);
    const [oldest] = looks.keys();
    if (looks.size > most && oldest !== undefined) looks.delete(oldest);
    return seen.filter(({ score }) => score >= confidence);
  };
}
