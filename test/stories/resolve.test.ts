// resolve: a person says what became of a creation whose answer was lost. What can be checked is checked, and whatever is said,
// the state file and the service agree about the credits afterwards. Sentences: test/transcripts/doubt.txt.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeByHub } from '../../src/features/resolve/hub-list.ts';
import {
  type EditOptions,
  type Judge,
  Refusal,
  type Resolution,
  type Resolved,
  type ResolvedAll,
  type RunOptions,
  resolve,
  resolveAll,
} from '../../src/index.ts';
import type { Fate } from '../kit/service.ts';
import { type Checkout, World } from '../kit/world.ts';

const photos = (more = ''): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
${more}`;
const tidy = photos('  tidy: { uses: delete, with: { of: swap } }\n');
const swap = 'swap:p1.png';

const files = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
  );

/** The answer to the first creation is lost. What a receipt says of files is about the real disk. */
async function doubted(lost: Fate['lost'], fate: Fate = {}, count = 1): Promise<World> {
  const world = new World(tidy, files(count), { disk: 'folder' });
  world.service.fate = ({ number }) =>
    number === 1 && world.state.split('"intent"').length <= 2 ? { ...fate, lost } : undefined;
  expect((await world.run()).outcome).toBe('doubt');
  world.service.fate = () => undefined;
  world.clock.pass(5000);
  return world;
}

const said = (
  world: Checkout,
  task: string,
  how: Resolution,
  options?: EditOptions,
): Promise<Resolved> => world.do((loaded, own) => resolve(loaded, task, how, own), options);

const notCharged = { how: 'not-charged' } as const;
const projectOf = (world: World, task = swap) =>
  ({ how: 'project', project: world.service.projectOf(task).id }) as const;

/** A run is done, and both books have these credits. */
async function endsWith(world: World, credits: number, options: RunOptions = {}): Promise<void> {
  expect((await world.run(options)).summary).toMatchObject({
    outcome: 'done',
    credits: { reserved: 0 },
  });
  expect(world.outputs).toEqual(['p1.png']);
  const { charged } = (await world.status()).credits;
  expect([world.service.charged, charged]).toEqual([credits, credits]);
}

describe('what a person says', () => {
  test('project: the next run goes on with the project, and pays nothing', async () => {
    const world = await doubted('taken');
    expect(await said(world, swap, projectOf(world))).toMatchObject({
      ...{ tasks: [swap], state: 'complete', credits: 10 },
    });
    await endsWith(world, 10);
  });

  test('not charged, also by the name that was sent, and on another machine: the next run sends it again, and that is the one charge', async () => {
    const world = await doubted('not-taken');
    const name = (await world.status()).doubts[0]?.name ?? '';
    const env = { SHOTLIST_RECEIPTS: join(world.folder, 'receipts of another machine') };
    await said(world, name, notCharged, { env });
    await endsWith(world, 10);
  });

  test('not charged, of a coordinator that fell silent: only when what it sent cannot arrive any more', async () => {
    const world = await doubted('not-taken');
    world.loseReceipts();
    world.state = world.state.replace('"fault":{"code":"unanswered"', '"fault":{"code":"silent"');
    await expect(said(world, swap, notCharged)).rejects.toThrow('may still arrive');
    world.clock.pass(20 * 60_000);
    await said(world, swap, notCharged);
    await endsWith(world, 10);
  });

  test('the project of one that failed since: it is refunded, and the next run makes it again', async () => {
    const world = await doubted('taken', { error: 'no_source_face' });
    const resolved = await said(world, swap, projectOf(world));
    expect(resolved).toMatchObject({ state: 'failed', credits: 0 });
    await endsWith(world, 10);
  });

  test('the project of one that was deleted and is still told of: it is lost, and not paid again', async () => {
    const world = await doubted('taken');
    world.service.tellsOfDeleted = true;
    world.service.projectOf(swap).isDeleted = true;
    await said(world, swap, projectOf(world));
    expect((await world.run()).outcome).toBe('failed');
    expect(world.service.charged).toBe(10);
  });

  test('abandon: what was set aside counts as charged, and a run that may pay again does', async () => {
    const world = await doubted('taken');
    expect(await said(world, swap, { how: 'abandon' })).toMatchObject({
      ...{ state: 'failed', credits: 10 },
    });
    expect((await world.status()).credits.charged).toBe(10);
    await endsWith(world, 20, { payAgain: true });
  });
});

describe('a project that never ends, which a person gives up', () => {
  const abandon = { how: 'abandon' } as const;

  test.each([
    ['saved', photos()],
    ['saved and deleted', tidy],
  ])(
    'in one checkout, and which another has %s: it is there, when git has joined both',
    async (_, text) => {
      const world = new World(text, files(1));
      world.service.renderMs = () => 60_000;
      expect((await world.run({ detachAfterMs: 1000 })).outcome).toBe('waiting');
      const before = world.state;
      await world.resolve(swap, abandon);
      const givenUp = world.state.split('\n').filter((line) => line.includes('"gaveUp"'));
      expect(givenUp).toHaveLength(1);
      // On another machine.
      world.state = before;
      world.loseReceipts();
      expect((await world.run()).outcome).toBe('done');
      world.state += `${givenUp.join('')}\n`;
      expect((await world.status()).steps).toContainEqual(
        expect.objectContaining({ step: 'swap', tasks: { done: 1 } }),
      );
      expect((await world.plan()).plan.notes).toEqual([]);
      const { outcome, charged } = await world.run();
      expect({ outcome, charged }).toEqual({ outcome: 'done', charged: 0 });
    },
  );

  /** It has a timeout of a millisecond, and is paid. */
  async function endless(): Promise<World> {
    const slow = tidy.replace('swap: { uses:', 'swap: { timeout: 1ms, uses:');
    const world = new World(slow, files(1), { disk: 'folder' });
    world.service.renderMs = () => 1e12;
    expect((await world.run()).endings[swap]).toBe('pending');
    return world;
  }

  const looks = (world: World): number =>
    world.service.calls.filter(({ call }) => call === 'look').length;

  test.each(['task', 'project', 'name'] as const)(
    'by its %s: its credits stay counted, no run waits for it or buys it again, and one that may pay again does',
    async (by) => {
      const world = await endless();
      const made = world.service.projectOf(swap);
      const which = { task: swap, project: made.id, name: made.name }[by];
      expect(await said(world, which, abandon)).toMatchObject({
        ...{ tasks: [swap], state: 'failed', credits: 10, project: made.id },
      });
      expect((await world.status()).credits).toMatchObject({ charged: 10, reserved: 0 });
      const before = looks(world);
      const told = await world.run();
      expect([told.outcome, told.endings[swap], told.charged]).toEqual(['failed', 'failed', 0]);
      expect(looks(world)).toBe(before);
      expect(made.isDeleted).toBe(false);
      world.service.renderMs = () => 0;
      await endsWith(world, 20, { payAgain: [swap] });
      expect((await world.status()).paidTwice).toEqual([]);
    },
  );

  test('to which the pipeline does not lead any more: no run fetches it', async () => {
    const world = await endless();
    const { project } = projectOf(world);
    world.edit(tidy.replace('face.png', 'another-face.png'));
    world.service.renderMs = ({ number }) => (number === 1 ? 1e12 : 0);
    const waited = await world.run();
    expect([waited.outcome, waited.endings[swap], waited.charged]).toEqual(['waiting', 'done', 10]);
    await said(world, project, abandon);
    await endsWith(world, 20);
  });

  test('and that the service refunds later: refresh records that, and nothing buys it again', async () => {
    const world = new World(
      tidy.replace('swap: { uses:', 'swap: { timeout: 1ms, uses:'),
      files(1),
      {
        disk: 'folder',
      },
    );
    world.service.fate = () => ({ error: 'processing_timeout' });
    world.service.renderMs = () => 1e12;
    await world.run();
    await said(world, swap, abandon);
    world.service.renderMs = () => 0;
    expect((await world.status()).credits.charged).toBe(10);
    await world.refresh();
    expect((await world.status()).credits.charged).toBe(0);
    world.service.fate = () => undefined;
    expect((await world.run()).endings[swap]).toBe('failed');
    expect(world.service.charged).toBe(0);
  });

  test('and for which another pipeline has paid: that one still waits for it', async () => {
    const world = await endless();
    const slow = tidy.replace('swap: { uses:', 'swap: { timeout: 1ms, uses:');
    const other = world.checkout('other', slow);
    other.write('photos/p1.png', 'photo 0');
    expect((await other.run()).endings[swap]).toBe('pending');
    await said(other, projectOf(world).project, abandon);
    expect((await other.run()).endings[swap]).toBe('failed');
    world.service.renderMs = () => 0;
    // Nor does a second payment of the other one take its place.
    expect(await other.run({ payAgain: [swap] })).toMatchObject({ outcome: 'done', charged: 10 });
    const told = await world.run();
    expect([told.outcome, told.charged, world.outputs]).toEqual(['done', 0, ['p1.png']]);
    expect((await world.status()).credits.charged).toBe(10);
  });

  test('is not one that is done: that is refused, and the state file stays as it was', async () => {
    const world = new World(tidy, files(1), { disk: 'folder' });
    await endsWith(world, 10);
    const { state } = world;
    for (const which of [swap, projectOf(world).project])
      await expect(said(world, which, abandon)).rejects.toThrow(Refusal);
    expect(world.state).toBe(state);
  });
});

describe('of a doubt in an older state file that was put back, and that was resolved since, the receipts know', () => {
  test('the project: nobody can say that it was not charged, and nothing is paid again', async () => {
    const world = await doubted('taken');
    const older = world.state;
    const how = projectOf(world);
    await said(world, swap, how);
    // The run saves the result and deletes the project: from now on, the hub has it no more.
    await endsWith(world, 10);
    world.state = older;
    await expect(said(world, swap, notCharged)).rejects.toThrow(how.project);
    world.state = older;
    await said(world, swap, how);
    world.state = older;
    const all = await world.do((loaded, own) => resolveAll(loaded, () => () => notCharged, own));
    expect(all).toEqual({ settled: [], left: [] });
    await endsWith(world, 10);
    world.state = older;
    // A run takes it over by itself, as the one attempt that it was.
    await endsWith(world, 10);
    expect(world.state).not.toContain('"past"');
  });

  test('a later attempt of another checkout, which plan and run take over', async () => {
    const world = new World(tidy, files(1), { disk: 'folder' });
    world.service.fate = () => ({ lost: 'not-taken' });
    // Header, run, upload, intent: the process is killed before it can write of a doubt.
    expect((await world.run({ cut: { line: 5, when: 'before' } })).outcome).toBe('killed');
    world.service.fate = () => undefined;
    const older = world.state;
    expect(older).toContain('"state":"intended"');
    const other = world.checkout('other', tidy);
    other.write('photos/p1.png', 'photo 0');
    other.write('photos.state.jsonl', older);
    await said(other, swap, notCharged);
    expect((await other.run()).outcome).toBe('done');
    // Each attempt by its own name: that the later one was charged says nothing of this one.
    await said(world, swap, notCharged);
    world.state = older;
    expect((await world.plan()).plan.credits).toBe(0);
    expect((await world.run()).outcome).toBe('done');
    expect(world.service.charged).toBe(10);
  });
});

test('a doubt beside a creation that was made holds its credits until a person settles it', async () => {
  const world = await doubted('not-taken');
  await said(world, swap, notCharged);
  await endsWith(world, 10);
  // As if the second creation were of a branch that knew nothing of the first.
  world.state = world.state.replaceAll(/,"notCharged":"[^"]*"/g, '');
  world.loseReceipts();
  const { credits, doubts } = await world.status();
  expect([credits.reserved, doubts.map(({ reserved }) => reserved)]).toEqual([10, [10]]);
  expect((await world.run()).outcome).toBe('doubt');
  const { name = '' } = doubts[0] ?? {};
  expect(await said(world, name, notCharged)).toMatchObject({ name, state: 'failed', credits: 0 });
  const settled = await world.status();
  expect([settled.credits.reserved, settled.doubts]).toEqual([0, []]);
  await endsWith(world, 10);
});

test('of two projects that records name for one creation, a person says which it is', async () => {
  const world = new World(tidy, files(1), { disk: 'folder' });
  await world.run({ cut: { request: 5, when: 'before' } });
  const [project = ''] = world.service.projects.keys();
  world.state = world.state.replaceAll(`"project":"${project}"`, '"project":"damaged"');
  expect(await world.run()).toMatchObject({ outcome: 'doubt', charged: 0 });
  await said(world, swap, { how: 'project', project });
  await endsWith(world, 10);
});

test('a resolve that does not fit is refused, and leaves the state file as it was, to the byte', async () => {
  const world = await doubted('taken', {}, 2);
  const { state } = world;
  const other = projectOf(world, 'swap:p2.png');
  const stranger = { how: 'project', project: 'p99' } as const;
  for (const [task, how] of [
    [swap, stranger],
    [swap, other],
    ['swap:p2.png', notCharged],
    ['swap:p1.pgn', notCharged],
  ] as const) {
    await expect(said(world, task, how), task).rejects.toThrow(Refusal);
    expect(world.state).toBe(state);
  }
});

describe('many doubts at once', () => {
  /** Six photos, four in doubt: the service took two of them, and lost the answers; it never took the other two. */
  async function fourDoubts(pipeline = tidy): Promise<World> {
    const world = new World(pipeline, files(6));
    world.service.fate = ({ number }) => ({ lost: number <= 2 ? 'taken' : 'not-taken' });
    expect((await world.run()).summary).toMatchObject({ tasks: { doubt: 4 } });
    world.service.fate = () => undefined;
    return world;
  }

  const all = (world: World, judge: Judge): Promise<ResolvedAll> =>
    world.do((loaded, own) => resolveAll(loaded, judge, own));
  const counts = ({ settled, left }: ResolvedAll): readonly number[] => [
    settled.length,
    left.length,
  ];

  async function isWhole(world: World): Promise<void> {
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10, 10, 10]);
  }

  const listed = (world: World) =>
    [...world.service.projects.values()].map(({ id, name, at }) => ({
      ...{ id, name, created_at: new Date(at).toISOString() },
    }));

  test('by the list of the hub: what it has is adopted, what it lacks was never taken if you say so, and nothing is paid twice', async () => {
    const world = await fourDoubts();
    const page = '[{"id":"x","name":"of others","created_at":"2999-01-01T00:00:00Z"}]';
    expect(counts(await all(world, judgeByHub(page, 'page', notCharged)))).toEqual([0, 4]);
    const list = JSON.stringify({ projects: listed(world) });
    expect(counts(await all(world, judgeByHub(list, 'list', undefined)))).toEqual([2, 2]);
    const { settled, left } = await all(world, judgeByHub(list, 'list', notCharged));
    expect(settled.map(({ how }) => how)).toEqual(['not-charged', 'not-charged']);
    expect(left).toEqual([]);
    await isWhole(world);
  });

  test('by the text of its page, which has names without ids, cut in the front and escaped; then by CSV', async () => {
    const world = await fourDoubts();
    const shown = listed(world).map(
      ({ name }) => `<li>…${name.slice(-12).replace('#', '&#35;')} complete</li>`,
    );
    const page = `Projects\n${shown.join('\n')}\n`;
    expect(counts(await all(world, judgeByHub(page, 'page', notCharged)))).toEqual([2, 2]);
    const rows = listed(world).map(({ id, name }) => `${name};${id}`);
    const csv = `Name;ID\n${rows.join('\n')}\n`;
    expect(counts(await all(world, judgeByHub(csv, 'csv', undefined)))).toEqual([2, 0]);
    await isWhole(world);
  });

  test('by a list that is not complete or of another account, nothing is settled', async () => {
    // One more project, which stays at the service.
    const world = await fourDoubts(photos());
    await world.run({ items: { only: 'p5.png' } });
    const { state } = world;
    for (const list of ['{"projects":[]}', 'nothing of all this']) {
      await expect(all(world, judgeByHub(list, 'list', notCharged)), list).rejects.toThrow(Refusal);
      expect(world.state).toBe(state);
    }
  });
});
