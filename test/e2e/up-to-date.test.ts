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

/** A run, a second one that remembers, and a third that needs no plan. */
async function remembered(
  pipeline = photoPipeline,
): Promise<{ readonly rig: Rig; readonly local: LocalService; readonly second: Looked }> {
  const rig = await photoRig(3, pipeline);
  const local = await service();
  await runLater(rig, local);
  const second = await runLater(rig, local);
  const third = await runLater(rig, local);
  expect([second.planned, third.planned]).toEqual([true, false]);
  return { rig, local, second };
}

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
    items: { total: 3, done: 3 },
    tasks: { reused: 16 },
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
  expect(third.summary.tasks).toMatchObject({ reused: 13, skipped: 3 });
});

test('holds for shared steps that are skipped', async () => {
  const pipeline = `${photoPipeline}\
  more: { uses: upload, if: size(inputs.actor) == 0, with: { file: actor.png } }
`;
  const { rig, local, second } = await remembered(pipeline);
  const third = await runLater(rig, local);
  expect(factsOf(third)).toEqual(factsOf(second));
  expect(third.summary.tasks).toMatchObject({ reused: 16, skipped: 1 });
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

test('does not hide that another run is at work', async () => {
  const { rig, local } = await remembered();
  const lock = await takeLock(rig.path('.shotlist/photos.state.jsonl.lock'), Date.now());
  if (!lock.ok) throw new Error(lock.error);
  await expect(runLater(rig, local)).rejects.toThrow(/another run/);
  await lock.value.release();
  expect((await runLater(rig, local)).planned).toBe(false);
});

test('stops when it is asked to', async () => {
  const { rig, local } = await remembered();
  const told = await runLater(rig, local, { signal: AbortSignal.abort() });
  expect(told.summary.outcome).toBe('interrupted');
});

const keeping = photoPipeline.replace(/ {2}tidy: .*\n/, '');
const flavored = keeping
  .replace('inputs:\n', 'env: [FLAVOR]\ninputs:\n  mark: { type: string, default: none }\n')
  .replace('${{ item.stem }}.png', '${{ item.stem }}-${{ env.FLAVOR }}-${{ inputs.mark }}.png');

interface Change {
  readonly make?: (rig: Rig) => unknown;
  readonly choices?: Choices;
  /** The tasks that are done then. */
  readonly done: number;
}

describe('plans again after a change:', () => {
  const cases: Readonly<Record<string, Change>> = {
    'a photo is new': { make: async (rig) => rig.write('photos/new.png', await photo(9)), done: 4 },
    'a photo has other content': {
      make: async (rig) => rig.write('photos/p1.png', await photo(9)),
      done: 4,
    },
    'a photo is written again': {
      make: (rig) => rig.write('photos/p1.png', readFileSync(rig.path('photos/p1.png'))),
      done: 0,
    },
    'a photo is gone': { make: (rig) => rmSync(rig.path('photos/p1.png')), done: 0 },
    'the shared input has other content': {
      make: async (rig) => rig.write('actor.png', await photo(99)),
      done: 7,
    },
    'a result is gone': { make: (rig) => rmSync(rig.path('out/p1-plain-none.png')), done: 1 },
    'a result was edited': {
      make: (rig) => appendFileSync(rig.path('out/p1-plain-none.png'), '!'),
      done: 0,
    },
    'a result is a folder': {
      make: (rig) => {
        rmSync(rig.path('out/p1-plain-none.png'));
        mkdirSync(rig.path('out/p1-plain-none.png'));
      },
      done: 0,
    },
    'a result is a link to a copy': {
      make: (rig) => {
        renameSync(rig.path('out/p1-plain-none.png'), rig.path('elsewhere.png'));
        writeFileSync(rig.path('copy.png'), readFileSync(rig.path('elsewhere.png')));
        symlinkSync(rig.path('copy.png'), rig.path('out/p1-plain-none.png'));
      },
      done: 0,
    },
    'the output folder is gone': {
      make: (rig) => rmSync(rig.path('out'), { recursive: true }),
      done: 3,
    },
    'the pipeline has another step': {
      make: (rig) =>
        rig.write(
          'pipeline.yaml',
          `${flavored}  more: { uses: download, with: { of: swap, to: "more/\${{ item.key }}" } }\n`,
        ),
      done: 3,
    },
    'the pipeline has another comment': {
      make: (rig) => rig.write('pipeline.yaml', `${flavored}# changed\n`),
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
    'a variable of the environment': { choices: { flavor: 'sweet' }, done: 3 },
    'the value of an input': { choices: { inputs: { mark: 'new' } }, done: 3 },
    'another day': { choices: { clock: later(day) }, done: 0 },
    'an option': { choices: { items: { limit: 2 } }, done: 0 },
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
  };
  test.each(Object.entries(cases))('%s', async (_, { make, choices, done }) => {
    const { rig, local } = await remembered(flavored);
    await make?.(rig);
    const told = await runLater(rig, local, choices);
    expect(told.planned).toBe(true);
    expect(told.summary.tasks.done).toBe(done);
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

test('a file that a person named is another input, although its path is the same', async () => {
  const { rig, local } = await remembered();
  expect((await runLater(rig, local, { inputs: { actor: rig.path('actor.png') } })).planned).toBe(
    true,
  );
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

test('a memory with another content is none', async () => {
  const { rig, local } = await remembered();
  const file = rig.privatePath(memory);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"rows":[', '"rows":5,"old":['));
  expect((await runLater(rig, local)).planned).toBe(true);
});

test('another output folder is another run', async () => {
  const { rig, local } = await remembered(flavored);
  const output = rig.path('other');
  expect((await runLater(rig, local, { output })).summary.tasks.done).toBe(3);
  expect((await runLater(rig, local, { output })).planned).toBe(true);
  expect((await runLater(rig, local, { output })).planned).toBe(false);
});

describe('remembers nothing', () => {
  const never = async (pipeline: string, choices: Choices = {}): Promise<void> => {
    const rig = await photoRig(1, pipeline);
    const local = await service();
    await runLater(rig, local);
    const told = await runLater(rig, local, choices);
    expect(told.summary.outcome).toBe('done');
    expect(existsSync(rig.privatePath(memory))).toBe(false);
  };

  test('of a run that has done something', async () => {
    const rig = await photoRig(1);
    await runLater(rig, await service());
    expect(existsSync(rig.privatePath(memory))).toBe(false);
  });

  test('if a file may still change and keep its time stamp', async () => {
    await never(photoPipeline, { clock: realClock });
  });

  test('if only some items are asked for', async () => {
    await never(photoPipeline, { items: { limit: 1 } });
  });

  test('if items are named', async () => {
    await never(photoPipeline, { items: { keys: new Set(['p1.png']) } });
  });

  test('of steps that run for each element, although there is none', async () => {
    const pipeline = `${keeping}\
  more:
    uses: upload
    for_each: \${{ [].filter(x, true) }}
    with: { file: "\${{ each }}" }
`;
    await never(pipeline);
  });

  test('if the files themselves say which of them are items', async () => {
    await never(photoPipeline.replace('items:\n', 'items:\n  when: item.bytes > 0\n'));
  });

  test('if a result is not what was recorded: every run says so', async () => {
    const { rig, local } = await remembered(keeping);
    appendFileSync(rig.path('out/p1.png'), '!');
    for (let run = 0; run < 3; run++) {
      const told = await runLater(rig, local);
      expect(told.planned).toBe(true);
      expect(told.summary.files.changed).toBe(1);
    }
  });

  test('if a result is in another checkout', async () => {
    const rig = await photoRig(1, keeping);
    const local = await service();
    await runLater(rig, local);
    rmSync(rig.path('out'), { recursive: true });
    rmSync(rig.path('.shotlist'), { recursive: true });
    for (let run = 0; run < 3; run++) {
      const told = await runLater(rig, local);
      expect(told.planned).toBe(true);
      expect(told.summary.files.elsewhere).toBe(1);
    }
  });

  test('if the run warned after its plan', async () => {
    const rig = await photoRig(1);
    const local = await service();
    await runLater(rig, local);
    const manifests = rig.path('.shotlist/photos.state.jsonl.manifests.jsonl');
    rmSync(manifests);
    mkdirSync(manifests);
    for (let run = 0; run < 2; run++) {
      const told = await runLater(rig, local);
      expect(told.planned).toBe(true);
      expect(told.events.some(({ type }) => type === 'warning')).toBe(true);
    }
  });

  test('if a person should know something', async () => {
    const rig = await photoRig(1);
    const local = await service();
    await runLater(rig, local);
    symlinkSync(rig.path('nowhere'), rig.path('photos/broken.png'));
    const told = await runLater(rig, local);
    expect(told.events.some(({ type }) => type === 'warning')).toBe(true);
    expect(existsSync(rig.privatePath(memory))).toBe(false);
  });
});
