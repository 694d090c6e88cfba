// What a run of the disk torture starts from: together the scenes come by every kind of file that a run writes.
import { appendFileSync } from 'node:fs';
import type { FaultRule } from '../src/service/faults/schema.ts';
import type { DiskPlace } from './disk-place.ts';
import type { Call } from './strace.ts';

export interface Scene {
  readonly name: string;
  /** How often each photo is paid for by the end of the scene. */
  readonly takes: number;
  readonly faults: readonly FaultRule[];
  /** What comes before the run. `calls`: those of a run in a new folder. */
  prepare(place: DiskPlace, calls: readonly Call[]): Promise<void>;
  /** Whether a call is of interest; the others are the same as in an earlier scene. */
  has(call: Call): boolean;
}

const isPart = ({ path }: Call): boolean => path.includes('.part');

async function settle(): Promise<void> {}

export const scenes: readonly Scene[] = [
  { name: 'new folder', takes: 1, faults: [], prepare: settle, has: () => true },
  {
    // Leaves a lock, a ballast, a downloaded file without its name, and half a line.
    name: 'after a crash',
    takes: 1,
    faults: [],
    async prepare(place, calls) {
      const call = calls.find(
        (one) => one.name.startsWith('rename') && isPart(one) && !one.path.includes('.jsonl'),
      );
      if (call === undefined) throw new Error('no download was put in its place');
      const { hit } = await place.watchedRun({ call, how: 'kill', lasting: false });
      if (!hit) throw new Error('the run before was not killed');
      appendFileSync(place.room.state, '{"seq":');
    },
    has: () => true,
  },
  {
    name: 'changed input',
    takes: 2,
    faults: [],
    async prepare(place) {
      const { code, output } = await place.run();
      if (code !== 0) throw new Error(`the run before did not end well: ${output}`);
      await place.castActor(1001);
    },
    has: () => true,
  },
  {
    name: 'cut download',
    takes: 1,
    faults: [{ fault: 'truncated', on: 'GET /downloads/*', count: 1 }],
    prepare: settle,
    has: isPart,
  },
];
