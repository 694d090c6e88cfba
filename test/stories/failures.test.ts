// When something fails: the rest goes on as far as the pipeline says, each failure is listed, and nothing is paid for what the
// service will refuse anyway.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { World } from '../kit/world.ts';

/** Photos one at a time, so that what fails first is known. */
const photos = (count: number, top = '', retry = ''): World =>
  new World(
    `${top}
pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, ${retry}with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
  );

const creations = (world: World, step: string): number =>
  world.requests.filter((request) => request.startsWith(`create ${step}`)).length;

const twoSteps = `pipeline: photos
max_credits_lost: 15
items: { glob: photos/*.png }
output: out
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  first: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  second: { uses: photo-colorizer, retry: { attempts: 1 }, with: { assets: { image_file_path: "\${{ steps.first.url }}" } } }
`;

describe('how much may fail before nothing more is bought', () => {
  test.each([
    ['max_failures: "40%"', 3],
    ['max_credits_lost: 0', 6],
  ])('%s: %i are tried', async (line, tried) => {
    const world = photos(6, line);
    world.service.fate = () => ({ error: 'no_source_face' });
    const { summary } = await world.run();
    expect(creations(world, 'swap')).toBe(tried);
    expect(summary).toMatchObject({
      outcome: 'failed',
      credits: { charged: tried * 10, refunded: tried * 10 },
      tasks: { failed: tried },
    });
    expect(summary?.stopped !== undefined).toBe(tried < 6);
    expect(world.service.charged).toBe(0);
  });

  test('max_credits_lost counts what was paid for items that then failed, and was not refunded', async () => {
    const world = photos(5);
    world.edit(twoSteps);
    world.service.fate = ({ task }) =>
      task.startsWith('second') ? { error: 'unknown_error' } : undefined;
    const { summary } = await world.run();
    expect(summary?.stopped).toMatch(/20 .* 15/);
    expect([creations(world, 'first'), world.service.charged]).toEqual([2, 20]);
  });

  test('what was paid once for all items is not lost with one of them', async () => {
    const world = photos(1);
    world.edit(`${twoSteps}  shared: { uses: photo-colorizer, with: { assets: { image_file_path: "https://example.com/a.png" } } }
`);
    world.service.fate = ({ task }) =>
      task.startsWith('second') ? { error: 'unknown_error' } : undefined;
    const { summary } = await world.run();
    expect([summary?.stopped, summary?.tasks.failed]).toEqual([undefined, 1]);
    expect(world.service.charged).toBe(20);
  });

  test('what is under way when the limit is reached is still saved, and the next run goes on', async () => {
    const world = photos(6, 'on_failure: stop');
    world.service.fate = ({ number }) => (number === 3 ? { error: 'no_source_face' } : undefined);
    const { summary } = await world.run();
    expect(summary).toMatchObject({ outcome: 'failed', items: { total: 6, done: 2 } });
    expect(world.outputs).toHaveLength(2);
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    expect(world.service.charged).toBe(60);
  });

  test('without such a line the others go on', async () => {
    const world = photos(5);
    world.service.fate = ({ number }) => (number <= 2 ? { error: 'no_source_face' } : undefined);
    const { summary } = await world.run();
    expect(summary).toMatchObject({ outcome: 'failed', items: { done: 3 }, tasks: { failed: 2 } });
    expect(summary?.stopped).toBeUndefined();
  });
});

test('a failure that may pass is tried as often as the step says, and one that will not pass is tried once', async () => {
  const world = photos(2, '', 'retry: { attempts: 2 }, ');
  world.service.fate = ({ number }) => ({
    error: number === 1 ? 'no_source_face' : 'processing_timeout',
  });
  const { summary } = await world.run();
  expect(summary?.problems).toMatchObject([
    { task: 'swap:p1.png', why: expect.stringContaining('no_source_face') },
    { task: 'swap:p2.png', why: expect.stringContaining('processing_timeout') },
  ]);
  expect(creations(world, 'swap')).toBe(1 + 2);
});

test.each([
  ['look', 'swap:p1.png'],
  ['download', 'save:p1.png'],
])(
  'what is paid and cannot be fetched (%s) is no failure: the next run has it, and pays nothing',
  async (call, task) => {
    const world = photos(1);
    const failure: ApiFailure = { reason: 'refused', status: 400, message: 'No.' };
    world.service.fails = (one) => (one.call === call ? failure : undefined);
    expect((await world.run()).endings[task]).toBe('pending');
    world.service.fails = () => undefined;
    expect((await world.run()).outcome).toBe('done');
    expect([world.outputs.length, world.service.charged]).toEqual([1, 10]);
  },
);

/** A paid picture for each word, then a step that the service refuses for each. */
const words = (more = '', last = true): string => `pipeline: words
items: { values: [one, two, three, four, five, six, seven, eight] }
limits: { items: 1 }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.value }}" } } }
${last ? '  wrong: { uses: ai-image-editor, with: { image_count: 1, assets: { image_file_path: "${{ steps.picture.url }}" }, style: { prompt: sharper } } }\n' : ''}${more}`;
const saved = '  save: { uses: download, with: { of: picture, to: "${{ item.value }}.png" } }\n';

describe.each<[string, ApiFailure, number]>([
  [
    'that the service takes from nobody',
    { reason: 'refused', status: 422, message: 'It could not be created.' },
    3,
  ],
  ['that the plan of the account does not have', { reason: 'forbidden', message: 'No.' }, 1],
])('a step %s', (_, failure, tried) => {
  const refusing = (pipeline: string): World => {
    const world = new World(pipeline);
    world.service.fails = ({ call, about }) =>
      call === 'create' && about.startsWith('wrong') ? failure : undefined;
    return world;
  };

  test('is not tried for the others, and what only it would use is not paid for', async () => {
    const world = refusing(words());
    const { summary } = await world.run();
    expect(creations(world, 'wrong')).toBe(tried);
    expect(creations(world, 'picture')).toBe(tried);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: tried * 10 } });
    // What only the refused step would use waits, and has not failed.
    expect(summary?.tasks.pending).toBe(summary?.held);
    world.edit(words(saved, false));
    expect((await world.run()).outcome).toBe('done');
    expect(world.service.charged).toBe(80);
  });

  test('does not hold up what is saved as well', async () => {
    const world = refusing(words(saved));
    const { summary } = await world.run();
    expect(creations(world, 'wrong')).toBe(tried);
    expect(world.outputs).toHaveLength(8);
    expect(summary).toMatchObject({ outcome: 'failed', credits: { charged: 80 } });
  });
});

test('a key that is revoked in the middle stops the run; with another key it goes on', async () => {
  const world = photos(4);
  world.service.fails = ({ call }) =>
    call === 'create' && creations(world, 'swap') === 3
      ? { reason: 'unauthorized', message: 'Unauthorized' }
      : undefined;
  expect((await world.run()).summary).toMatchObject({
    outcome: 'unauthorized',
    credits: { charged: 20, reserved: 0 },
    items: { done: 2 },
  });
  expect(creations(world, 'swap')).toBe(3);
  world.service.fails = () => undefined;
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(world.service.charged).toBe(40);
});

test('a field that the header of a file does not have fails that item alone', async () => {
  const world = new World(
    `pipeline: wide
items: { glob: "photos/*" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { if: item.width > 0, uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.stem }}.png" } }
`,
    { 'photos/a.png': 'rose', 'photos/b.mp3': 'ID3 and no picture' },
  );
  const told = await world.run();
  expect(told.summary).toMatchObject({ outcome: 'failed', items: { total: 2, done: 1 } });
  expect(told.ends.get('colour:b.mp3')).toMatchObject({
    ending: 'failed',
    why: expect.stringContaining('photos/b.mp3'),
  });
});
