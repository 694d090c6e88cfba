// All benches, in the order in which `npm run bench` runs them.
import { again } from './again.ts';
import { answers } from './answers.ts';
import { big } from './big.ts';
import { client } from './client.ts';
import { engine } from './engine.ts';
import type { Bench } from './frame/bench.ts';
import { journalBench } from './journal.ts';
import { live } from './live.ts';
import { memory } from './memory.ts';
import { receipts } from './receipts.ts';
import { report } from './report.ts';
import { serveBench } from './serve.ts';
import { start } from './start.ts';
import { wait } from './wait.ts';
import { wire } from './wire.ts';

export const benches: readonly Bench[] = [
  ...[wire, client, again, memory, journalBench, receipts, wait, big, start, live, report],
  ...[serveBench, answers, engine],
];
