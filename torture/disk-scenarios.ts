// The starting points of a run in the disk torture. Together, the scenarios cover every kind of file that a run writes.
import { appendFileSync } from 'node:fs';
import type { FaultRule } from '../src/service/faults/schema.ts';
import type { DiskTestbed, PhotoSize } from './disk-testbed.ts';
import type { Call } from './strace.ts';

export interface Scenario {
  readonly name: string;
  /** How often each photo is paid for by the end of the scenario. */
  readonly chargesPerPhoto: number;
  readonly faults: readonly FaultRule[];
  readonly size: PhotoSize;
  /** Prepares the folder for the run. `calls`: those of a run in a new folder. */
  prepare(testbed: DiskTestbed, calls: readonly Call[]): Promise<void>;
  /** Whether a call is tried here; the others are the same as in an earlier scenario. */
  has(call: Call): boolean;
}

const isPart = ({ path }: Call): boolean => path.includes('/.shotlist-') && path.includes('.part');
/** The hash cache is the same in every scenario. */
const isOwn = ({ path }: Call): boolean => !path.includes('hashes.db');

async function settle(): Promise<void> {}

export const scenarios: readonly Scenario[] = [
  {
    name: 'new folder',
    chargesPerPhoto: 1,
    faults: [],
    size: 'small',
    prepare: settle,
    has: () => true,
  },
  {
    // Leaves a lock, a disk reserve, a downloaded file under its temporary name, and half a line.
    name: 'after a crash',
    chargesPerPhoto: 1,
    faults: [],
    size: 'small',
    async prepare(testbed, calls) {
      const call = calls.find((one) => one.name.startsWith('rename') && isPart(one));
      if (call === undefined) throw new Error('no download was put in its place');
      const { hit } = await testbed.tracedRun({ call, how: 'kill', lasting: false });
      if (!hit) throw new Error('the run before was not killed');
      appendFileSync(testbed.workspace.state, '{"job":"');
    },
    has: isOwn,
  },
  {
    name: 'changed input',
    chargesPerPhoto: 2,
    faults: [],
    size: 'small',
    async prepare(testbed) {
      const { code, output } = await testbed.run();
      if (code !== 0) throw new Error(`the run before did not end well: ${output}`);
      await testbed.replaceActor(1001);
    },
    has: isOwn,
  },
  {
    name: 'cut download',
    chargesPerPhoto: 1,
    faults: [{ fault: 'truncated', on: 'GET /downloads/*', count: 1 }],
    size: 'large',
    prepare: settle,
    // A large file takes many writes, all alike.
    has: (call) => isPart(call) && call.nth <= 2,
  },
];
