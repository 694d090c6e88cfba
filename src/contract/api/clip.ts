// Which part of a timeline a request asks for (interface.md, Resources and their fields).
import { fieldOf, type JsonObject } from '../base/json.ts';

/** Clips whose body does not say when they end. */
const usualSeconds = 5;

export interface Clip {
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
}

/** Which part of the timeline a body asks for, in seconds. */
export function clipOf(body: JsonObject): Clip {
  const from = fieldOf(body, 'start_seconds');
  const to = fieldOf(body, 'end_seconds');
  const start = typeof from === 'number' ? from : 0;
  const end = typeof to === 'number' ? to : start + usualSeconds;
  return { start, end, seconds: Math.max(0.1, end - start) };
}
