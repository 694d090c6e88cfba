// Loaded before a command (`node --import`): names of files that would be random are the same in every run, so that a
// system call that one run made can be found again in the next.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

let last = 0;
const { randomBytes } = crypto;
/** In bytes: names and keys are shorter, and what only fills room is longer. */
const longestName = 64;
Object.assign(crypto, {
  randomUUID: () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`,
  randomBytes: (size: number) =>
    size > longestName ? randomBytes(size) : Buffer.alloc(size).fill(`${++last} `),
});
syncBuiltinESMExports();
