// The receipts of a machine know a request that another account paid for. If the service cannot say whether its project is
// still there, the project counts as still there: nothing is bought for the sake of an answer that did not come.
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
  const looks = (failure: ApiFailure | undefined): void => {
    world.service.fails = ({ call }) => (call === 'look' ? failure : undefined);
  };
  return { world, two, looks };
}

test('503 for the look: nothing is bought', async () => {
  const { world, two, looks } = await twoAccounts();
  looks(away);
  const planned = await two.plan(other);
  await two.run(other);
  expect(planned.plan.credits).toBe(0);
  expect(world.bill).toEqual({ colour: 10 });
  looks(undefined);
  expect((await two.run(other)).outcome).toBe('done');
  expect(two.outputs).toEqual(['a.png']);
  expect(world.bill).toEqual({ colour: 10 });
});

test('404: that account cannot give it to this one, which buys its own', async () => {
  const { world, two } = await twoAccounts();
  const first = world.service.projectOf('colour');
  world.service.fails = ({ call, project }) =>
    call === 'look' && project === first.id ? unknown : undefined;
  const told = await two.run(other);
  expect(told.outcome).toBe('done');
  expect(world.service.charged).toBe(20);
});

test('its project: it is taken over; a project that was deleted is not', async () => {
  const { world, two } = await twoAccounts();
  expect((await two.run(other)).outcome).toBe('done');
  expect(world.bill).toEqual({ colour: 10 });
  const again = await twoAccounts();
  again.world.service.tellsOfDeleted = true;
  again.world.service.projectOf('colour').isDeleted = true;
  const told = await again.two.run(other);
  expect([told.outcome, told.charged]).toEqual(['done', 10]);
});
