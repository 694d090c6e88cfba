// What the service took, it can also render, however strange: a project ends complete or in an error of the request,
// and the ledger then says what the record says.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tools } from '../../../src/contract/tools/all.ts';
import { send, textAt } from '../client.ts';
import { besiege, expectAlive, expectDecent, tries, validOrders } from './siege.ts';
import { varied } from './wild-json.ts';

const siege = await besiege({ credits: 1_000_000_000_000, slots: 8 });
const { local, client } = siege;
const orders = await validOrders(client);
const recordOf = new Map(tools.map(({ name, record }) => [`/v1/${name}`, record]));

/** What was really taken for a project. */
function paid(project: string): number {
  return local
    .ledger()
    .filter((entry) => entry.project === project)
    .reduce((sum, { kind, credits }) => sum + (kind === 'charge' ? credits : -credits), 0);
}

test.each(orders.map(({ path, body }, index) => [path, index, body] as const))(
  '%s (example %i) renders what it takes, or says what is wrong with it',
  async (path, index, body) => {
    const record = recordOf.get(path);
    if (record === undefined) throw new Error(`no tool has the path ${path}`);
    const headers = { authorization: `Bearer ${local.key}`, 'content-type': 'application/json' };
    const property = fc.asyncProperty(varied(body), async (text) => {
      const answer = await send(local.address, { method: 'POST', path, headers, body: text });
      expectDecent(answer, text.slice(0, 300));
      if (answer.status !== 200) return;
      const id = textAt(answer.body, 'id');
      const { status, error, credits_charged } = await client.settled(record, id);
      expect(error, text.slice(0, 300)).not.toMatchObject({ code: 'unknown_error' });
      expect(paid(id), text.slice(0, 300)).toBe(credits_charged);
      expect(error === null).toBe(status === 'complete');
    });
    await fc.assert(property, { seed: 200 + index, numRuns: tries(2) });
    await expectAlive(siege);
  },
);

test('a clip of any length that can be paid for is rendered', async () => {
  const seconds = fc.oneof(
    fc.constantFrom(0.1, 60, 524, 525, 3600, 86_400, 1e6, 1e9),
    fc.double({ min: 0.1, max: 5000, noNaN: true }),
  );
  const property = fc.asyncProperty(seconds, async (end) => {
    const { id } = await client.create('animation', {
      ...{ end_seconds: end, fps: 12, width: 64, height: 64 },
      assets: { audio_source: 'none' },
      style: {
        ...{ art_style: 'Painterly Illustration', camera_effect: 'Simple Zoom In' },
        ...{ prompt_type: 'custom', prompt: 'a long walk', transition_speed: 5 },
      },
    });
    expect((await client.settled('video', id))['error'], `${end} seconds`).toBeNull();
  });
  await fc.assert(property, { seed: 1, numRuns: tries(6), endOnFailure: true });
  await expectAlive(siege);
});
