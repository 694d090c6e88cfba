// Coordinators are killed wherever they are, and the next one, in this checkout or in another one, goes on: no line that was
// confirmed is lost, and a state file without a mark has all that was bought from it.
// ROUNDS=200 SEED=1 npx vitest run test/distributed/takeover.test.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chanceOf } from '../../src/base/chance.ts';
import { temporaryFolder } from '../files/places.ts';
import { load } from '../state/records.ts';
import { lapse, openEngine } from './engine.ts';

const rounds = Number(process.env['ROUNDS'] ?? 6);
const seed = Number(process.env['SEED'] ?? 1);
const program = fileURLToPath(new URL('coordinator-process.ts', import.meta.url));
/** More than a coordinator says. */
const never = 100;

/** Kills the coordinator a moment after it has said so many things. Returns what it has said. */
async function coordinate(
  [url, path, name]: readonly [url: string, path: string, name: string],
  most: number,
  momentMs: number,
) {
  const child = spawn(process.execPath, [program, url, path, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === most) setTimeout(() => child.kill('SIGKILL'), momentMs);
  }
  await closed;
  return said;
}

test('whoever is killed, the next coordinator has its lines', { tags: 'postgres' }, async () => {
  const database = await openEngine();
  const { url } = database.address;
  const chance = chanceOf(seed, 1);
  const checkouts = [0, 1].map(() => ({
    path: join(temporaryFolder(), 'p.state.jsonl'),
    bought: new Set<string>(),
  }));
  const all = new Set<string>();
  for (let round = 0; round < rounds + checkouts.length; round++) {
    const isLast = round >= rounds;
    const index = isLast ? round - rounds : Math.floor(chance() * checkouts.length);
    const checkout = checkouts[index];
    if (checkout === undefined) throw new Error('no such checkout');
    const { path, bought } = checkout;
    // Each of the steps is as likely as all of the lines together.
    const most = chance() < 0.5 ? Math.ceil(chance() * 22) : [1, 2, 23, 24][round % 4];
    const said = await coordinate(
      [url, path, `${round}`],
      isLast ? never : (most ?? never),
      10 * chance(),
    );
    await lapse(database);
    for (const line of said)
      if (line.startsWith('job ')) {
        bought.add(line.slice(4));
        all.add(line.slice(4));
      }
    const { ledger } = await load(path);
    const isUnknown = (job: string): boolean => ledger.job(job) === undefined;
    const isMarked = ledger.marks().length > 0;
    if (!isMarked) expect([...bought].filter(isUnknown)).toEqual([]);
    if (said.includes('whole')) expect(isMarked).toBe(false);
    if (isLast) expect([...all].filter(isUnknown)).toEqual([]);
  }
  expect(all.size).toBeGreaterThan(20 * checkouts.length);
});
