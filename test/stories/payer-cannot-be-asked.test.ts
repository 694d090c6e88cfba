// The receipts of a machine know a request that another account paid for. If the service cannot say which account a key is
// of, the project counts as this one's: nothing is bought for the sake of an answer that did not come.
import { expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { World } from '../kit/world.ts';

const pipeline = (name: string): string => `pipeline: ${name}
limits: { outage: 1m }
steps:
  photo: { uses: upload, with: { file: a.png } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: a.png } }
`;

const other = { env: { SHOTLIST_API_KEY: 'other' } };
const away: ApiFailure = { reason: 'unavailable', status: 503, message: 'try later' };
const unknown: ApiFailure = { reason: 'not-found', message: 'Not Found' };

/** One account has paid in one folder; the next pipeline is in another, with the key of another account. */
async function twoAccounts() {
  const world = new World(pipeline('one'), { 'a.png': 'rose' });
  await world.run();
  const two = world.checkout('two', pipeline('two'));
  two.write('a.png', 'rose');
  world.service.account = { id: 'other', credits: 1000, tier: 'business' };
  return { world, two };
}

test('another account cannot give its projects to this one, which buys its own', async () => {
  const { world, two } = await twoAccounts();
  expect((await two.plan(other)).plan.credits).toBe(10);
  const told = await two.run(other);
  expect([told.outcome, told.charged]).toEqual(['done', 10]);
  expect(two.outputs).toEqual(['a.png']);
  expect(world.bill).toEqual({ colour: 20 });
});

test.each([
  ['is away', away],
  ['has no such endpoint', unknown],
])('where the service %s, nobody knows whose key it is: nothing is bought', async (_, failure) => {
  const { world, two } = await twoAccounts();
  world.service.fails = ({ call }) => (call === 'account' ? failure : undefined);
  const planned = await two.plan(other);
  await two.run(other);
  expect(planned.plan.credits).toBe(0);
  expect(world.bill).toEqual({ colour: 10 });
});
