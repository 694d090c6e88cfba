// What becomes of a state file that is damaged, lost lines, or itself: `repair` proposes the union of what can be read, of git's version
// and of the user's receipts, and the run on the proposal pays for nothing. Sentences: test/transcripts/records.txt.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import {
  type EditOptions,
  type Repaired,
  type RepairOptions,
  repair,
  resolve,
} from '../../src/index.ts';
import { git } from '../e2e/clones.ts';
import { World } from '../kit/world.ts';
import { begunHeader } from '../rig.ts';
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

/** Puts what is proposed in the place of the state file. */
async function mended(world: World, options: EditOptions = {}): Promise<Repaired> {
  const all: RepairOptions = { ...options, write: join(world.folder, 'better.jsonl') };
  const done = await world.do((loaded, own: RepairOptions) => repair(loaded, own), all);
  renameSync(join(world.folder, 'better.jsonl'), fileOf(world));
  return done;
}

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
    // In turns; EVERY=1 tries all of them.
    for (const [name, damaged] of sampleOf(Object.entries(damages), 4, from)) {
      leave(world, damaged(whole, record === 'git' ? 'p1.png' : 'p3.png'));
      const isRead = await world.status().then(
        () => true,
        () => false,
      );
      expect(isRead, name).toBe(name.includes('flipped'));
      await mended(world, { env });
      const jobs = new Set(jobsIn(whole.join('\n')));
      expect(
        jobsIn(world.state).filter((job) => !jobs.has(job)),
        name,
      ).toEqual([]);
      expect((await world.run({ env })).outcome, name).toBe('done');
      expect(world.service.charged, name).toBe(paid);
      expect(await world.do((loaded, own) => repair(loaded, own), { env }), name).toMatchObject({
        intact: true,
      });
    }
  },
);

test('a file that is intact but older lacks what only the receipts know, and says how much', async () => {
  const world = begin(untidy, 1);
  await world.run();
  const older = world.state;
  world.write('photos/p2.png', 'photo 1');
  world.write('photos/p3.png', 'photo 2');
  await world.run();
  world.state = older;
  expect(await mended(world)).toMatchObject({
    ...{ missing: false, intact: true, lacking: true, damages: [] },
    proposal: {
      shares: { head: { added: 0, updated: 0 }, receipts: { added: 2, updated: 0 } },
      gaps: [],
    },
  });
  expect((await world.run()).outcome).toBe('done');
  expect(world.service.charged).toBe(30);
});

test('a project that no record knows is kept under an id of its own, until the receipts know it', async () => {
  const world = begin(untidy, 2);
  await world.run();
  const project = world.service.projectOf('swap:p1.png').id;
  leave(world, garbage(linesOf(world), 'p1.png'));
  const job = digestOf({ project });
  await mended(world, { env: { SHOTLIST_RECEIPTS: join(world.folder, 'none') } });
  expect(world.state).toContain(`{"job":"${job}","kind":"unknown","state":"created"`);
  await world.prune();
  expect(world.state).toContain(`"project":"${project}"`);
  await mended(world);
  expect(world.state).not.toContain(job);
  expect((await world.run()).outcome).toBe('done');
  expect(world.service.charged).toBe(20);
});

test('a damaged file is refused, its damages are listed, and what was paid is kept', async () => {
  const world = begin(tidy, 3);
  await world.run();
  const lines = linesOf(world);
  const swap = swapLine(lines, 'p2.png');
  leave(world, lines.with(swap, (lines[swap] ?? '').slice(0, -2)).toSpliced(1, 0, '======='));
  const torn = world.state;
  for (const command of [() => world.run(), () => world.plan(), () => world.status()])
    await expect(command()).rejects.toThrow(/shotlist repair/);
  expect(world.state).toBe(torn);
  expect(await mended(world)).toMatchObject({
    intact: false,
    damages: [
      { line: 2, kind: 'marker' },
      { line: swap + 2, kind: 'not-json' },
    ],
    proposal: { header: { pipeline: 'photos' }, credits: { after: { charged: 30 } } },
  });
  expect((await world.run()).outcome).toBe('done');
  expect(world.service.charged).toBe(30);
});

test('any line of a journal can be cut: the run on the proposal charges nothing twice', async () => {
  const world = begin(tidy, 2);
  await world.run();
  const [header = ''] = linesOf(world);
  const begun = begunHeader(header);
  const journal = [...world.written];
  for (const [index, line] of journal.entries()) {
    if (!/"event":"(intent|created|settled|output|deleted)"/.test(line)) continue;
    leave(world, [begun, ...journal.with(index, line.slice(0, -3))]);
    expect(await mended(world), line).toMatchObject({ intact: false });
    await world.run();
    expect(world.service.charged, line).toBe(20);
  }
});

test('two clones that both paid become one state: one project is kept, the other is named', async () => {
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
  expect(await mended(world)).toMatchObject({ proposal: { credits: { after: { charged: 20 } } } });
  for (const id of world.service.projects.keys()) expect(world.state).toContain(`"${id}"`);
  expect((await world.run()).outcome).toBe('done');
  expect(world.service.charged).toBe(20);
  expect((await world.do((loaded, own) => repair(loaded, own))).intact).toBe(true);
});

test('a job whose line is gone but for its name is in doubt without receipts, until a person names its project', async () => {
  const world = begin(untidy, 1);
  await world.run();
  const env = { SHOTLIST_RECEIPTS: join(world.folder, 'none') };
  leave(
    world,
    linesOf(world).map((line) =>
      line.includes('"face-swap-photo"') ? line.slice(0, line.indexOf('"attempt"')) : line,
    ),
  );
  await mended(world, { env });
  expect((await world.run({ env })).outcome).toBe('doubt');
  const { id } = world.service.projectOf('swap:p1.png');
  await world.do(
    (loaded, own) => resolve(loaded, 'swap:p1.png', { how: 'project', project: id }, own),
    { env },
  );
  expect((await world.run({ env })).outcome).toBe('done');
  expect(world.service.charged).toBe(10);
});
