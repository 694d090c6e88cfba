import { expect, test } from 'vitest';
import { Promptness } from '../../src/distributed/promptness.ts';
import { answer, serve } from '../service-api/server.ts';

class TwoClocks {
  wall = 1_000_000;
  monotonic = 0;
  now = (): number => this.wall;
  elapsed = (): number => this.monotonic;
}

test.each<readonly [string, number, number, boolean]>([
  ['at once', 0, 0, true],
  ['after eight seconds', 8_000, 8_000, true],
  ['later by the monotonic clock', 0, 8_001, false],
  ['later by the wall clock, of a machine that was suspended', 8_001, 0, false],
  ['by a wall clock that was set back', -8_001, 0, false],
])('a creation is sent %s: %s ms, %s ms, %s', async (_, wall, monotonic, isSent) => {
  const server = await serve((_request, response) =>
    answer(response, 200, { id: 'p-1', credits_charged: 1 }),
  );
  const clock = new TwoClocks();
  const promptness = new Promptness(clock);
  const client = server.client({ inTime: (name) => promptness.isInTime(name) });
  promptness.intends('a #1');
  clock.wall += wall;
  clock.monotonic += monotonic;
  // The line of the job says so again.
  promptness.intends('a #1');
  const sent = await client.create('face-swap-photo', { name: 'a #1' });
  expect([sent.ok, server.asked.length]).toEqual([isSent, isSent ? 1 : 0]);
  if (!sent.ok) expect(sent.error.reason).toBe('late');
  // One intent is for one request.
  expect((await client.create('face-swap-photo', { name: 'a #1' })).ok).toBe(false);
});
