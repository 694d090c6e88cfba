// Owed: what is paid for and not saved is fetched before anything new is bought, the earliest expiry first, also when it is
// more than the items that are in progress at once, and also when an earlier due time has paid for it.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { type Told, World } from '../kit/world.ts';

const hour = 3_600_000;

const photos = ({ items = 2, more = '', top = '' } = {}): string => `${top}pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { items: ${items} }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, ${more}with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
  tidy: { uses: delete, with: { of: swap } }
`;
const unsaved = photos().replace(/ {2}save[\s\S]*/, '');
const three = { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip', 'photos/p3.png': 'lily' };
const bought = 'create swap:a-new-one.png';

/** Three photos that are swapped and not saved, the last one first, and one that is new: all that it needs is there. */
async function indebted(items = 2): Promise<World> {
  const world = new World(unsaved, three);
  for (const only of ['p3.png', 'p2.png', 'p1.png']) {
    await world.run({ items: { only } });
    world.clock.pass(hour);
  }
  world.edit(photos({ items }));
  world.write('photos/a-new-one.png', 'iris');
  await world.run({ only: ['photo'], items: { only: 'a-new-one.png' } });
  return world;
}

/** Which calls of a kind a run has made before it bought the new one, by item. */
async function beforeBuying(world: World, call: string): Promise<readonly string[]> {
  const from = world.requests.length;
  expect((await world.run()).outcome).toBe('done');
  const calls = world.requests.slice(from);
  expect(calls.filter((one) => one.startsWith('create'))).toEqual([bought]);
  return calls
    .slice(0, calls.indexOf(bought))
    .flatMap((one) => (one.startsWith(`${call} `) ? [one.replace(/^.*:/, '')] : []));
}

describe('before anything is bought', () => {
  test('all that is complete is saved, although it is more than the items at once', async () => {
    const world = await indebted();
    expect((await beforeBuying(world, 'download')).toSorted()).toEqual([
      'p1.png',
      'p2.png',
      'p3.png',
    ]);
    expect(world.outputs).toHaveLength(4);
    expect(world.service.charged).toBe(40);
  });

  test('what runs out first is saved first', async () => {
    expect(await beforeBuying(await indebted(1), 'look')).toEqual(['p3.png', 'p2.png', 'p1.png']);
  });

  test('what was in progress and is complete by now is saved, and what is not is waited for later', async () => {
    const world = new World(photos({ more: 'timeout: 1ms, ' }), three);
    world.service.fate = ({ task }) => (task === 'swap:p1.png' ? { ms: 20_000 } : undefined);
    expect((await world.run()).summary).toMatchObject({ outcome: 'failed', tasks: { pending: 3 } });
    world.clock.pass(5000);
    world.edit(photos());
    world.write('photos/a-new-one.png', 'iris');
    expect((await beforeBuying(world, 'download')).toSorted()).toEqual(['p2.png', 'p3.png']);
    expect(world.outputs).toHaveLength(4);
    expect(world.service.charged).toBe(40);
  });

  test('a project that failed meanwhile is reported, and is not made again in the same run', async () => {
    const top = 'on_failure: stop\n';
    const world = new World(photos({ top, more: 'timeout: 1ms, ' }), { 'photos/p1.png': 'rose' });
    world.service.fate = ({ number }) => (number === 1 ? { error: 'no_source_face' } : undefined);
    expect((await world.run()).summary).toMatchObject({ tasks: { pending: 1 } });
    world.clock.pass(5000);
    world.edit(photos({ top }));
    world.write('photos/z-new-one.png', 'iris');
    const { summary } = await world.run();
    expect(summary).toMatchObject({
      ...{ outcome: 'failed', stoppedBy: 'failures', tasks: { failed: 1 } },
      credits: { charged: 0, refunded: 10 },
    });
    expect(world.service.projects.size).toBe(1);
    expect((await world.run()).outcome).toBe('done');
    expect(world.bill).toEqual({ 'swap:p1.png': 10, 'swap:z-new-one.png': 10 });
  });

  test('a project that failed for a passing cause is made again, as often as the step allows', async () => {
    const retry = 'retry: { attempts: 2 }, ';
    const world = new World(photos({ more: `timeout: 1ms, ${retry}` }), { 'photos/p1.png': 'a' });
    world.service.fate = ({ number }) => (number === 1 ? { error: 'processing_timeout' } : {});
    expect((await world.run()).summary).toMatchObject({ tasks: { pending: 1 } });
    world.clock.pass(5000);
    world.edit(photos({ more: retry }));
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { failed: 0 } });
    expect(world.bill).toEqual({ 'swap:p1.png': 10 });
  });
});

test('a run of some items leaves what is owed of the others alone', async () => {
  const world = new World(photos(), three);
  world.service.fails = ({ call }) =>
    call === 'download' ? { reason: 'not-found', status: 404, message: 'no file' } : undefined;
  await world.run();
  world.service.fails = () => undefined;
  await world.run({ items: { only: 'p2.png' } });
  expect(world.outputs).toEqual(['p2.png']);
});

test('nothing is bought while what is owed cannot be saved: the key is refused, the disk is full, the run is interrupted', async () => {
  const world = await indebted();
  const failing = (of: string, failure: ApiFailure): void => {
    world.service.fails = ({ call }) => (call === of ? failure : undefined);
  };
  failing('look', { reason: 'unauthorized', message: 'Unauthorized' });
  expect((await world.run()).outcome).toBe('unauthorized');
  failing('download', { reason: 'local', message: 'the disk is full' });
  expect((await world.run()).summary).toMatchObject({
    outcome: 'failed',
    stopped: expect.stringContaining('the disk is full'),
  });
  const person = new AbortController();
  world.service.fails = ({ call }) => {
    if (call === 'download') person.abort();
    return undefined;
  };
  expect((await world.run({ signal: person.signal })).outcome).toBe('interrupted');
  expect(world.service.projects.size).toBe(3);
  world.service.fails = () => undefined;
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(world.service.charged).toBe(40);
});

test('status names what is not saved, and what runs out within six hours', async () => {
  const world = await indebted();
  const soon = async (): Promise<readonly boolean[]> =>
    (await world.status()).unsaved.map((one) => one.soon);
  // Addresses last for 24 hours, and the first one is three hours old.
  expect(await soon()).toEqual([false, false, false]);
  world.clock.pass(15.5 * hour);
  expect(await soon()).toEqual([true, false, false]);
  world.clock.pass(2 * hour);
  expect(await soon()).toEqual([true, true, true]);
  await world.run();
  expect(await soon()).toEqual([]);
});

const daily = `pipeline: daily
output: out
steps:
  picture:
    uses: ai-image-generator
    with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "a postcard for \${{ run.date }} \${{ run.due }}" } }
  save: { uses: download, retry: { attempts: 1 }, with: { of: picture, to: "\${{ run.date }}.png" } }
  tidy: { uses: delete, with: { of: picture } }
`;
const [one, two, last] = [5, 6, 7].map((date) => Date.parse(`2026-08-0${date}T07:00:00Z`));

const warnings = ({ events }: Told): readonly string[] =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

describe('a download that failed at one due time', () => {
  /** The files of so many first projects cannot be fetched. */
  async function left(pipeline = daily): Promise<World> {
    const world = new World(pipeline);
    world.service.fails = ({ call }) =>
      call === 'download'
        ? { reason: 'not-found', status: 404, message: 'there is no file' }
        : undefined;
    expect((await world.run({ due: one })).outcome).toBe('failed');
    world.service.fails = () => undefined;
    world.clock.pass(24 * hour);
    return world;
  }

  test('is made at the next one, before anything is bought, and its project stays', async () => {
    const world = await left();
    expect((await world.plan()).warnings.join()).toContain('2026-08-05');
    const from = world.requests.length;
    expect((await world.run({ due: two })).outcome).toBe('done');
    const calls = world.requests.slice(from);
    expect(calls.indexOf('download picture')).toBeLessThan(calls.indexOf('create picture'));
    expect(world.outputs).toEqual(['2026-08-05.png', '2026-08-06.png']);
    expect(world.requests.filter((call) => call.startsWith('delete'))).toHaveLength(1);
    expect(world.bill).toEqual({ picture: 10 });
    expect((await world.run({ due: last })).summary?.tasks).toMatchObject({ done: 3 });
  });

  test('is made by a plain run too, and if it fails again the run says so', async () => {
    const world = await left();
    const lost = world.service.projectOf('picture').id;
    world.service.fails = ({ call, project }) =>
      call === 'download' && project === lost
        ? { reason: 'not-found', status: 404, message: 'there is no file' }
        : undefined;
    const { summary } = await world.run();
    expect(summary?.outcome).toBe('failed');
    expect(summary?.problems).toMatchObject([
      { task: 'save', why: expect.stringContaining('2026-08-05') },
    ]);
    expect(world.outputs).toEqual(['2026-08-06.png']);
    world.service.fails = () => undefined;
    expect((await world.run()).outcome).toBe('done');
    expect(world.outputs).toEqual(['2026-08-05.png', '2026-08-06.png']);
    expect((await world.run()).summary?.tasks).toMatchObject({ done: 0, failed: 0 });
  });

  test('goes to the kept files if another file is in its place by then', async () => {
    const world = await left();
    world.write('out/2026-08-05.png', 'mine');
    expect((await world.run({ due: two })).outcome).toBe('done');
    expect(world.read('out/2026-08-05.png')).toBe('mine');
    expect(world.state).toContain('"kept":true');
  });

  test('that was to be saved at two places says of which it fails again', async () => {
    const copy =
      '  copy: { uses: download, with: { of: picture, to: "${{ run.date }}-copy.png" } }\n';
    const world = await left(daily.replace('  tidy', `${copy}  tidy`));
    world.diskFault = (doing, path) =>
      doing === 'write' && path === '2026-08-05-copy.png'
        ? { message: 'it cannot be written', systemic: false }
        : undefined;
    const { summary } = await world.run({ due: two });
    expect(summary?.problems.map(({ task }) => task)).toEqual(['copy']);
    expect(world.outputs).toContain('2026-08-05.png');
  });

  test('is out of reach after the pipeline was changed, and the old file brings it home without a purchase', async () => {
    const world = await left();
    world.edit(daily.replace('a postcard', 'a letter'));
    expect(warnings(await world.run({ due: two }))).toHaveLength(1);
    world.edit(daily);
    world.clock.pass(24 * hour);
    expect((await world.run({ only: ['save'] })).charged).toBe(0);
    expect(world.outputs).toEqual(['2026-08-05.png', '2026-08-06.png']);
  });
});

test('a doubt that is resolved comes home at the next due time', async () => {
  const world = new World(daily);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : undefined);
  expect((await world.run({ due: one })).outcome).toBe('doubt');
  const { id } = world.service.projectOf('picture');
  await world.resolve('picture', { how: 'project', project: id });
  world.clock.pass(24 * hour);
  expect((await world.run({ due: two })).outcome).toBe('done');
  expect(world.outputs).toEqual(['2026-08-05.png', '2026-08-06.png']);
  expect(world.bill).toEqual({ picture: 10 });
});
