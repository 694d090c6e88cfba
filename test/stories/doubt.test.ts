// A creation whose answer never comes may have been paid: it is shown, never repeated by a machine, and the rest goes on.
// On the wire, cut after every byte: test/e2e/cut-wire.test.ts.
import { describe, expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const photos = (count: number, limits = 'items: 1'): World =>
  new World(
    `pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { ${limits} }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
  );

const creations = (world: World): number =>
  world.requests.filter((request) => request.startsWith('create ')).length;

test('a lost answer leaves one photo in doubt, everything else is done, and neither a run nor a plan repeats it', async () => {
  const world = photos(4);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : undefined);
  for (let times = 0; times < 2; times += 1) {
    const { summary } = await world.run();
    expect(summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1, failed: 0 } });
    expect(world.outputs).toHaveLength(3);
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
  }
  const { plan } = await world.plan();
  expect([plan.credits, plan.rows.find(({ step }) => step === 'swap')?.held]).toEqual([0, 10]);
  const { doubts, credits } = await world.status();
  expect(doubts).toMatchObject([{ name: world.service.projectOf('swap:p1.png').name }]);
  expect(credits.reserved).toBe(10);
});

test('what is in doubt counts in the budget, as if it had been paid', async () => {
  const world = photos(4);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : undefined);
  expect((await world.run({ budget: 20 })).outcome).toBe('doubt');
  expect(world.service.charged).toBe(20);
});

test('no run ends well while anything in its state file is in doubt, also an earlier content or a take', async () => {
  const world = photos(1);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : undefined);
  await world.run();
  const { name } = world.service.projectOf('swap:p1.png');
  world.write('photos/p1.png', 'other');
  // The second time there is nothing to do: also then.
  for (let times = 0; times < 2; times += 1)
    expect((await world.run()).summary).toMatchObject({
      ...{ outcome: 'doubt', items: { total: 1, done: 1 } },
      otherDoubts: { count: 1, examples: [{ name, tasks: ['swap:p1.png'], reserved: 10 }] },
    });
  await world.resolve(name, { how: 'abandon' });
  expect((await world.run()).outcome).toBe('done');
  world.service.fate = () => ({ lost: 'taken' });
  expect((await world.reroll(['p1.png'])).outcome).toBe('doubt');
  expect((await world.run()).summary).toMatchObject({
    outcome: 'doubt',
    otherDoubts: { count: 1 },
  });
});

test('no run ends well while two records name different projects for a creation, also of an earlier content', async () => {
  const world = photos(1);
  await world.run();
  const { id, name } = world.service.projectOf('swap:p1.png');
  // As git joins the lines of two sides of a merge.
  const other = world.state.split('\n').find((line) => line.includes(`"project":"${id}"`)) ?? '';
  world.state += `${other.replace(id, 'another')}\n`;
  world.write('photos/p1.png', 'other');
  for (let times = 0; times < 2; times += 1)
    expect((await world.run()).summary).toMatchObject({
      ...{ outcome: 'doubt', items: { total: 1, done: 1 } },
      otherDoubts: { count: 1, examples: [{ name, tasks: ['swap:p1.png'] }] },
    });
  const { doubts } = await world.status();
  expect(doubts).toMatchObject([{ name }]);
  for (const one of [id, 'another']) expect(doubts[0]?.why).toContain(one);
});

describe('an outage that cuts connections', () => {
  test('closes creations after two lost answers, tries two more one at a time, and leaves the rest for later', async () => {
    const world = photos(8);
    world.service.fate = () => ({ lost: 'not-taken' });
    const { summary } = await world.run();
    expect(creations(world)).toBe(4);
    expect(summary).toMatchObject({
      ...{ outcome: 'doubt', stoppedBy: 'unanswered', tasks: { doubt: 4, failed: 0 } },
      // Equal doubts are one line.
      groups: [{ ending: 'doubt', count: 4 }, { ending: 'pending' }],
    });
    // What was not sent is neither in doubt nor lost: when answers come again, a run makes it.
    world.service.fate = () => undefined;
    for (const { tasks } of (await world.status()).doubts)
      await world.resolve(tasks[0] ?? '', { how: 'not-charged' });
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 8 } });
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10, 10, 10, 10, 10]);
  });

  test('leaves no more in doubt than was under way, and the two that were tried', async () => {
    const world = photos(14, 'items: 6');
    world.service.fate = () => ({ lost: 'taken' });
    const { summary } = await world.run();
    expect(creations(world)).toBeLessThanOrEqual(8);
    expect(summary).toMatchObject({
      ...{ outcome: 'doubt', stoppedBy: 'unanswered', tasks: { doubt: creations(world) } },
    });
  });

  test('that is over before the second trial costs two doubts and one more, and the run goes on', async () => {
    const world = photos(6);
    let left = 3;
    world.service.fate = () => (left-- > 0 ? { lost: 'not-taken' } : undefined);
    const { summary, events } = await world.run();
    expect(summary).toMatchObject({
      tasks: { doubt: 3, failed: 0, pending: 0 },
      items: { done: 3 },
    });
    expect(events).toContainEqual(expect.objectContaining({ type: 'back', of: 'creations' }));
  });

  test('tries no creation as long as a read is not answered either', async () => {
    const world = photos(6);
    let [left, silent] = [2, 3];
    world.service.fate = () => (left-- > 0 ? { lost: 'not-taken' } : undefined);
    const tried: number[] = [];
    world.service.fails = ({ call }) => {
      if (call !== 'account' || creations(world) < 2 || silent-- <= 0) return undefined;
      tried.push(creations(world));
      return { reason: 'unreachable', message: 'cannot be reached' };
    };
    const { summary } = await world.run();
    expect(summary).toMatchObject({ tasks: { doubt: 2, failed: 0 }, items: { done: 4 } });
    expect(tried).toEqual([2, 2, 2]);
  });
});
