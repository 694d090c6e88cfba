// The random faults of the service in a round. Each is limited in number, so that the round ends.
import type { FaultRule } from '../src/service/faults/schema.ts';

const creations = [
  'POST /v1/face-swap-photo',
  'POST /v1/character-replace',
  'POST /v1/photo-colorizer',
];

export interface FaultProfile {
  readonly faults: readonly FaultRule[];
  /** One response never arrives, so the run has to be killed after a timeout. */
  readonly silent: boolean;
}

export function drawFaultProfile(chance: () => number): FaultProfile {
  const some = (least: number, most: number): number =>
    least + Math.floor(chance() * (most - least + 1));
  /** Happens at most `most` times, somewhere among the first hundred requests. */
  const now = (most: number) => ({
    probability: 0.02 + chance() * 0.1,
    count: some(1, most),
    skip: some(0, 30),
  });
  const silent = chance() < 1 / 12;
  const rules: FaultRule[] = [
    { fault: 'latency', for: '0ms', up_to: '4ms', probability: chance() * 0.5 },
    { fault: 'throttled', retry_after: 0, ...now(6) },
    { fault: 'unavailable', status: chance() < 0.5 ? 502 : 503, ...now(6) },
    { fault: 'broken', when: 'before', status: chance() < 0.5 ? 500 : 504, ...now(3) },
    { fault: 'broken', when: 'after', status: chance() < 0.5 ? 500 : 504, ...now(3) },
    { fault: 'reset', when: 'before', ...now(3) },
    { fault: 'reset', when: 'after', ...now(3) },
    { fault: 'broken', when: 'after', on: creations, ...now(2) },
    { fault: 'reset', when: 'after', on: creations, ...now(2) },
    { fault: 'truncated', ...now(4) },
    { fault: 'lost-upload', ...now(2) },
    { fault: 'early-expiry', after: '1ms', ...now(4) },
    { fault: 'job-error', code: 'unknown_error', ...now(3) },
    { fault: 'job-error', code: 'processing_timeout', ...now(2) },
    { fault: 'job-error', code: 'no_source_face', ...now(2) },
  ];
  if (silent)
    rules.push({ fault: 'silence', when: 'after', on: creations, count: 1, skip: some(0, 30) });
  return { faults: shuffled(rules, chance), silent };
}

/** The random numbers of a rule depend on its place in the list. */
function shuffled<T>(list: readonly T[], chance: () => number): readonly T[] {
  return list
    .map((value) => ({ value, place: chance() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
