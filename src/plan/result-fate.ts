// What the pipeline does with a tool's result: whether a step downloads or uses it.
import type { Step } from '../language/pipeline.ts';

/**
 * - `fetched`: a step downloads it. `used`: only later steps read it. `kept`: `keep: remote` leaves
 *   it at the service.
 * - `idle`: nothing fetches or uses it, or the pipeline has no such step any more.
 */
export type ResultFate = 'fetched' | 'used' | 'kept' | 'idle';

export function resultFates(steps: readonly Step[]): (step: string) => ResultFate {
  const fates = new Map<string, ResultFate>();
  for (const { name, keepRemote, isRead } of steps)
    if (keepRemote || isRead) fates.set(name, keepRemote ? 'kept' : 'used');
  for (const { kind, of } of steps)
    if (kind.operation === 'download' && of !== undefined) fates.set(of, 'fetched');
  return (step) => fates.get(step) ?? 'idle';
}
