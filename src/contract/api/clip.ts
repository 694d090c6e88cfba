// The part of a timeline that a request selects (interface.md, Resources and their fields).
import { fieldOf, type JsonObject } from '../../base/json.ts';

/** The length of a clip if its request does not say when it ends. */
export const usualSeconds = 5;

interface Clip {
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
}

/** The part of the timeline that a request selects, in seconds. */
export function clipOf(body: JsonObject): Clip {
  const from = fieldOf(body, 'start_seconds');
  const to = fieldOf(body, 'end_seconds');
  const start = typeof from === 'number' ? from : 0;
  const end = typeof to === 'number' ? to : start + usualSeconds;
  return { start, end, seconds: Math.max(0.1, end - start) };
}

/** Where a request's clip starts and ends, in seconds; undefined if the request does not say both, or not yet. */
export function boundsOfClip(body: JsonObject): Omit<Clip, 'seconds'> | undefined {
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}
