// A run with nothing to do remembers what it compared, so that the next one compares only that.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type GivenInputs,
  loadPipeline,
  type RunEvent,
  type RunOptions,
  run,
  type Summary,
} from '../../src/index.ts';
import { privateFolderOf } from '../../src/state/private-folder.ts';
import { World } from '../kit/world.ts';

const [minute, day] = [60_000, 24 * 60 * 60_000];

const photos = `pipeline: photos
inputs:
  actor: { type: file, default: actor.png }
items:
  glob: photos/**/*.png
output: out
steps:
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { if: item.stem != "none", uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
`;
const tidy = `${photos}  tidy: { uses: delete, with: { of: swap } }\n`;
const two = { 'actor.png': 'actor', 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip' };
const one = { 'actor.png': 'actor', 'photos/p1.png': 'rose' };

function begin(pipeline = tidy, files: Readonly<Record<string, string>> = two): World {
  const world = new World(pipeline, files, { disk: 'folder' });
  // Files that have just been written may change again within the same time stamp, so runs begin later.
  world.clock.jump(Date.now() + minute - world.clock.now);
  return world;
}

interface Choices extends RunOptions {
  readonly flavor?: string;
  readonly inputs?: GivenInputs;
}

interface Looked {
  readonly summary: Summary;
  readonly events: readonly RunEvent[];
  /** True if the run has planned its items. */
  readonly planned: boolean;
}

async function runs(
  world: World,
  { flavor = 'plain', inputs = {}, ...options }: Choices = {},
): Promise<Looked> {
  const events: RunEvent[] = [];
  let looks = 0;
  const all: RunOptions = {
    onEvent: (event) => void events.push(event),
    onLook: () => {
      looks += 1;
    },
    ...options,
    env: { FLAVOR: flavor },
  };
  const { summary } = await world.do(
    async (_, own: RunOptions) =>
      await run(await loadPipeline(world.file, { env: own.env, inputs }), own),
    all,
  );
  return { summary, events, planned: looks > 0 };
}

const pathIn = (world: World, name: string): string => join(world.folder, name);
const memoryOf = (world: World): string =>
  join(privateFolderOf(world.folder), 'photos.state.jsonl.up-to-date');
const remembers = (world: World): boolean => existsSync(memoryOf(world));

/** A run, and a second one that remembers. */
async function remembered(pipeline = tidy, files: Readonly<Record<string, string>> = two) {
  const world = begin(pipeline, files);
  await runs(world);
  const second = await runs(world);
  expect(remembers(world)).toBe(true);
  return { world, second };
}

/** Only what must not differ: the order of the tasks may, and the time does. */
function factsOf({ events, summary }: Looked): readonly string[] {
  const text = (event: RunEvent): string => {
    if (event.type === 'ended') return JSON.stringify({ ...event.summary, elapsedMs: 0 });
    if (event.type === 'item') return JSON.stringify({ ...event, of: 0 });
    if (event.type !== 'task') return JSON.stringify(event);
    const { task, ending, item, step, credits } = event;
    return JSON.stringify({ task, ending, item, step, credits });
  };
  return [...events.map(text).sort(), JSON.stringify({ ...summary, elapsedMs: 0 })];
}

/** Runs until a run needs no plan, so that the next plan has another cause. */
async function settle(world: World, after = ''): Promise<void> {
  for (let times = 0; times < 4; times++) if (!(await runs(world)).planned) return;
  throw new Error(`every run plans again ${after}`);
}

const painted = (items: string, prompt: string, to: string): string => `pipeline: photos
${items}output: out
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: "${prompt}" } } }
  save: { uses: download, with: { of: paint, to: "${to}" } }
`;

describe('a third run tells the same, asks nothing, and changes no file', () => {
  test.each<[string, string, Readonly<Record<string, string>>, number]>([
    ['of photos', tidy, two, 9],
    ['of tasks that are skipped', tidy.replace('"none"', '"p2"'), two, 6],
    [
      'of shared steps that are skipped',
      `${tidy}  more: { uses: upload, if: size(inputs.actor) == 0, with: { file: actor.png } }\n`,
      two,
      9,
    ],
    ['without items', painted('', 'a house', 'house.png'), {}, 2],
  ])('%s', async (_, pipeline, files, reused) => {
    const { world, second } = await remembered(pipeline, files);
    const [{ state }, { ino }] = [world, statSync(memoryOf(world))];
    const asked = world.requests.length;
    const third = await runs(world);
    expect(third.planned).toBe(false);
    expect(factsOf(third)).toEqual(factsOf(second));
    expect(third.summary).toMatchObject({ outcome: 'done', tasks: { done: 0, reused } });
    expect([world.state, statSync(memoryOf(world)).ino]).toEqual([state, ino]);
    expect(world.requests).toHaveLength(asked);
    expect(existsSync(pathIn(world, '.shotlist/photos.state.jsonl.lock'))).toBe(false);
  });
});

test.each<[string, string, Readonly<Record<string, string>>, (world: World) => void, number]>([
  [
    'a result of a pipeline without items',
    painted('', 'a house', 'house.png'),
    {},
    (world) => world.remove('out/house.png'),
    1,
  ],
  [
    'a row of a table',
    painted('items: { csv: shots.csv }\n', '${{ item.prompt }}', '${{ item.key }}.png'),
    { 'shots.csv': 'key,prompt\na,a house\nb,a tree\n' },
    (world) => world.write('shots.csv', 'key,prompt\na,a house\nb,a tram\n'),
    2,
  ],
  [
    'a file that is measured, and with which nothing else is done',
    painted('items: { glob: photos/*.png }\n', '${{ item.bytes }} bricks', '${{ item.stem }}.png'),
    one,
    (world) => world.write('photos/p1.png', 'a longer rose'),
    2,
  ],
])('plans again after a change of %s', async (_, pipeline, files, change, done) => {
  const { world } = await remembered(pipeline, files);
  expect((await runs(world)).planned).toBe(false);
  change(world);
  expect((await runs(world)).summary.tasks.done).toBe(done);
});

test('hides no wish to stop, and a file that a person named is another input', async () => {
  const { world } = await remembered();
  expect((await runs(world)).planned).toBe(false);
  expect((await runs(world, { signal: AbortSignal.abort() })).summary.outcome).toBe('interrupted');
  await settle(world);
  // Although its path is the same.
  expect((await runs(world, { inputs: { actor: pathIn(world, 'actor.png') } })).planned).toBe(true);
});

const flavored = photos
  .replace('inputs:\n', 'env: [FLAVOR]\ninputs:\n  mark: { type: string, default: none }\n')
  .replace('${{ item.stem }}.png', '${{ item.stem }}-${{ env.FLAVOR }}-${{ inputs.mark }}.png');

interface Change {
  readonly make?: (world: World) => unknown;
  readonly choices?: Choices;
  /** The tasks that are done then. */
  readonly done: number;
  /** Afterwards, so that runs remember again. */
  readonly undo?: (world: World) => unknown;
}

const result = 'out/p1-plain-none.png';
const removeResult = (world: World): void => rmSync(pathIn(world, result), { recursive: true });

describe('plans again after a change of', () => {
  const cases: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
    'photos and inputs': {
      'a photo is written again': {
        make: (world) => world.write('photos/p1.png', 'rose'),
        done: 0,
      },
      'a photo is new': { make: (world) => world.write('photos/new.png', 'iris'), done: 3 },
      'a photo has other content': {
        make: (world) => world.write('photos/p1.png', 'dahlia'),
        done: 3,
      },
      'a photo is gone': { make: (world) => world.remove('photos/p2.png'), done: 0 },
      'the shared input has other content': {
        make: (world) => world.write('actor.png', 'another'),
        done: 5,
      },
    },
    results: {
      'a result is gone': { make: removeResult, done: 1 },
      'a result was edited': {
        make: (world) => appendFileSync(pathIn(world, result), '!'),
        done: 0,
        undo: removeResult,
      },
      'a result is a folder': {
        make: (world) => {
          removeResult(world);
          mkdirSync(pathIn(world, result));
        },
        done: 0,
        undo: removeResult,
      },
      'a result is a link to a copy': {
        make: (world) => {
          renameSync(pathIn(world, result), pathIn(world, 'elsewhere.png'));
          writeFileSync(pathIn(world, 'copy.png'), readFileSync(pathIn(world, 'elsewhere.png')));
          symlinkSync(pathIn(world, 'copy.png'), pathIn(world, result));
        },
        done: 0,
        undo: removeResult,
      },
      'the output folder is gone': {
        make: (world) => rmSync(pathIn(world, 'out'), { recursive: true }),
        done: 2,
      },
    },
    'the pipeline, its records and its terms': {
      'the pipeline has another step': {
        make: (world) =>
          world.edit(
            `${flavored}  more: { uses: download, with: { of: swap, to: "more/\${{ item.key }}" } }\n`,
          ),
        done: 2,
      },
      'the pipeline has another comment': {
        make: (world) => appendFileSync(world.file, '# changed\n'),
        done: 0,
      },
      'the state file is another one': {
        make: (world) => {
          const [header = '', ...lines] = world.state.trim().split('\n');
          const kept = lines.filter((line) => !line.includes('p1-plain-none.png'));
          expect(kept.length).toBeLessThan(lines.length);
          const first = header.replace(/"lines":\d+/, `"lines":${kept.length}`);
          world.state = `${[first, ...kept].join('\n')}\n`;
        },
        // The receipts know what is paid for, and its file is there.
        done: 0,
      },
      'the manifests are gone': {
        make: (world) => world.remove('.shotlist/photos.state.jsonl.manifests.jsonl'),
        done: 0,
      },
      'a variable of the environment': { choices: { flavor: 'sweet' }, done: 2 },
      'the value of an input': { choices: { inputs: { mark: 'new' } }, done: 2 },
      'an option': { choices: { items: { limit: 1 } }, done: 0 },
      'another day': { make: (world) => world.clock.pass(day), done: 0 },
    },
    'the memory': {
      'the memory is empty': { make: (world) => truncateSync(memoryOf(world)), done: 0 },
      'the memory is cut off': {
        make: (world) => truncateSync(memoryOf(world), 2000),
        done: 0,
      },
      'the memory lacks a file': {
        make: (world) => truncateSync(memoryOf(world), statSync(memoryOf(world)).size - 20),
        done: 0,
      },
      'the memory is no JSON': {
        make: (world) => writeFileSync(memoryOf(world), '{"terms":\n'),
        done: 0,
      },
      'the memory has another content': {
        make: (world) => {
          const text = readFileSync(memoryOf(world), 'utf8');
          expect(text).toContain('"rows":[');
          writeFileSync(memoryOf(world), text.replace('"rows":[', '"rows":5,"old":['));
        },
        done: 0,
      },
    },
  };
  // One change after another, in one folder.
  test.each(Object.entries(cases))('%s', async (_, changes) => {
    const { world } = await remembered(flavored);
    for (const [what, { make, choices, done, undo }] of Object.entries(changes)) {
      await settle(world, `before ${what}`);
      make?.(world);
      const { planned, summary } = await runs(world, choices);
      expect({ what, planned, done: summary.tasks.done }).toEqual({ what, planned: true, done });
      undo?.(world);
    }
  });
});

test('a day that begins during the run is another day', async () => {
  const world = begin(tidy, one);
  await runs(world);
  const onEvent = ({ type }: RunEvent): void => {
    if (type === 'planned') world.clock.jump(day);
  };
  await runs(world, { onEvent });
  expect(remembers(world)).toBe(true);
  expect((await runs(world)).planned).toBe(true);
});

test('a file that is no longer in the repository is refused', async () => {
  const { world } = await remembered();
  mkdirSync(pathIn(world, 'inner/photos'), { recursive: true });
  world.write('.git/HEAD', 'ref: refs/heads/main\n');
  world.write('inner/photos/p1.png', 'rose');
  writeFileSync(pathIn(world, 'inner/pipeline.yaml'), tidy.replace('actor.png', '../actor.png'));
  const inner = (): Promise<unknown> =>
    world.do(
      async (_, own) =>
        await run(await loadPipeline(pathIn(world, 'inner/pipeline.yaml'), own), own),
    );
  await inner();
  await inner();
  world.write('inner/.git/HEAD', 'ref: refs/heads/main\n');
  await expect(inner()).rejects.toThrow(/outside the repository/);
});

test('another output folder is another run', async () => {
  const { world } = await remembered(flavored);
  const output = pathIn(world, 'other');
  expect((await runs(world, { output })).summary.tasks.done).toBe(2);
  expect((await runs(world, { output })).planned).toBe(true);
  expect((await runs(world, { output })).planned).toBe(false);
});

describe('remembers nothing', () => {
  test('of a run that has done something, that chose items, or whose files may change and keep their time stamps', async () => {
    const world = begin(tidy, one);
    for (const choice of [{}, { items: { limit: 1 } }, { items: { keys: new Set(['p1.png']) } }]) {
      const { summary } = await runs(world, choice);
      expect([choice, summary.outcome, remembers(world)]).toEqual([choice, 'done', false]);
    }
    // The photo is as new as the run.
    world.clock.jump(Date.now() - world.clock.now);
    await runs(world);
    expect(remembers(world)).toBe(false);
  });

  test.each([
    [
      'of steps that run for each element, although there is none',
      `${photos}\
  more:
    uses: upload
    for_each: \${{ [].filter(x, true) }}
    with: { file: "\${{ each }}" }
`,
    ],
    [
      'if the files themselves say which of them are items',
      tidy.replace('items:\n', 'items:\n  when: item.bytes > 0\n'),
    ],
  ])('%s', async (_, pipeline) => {
    const world = begin(pipeline, one);
    await runs(world);
    expect((await runs(world)).summary.outcome).toBe('done');
    expect(remembers(world)).toBe(false);
  });

  test('if a result is not what was recorded, or is in another checkout: every run says so', async () => {
    const world = begin(photos, one);
    await runs(world);
    appendFileSync(pathIn(world, 'out/p1.png'), '!');
    const files = async () => {
      const { planned, summary } = await runs(world);
      expect(planned).toBe(true);
      return [summary.files.changed, summary.files.elsewhere];
    };
    for (let times = 0; times < 2; times++) expect(await files()).toEqual([1, 0]);
    for (const name of ['out', '.shotlist']) rmSync(pathIn(world, name), { recursive: true });
    for (let times = 0; times < 2; times++) expect(await files()).toEqual([0, 1]);
  });

  test('if the run warned, before its plan or after it', async () => {
    const world = begin(tidy, one);
    await runs(world);
    const warned = async () => {
      const { planned, events } = await runs(world);
      expect([planned, remembers(world)]).toEqual([true, false]);
      return events.some(({ type }) => type === 'warning');
    };
    symlinkSync(pathIn(world, 'nowhere'), pathIn(world, 'photos/broken.png'));
    expect(await warned()).toBe(true);
    rmSync(pathIn(world, 'photos/broken.png'));
    const manifests = pathIn(world, '.shotlist/photos.state.jsonl.manifests.jsonl');
    rmSync(manifests);
    mkdirSync(manifests);
    for (let times = 0; times < 2; times++) expect(await warned()).toBe(true);
  });
});
