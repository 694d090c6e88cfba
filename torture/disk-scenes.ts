// What a run of the disk torture starts from: together the scenes come by every kind of file that a run writes.
import { appendFileSync } from 'node:fs';
import type { FaultRule } from '../src/service/endpoints/fault-schema.ts';
import type { DiskPlace, PhotoSize } from './disk-place.ts';
import type { Call } from './strace.ts';

export interface Scene {
  readonly name: string;
  /** How often each photo is paid for by the end of the scene. */
  readonly takes: number;
  readonly faults: readonly FaultRule[];
  readonly size: PhotoSize;
  /** What comes before the run. `calls`: those of a run in a new folder. */
  prepare(place: DiskPlace, calls: readonly Call[]): Promise<void>;
  /** Whether a call is of interest; the others are the same as in an earlier scene. */
  has(call: Call): boolean;
}

const isPart = ({ path }: Call): boolean => path.includes('/.shotlist-') && path.includes('.part');
/** The cache of hashes is the same in every scene. */
const isOwn = ({ path }: Call): boolean => !path.includes('hashes.db');

async function settle(): Promise<void> {}

export const scenes: readonly Scene[] = [
  { name: 'new folder', takes: 1, faults: [], size: 'small', prepare: settle, has: () => true },
  {
    // Leaves a lock, a ballast, a downloaded file without its name, and half a line.
    name: 'after a crash',
    takes: 1,
    faults: [],
    size: 'small',
    async prepare(place, calls) {
      const call = calls.find((one) => one.name.startsWith('rename') && isPart(one));
      if (call === undefined) throw new Error('no download was put in its place');
      const { hit } = await place.watchedRun({ call, how: 'kill', lasting: false });
      if (!hit) throw new Error('the run before was not killed');
      appendFileSync(place.room.state, '{"seq":');
    },
    has: isOwn,
  },
  {
    name: 'changed input',
    takes: 2,
    faults: [],
    size: 'small',
    async prepare(place) {
      const { code, output } = await place.run();
      if (code !== 0) throw new Error(`the run before did not end well: ${output}`);
      await place.castActor(1001);
    },
    has: isOwn,
  },
  {
    name: 'cut download',
    takes: 1,
    faults: [{ fault: 'truncated', on: 'GET /downloads/*', count: 1 }],
    size: 'large',
    prepare: settle,
    // A large file is many writes, and one is like another.
    has: (call) => isPart(call) && call.nth <= 2,
  },
];
