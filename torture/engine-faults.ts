// The service's faults while a distributed run is tortured, and how many of them can lose the answer to a creation.
import { isObject } from '../src/base/json.ts';
import type { FaultRule } from '../src/service/faults/schema.ts';
import type { LocalService } from '../src/service/start.ts';
import { Client, listAt } from '../test/service/client.ts';

const creations = ['POST /v1/face-swap-photo', 'POST /v1/photo-colorizer'];

/** All the time, until they are cleared. */
export const engineFaults: readonly FaultRule[] = [
  { fault: 'latency', for: '0ms', up_to: '150ms', probability: 0.5 },
  { fault: 'throttled', retry_after: 0, probability: 0.02 },
  { fault: 'throttled', retry_after: 1, probability: 0.001, on: creations },
  { fault: 'unavailable', status: 503, probability: 0.01 },
  { fault: 'broken', when: 'before', status: 500, probability: 0.004 },
  { fault: 'reset', when: 'before', probability: 0.004 },
  { fault: 'reset', when: 'after', probability: 0.004 },
  { fault: 'broken', when: 'after', status: 504, probability: 0.005, on: creations },
  { fault: 'truncated', probability: 0.01 },
  { fault: 'lost-upload', probability: 0.003 },
  { fault: 'early-expiry', after: '1ms', probability: 0.01 },
  { fault: 'job-error', code: 'unknown_error', probability: 0.01 },
];

/** After these, a request has certainly got its answer. */
const harmless: ReadonlySet<unknown> = new Set([
  ...['latency', 'throttled', 'lost-upload', 'early-expiry', 'job-error'],
]);

export interface FaultCount {
  readonly all: number;
  /** At most so many answers were lost. */
  readonly lossy: number;
}

/** Ends the faults, and says how many there were. */
export async function endFaults(service: LocalService): Promise<FaultCount> {
  const client = new Client(service);
  const { body } = await client.ask('GET', '/hub/faults');
  await client.ask('POST', '/hub/faults/clear', {});
  const rules = listAt(body, 'faults').filter(isObject);
  const sum = (list: typeof rules): number =>
    list.reduce((total, { fired }) => total + Number(fired), 0);
  return { all: sum(rules), lossy: sum(rules.filter(({ fault }) => !harmless.has(fault))) };
}
