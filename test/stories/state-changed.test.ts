// Another program changes the state file of a run: before its first line, as a git pull does, and while lines are written.
// Nothing that either side has paid for is lost or paid again. A stash under a real process: test/e2e/state-changed.test.ts.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { merge } from '../../src/index.ts';
import { type Checkout, World } from '../kit/world.ts';

const memes = `pipeline: memes
items: { values: [{ key: one }, { key: two }, { key: three }, { key: four }] }
limits: { items: 1 }
output: out
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }
  save: { uses: download, with: { of: picture, to: "\${{ item.key }}.png" } }
`;
const only = (items: string) => ({ items: { only: items } }) as const;
const stateOf = ({ folder }: Checkout): string => join(folder, 'memes.state.jsonl');
const unsavedOf = (checkout: Checkout): string => `${stateOf(checkout)}.unsaved`;

/** As git does: another file comes in place of the old one. */
function replace(checkout: Checkout, text: string): void {
  writeFileSync(join(checkout.folder, 'new'), text);
  renameSync(join(checkout.folder, 'new'), stateOf(checkout));
}

/** Acts once, right before a line with these words is handed to the state file, by default the first. */
function atLine(checkout: Checkout, words: string, act: () => void, which = 1): void {
  let seen = 0;
  checkout.onLine = (line) => {
    if (line.includes(words) && ++seen === which) act();
  };
}

/** One item has run. */
async function begun(): Promise<World> {
  const world = new World(memes, {}, { disk: 'folder' });
  expect((await world.run(only('one'))).outcome).toBe('done');
  return world;
}

/** Another checkout of the same repository, in which a second item has run. */
async function theirsOf(ours: World): Promise<Checkout> {
  const theirs = ours.checkout('theirs', memes);
  if (ours.state !== '') copyFileSync(stateOf(ours), stateOf(theirs));
  expect((await theirs.run(only('two'))).outcome).toBe('done');
  return theirs;
}

describe('a pull after a run has read its state file, and before it writes', () => {
  test.each([
    ['of a newer one', begun],
    ['of the first one', async () => new World(memes, {}, { disk: 'folder' })],
  ])(
    '%s stops the run before it buys anything; the next run has what was pulled',
    async (_, begin) => {
      const ours = await begin();
      const theirs = await theirsOf(ours);
      const paid = ours.service.charged;
      atLine(ours, '"event":"run"', () => replace(ours, theirs.state));
      await expect(ours.run(only('three'))).rejects.toThrow('nothing was bought');
      expect(ours.service.charged).toBe(paid);
      expect([ours.state, existsSync(unsavedOf(ours))]).toEqual([theirs.state, false]);
      expect((await ours.run()).outcome).toBe('done');
      expect(Object.values(ours.bill)).toEqual([10, 10, 10, 10]);
    },
  );

  test('that brings nothing new about this pipeline changes nothing', async () => {
    const world = await begun();
    const { state } = world;
    atLine(world, '"event":"run"', () => replace(world, state));
    expect((await world.run(only('three'))).outcome).toBe('done');
    expect(world.bill).toEqual({ 'picture:one': 10, 'picture:three': 10 });
  });
});

describe('a program that changes the state file while a run writes to it', () => {
  /** Everything is done, and each item was paid once. */
  async function goesOn(world: World): Promise<void> {
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
    expect(world.outputs).toEqual(['four.png', 'one.png', 'three.png', 'two.png']);
    expect((await world.run()).charged).toBe(0);
  }

  test.each([
    // What is under way is recorded beside the file before it is sent.
    ['the second', 'intent', 2, 30],
    ['the first', 'created', 1, 20],
    ['the', 'ended', 1, 40],
  ])(
    'by another one at %s %s: the run stops, leaves that file as it is, and keeps its record beside it',
    async (_, event, which, charged) => {
      const world = await begun();
      const { state } = world;
      atLine(world, `"event":"${event}"`, () => replace(world, state), which);
      expect((await world.run()).summary).toMatchObject({
        ...{ outcome: 'failed', tasks: { doubt: 0 }, credits: { reserved: 0 } },
        stopped: expect.stringContaining(stateOf(world)),
      });
      expect([world.service.charged, world.state]).toEqual([charged, state]);
      // No run begins before both are merged.
      await expect(world.run()).rejects.toThrow(/shotlist merge/);
      await merge({ ours: stateOf(world), theirs: unsavedOf(world) });
      rmSync(unsavedOf(world));
      await goesOn(world);
    },
  );

  test.each<[string, (file: string) => void]>([
    ['adds lines', (file) => appendFileSync(file, '{"seq":99}\n')],
    ['cuts the file off', (file) => truncateSync(file, 10)],
    ['removes it', (file) => rmSync(file)],
  ])('and %s: the run leaves it as it is, and has its own record', async (_, act) => {
    const world = await begun();
    let left = '';
    atLine(world, '"event":"settled"', () => {
      act(stateOf(world));
      left = existsSync(stateOf(world)) ? world.state : '';
    });
    expect((await world.run()).summary).toMatchObject({ outcome: 'failed', tasks: { doubt: 0 } });
    expect(existsSync(stateOf(world)) ? world.state : '').toBe(left);
    await expect(world.run()).rejects.toThrow();
    renameSync(unsavedOf(world), stateOf(world));
    await goesOn(world);
  });
});

test('a lock that is removed under a run, as by git clean: it buys nothing more, and the next run goes on', async () => {
  const world = await begun();
  const lock = join(world.folder, '.shotlist/memes.state.jsonl.lock');
  atLine(world, '"event":"intent"', () => rmSync(lock));
  expect((await world.run()).summary).toMatchObject({
    ...{ outcome: 'failed', tasks: { doubt: 0 }, credits: { charged: 0, reserved: 0 } },
    stopped: expect.stringContaining(lock),
  });
  expect(world.service.charged).toBe(10);
  expect((await world.run()).outcome).toBe('done');
  expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
});

test('an edit of the state file is refused while a record beside it waits, and status says so', async () => {
  const world = await begun();
  writeFileSync(unsavedOf(world), '');
  const { state } = world;
  await expect(world.forget('save:one')).rejects.toThrow(/shotlist merge/);
  expect(world.state).toBe(state);
  expect((await world.status()).runs).toBe(1);
});
