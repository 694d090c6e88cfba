// prune removes what nothing needs any more, and leaves whatever somebody may want. After it, the plan says what it said before.
// Lists and flags: test/transcripts/prune.txt; every kind of record: test/features/prune/find-orphans.test.ts.
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Orphans,
  orphans,
  type Planned,
  type Pruned,
  type PruneOptions,
  prune,
  UnrunnablePlan,
} from '../../src/index.ts';
import { World } from '../kit/world.ts';

const untidy = `pipeline: photos
items: { glob: photos/**/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.dir }}/\${{ item.stem }}.png" } }
`;
const tidy = `${untidy}  tidy: { uses: delete, with: { of: colour } }\n`;
const faces =
  '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n';
const day = 86_400_000;

const begin = (pipeline = untidy): World =>
  new World(
    pipeline,
    { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip', 'photos/p3.png': 'lily' },
    { disk: 'folder' },
  );

/** Three photos are done, and the third one is removed. */
async function without3(pipeline = untidy): Promise<World> {
  const world = begin(pipeline);
  await world.run();
  world.remove('photos/p3.png');
  return world;
}

const found = (world: World, options: PruneOptions = {}): Promise<Orphans> =>
  world.do((loaded, own: PruneOptions) => orphans(loaded, own), options);

const pruned = (world: World, options: PruneOptions = {}): Promise<Pruned> =>
  world.do((loaded, own) => prune(loaded, { ...own, ...options }));

async function planned(world: World): Promise<Planned['plan'] & Pick<Planned, 'orphans'>> {
  const { plan, orphans } = await world.plan().catch((error: unknown) => {
    if (error instanceof UnrunnablePlan) return error.planned;
    throw error;
  });
  return { ...plan, orphans };
}

/** Files by path, kept files by number, and projects by their first task. */
const named = ({ files, kept, projects }: Pick<Orphans, 'files' | 'kept' | 'projects'>) => ({
  files: files.map(({ path }) => path).sort(),
  kept: kept.length,
  projects: projects.map(({ tasks }) => tasks[0]).sort(),
});

const nothing = { files: [], kept: 0, projects: [] };
const whole3 = { files: ['out/p3.png'], kept: 0, projects: ['colour:p3.png'] };
const deletions = (world: World): number =>
  world.requests.filter((request) => request.startsWith('delete ')).length;

interface Row {
  readonly when: string;
  readonly change: (world: World) => unknown;
  readonly options?: PruneOptions;
  readonly orphans: Partial<typeof whole3>;
  readonly left?: Partial<Orphans['left']>;
}

const renamedSteps = untidy
  .replace('  colour:', '  paint:')
  .replace('of: colour', 'of: paint')
  .replace('  save:', '  fetch:');

/** What else may be so when an item is gone. */
const rows: readonly Row[] = [
  { when: 'nothing else is different', change: () => undefined, orphans: whole3 },
  {
    when: 'its file is lost, so its project is kept',
    change: (world) => world.remove('out/p3.png'),
    orphans: nothing,
    left: { unsaved: 1 },
  },
  {
    when: 'steps of another item are not decided yet',
    change: (world) => {
      world.write('photos/p4.png', 'iris');
      world.edit(
        untidy
          .replace('colorizer,', 'colorizer, for_each: "${{ steps.faces.faces }}",')
          .replace('stem }}', 'stem }}-${{ each.index }}') + faces,
      );
    },
    orphans: nothing,
    left: { undecided: [{ step: 'colour', kind: 'photo-colorizer', tasks: 3 }] },
  },
  {
    when: 'another item cannot be read',
    change: (world) => world.write('photos/p2.png', ''),
    orphans: nothing,
    left: { undecided: [expect.objectContaining({ step: 'colour' })] },
  },
  {
    when: 'another item is a link to nowhere',
    change: (world) => {
      world.remove('photos/p2.png');
      symlinkSync('nowhere.png', join(world.folder, 'photos/p2.png'));
    },
    options: { missingFolders: true },
    orphans: nothing,
    left: { unseen: 2 },
  },
  {
    when: 'it is back, and its steps have other names',
    change: (world) => {
      world.write('photos/p3.png', 'lily');
      world.edit(renamedSteps);
    },
    orphans: nothing,
  },
  {
    when: 'the step is gone, too',
    change: (world) => world.edit(untidy.slice(0, untidy.indexOf('  colour:'))),
    orphans: { files: ['out/p1.png', 'out/p2.png', 'out/p3.png'] },
  },
  {
    when: 'the step keeps its projects at the service',
    change: (world) =>
      world.edit(untidy.replace('photo-colorizer,', 'photo-colorizer, keep: remote,')),
    orphans: { ...whole3, projects: [] },
    left: { remote: 1 },
  },
  {
    when: 'a step uploads its file',
    change: (world) =>
      world.edit(`${untidy}  again: { uses: upload, with: { file: out/p3.png } }\n`),
    orphans: { files: [] },
  },
  {
    when: 'the state file of another pipeline records the same',
    change: (world) =>
      world.write('z.state.jsonl', world.state.replace('"pipeline":"photos"', '"pipeline":"z"')),
    orphans: nothing,
    left: { shared: 2 },
  },
  {
    when: 'it is as old as asked for',
    // Its file has the time of the real disk.
    change: (world) => world.clock.jump(Date.now() + 31 * day - world.clock.now),
    options: { olderThanMs: 30 * day },
    orphans: whole3,
  },
  {
    when: 'its project is as old as asked for, and its file is not',
    change: (world) => world.clock.jump(Date.now() + 20 * day - world.clock.now),
    options: { olderThanMs: 30 * day },
    orphans: nothing,
  },
];

describe('an item that is gone', () => {
  test.each(rows)('leaves what nothing speaks for: $when', async (row) => {
    const { change, options, orphans, left = {} } = row;
    const world = await without3();
    change(world);
    const all = await found(world, options);
    expect(named(all)).toMatchObject(orphans);
    expect(all.left).toMatchObject(left);
    if (orphans === nothing) await pruned(world, options);
    expect(deletions(world)).toBe(0);
  });

  test('stays where nobody can know', async () => {
    const world = await without3();
    renameSync(join(world.folder, 'photos'), join(world.folder, 'away'));
    await expect(world.prune()).rejects.toThrow(/finds no file/);
    renameSync(join(world.folder, 'away'), join(world.folder, 'photos'));

    world.write('more.yml', untidy.replace('photos/**', 'others/**'));
    await expect(world.prune()).rejects.toThrow(/more\.yml/);
    expect((await planned(world)).orphans).toBeUndefined();
    world.write('more.yml', 'pipeline: photos\nsteps: [');
    await expect(world.prune()).rejects.toThrow(/more\.yml/);
    world.remove('more.yml');

    world.write('z.state.jsonl', 'damaged\n');
    await expect(world.prune()).rejects.toThrow(/z\.state\.jsonl/);
    world.remove('z.state.jsonl');
    expect(world.outputs).toHaveLength(3);
    expect(named(await found(world))).toEqual(whole3);
  });

  test('is removed, a plan without it says the same, and it is paid for again only if the user says so', async () => {
    const world = await without3();
    const { orphans: listed, ...before } = await planned(world);
    expect(listed).toMatchObject({ files: 1, kept: 0, projects: 1 });
    const { removed, refused } = await pruned(world);
    expect([named(removed), refused]).toEqual([whole3, []]);
    expect(world.outputs).toEqual(['p1.png', 'p2.png']);
    expect(world.service.projectOf('colour:p3.png').isDeleted).toBe(true);
    const { orphans: none, ...after } = await planned(world);
    expect([none, after]).toMatchObject([{ files: 0, kept: 0, projects: 0 }, before]);
    expect((await world.run()).outcome).toBe('done');
    expect(await world.status()).toMatchObject({
      outputs: 2,
      files: { lost: 0, changed: 0 },
    });

    world.write('photos/p3.png', 'lily');
    expect((await planned(world)).credits).toBe(0);
    expect((await world.run()).outcome).toBe('failed');
    expect(world.service.charged).toBe(30);
    expect((await world.run({ payAgain: true })).outcome).toBe('done');
    expect(world.service.charged).toBe(40);
    expect(named(await found(world))).toEqual(nothing);
  });

  test('and is recorded as pruned while its file is still there, as after a kill, is an orphan again', async () => {
    const world = await without3(tidy);
    expect(named(await found(world))).toEqual({ ...whole3, projects: [] });
    const file = world.read('out/p3.png') ?? '';
    await pruned(world);
    world.machine.files(true).write(join(world.folder, 'out/p3.png'), file);
    expect(named(await found(world)).files).toEqual(['out/p3.png']);
    await pruned(world);
    expect(world.outputs).toEqual(['p1.png', 'p2.png']);

    // With its photo, the file is needed again.
    world.write('photos/p3.png', 'lily');
    await world.run();
    world.machine.files(true).write(join(world.folder, 'out/p3.png'), file);
    expect((await world.run()).outcome).toBe('done');
    expect(world.service.charged).toBe(30);
    expect(world.state).not.toContain('"pruned":');
  });

  test('is out of sight, and not gone, if its folder is missing or empty', async () => {
    const world = begin();
    world.write('photos/drive/p4.png', 'iris');
    await world.run();
    const drive = join(world.folder, 'photos/drive');
    rmSync(drive, { recursive: true });
    expect(await found(world)).toMatchObject({ files: [], projects: [], left: { unseen: 1 } });
    mkdirSync(drive);
    expect(await found(world)).toMatchObject({ files: [], projects: [], left: { unseen: 1 } });
  });
});

test('a row that is gone from its table leaves its file and its project', async () => {
  const rows = (names: string): string =>
    untidy
      .replace(
        '{ glob: photos/**/*.png }',
        `{ csv: people.csv, key: name, when: 'item.name in [${names}]' }`,
      )
      .replace('item.path', 'item.photo')
      .replace(/to: ".*"/, 'to: "${{ item.name }}.png"');
  const files = { 'people.csv': 'name,photo\nann,a.png\nbob,b.png\n', 'a.png': 'a', 'b.png': 'b' };
  const world = new World(rows('"ann", "bob"'), files, { disk: 'folder' });
  await world.run();
  world.edit(rows('"ann"'));
  expect(named((await pruned(world)).removed)).toEqual({
    ...{ files: ['out/bob.png'], kept: 0, projects: ['colour:bob'] },
  });
  expect(world.outputs).toEqual(['ann.png']);
});

test('a combination of a style or a photo that is gone is an orphan, and nothing else', async () => {
  const styles = (names: string): string =>
    untidy
      .replace('*.png }', `*.png, matrix: { colors: [${names}] } }`)
      .replace(
        /colour: .*/,
        'colour: { uses: ai-image-editor, with: { image_count: 1, model: qwen-edit, resolution: 640px, style: { prompt: "in ${{ matrix.colors }}" }, assets: { image_file_paths: ["${{ steps.photo.file_path }}"] } } }',
      )
      .replace('item.stem }}', 'item.stem }}-${{ matrix.colors }}');
  const files = { 'photos/a.png': 'a', 'photos/sub/b.png': 'b', 'photos/sub/c.png': 'c' };
  const world = new World(styles('oil, ink'), files, { disk: 'folder' });
  await world.run();
  expect(named(await found(world))).toEqual(nothing);
  world.remove('photos/sub/b.png');
  expect(named(await found(world))).toEqual({
    files: ['out/sub/b-ink.png', 'out/sub/b-oil.png'],
    kept: 0,
    projects: ['colour:sub/b.png/ink', 'colour:sub/b.png/oil'],
  });
  // An empty folder may be a drive that is not mounted.
  world.remove('photos/sub/c.png');
  expect(named(await found(world)).files).toEqual([]);
  world.write('photos/sub/d.png', 'd');
  world.edit(styles('oil'));
  expect(named(await found(world)).files).toContain('out/a-ink.png');
});

test('a photo with another name has an orphan only once its file is under the new name', async () => {
  const world = begin(tidy);
  await world.run();
  world.remove('photos/p3.png');
  world.write('photos/q3.png', 'lily');
  expect(named(await found(world))).toEqual(nothing);
  expect((await world.run()).outcome).toBe('done');
  expect(named(await found(world))).toEqual({ ...nothing, files: ['out/p3.png'] });
  await pruned(world);
  expect(world.outputs).toEqual(['p1.png', 'p2.png', 'q3.png']);
  expect(world.service.charged).toBe(30);
});

describe('a photo with other content', () => {
  const changed = async (pipeline: string): Promise<World> => {
    const world = begin(pipeline);
    await world.run();
    world.write('photos/p3.png', 'dahlia');
    await world.run();
    return world;
  };
  const keptFiles = (world: World): number =>
    world.machine.files(true).below(join(world.folder, '.shotlist/kept')).length;

  test('leaves a kept file while its project is at the service, and going back stays free', async () => {
    const world = begin();
    await world.run();
    const first = world.read('out/p3.png');
    world.write('photos/p3.png', 'dahlia');
    await world.run();
    const all = await found(world);
    expect([named(all), all.left.unsaved]).toEqual([{ ...nothing, kept: 1 }, 1]);
    await pruned(world);
    expect(keptFiles(world)).toBe(0);
    world.write('photos/p3.png', 'lily');
    expect((await world.run()).outcome).toBe('done');
    expect(world.service.charged).toBe(40);
    expect(world.read('out/p3.png')).toBe(first);
  });

  test('leaves the kept file if somebody deleted its project in the hub', async () => {
    const world = begin();
    await world.run();
    world.service.projectOf('colour:p3.png').isDeleted = true;
    world.write('photos/p3.png', 'dahlia');
    await world.run();
    const { removed, refused } = await pruned(world);
    expect(named(removed)).toEqual(nothing);
    expect(refused).toHaveLength(1);
    expect(keptFiles(world)).toBe(1);
  });

  test('keeps the only copy of its first result', async () => {
    const world = await changed(tidy);
    const all = await found(world);
    expect([named(all), all.left.lastCopies]).toEqual([nothing, 1]);
    world.remove('photos/p3.png');
    expect(named(await found(world))).toEqual({ ...nothing, files: ['out/p3.png'], kept: 1 });
  });

  test('keeps a file of its owner that a result replaced', async () => {
    const world = begin();
    world.write('out/p1.png', 'my own');
    await world.run({ replaceFiles: true });
    const all = await found(world);
    expect([named(all), all.left.unrecorded]).toEqual([nothing, 1]);
  });
});

test('the results of earlier days are no orphans', async () => {
  const world = new World(
    `pipeline: daily
steps:
  hero: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: "A lighthouse on \${{ run.date }}" } } }
  save: { uses: download, with: { of: hero, to: latest.png } }
`,
    {},
    { disk: 'folder' },
  );
  for (const history of [0, 1, 2]) {
    await world.run();
    const all = await found(world);
    expect([named(all), all.left.history]).toEqual([nothing, history]);
    world.clock.pass(day);
    expect(named(await found(world))).toEqual(nothing);
  }
});

test('links are not followed', async () => {
  const world = await without3(untidy.replace('to: "', 'to: "deep/'));
  renameSync(join(world.folder, 'out/deep'), join(world.folder, 'elsewhere'));
  symlinkSync(join(world.folder, 'elsewhere'), join(world.folder, 'out/deep'));
  expect(await found(world)).toMatchObject({ files: [], left: { outside: 1 } });
  await pruned(world);
  expect(world.read('elsewhere/p3.png')).toBeDefined();
});

describe('the service', () => {
  test('that deleted the project already, as before a kill, lets prune go on', async () => {
    const world = await without3();
    world.service.projectOf('colour:p3.png').isDeleted = true;
    const { removed, refused } = await pruned(world);
    expect([named(removed), refused]).toEqual([whole3, []]);
    expect(named(await found(world))).toEqual(nothing);
  });

  test('that does not delete a project keeps the files of the project, too', async () => {
    const world = await without3();
    world.service.fails = ({ call }) =>
      call === 'delete' ? { reason: 'unavailable', status: 503, message: 'later' } : undefined;
    const { removed, refused } = await pruned(world);
    expect([named(removed), refused.length]).toEqual([nothing, 1]);
    expect(world.outputs).toHaveLength(3);
  });
});

test('a project may go without its file if the store really has it', async () => {
  const store = 'output: out\noutputs: { store: store }\n';
  const world = await without3(untidy.replace('output: out\n', store));
  world.remove('out/p3.png');
  expect(named(await found(world))).toEqual({ ...nothing, projects: ['colour:p3.png'] });
  const [here, away] = [join(world.folder, 'store'), join(world.folder, 'away')];
  renameSync(here, away);
  expect((await pruned(world)).refused).toHaveLength(1);
  renameSync(away, here);
  expect(named((await pruned(world)).removed).projects).toEqual(['colour:p3.png']);
});

interface Shape {
  readonly isTidy: boolean;
  readonly swap: boolean;
  readonly store: boolean;
  readonly step: 'remove' | 'change';
}

const pipelineOf = ({ isTidy, swap, store, step }: Shape): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
${store ? 'outputs: { store: store }\n' : ''}\
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  ${step}: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: ${step}, to: "\${{ item.stem }}.png" } }
${isTidy ? `  tidy: { uses: delete, with: { of: ${step} } }\n` : ''}\
${
  swap
    ? `  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.${step}.url }}" } } }
  coloured: { uses: download, with: { of: colour, to: "coloured/\${{ item.stem }}.png" } }
`
    : ''
}`;

const shape: fc.Arbitrary<Shape> = fc.record({
  isTidy: fc.boolean(),
  swap: fc.boolean(),
  store: fc.nat(3).map((number) => number === 0),
  step: fc.constantFrom<Shape['step'][]>('remove', 'remove', 'change'),
});

/** The content of up to four photos by name; 0: the photo is not there. */
const photos = fc
  .array(fc.nat(4), { minLength: 4, maxLength: 4 })
  .filter((all) => all.some((content) => content > 0));

const round = fc.record({ shape, photos, lose: fc.option(fc.nat(3), { freq: 4 }) });

test('prune changes no plan and costs nothing: random pipelines whose photos and steps come and go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 3 }), async (rounds) => {
      const world = new World('', {}, { disk: 'folder' });
      for (const { shape, photos, lose } of rounds) {
        world.edit(pipelineOf(shape));
        for (const [index, content] of photos.entries())
          if (content === 0) world.remove(`photos/p${index}.png`);
          else world.write(`photos/p${index}.png`, `photo ${content}`);
        await world.run();
        if (lose !== null) world.remove(`out/p${lose}.png`);
        const { orphans: counted, ...before } = await planned(world);
        const listed = await found(world);
        expect(counted).toMatchObject({
          files: listed.files.length,
          kept: listed.kept.length,
          projects: listed.projects.length,
        });
        const { removed, refused } = await pruned(world);
        expect([named(removed), refused]).toEqual([named(listed), []]);
        const { orphans: _, ...after } = await planned(world);
        expect(after).toEqual(before);
        expect(named(await found(world))).toEqual(nothing);
      }
      // Everything comes back.
      for (const { shape, photos } of rounds) {
        world.edit(pipelineOf(shape));
        for (const [index, content] of photos.entries())
          if (content > 0) world.write(`photos/p${index}.png`, `photo ${content}`);
        await world.run();
      }
      for (const made of world.service.paid.values()) expect(made).toHaveLength(1);
      world[Symbol.dispose]();
    }),
    { numRuns: 2, seed: 8 },
  );
});
