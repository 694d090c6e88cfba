// A file of which nothing says where it ends may be a part of itself, and one that was saved may have changed: its project is kept.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = ({
  prompt = 'Hello ${{ item.key }}',
  discard = '',
} = {}): string => `pipeline: voices
items: { values: [{ key: a }] }
steps:
  say: { uses: ai-voice-generator, with: { style: { prompt: "${prompt}", voice_name: Elon Musk } } }
  save: { uses: download, with: { of: say, to: "\${{ item.key }}.mp3" } }
  clear: { uses: delete, with: { of: say${discard} } }
`;

test('a sound whose storage tells neither its length nor its hash is kept, until somebody says otherwise', async () => {
  const world = new World(pipeline());
  world.service.isSilent = true;
  const run = await world.run();
  expect([run.endings['save:a'], run.outcome, world.outputs]).toEqual([
    'done',
    'failed',
    ['a.mp3'],
  ]);
  const again = await world.run();
  expect([again.endings['clear:a'], again.charged]).toEqual([run.endings['clear:a'], 0]);
  expect(world.requests.filter((call) => call.startsWith('delete'))).toEqual([]);
  const other = world.checkout('other', pipeline().replace('voices', 'others'));
  await other.run();
  expect(world.requests.filter((call) => call.startsWith('delete'))).toEqual([]);
  world.edit(pipeline({ discard: ', discard: true' }));
  expect((await world.run()).endings['clear:a']).toBe('done');
});

test('a sound that the items share is kept as well', async () => {
  const world = new World(pipeline({ prompt: 'Hello' }));
  world.service.isSilent = true;
  expect((await world.run()).endings['clear']).toBe('failed');
  expect(world.requests.filter((call) => call.startsWith('delete'))).toEqual([]);
});

test('a sound whose storage tells its length is whole', async () => {
  const world = new World(pipeline());
  expect((await world.run()).endings['clear:a']).toBe('done');
});

test('a file that nobody has read since it was saved is read before its project is deleted', async () => {
  const world = new World(pipeline());
  await world.run({ exclude: ['clear'] });
  const path = 'out/voices/a.mp3';
  world.write(path, 'x'.repeat(world.read(path)?.length ?? 0));
  world.unread.add(path);
  expect((await world.run()).endings['clear:a']).toBe('failed');
  expect(world.requests.filter((call) => call.startsWith('delete'))).toEqual([]);
});
