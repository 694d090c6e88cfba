// A process with a run that may be killed or stopped at any moment: file of the receipts, its folder, the file of what was
// sent, the jobs, a seed, and "without claims".
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { chanceOf } from '../../src/base/chance.ts';
import { realClock } from '../../src/core/clock.ts';
import { Receipts } from '../../src/state/receipts.ts';
import { buy } from './buyer.ts';

const [, , file = '', folder = '', sends = '', jobs = '', seed = '0', without = ''] = process.argv;
const state = join(folder, 'x.state.jsonl');
const lock = join(folder, 'x.lock');
const chance = chanceOf(Number(seed), 1);

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 5;

/** Until the process ends. Undefined if another one holds it. */
function held(): DatabaseSync | undefined {
  const database = new DatabaseSync(lock, { timeout: 50 });
  try {
    database.exec('BEGIN EXCLUSIVE; PRAGMA user_version = 1');
    return database;
  } catch (error) {
    if (!isLocked(error)) throw error;
    database.close();
    return undefined;
  }
}

function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (!isLocked(error)) throw error;
    return true;
  } finally {
    database.close();
  }
}

const holding = held();
if (holding === undefined) process.exit(9);
process.stdout.write('began\n');
const run = `${process.pid}-${seed}`;
const receipts = new Receipts({
  file,
  service: 'https://service.example',
  by: { state, pipeline: join(folder, 'x.yaml') },
  lock,
  writes: true,
  clock: realClock,
  isHeld,
  jobs: () => [],
  warn: (message) => process.stdout.write(`warning: ${message}\n`),
});
if (chance() < 0.7) receipts.ownedBy('ann');
const tally = await buy(
  {
    read: () => (existsSync(state) ? readFileSync(state, 'utf8') : ''),
    append: (line) => appendFileSync(state, line),
    pause: () => sleep(Math.floor(chance() * 8)),
    send: (job, attempt) => appendFileSync(sends, `${job} ${attempt}\n`),
  },
  receipts,
  { run, jobs: jobs.split(','), claims: without === '' },
);
receipts.close();
process.stdout.write(`tally ${JSON.stringify([...tally])}\n`);
holding.close();
