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
import { describe, expect, test } from 'vitest';
import { type RunOptions, runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { realClock } from '../../src/run/clock.ts';
import type { Clock } from '../../src/run/jobs/ports.ts';
import type { RunEvent } from '../../src/run/run-event.ts';
import type { LocalService } from '../../src/service/start.ts';
import { takeLock } from '../../src/state/lock/lock.ts';
import { envOf, photo, photoPipeline, photoRig, Rig, service, type Told } from '../rig.ts';

const memory = 'photos.state.jsonl.up-to-date';
const [minute, day] = [60_000, 24 * 60 * 60_000];

/** Files that have just been written may change again within the same time stamp, so these tests begin later. */
const later = (ms: number): Clock => ({ ...realClock, now: () => realClock.now() + ms });

interface Looked extends Told {
  /** True if the run has planned its items. */
  readonly planned: boolean;
}

interface Choices extends RunOptions {
  readonly flavor?: string;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** A run that begins a minute after the files were written. */
async function runLater(
  { file }: Pick<Rig, 'file'>,
  local: LocalService,
  { flavor = 'plain', inputs = {}, ...options }: Choices = {},
): Promise<Looked> {
  const env = { ...envOf(local), FLAVOR: flavor };
  const loaded = await loadPipeline(file, { env, inputs });
  const events: RunEvent[] = [];
  let looks = 0;
  const listeners = {
    onEvent: (event: RunEvent) => void events.push(event),
    onLook: () => {
      looks += 1;
    },
  };
  const all = { env, clock: later(minute), ...listeners, ...options };
  const ran = await runWith(loaded, all, { backoffMs: 1, speedFactor: 1000 });
  return { ...ran, events, planned: looks > 0 };
}

/** A run, and a second one that remembers. */
async function remembered(
  pipeline = photoPipeline,
): Promise<{ readonly rig: Rig; readonly local: LocalService; readonly second: Looked }> {
  const rig = await photoRig(2, pipeline);
  const local = await service();
  await runLater(rig, local);
  const second = await runLater(rig, local);
  expect([second.planned, remembers(rig)]).toEqual([true, true]);
  return { rig, local, second };
}

const remembers = (rig: Rig): boolean => existsSync(rig.privatePath(memory));

/** Only what must not differ: the order of the tasks may, and the time does. */
function factsOf({ events, summary }: Told): readonly string[] {
  const text = (event: RunEvent): string => {
    if (event.type === 'ended') return JSON.stringify({ ...event.summary, elapsedMs: 0 });
    if (event.type === 'item') return JSON.stringify({ ...event, of: 0 });
    if (event.type !== 'task') return JSON.stringify(event);
    const { task, ending, item, step, credits } = event;
    return JSON.stringify({ task, ending, item, step, credits });
  };
  return [...events.map(text).sort(), JSON.stringify({ ...summary, elapsedMs: 0 })];
}

test('tells the same, asks nothing, and changes no file', async () => {
  const { rig, local, second } = await remembered();
  const state = rig.read('photos.state.jsonl');
  const before = statSync(rig.privatePath(memory));
  const third = await runLater(rig, local);
  expect(third.planned).toBe(false);
  expect(factsOf(third)).toEqual(factsOf(second));
  expect(third.summary).toMatchObject({
    outcome: 'done',
    items: { total: 2, done: 2 },
    tasks: { reused: 11 },
  });
  expect(rig.read('photos.state.jsonl')).toBe(state);
  expect(statSync(rig.privatePath(memory)).ino).toBe(before.ino);
  expect(existsSync(rig.path('.shotlist/photos.state.jsonl.lock'))).toBe(false);
});

test('holds for a pipeline without items', async () => {
  const text = `pipeline: photos
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: a house } } }
  save: { uses: download, with: { of: paint, to: house.png } }
`;
  const rig = new Rig(text);
  const local = await service();
  await runLater(rig, local);
  const second = await runLater(rig, local);
  const { ino } = statSync(rig.privatePath(memory));
  const third = await runLater(rig, local);
  expect(statSync(rig.privatePath(memory)).ino).toBe(ino);
  expect(factsOf(third)).toEqual(factsOf(second));
  rmSync(rig.path('out'), { recursive: true });
  expect((await runLater(rig, local)).summary.tasks).toMatchObject({ done: 1, reused: 1 });
});

test('holds for a table', async () => {
  const rig = new Rig(`pipeline: photos
items: { csv: shots.csv }
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: "\${{ item.prompt }}" } } }
  save: { uses: download, with: { of: paint, to: "\${{ item.key }}.png" } }
`);
  rig.write('shots.csv', 'key,prompt\na,a house\nb,a tree\n');
  const local = await service();
  await runLater(rig, local);
  await runLater(rig, local);
  expect((await runLater(rig, local)).planned).toBe(false);
  rig.write('shots.csv', 'key,prompt\na,a house\nb,a tram\n');
  const changed = await runLater(rig, local);
  expect(changed.planned).toBe(true);
  expect(changed.summary.tasks).toMatchObject({ done: 2, reused: 2 });
});

test('holds for tasks that are skipped', async () => {
  const some = photoPipeline.replace('size(steps.faces.faces) > 0', 'item.stem != "p2"');
  const { rig, local, second } = await remembered(some);
  const third = await runLater(rig, local);
  expect(third.planned).toBe(false);
  expect(factsOf(third)).toEqual(factsOf(second));
  expect(third.events).toContainEqual({
    ...{ type: 'task', task: 'save:p2.png', step: 'save', item: 'p2.png' },
    ...{ ending: 'skipped', credits: 0, why: expect.stringContaining('swap') },
  });
  expect(third.summary.tasks).toMatchObject({ reused: 8, skipped: 3 });
});

test('holds for shared steps that are skipped', async () => {
  const pipeline = `${photoPipeline}\
  more: { uses: upload, if: size(inputs.actor) == 0, with: { file: actor.png } }
`;
  const { rig, local, second } = await remembered(pipeline);
  const third = await runLater(rig, local);
  expect(factsOf(third)).toEqual(factsOf(second));
  expect(third.summary.tasks).toMatchObject({ reused: 11, skipped: 1 });
});

test('holds for files that are measured, even if nothing else is done with them', async () => {
  const rig = new Rig(`pipeline: photos
items: { glob: photos/*.png }
steps:
  paint:
    uses: ai-image-generator
    with: { image_count: 1, style: { prompt: "a house of \${{ item.bytes }} bricks" } }
  save: { uses: download, with: { of: paint, to: "\${{ item.stem }}.png" } }
`);
  rig.write('photos/a.png', await photo(1));
  const local = await service();
  await runLater(rig, local);
  await runLater(rig, local);
  expect((await runLater(rig, local)).planned).toBe(false);
  rig.write('photos/a.png', Buffer.concat([await photo(1), Buffer.from('more')]));
  expect((await runLater(rig, local)).summary.tasks.done).toBe(2);
});

test('hides neither another run nor a wish to stop, and a file that a person named is another input', async () => {
  const { rig, local } = await remembered();
  const lock = await takeLock(rig.path('.shotlist/photos.state.jsonl.lock'), Date.now());
  if (!lock.ok) throw new Error(lock.error);
  await expect(runLater(rig, local)).rejects.toThrow(/another run/);
  await lock.value.release();
  expect((await runLater(rig, local)).planned).toBe(false);
  const stopped = await runLater(rig, local, { signal: AbortSignal.abort() });
  expect(stopped.summary.outcome).toBe('interrupted');
  await settle(rig, local);
  // Although its path is the same.
  const named = await runLater(rig, local, { inputs: { actor: rig.path('actor.png') } });
  expect(named.planned).toBe(true);
});

/** Runs until a run needs no plan, so that the next plan has another cause. */
async function settle(rig: Rig, local: LocalService, after = ''): Promise<void> {
  for (let runs = 0; runs < 4; runs++) if (!(await runLater(rig, local)).planned) return;
  throw new Error(`every run plans again ${after}`);
}

const keeping = photoPipeline.replace(/ {2}tidy: .*\n/, '');
const flavored = keeping
  .replace('inputs:\n', 'env: [FLAVOR]\ninputs:\n  mark: { type: string, default: none }\n')
  .replace('${{ item.stem }}.png', '${{ item.stem }}-${{ env.FLAVOR }}-${{ inputs.mark }}.png');

interface Change {
  readonly make?: (rig: Rig) => unknown;
  readonly choices?: Choices;
  /** The tasks that are done then. */
  readonly done: number;
  /** Afterwards, so that runs remember again. */
  readonly undo?: (rig: Rig) => unknown;
}

const result = 'out/p1-plain-none.png';
const removeResult = (rig: Rig): void => rmSync(rig.path(result), { recursive: true });

describe('plans again after a change of', () => {
  const cases: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
    'photos and inputs': {
      'a photo is written again': {
        make: (rig) => rig.write('photos/p1.png', readFileSync(rig.path('photos/p1.png'))),
        done: 0,
      },
      'a photo is new': {
        make: async (rig) => rig.write('photos/new.png', await photo(9)),
        done: 4,
      },
      'a photo has other content': {
        make: async (rig) => rig.write('photos/p1.png', await photo(8)),
        done: 4,
      },
      'a photo is gone': { make: (rig) => rmSync(rig.path('photos/p2.png')), done: 0 },
      'the shared input has other content': {
        make: async (rig) => rig.write('actor.png', await photo(99)),
        done: 5,
      },
    },
    results: {
      'a result is gone': { make: removeResult, done: 1 },
      'a result was edited': {
        make: (rig) => appendFileSync(rig.path(result), '!'),
        done: 0,
        undo: removeResult,
      },
      'a result is a folder': {
        make: (rig) => {
          removeResult(rig);
          mkdirSync(rig.path(result));
        },
        done: 0,
        undo: removeResult,
      },
      'a result is a link to a copy': {
        make: (rig) => {
          renameSync(rig.path(result), rig.path('elsewhere.png'));
          writeFileSync(rig.path('copy.png'), readFileSync(rig.path('elsewhere.png')));
          symlinkSync(rig.path('copy.png'), rig.path(result));
        },
        done: 0,
        undo: removeResult,
      },
      'the output folder is gone': {
        make: (rig) => rmSync(rig.path('out'), { recursive: true }),
        done: 2,
      },
    },
    'the pipeline, its records and its terms': {
      'the pipeline has another step': {
        make: (rig) =>
          rig.write(
            'pipeline.yaml',
            `${flavored}  more: { uses: download, with: { of: swap, to: "more/\${{ item.key }}" } }\n`,
          ),
        done: 2,
      },
      'the pipeline has another comment': {
        make: (rig) => rig.write('pipeline.yaml', `${rig.read('pipeline.yaml')}# changed\n`),
        done: 0,
      },
      'the state file is another one': {
        make: (rig) => {
          const [header = '', ...lines] = rig.read('photos.state.jsonl').trim().split('\n');
          const kept = lines.filter((line) => !line.includes('p1-plain-none.png'));
          expect(kept.length).toBeLessThan(lines.length);
          const first = header.replace(/"lines":\d+/, `"lines":${kept.length}`);
          rig.write('photos.state.jsonl', `${[first, ...kept].join('\n')}\n`);
        },
        // The receipts know what is paid for, and its file is there.
        done: 0,
      },
      'the manifests are gone': {
        make: (rig) => rmSync(rig.path('.shotlist/photos.state.jsonl.manifests.jsonl')),
        done: 0,
      },
      'a variable of the environment': { choices: { flavor: 'sweet' }, done: 2 },
      'the value of an input': { choices: { inputs: { mark: 'new' } }, done: 2 },
      'another day': { choices: { clock: later(day) }, done: 0 },
      'an option': { choices: { items: { limit: 1 } }, done: 0 },
    },
    'the memory': {
      'the memory is empty': { make: (rig) => truncateSync(rig.privatePath(memory)), done: 0 },
      'the memory is cut off': {
        make: (rig) => truncateSync(rig.privatePath(memory), 2000),
        done: 0,
      },
      'the memory lacks a file': {
        make: (rig) =>
          truncateSync(rig.privatePath(memory), statSync(rig.privatePath(memory)).size - 20),
        done: 0,
      },
      'the memory is no JSON': {
        make: (rig) => writeFileSync(rig.privatePath(memory), '{"terms":\n'),
        done: 0,
      },
      'the memory has another content': {
        make: (rig) => {
          const text = readFileSync(rig.privatePath(memory), 'utf8');
          expect(text).toContain('"rows":[');
          writeFileSync(rig.privatePath(memory), text.replace('"rows":[', '"rows":5,"old":['));
        },
        done: 0,
      },
    },
  };
  // One change after another, in one folder.
  test.each(Object.entries(cases))('%s', async (_, changes) => {
    const { rig, local } = await remembered(flavored);
    for (const [what, { make, choices, done, undo }] of Object.entries(changes)) {
      await settle(rig, local, `before ${what}`);
      await make?.(rig);
      const { planned, summary } = await runLater(rig, local, choices);
      expect({ what, planned, done: summary.tasks.done }).toEqual({ what, planned: true, done });
      await undo?.(rig);
    }
  });
});

test('a day that begins during the run is another day', async () => {
  const rig = await photoRig(1);
  const local = await service();
  await runLater(rig, local);
  let ms = minute;
  const clock: Clock = { ...realClock, now: () => realClock.now() + ms };
  const onEvent = ({ type }: RunEvent): void => {
    if (type === 'planned') ms = day + minute;
  };
  await runLater(rig, local, { clock, onEvent });
  expect(existsSync(rig.privatePath(memory))).toBe(true);
  expect((await runLater(rig, local, { clock: later(day + minute) })).planned).toBe(true);
});

test('a file that is no longer in the repository is refused', async () => {
  const rig = await photoRig(1, photoPipeline.replace('actor.png', '../actor.png'));
  const local = await service();
  rig.write('.git/HEAD', 'ref: refs/heads/main\n');
  rig.write('inner/pipeline.yaml', rig.read('pipeline.yaml'));
  rig.write('inner/photos/p1.png', readFileSync(rig.path('photos/p1.png')));
  const inner = { file: rig.path('inner/pipeline.yaml') };
  await runLater(inner, local);
  await runLater(inner, local);
  expect((await runLater(inner, local)).planned).toBe(false);
  rig.write('inner/.git/HEAD', 'ref: refs/heads/main\n');
  await expect(runLater(inner, local)).rejects.toThrow(/outside the repository/);
});

test('a folder that cannot be used is refused as always', async () => {
  const rig = await photoRig(1);
  rig.write('.shotlist', 'not a folder');
  await expect(runLater(rig, await service())).rejects.toThrow(/move it away/);
});

test('another output folder is another run', async () => {
  const { rig, local } = await remembered(flavored);
  const output = rig.path('other');
  expect((await runLater(rig, local, { output })).summary.tasks.done).toBe(2);
  expect((await runLater(rig, local, { output })).planned).toBe(true);
  expect((await runLater(rig, local, { output })).planned).toBe(false);
});

describe('remembers nothing', () => {
  test('of a run that has done something, that chose items, or whose files may change and keep their time stamps', async () => {
    const rig = await photoRig(1);
    const local = await service();
    const choices: readonly Choices[] = [
      {},
      { clock: realClock },
      { items: { limit: 1 } },
      { items: { keys: new Set(['p1.png']) } },
    ];
    for (const choice of choices) {
      const { summary } = await runLater(rig, local, choice);
      expect([choice, summary.outcome, remembers(rig)]).toEqual([choice, 'done', false]);
    }
  });

  test.each([
    [
      'of steps that run for each element, although there is none',
      `${keeping}\
  more:
    uses: upload
    for_each: \${{ [].filter(x, true) }}
    with: { file: "\${{ each }}" }
`,
    ],
    [
      'if the files themselves say which of them are items',
      photoPipeline.replace('items:\n', 'items:\n  when: item.bytes > 0\n'),
    ],
  ])('%s', async (_, pipeline) => {
    const rig = await photoRig(1, pipeline);
    const local = await service();
    await runLater(rig, local);
    expect((await runLater(rig, local)).summary.outcome).toBe('done');
    expect(remembers(rig)).toBe(false);
  });

  test('if a result is not what was recorded, or is in another checkout: every run says so', async () => {
    const rig = await photoRig(1, keeping);
    const local = await service();
    await runLater(rig, local);
    appendFileSync(rig.path('out/p1.png'), '!');
    const files = async () => {
      const { planned, summary } = await runLater(rig, local);
      expect(planned).toBe(true);
      return [summary.files.changed, summary.files.elsewhere];
    };
    for (let run = 0; run < 2; run++) expect(await files()).toEqual([1, 0]);
    rmSync(rig.path('out'), { recursive: true });
    rmSync(rig.path('.shotlist'), { recursive: true });
    for (let run = 0; run < 2; run++) expect(await files()).toEqual([0, 1]);
  });

  test('if the run warned, before its plan or after it', async () => {
    const rig = await photoRig(1);
    const local = await service();
    await runLater(rig, local);
    const warned = async () => {
      const { planned, events } = await runLater(rig, local);
      expect([planned, remembers(rig)]).toEqual([true, false]);
      return events.some(({ type }) => type === 'warning');
    };
    symlinkSync(rig.path('nowhere'), rig.path('photos/broken.png'));
    expect(await warned()).toBe(true);
    rmSync(rig.path('photos/broken.png'));
    const manifests = rig.path('.shotlist/photos.state.jsonl.manifests.jsonl');
    rmSync(manifests);
    mkdirSync(manifests);
    for (let run = 0; run < 2; run++) expect(await warned()).toBe(true);
  });
});
