// Loaded before a command (`node --import`): makes random file names the same in every run, so that the system calls of
// two runs can be compared.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

let last = 0;
const { randomBytes } = crypto;
/** In bytes. Names and keys are shorter; the disk reserve is longer. */
const longestName = 64;
Object.assign(crypto, {
  randomUUID: () => `00000000-0000-4000-8000-${String(++last).padStart(12, '0')}`,
  randomBytes: (size: number) =>
    size > longestName ? randomBytes(size) : Buffer.alloc(size).fill(`${++last} `),
});
syncBuiltinESMExports();
