// Another program changes the state file of a run: before its first line, as a git pull does, and while lines are written. What
// it brings is joined, and nothing that either side has paid for is lost or paid again. A stash under a real process:
// test/e2e/state-changed.test.ts.
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadRecord } from '../../src/state/load-record.ts';
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

/** Everything is done, and each item was paid once. */
async function goesOn(world: World): Promise<void> {
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
  expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
  expect(world.outputs).toEqual(['four.png', 'one.png', 'three.png', 'two.png']);
  expect((await world.run()).charged).toBe(0);
}

const runLine = '{"run":';
const intent = '"state":"intended"';

test.each([
  ['a newer one', begun],
  ['the first one', async () => new World(memes, {}, { disk: 'folder' })],
])(
  'a pull of %s after a run has read its state file is joined before it buys anything',
  async (_, begin) => {
    const ours = await begin();
    const theirs = await theirsOf(ours);
    atLine(ours, runLine, () => replace(ours, theirs.state));
    expect((await ours.run(only('three'))).outcome).toBe('done');
    expect((await ours.status()).credits.charged).toBe(ours.service.charged);
    expect((await ours.run()).outcome).toBe('done');
    expect(Object.values(ours.bill)).toEqual([10, 10, 10, 10]);
  },
);

describe('a program that replaces the state file by another one while a run writes to it', () => {
  test.each([
    ['the second', intent, 2],
    ['the first', '"state":"created"', 1],
    ['the', '"ended":', 1],
  ])('at %s line with %s: what both know stays known', async (_, words, which) => {
    const world = await begun();
    const { state } = world;
    atLine(world, words, () => replace(world, state), which);
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
    await goesOn(world);
  });

  test('by one that has paid for what this run is about to send: it is not sent, and fetched', async () => {
    const world = await begun();
    const theirs = world.checkout('theirs', memes);
    copyFileSync(stateOf(world), stateOf(theirs));
    // On another machine, whose receipts this one does not have.
    const env = { SHOTLIST_RECEIPTS: join(theirs.folder, 'elsewhere') };
    expect((await theirs.run({ ...only('two'), env })).outcome).toBe('done');
    atLine(world, intent, () => replace(world, theirs.state));
    expect((await world.run(only('two'))).outcome).toBe('done');
    expect((await world.run()).outcome).toBe('done');
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
  });
});

test.each<[string, (file: string) => void, RegExp | undefined]>([
  ['adds a line of its own', (file) => appendFileSync(file, '{"seq":99}\n'), /\.conflict-/],
  ['cuts the file off', (file) => truncateSync(file, 10), /\.conflict-/],
  ['removes it', (file) => rmSync(file), undefined],
])(
  'a program that %s: the run keeps its record, and buys nothing more if that may hide payments',
  async (_, act, aside) => {
    const world = await begun();
    atLine(world, '"state":"complete"', () => act(stateOf(world)));
    const { summary } = await world.run();
    expect(summary?.outcome).toBe(aside === undefined ? 'done' : 'failed');
    expect(summary?.tasks.doubt).toBe(0);
    const left = readdirSync(world.folder).filter((name) => name.includes('.conflict-'));
    expect(left.length).toBe(aside === undefined ? 0 : 1);
    await goesOn(world);
  },
);

test('another attempt of the same job, which comes while its project renders, gets nothing of what this one is charged and saves', async () => {
  const world = new World(memes, {}, { disk: 'folder' });
  const theirs = world.checkout('theirs', memes);
  await theirs.run(only('two'));
  // They are on another machine.
  world.loseReceipts();
  atLine(world, '"state":"created"', () => replace(world, theirs.state));
  expect(await world.run(only('two'))).toMatchObject({ outcome: 'done', charged: 10 });
  const loaded = await loadRecord(stateOf(world));
  if (!loaded.ok) throw new Error(loaded.error);
  const { ledger } = loaded.value;
  const [job] = ledger.jobsOfTask('picture:two');
  const [first, second] = job?.attempts ?? [];
  expect(job?.attempts).toMatchObject([
    { state: 'complete', project: 'p1', charge: { credits: 10 } },
    { state: 'complete', project: 'p2', charge: { credits: 10 } },
  ]);
  expect(new Set(job?.outputs.map(({ of }) => of))).toEqual(new Set([first?.name, second?.name]));
  expect(ledger.paidTwice()).toHaveLength(1);
});
