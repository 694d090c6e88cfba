// A process or a thread that uses a lock while a test looks on. `take` says "held" or "refused", and keeps what it has; `try` lets it
// go; `ask` says "held" or "free"; `storm` takes and releases it many times, and says what went wrong.
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { realClock } from '../../src/core/clock.ts';
import { isHeld, Lock } from '../../src/state/lock.ts';

const [, , doing = '', file = '', rounds = '0'] = process.argv;

/** At once, and not when the process gets to it. */
const say = (text: string): void =>
  parentPort === null ? void writeSync(1, `${text}\n`) : parentPort.postMessage(text);

if (doing === 'ask') say(isHeld(file) ? 'held' : 'free');
if (doing === 'take') {
  const lock = await Lock.take(file, realClock);
  say(lock === undefined ? 'refused' : 'held');
  // Without a reference to it, the database would be closed.
  if (lock !== undefined) setInterval(() => void lock.isStill, 1_000);
}
if (doing === 'try') {
  const lock = await Lock.take(file, realClock);
  say(lock === undefined ? 'refused' : 'taken');
  await lock?.release();
}
if (doing === 'storm') {
  let refused = 0;
  for (let round = Number(rounds); round > 0; round--) {
    isHeld(file);
    const lock = await Lock.take(file, realClock);
    if (lock === undefined) {
      refused += 1;
      continue;
    }
    // Fails if another one is there.
    closeSync(openSync(`${file}.inside`, 'wx'));
    await turn();
    if (!lock.isStill) throw new Error('the lock was lost');
    unlinkSync(`${file}.inside`);
    await lock.release();
  }
  say(`refused ${refused}`);
}
