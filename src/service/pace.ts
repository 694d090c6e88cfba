// How long a project takes: around the observed median of its tool (interface.md, What the service does),
// different for each project and yet the same in every run with the same seed.
import { chanceOf } from './chance.ts';

/** `instant`: as soon as the rendering is done. A number: so many times faster than the hosted service. */
export type Speed = 'instant' | 'realtime' | number;

export interface Pace {
  /** Milliseconds from creation until the work begins. */
  readonly waitMs: number;
  /** Milliseconds that the work takes at least, from its beginning. */
  readonly workMs: number;
}

/** The share of the whole time that a project spends in the queue. Ours: the service publishes no split. */
const queueShare = 0.1;
/** Spread of the log-normal distribution: two thirds of all projects are within 30 % of the median. */
const spread = 0.25;

export function paceOf(speed: Speed, seed: number, sequence: number, medianSeconds: number): Pace {
  if (speed === 'instant') return { waitMs: 0, workMs: 0 };
  const factor = speed === 'realtime' ? 1 : speed;
  const chance = chanceOf(seed, sequence);
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const totalMs = (medianSeconds * 1000 * Math.exp(spread * normal)) / factor;
  return { waitMs: totalMs * queueShare, workMs: totalMs * (1 - queueShare) };
}
