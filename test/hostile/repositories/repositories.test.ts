// Repositories of strangers, cloned with real git and run: whatever they hold, what is beside the clone stays as it
// is, no host hears of it that nobody consented to, and the key is written nowhere.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orphans } from '../../../src/features/prune/prune.ts';
import { type RunInternals, runWith } from '../../../src/features/run/run.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { type LocalService, startService } from '../../../src/service/start.ts';
import { privateFolderOf } from '../../../src/state/private-folder.ts';
import { photo, until } from '../../rig.ts';
import { sampleOf } from '../../sweep.ts';
import {
  cloneInto,
  commitPlant,
  filesWith,
  git,
  privateText,
  type Sandbox,
  surroundings,
  write,
} from './clone.ts';
import { type Ending, innocent, type Plant, type Seeds } from './plant.ts';
import { plantsOf } from './plants.ts';

const root = mkdtempSync(join(tmpdir(), 'shotlist-hostile-'));
const key = 'sl_a_key_that_no_file_may_hold';
const webhookSecret = 'whsec_that_no_file_may_hold';

/** Counts who connects: the host that nobody consented to. */
let connections = 0;
const stranger = createServer((_, reply) => reply.end('{}'));
stranger.on('connection', () => {
  connections += 1;
});
await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
const at = stranger.address();
const strangerAddress = `http://127.0.0.1:${at !== null && typeof at === 'object' ? at.port : 0}`;

/** The consented host, with its data where the test can look at it. */
const hostData = join(root, 'host');
const host: LocalService = await startService({ data: hostData, key, pictures: 'plain' });

afterAll(async () => {
  await host.close();
  stranger.close();
  rmSync(root, { recursive: true, force: true });
});

type Way = 'rehearsal' | 'hosted';

const envOf = (plant: Plant): Record<string, string> => ({
  SHOTLIST_API_KEY: key,
  SHOTLIST_WEBHOOK_SECRET: webhookSecret,
  SHOTLIST_RECEIPTS: process.env['SHOTLIST_RECEIPTS'] ?? join(root, 'receipts'),
  ...(plant.host === 'unnamed' ? {} : { SHOTLIST_BASE_URL: host.address }),
});

/** Undefined: it ran; else the words of the refusal. */
async function runOn(
  { clone }: Sandbox,
  plant: Plant,
  way: Way,
  internals: RunInternals = {},
): Promise<string | undefined> {
  const env = envOf(plant);
  const loaded = await resultOf(() =>
    loadPipeline(join(clone, plant.pipeline ?? 'pipeline.yaml'), { env }),
  );
  if (!loaded.ok) return renderProblem(loaded.error);
  const ran = await resultOf(() =>
    runWith(
      loaded.value,
      {
        env,
        rehearse: way === 'rehearsal',
        rehearsalPictures: 'plain',
      },
      { backoffMs: 1, speedFactor: 100, ...internals },
    ),
  );
  return ran.ok ? undefined : renderProblem(ran.error);
}

/** Runs, and looks at all that must not have changed. */
async function proveHarmless(sandbox: Sandbox, plant: Plant, way: Way): Promise<string> {
  const before = surroundings(sandbox);
  const asked = host.requests();
  const heard = connections;
  const said = (await runOn(sandbox, plant, way)) ?? '';
  expect(surroundings(sandbox)).toEqual(before);
  expect(connections).toBe(heard);
  if (way === 'rehearsal') expect(host.requests()).toEqual(asked);
  for (const secret of [key, webhookSecret]) {
    expect(said).not.toContain(secret);
    for (const folder of [sandbox.folder, hostData]) expect(filesWith(folder, secret)).toEqual([]);
  }
  expect(filesWith(hostData, privateText)).toEqual([]);
  return said;
}

function expectEnding(said: string, ending: Ending): void {
  if (ending === 'runs') expect(said).toBe('');
  else if (ending !== undefined) expect(said).toMatch(ending);
}

let count = 0;
const freshFolder = (): string => join(root, `${++count}`);

async function seedsFromAnInnocentRun(): Promise<Seeds> {
  const bytes = await photo(1);
  const none: Plant = { name: 'nothing', rehearsal: 'runs', hosted: 'runs' };
  const origin = freshFolder();
  commitPlant(origin, none, innocent({ photo: bytes }));
  const sandbox = cloneInto(freshFolder(), origin, none);
  const parts: string[] = [];
  const said = await runOn(sandbox, none, 'hosted', {
    disk: (disk) =>
      new Proxy(disk, {
        get(real, name) {
          if (name === 'temporary')
            return async (...args: Parameters<typeof real.temporary>) => {
              const made = await real.temporary(...args);
              if (made.ok) parts.push(made.value.path.slice(made.value.path.lastIndexOf('/') + 1));
              return made;
            };
          const value: unknown = Reflect.get(real, name);
          return typeof value === 'function' ? value.bind(real) : value;
        },
      }),
  });
  if (said !== undefined) throw new Error(said);
  const [part] = parts;
  if (part === undefined) throw new Error('the innocent run wrote no output');
  const state = readFileSync(join(sandbox.clone, 'p.state.jsonl'), 'utf8');
  const canary = join(root, 'canary');
  return { photo: bytes, stranger: strangerAddress, part, service: host.address, state, canary };
}

const seeds = await seedsFromAnInnocentRun();
const plants = plantsOf(seeds);

const named = plants.map((plant) => [plant.name, plant] as const);
// Every third one; EVERY=1 tries all of them.
describe.each(sampleOf(named, 3))('a repository with %s', (_name, plant) => {
  const origin = freshFolder();
  commitPlant(origin, plant, innocent(seeds));
  // What was refused has changed nothing: then the next run finds what was cloned.
  let untouched: Sandbox | undefined;
  const sandboxed = (): Sandbox => {
    untouched ??= cloneInto(freshFolder(), origin, plant);
    return untouched;
  };

  test.each(['rehearsal', 'hosted'] as const)('does no harm in a %s run', async (way) => {
    const said = await proveHarmless(sandboxed(), plant, way);
    if (said === '') untouched = undefined;
    expectEnding(said, plant[way]);
    expect(existsSync(seeds.canary)).toBe(false);
  });

  const paths = [...Object.keys(plant.files ?? {}), ...Object.keys(plant.links ?? {})];
  if (paths.some((path) => path.startsWith('.shotlist/')))
    test('does no harm either as an archive, which no git knows', async () => {
      for (const way of ['rehearsal', 'hosted'] as const) {
        const sandbox = cloneInto(freshFolder(), origin, plant);
        rmSync(join(sandbox.clone, '.git'), { recursive: true });
        expectEnding(await proveHarmless(sandbox, plant, way), plant[way]);
      }
    });
});

const plantNamed = (name: string): Plant => {
  const found = plants.find((plant) => plant.name.startsWith(name));
  if (found === undefined) throw new Error(`there is no plant "${name}"`);
  return found;
};

test('a link that a later commit puts into the folder that a run made is refused', async () => {
  const [clean, plant] = [plantNamed('nothing'), plantNamed('the compacted state file of a re')];
  const origin = freshFolder();
  commitPlant(origin, clean, innocent(seeds));
  const sandbox = cloneInto(freshFolder(), origin, clean);
  expect(await proveHarmless(sandbox, clean, 'rehearsal')).toBe('');
  const planted = freshFolder();
  commitPlant(planted, plant, innocent(seeds));
  git(
    sandbox.clone,
    'pull',
    '--quiet',
    '--no-rebase',
    '--allow-unrelated-histories',
    planted,
    'main',
  );
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toMatch(/state\.jsonl\.part is a link/);
  rmSync(join(sandbox.clone, '.shotlist/rehearsal/p/state.jsonl.part'));
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
});

describe('a planted webhook with an event that waits', () => {
  const plant = plantNamed('a webhook');
  const planted = plant.files?.['.shotlist/rehearsal/p/service/service.sqlite'] ?? '';

  test('is in no folder that a service opens', async () => {
    const data = freshFolder();
    write(data, { 'service.sqlite': planted, id: '0'.repeat(32) });
    await expect(startService({ data, pictures: 'plain' })).rejects.toThrow('holds files');
  });

  test('is never told by a rehearsal, wherever it came from', async () => {
    const origin = freshFolder();
    commitPlant(origin, plantNamed('nothing'), innocent(seeds));
    const sandbox = cloneInto(freshFolder(), origin, plantNamed('nothing'));
    expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
    const data = join(privateFolderOf(sandbox.clone), 'rehearsal/p/service');
    for (const name of ['service.sqlite-wal', 'service.sqlite-shm'])
      rmSync(join(data, name), { force: true });
    write(data, { 'service.sqlite': planted });
    expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
    // But another service would tell it.
    write(data, { 'service.sqlite': planted });
    const heard = connections;
    const service = await startService({ data, pictures: 'plain' });
    await until('the event is delivered', () => connections > heard);
    await service.close();
  });
});

describe('all that a run has left and remembers, committed beside the pipeline', () => {
  const origin = freshFolder();
  let left: Readonly<Record<string, Buffer>> = {};
  beforeAll(async () => {
    commitPlant(origin, plantNamed('nothing'), innocent(seeds));
    const sandbox = cloneInto(freshFolder(), origin, plantNamed('nothing'));
    const { clone } = sandbox;
    for (const way of ['hosted', 'rehearsal'] as const)
      expect(await proveHarmless(sandbox, plantNamed('nothing'), way)).toBe('');
    const all = join(freshFolder(), 'all');
    for (const folder of [privateFolderOf(clone), join(clone, '.shotlist')])
      cpSync(folder, all, { recursive: true });
    left = Object.fromEntries(
      readdirSync(all, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [`.shotlist/${relative(all, path)}`, readFileSync(path)]),
    );
    expect(Object.keys(left)).toEqual(
      expect.arrayContaining([
        '.shotlist/hashes.db',
        '.shotlist/rehearsal/p/service/service.sqlite',
      ]),
    );
  });

  const planted = (files: Plant['files']): { plant: Plant; sandbox: Sandbox } => {
    const plant: Plant = {
      name: 'all that a run left',
      files: { ...left, ...files },
      rehearsal: 'runs',
      hosted: 'runs',
    };
    const folder = freshFolder();
    commitPlant(folder, plant, innocent(seeds));
    return { plant, sandbox: cloneInto(freshFolder(), folder, plant) };
  };

  test('does not make a run believe that it has nothing to do', async () => {
    const { plant, sandbox } = planted({});
    const before = host.balance();
    expect(await proveHarmless(sandbox, plant, 'hosted')).toBe('');
    expect(existsSync(join(sandbox.clone, 'out/p1.png'))).toBe(true);
    expect(host.balance()).toBeLessThan(before);
  });

  test('does not bring files that were never here: they are elsewhere', async () => {
    const state = { 'p.state.jsonl': seeds.state };
    const { plant, sandbox } = planted(state);
    expect(await proveHarmless(sandbox, plant, 'hosted')).toBe('');
    expect(readFileSync(join(sandbox.clone, 'p.state.jsonl'), 'utf8')).toBe(seeds.state);
    expect(existsSync(join(sandbox.clone, 'out/p1.png'))).toBe(false);
  });

  test('does not pass for the only copy of a result, whose project may then be deleted', async () => {
    const [, bytes = '', sha256] =
      /"bytes":(\d+),"sha256":"([0-9a-f]{64})"/.exec(seeds.state) ?? [];
    const { plant, sandbox } = planted({
      'p.state.jsonl': seeds.state,
      'photos/p2.png': await photo(2),
      [`.shotlist/kept/${sha256}.png`]: Buffer.alloc(Number(bytes), seeds.photo),
    });
    rmSync(join(sandbox.clone, 'photos/p1.png'));
    const env = envOf(plant);
    const loaded = await loadPipeline(join(sandbox.clone, 'pipeline.yaml'), { env });
    expect(await orphans(loaded, { env })).toMatchObject({ projects: [], left: { unsaved: 1 } });
  });
});
