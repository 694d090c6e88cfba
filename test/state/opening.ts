// A process that claims jobs in receipts that others make at the same moment, and prints each answer.
import { dirname, join } from 'node:path';
import { digestOfBytes } from '../../src/base/digest.ts';
import { realClock } from '../../src/core/clock.ts';
import { stateAfter } from '../../src/model/record/job.ts';
import { Receipts } from '../../src/state/receipts.ts';

const [, , file = '', name = '', jobs = '0'] = process.argv;
const at = '2026-11-28T10:00:00.000Z';
const state = join(dirname(dirname(file)), name);
const receipts = new Receipts({
  file,
  service: 'https://service.example',
  by: { state, pipeline: `${state}.yaml` },
  lock: `${state}.lock`,
  writes: true,
  clock: realClock,
  isHeld: () => false,
  jobs: () => [],
  warn: (message) => process.stdout.write(`${message}\n`),
});
for (let number = 0; number < Number(jobs); number++) {
  const job = digestOfBytes(`job ${number}`);
  const attempt = `${name} ${number}`;
  const line = stateAfter(
    undefined,
    { is: 'intent', job, kind: 'face-swap-photo', task: 'a', attempt, reserve: 1, forgets: [] },
    name,
    at,
  );
  process.stdout.write(`${number} ${receipts.claim(line, attempt).is}\n`);
}
receipts.close();
