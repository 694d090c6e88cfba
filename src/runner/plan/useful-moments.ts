// When a look at a project is useful, for a process that does not wait for it: `shotlist tick` and a run that was left.
import { toolNamed } from '../../contract/kinds/tools.ts';

/** No pause between two looks is longer than this, in milliseconds. */
const longestPauseMs = 30 * 60_000;

/** The share of the median after which a project may well be over. */
const firstShare = 0.6;

/** What the useful moments of a project follow from. */
export interface Rendering {
  /** The step kind. */
  readonly kind: string;
  /** When the project was created, in milliseconds since 1970. */
  readonly since: number;
}

/** The median time of a tool's projects, in milliseconds; a few seconds for an unknown tool. */
export const medianMs = (kind: string, speedFactor: number): number =>
  ((toolNamed(kind)?.medianSeconds ?? 10) * 1000) / speedFactor;

/**
 * The first useful moment after the last look: the age of the project is then six tenths of its tool's median, and half as
 * much again at each further moment, but no pause is longer than half an hour. All times in milliseconds since 1970.
 * `lookedAt`: undefined if nobody has looked yet.
 */
export function nextUsefulMoment(
  { kind, since }: Rendering,
  lookedAt: number | undefined,
  speedFactor: number,
): number {
  const first = firstShare * medianMs(kind, speedFactor);
  const longest = longestPauseMs / speedFactor;
  const after = (lookedAt ?? since) - since;
  let age = first;
  while (age <= after && age / 2 < longest) age *= 1.5;
  if (age > after) return since + age;
  return since + age + (Math.floor((after - age) / longest) + 1) * longest;
}
