// refresh, audit and resolve ask the service about projects, as patiently as a run does: a lost answer says nothing about a
// project. What drifts, and what they say of it: test/transcripts/drift.txt.
import { expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { audit, refresh, resolve } from '../../src/index.ts';
import { World } from '../kit/world.ts';

const photos = (more = ''): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, ${more}with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
`;
const two = { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip' };

test('a project that is complete by now: the next run fetches it', async () => {
  const world = new World(photos('timeout: 1ms, '), { 'photos/p1.png': 'rose' });
  await world.run();
  world.clock.pass(5000);
  const { changes } = await world.do((loaded, own) => refresh(loaded, own));
  expect(changes).toMatchObject([{ tasks: ['colour:p1.png'], what: 'complete' }]);
  world.edit(photos());
  expect(await world.run()).toMatchObject({ outcome: 'done', charged: 0 });
  expect(world.outputs).toEqual(['p1.png']);
});

test.each<[string, ApiFailure, number]>([
  ['four answers of 503', { reason: 'unavailable', status: 503, message: 'later' }, 4],
  ['an answer of 429', { reason: 'throttled', retryAfterMs: 9000, message: 'too many' }, 1],
  ['two cut connections', { reason: 'unanswered', message: 'it was cut' }, 2],
])('resolve, refresh and audit outlast %s', async (_, failure, times) => {
  const world = new World(photos(), two);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : undefined);
  await world.run();
  const project = world.service.projectOf('colour:p1.png').id;
  const failing = (): void => {
    let left = times;
    world.service.fails = ({ call }) => (call === 'look' && left-- > 0 ? failure : undefined);
  };
  failing();
  expect(await world.do((loaded, own) => refresh(loaded, own))).toMatchObject({
    projects: 1,
    unread: [],
  });
  failing();
  expect(await world.do((loaded, own) => audit(loaded, own))).toMatchObject({
    projects: 1,
    differences: [],
  });
  failing();
  const how = { how: 'project', project } as const;
  expect(await world.do((loaded, own) => resolve(loaded, 'colour:p1.png', how, own))).toMatchObject(
    { state: 'complete', credits: 10, project },
  );
});
