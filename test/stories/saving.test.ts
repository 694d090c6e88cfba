// A disk that is full while a result is saved: what pays stops, and the next run saves it. Real full disks:
// test/e2e/full-disk.test.ts.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const photos = (to = '${{ item.key }}', more = ''): string => `pipeline: photos
items: { glob: photos/*.png }
limits: { items: 1 }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "${to}" } }
${more}  tidy: { uses: delete, with: { of: colour } }
`;
const two = { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip' };
const full = { message: 'out could not be written: the disk is full', systemic: true };

test.each<[string, (world: World) => void]>([
  [
    'a folder is made',
    (world) => {
      world.diskFault = (doing) => (doing === 'write' ? full : undefined);
    },
  ],
  [
    'a file is put in its place',
    (world) => {
      world.diskFault = (doing) => (doing === 'place' ? full : undefined);
    },
  ],
  [
    'a file is written',
    (world) => {
      world.service.fails = ({ call }) =>
        call === 'download' ? { reason: 'local', message: full.message } : undefined;
    },
  ],
])('when %s', async (_, fill) => {
  const world = new World(photos(), two);
  fill(world);
  const { summary, ends } = await world.run();
  expect(summary).toMatchObject({ stopped: expect.stringContaining('the disk is full') });
  expect(world.service.charged).toBe(10);
  expect([...ends.values()].filter(({ ending }) => ending === 'failed')).toEqual([]);
  expect(world.outputs).toEqual([]);
  world.diskFault = () => undefined;
  world.service.fails = () => undefined;
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['p1.png', 'p2.png']);
  expect(Object.values(world.bill)).toEqual([10, 10]);
});

test('when a result gets another name, and is copied', async () => {
  const world = new World(photos(), two);
  await world.run();
  world.edit(photos('copy-${{ item.key }}'));
  world.diskFault = (doing) => (doing === 'place' ? full : undefined);
  const { summary } = await world.run();
  expect(summary).toMatchObject({ stopped: expect.stringContaining('the disk is full') });
  expect(world.outputs).toEqual(['p1.png', 'p2.png']);
  world.diskFault = () => undefined;
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['copy-p1.png', 'copy-p2.png', 'p1.png', 'p2.png']);
  expect(world.service.charged).toBe(20);
});

test('what a download saves may be uploaded by a later step, in this run and the next', async () => {
  const again =
    '  again: { uses: upload, if: steps.save.bytes > 0, with: { file: "out/${{ item.key }}" } }\n';
  const world = new World(
    photos(undefined, again),
    { 'photos/p1.png': 'rose' },
    { disk: 'folder' },
  );
  for (const done of [5, 0])
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { done } });
});
