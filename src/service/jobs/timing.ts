// How long a project takes: close to the observed median of its tool (interface.md, What the service does). The time
// differs between projects, and is the same for the same project and seed.
import { hash } from 'node:crypto';
import { chanceOf } from '../../base/chance.ts';
import { fieldOf, type JsonObject } from '../../base/json.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Speed } from '../options.ts';

export interface JobTiming {
  /** Milliseconds from creation until the work begins. */
  readonly waitMs: number;
  /** Minimum milliseconds from the beginning of the work to its end. */
  readonly workMs: number;
}

/** The share of the whole time that a project spends in the queue. A guess: the service publishes no split. */
const queueShare = 0.1;
/** The spread of the log-normal distribution: two thirds of all projects are within 30 % of the median. */
const spread = 0.25;

/**
 * By which factor a project takes longer than the median: "Processing time varies with … input duration, resolution and
 * model" (interface.md). The median is taken as the time of the tool's first example. The weights are guesses.
 */
export function effortOf({ record, examples }: Tool, body: JsonObject): number {
  const [usual = {}] = examples;
  const ratio = weightOf(body, record === 'video') / weightOf(usual, record === 'video');
  return Math.min(8, Math.max(0.25, ratio));
}

/** Four times the length takes twice the time: much of the time is not spent on frames. */
function weightOf(body: JsonObject, isClip: boolean): number {
  const length = isClip ? Math.sqrt(clipOf(body).seconds) : 1;
  const resolution = fieldOf(body, 'resolution');
  const size = typeof resolution === 'string' ? (sizes[resolution] ?? 1) : 1;
  return length * size * modelWeight(fieldOf(body, 'model'));
}

const sizes: Readonly<Record<string, number>> = {
  '640px': 1,
  '480p': 1,
  '720p': 1.3,
  '1k': 1.3,
  '1080p': 1.7,
  '2k': 1.7,
  '4k': 2.5,
};

/** Between 0.75 and 1.25, derived from the model's name; 1 for the default model. */
function modelWeight(model: unknown): number {
  if (typeof model !== 'string' || model === 'default') return 1;
  return 0.75 + (Number.parseInt(hash('sha256', model, 'hex').slice(0, 8), 16) / 2 ** 32) * 0.5;
}

export function timingOf(
  speed: Speed,
  seed: number,
  sequence: number,
  medianSeconds: number,
): JobTiming {
  if (speed === 'instant') return { waitMs: 0, workMs: 0 };
  const factor = speed === 'realtime' ? 1 : speed;
  const chance = chanceOf(seed, sequence);
  const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const totalMs = (medianSeconds * 1000 * Math.exp(spread * normal)) / factor;
  return { waitMs: totalMs * queueShare, workMs: totalMs * (1 - queueShare) };
}

/** The rest of a job's time: a restart does not make the job take longer. */
export function remaining(
  { waitMs, workMs }: JobTiming,
  { createdAt, startedAt }: { readonly createdAt: number; readonly startedAt: number | undefined },
  now: number,
): JobTiming {
  if (startedAt !== undefined) return { waitMs: 0, workMs: startedAt + workMs - now };
  return { waitMs: createdAt + waitMs - now, workMs };
}
