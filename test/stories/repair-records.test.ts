// What becomes of a state file that is damaged, lost lines, or itself: what can be read of it is joined with git's version, copies
// beside it and the user's receipts, and the next run pays for nothing. Sentences: test/transcripts/records.txt.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type EditOptions,
  Refusal,
  type Repaired,
  type RepairOptions,
  repair,
} from '../../src/index.ts';
import { git } from '../e2e/clones.ts';
import { World } from '../kit/world.ts';
import { sampleOf } from '../sweep.ts';

const untidy = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`;
const tidy = `${untidy}  tidy: { uses: delete, with: { of: swap } }\n`;

type Lines = readonly string[];
/** Undefined: no file is left. `item`: the one whose line is damaged. */
type Damage = (lines: Lines, item: string) => Lines | undefined;

const swapLine = (lines: Lines, item: string): number =>
  lines.findIndex((line) => line.includes(`"swap:${item}"`) && line.includes('"project"'));

const changed =
  (change: (line: string, lines: Lines) => string): Damage =>
  (lines, item) => {
    const index = swapLine(lines, item);
    return lines.with(index, change(lines[index] ?? '', lines));
  };

const garbage = changed((line) => `#,,${/"project":"[^"]+"/.exec(line)?.[0] ?? ''}#!%`);

const damages: Readonly<Record<string, Damage>> = {
  'a cut at the end of a line': (lines) => lines.slice(0, -3),
  'a removed line': (lines, item) => lines.toSpliced(swapLine(lines, item), 1),
  'another line in place of a line': changed((_, lines) => lines[1] ?? ''),
  'only the header left': (lines) => lines.slice(0, 1),
  'a flipped digit of a fingerprint': changed((line) =>
    line.replace(/"job":"(.)/, (_, digit: string) => `"job":"${digit === '0' ? '1' : '0'}`),
  ),
  'garbage around a project id': garbage,
  'zeros in place of the file': () => ['\0'.repeat(500)],
  'no file': () => undefined,
};

const fileOf = (world: World): string => join(world.folder, 'photos.state.jsonl');
const linesOf = (world: World): Lines => world.state.trimEnd().split('\n');
const jobsIn = (text: string): readonly string[] => text.match(/"job":"[0-9a-f]{64}"/g) ?? [];

function leave(world: World, left: Lines | undefined): void {
  if (left === undefined) rmSync(fileOf(world));
  else world.write('photos.state.jsonl', `${left.join('\n')}\n`);
}

const mended = (world: World, options: EditOptions = {}): Promise<Repaired> =>
  world.do((loaded, own: RepairOptions) => repair(loaded, own), { ...options, write: true });

const accepting = (env: Record<string, string>): RepairOptions => ({ env, accept: true });

const begin = (pipeline: string, count: number): World =>
  new World(
    pipeline,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
    { disk: 'folder' },
  );

/** Which record is left beside the file. Git has a run of two photos, the receipts have that of the third, too. */
const records = ['git and the receipts', 'the receipts', 'git'] as const;

test.each(
  (['deleted', 'kept'] as const).flatMap((projects, from) =>
    records.map((record, at) => ({ projects, record, from: from + at })),
  ),
)(
  'after a loss, with projects that are $projects, the run on the union with $record pays for nothing',
  async ({ projects, record, from }) => {
    const world = begin(projects === 'kept' ? untidy : tidy, 2);
    world.write('.gitignore', 'out/\n.shotlist/\nwhole/\n');
    await world.run();
    if (record !== 'the receipts') {
      git(world.folder, 'init', '--quiet');
      git(world.folder, 'add', '--all');
      git(world.folder, 'commit', '--quiet', '--message', 'A run');
    }
    if (record !== 'git') {
      world.write('photos/p3.png', 'photo 2');
      await world.run();
    }
    const paid = world.service.charged;
    const env: Record<string, string> =
      record === 'git' ? { SHOTLIST_RECEIPTS: join(world.folder, 'whole/none') } : {};
    const whole = linesOf(world);
    // In turns; EVERY=1 tries all of them. A job of another fingerprint is one for the receipts from then on, so it comes last.
    const inTurn = sampleOf(Object.entries(damages), 4, from);
    const isFlipped = ([name]: readonly [string, unknown]): boolean => name.includes('flipped');
    const last = inTurn.filter(isFlipped);
    for (const [name, damaged] of [...inTurn.filter((one) => !isFlipped(one)), ...last]) {
      leave(world, damaged(whole, record === 'git' ? 'p1.png' : 'p3.png'));
      // Refused, or by what the other records know: nothing is paid.
      const isRun = await world.run({ env }).then(
        ({ outcome }) => outcome === 'done',
        (error: unknown) => {
          if (error instanceof Refusal) return false;
          throw error;
        },
      );
      expect(world.service.charged, name).toBe(paid);
      if (!isRun) await mended(world, { env });
      const jobs = new Set(jobsIn(whole.join('\n')));
      const isOther = (job: string): boolean => !jobs.has(job);
      expect(jobsIn(world.state).filter(isOther).length, name).toBe(
        name.includes('flipped') ? 1 : 0,
      );
      // A person has looked at what may have been in lines that nobody can read.
      if (record === 'git')
        await world.do((loaded, own: RepairOptions) => repair(loaded, own), accepting(env));
      expect((await world.run({ env })).outcome, name).toBe('done');
      expect(world.service.charged, name).toBe(paid);
      expect(await world.do((loaded, own) => repair(loaded, own), { env }), name).toMatchObject({
        intact: true,
      });
    }
  },
);

test('of a file that is older, the receipts know the rest: it counts, and nothing is bought again', async () => {
  const world = begin(untidy, 1);
  await world.run();
  const older = world.state;
  world.write('photos/p2.png', 'photo 1');
  world.write('photos/p3.png', 'photo 2');
  await world.run();
  world.state = older;
  expect((await world.status()).credits.charged).toBe(30);
  expect((await world.run()).outcome).toBe('done');
  expect(world.state.match(/"kind":"face-swap-photo"/g)).toHaveLength(3);
  expect(world.service.charged).toBe(30);
});

test('a line that nobody can read is refused with its place, and what was paid is kept', async () => {
  const world = begin(tidy, 3);
  await world.run();
  const lines = linesOf(world);
  const swap = swapLine(lines, 'p2.png');
  leave(world, lines.with(swap, `#${lines[swap]}`));
  const damaged = world.state;
  for (const command of [() => world.run(), () => world.plan(), () => world.status()])
    await expect(command()).rejects.toThrow(/shotlist repair/);
  expect(world.state).toBe(damaged);
  const done = await mended(world);
  expect(done).toMatchObject({
    intact: false,
    unreadable: [{ number: swap + 1 }],
    additions: [{ name: 'your receipts', creations: 1, credits: 10 }],
    credits: { charged: 30 },
  });
  expect(readFileSync(done.written ?? '', 'utf8')).toBe(damaged);
  expect((await world.run()).outcome).toBe('done');
  expect(world.service.charged).toBe(30);
});

test('creations that no record knows close the purse, until a person has looked', async () => {
  const world = begin(untidy, 2);
  await world.run();
  const env = { SHOTLIST_RECEIPTS: join(world.folder, 'none') };
  const lines = linesOf(world);
  leave(world, lines.toSpliced(swapLine(lines, 'p1.png'), 1));
  await expect(world.run({ env })).rejects.toThrow(/in no record/);
  expect(await mended(world, { env })).toMatchObject({ lost: [{ creations: 1 }] });
  await expect(world.run({ env })).rejects.toThrow(/in no record/);
  expect(world.service.charged).toBe(20);
  const accept: RepairOptions = { env, accept: true };
  await world.do((loaded, own: RepairOptions) => repair(loaded, own), accept);
  expect((await world.run({ env })).charged).toBe(10);
  // The machine that paid knows better: both payments count, and every command says so.
  expect((await world.status()).paidTwice).toHaveLength(1);
  const acceptHere: RepairOptions = { accept: true };
  await world.do((loaded, own: RepairOptions) => repair(loaded, own), acceptHere);
  expect(await world.status()).toMatchObject({ paidTwice: [], credits: { charged: 30 } });
});

test('any line of a journal can be cut: the next run, or the one after a repair, charges nothing twice', async () => {
  const world = begin(tidy, 2);
  await world.run();
  const [header = ''] = linesOf(world);
  const journal = [...world.written];
  for (const [index, line] of journal.entries()) {
    if (!line.includes('"job":')) continue;
    leave(world, [header, ...journal.with(index, line.slice(0, -3))]);
    await world.run();
    expect(world.service.charged, line).toBe(20);
  }
});

test('two clones that both paid become one state with markers of git: both payments count', async () => {
  const world = begin(tidy, 1);
  await world.run();
  const ours = linesOf(world);
  rmSync(fileOf(world));
  rmSync(join(world.folder, 'out'), { recursive: true });
  // On another machine.
  world.loseReceipts();
  await world.run();
  const theirs = linesOf(world);
  expect(world.service.charged).toBe(20);
  const [header = ''] = ours;
  leave(world, [
    ...[header, '<<<<<<< HEAD', ...ours.slice(1)],
    ...['=======', ...theirs.slice(1), '>>>>>>> other'],
  ]);
  expect(await world.status()).toMatchObject({
    credits: { charged: 20 },
    paidTwice: [{ tasks: expect.arrayContaining(['swap:p1.png']), attempts: [{}, {}] }],
  });
  expect((await world.run()).outcome).toBe('done');
  for (const id of world.service.projects.keys()) expect(world.state).toContain(`"${id}"`);
  expect(world.service.charged).toBe(20);
});

test('a copy that another program left beside the file is named, and joined by repair', async () => {
  const world = begin(untidy, 1);
  await world.run();
  const ours = world.state;
  world.write('photos/p2.png', 'photo 1');
  await world.run();
  world.write('photos.state (conflicted copy 2026-11-28).jsonl', world.state);
  world.state = ours;
  // On another machine.
  world.loseReceipts();
  await expect(world.run()).rejects.toThrow(/conflicted copy/);
  expect(world.service.charged).toBe(20);
  expect((await mended(world)).copies).toHaveLength(1);
  rmSync(join(world.folder, 'photos.state (conflicted copy 2026-11-28).jsonl'));
  expect((await world.run()).charged).toBe(0);
});
