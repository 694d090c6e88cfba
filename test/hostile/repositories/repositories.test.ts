// Repositories of strangers, cloned with real git and run: whatever they hold, what is beside the clone stays as it
// is, no host hears of it that nobody consented to, and the key is written nowhere.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type RunInternals, runWith } from '../../../src/features/run/run.ts';
import { adopt } from '../../../src/features/trust/adopt.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/problem.ts';
import { type LocalService, startService } from '../../../src/service/start.ts';
import { photo, until } from '../../rig.ts';
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

/** Undefined: it ran; else the words of the refusal. */
async function runOn(
  { clone }: Sandbox,
  plant: Plant,
  way: Way,
  internals: RunInternals = {},
): Promise<string | undefined> {
  const env = {
    SHOTLIST_API_KEY: key,
    SHOTLIST_WEBHOOK_SECRET: webhookSecret,
    ...(plant.host === 'unnamed' ? {} : { SHOTLIST_BASE_URL: host.address }),
  };
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
describe.each(named)('a repository with %s', (_name, plant) => {
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

  if (`${plant.rehearsal}`.includes('git tracks'))
    test('does no harm either as an archive, which no git knows', async () => {
      const sandbox = sandboxed();
      for (const name of ['.git', 'sub/.git'])
        rmSync(join(sandbox.clone, name), { recursive: true, force: true });
      for (const way of ['rehearsal', 'hosted'] as const)
        expect(await proveHarmless(sandbox, plant, way)).toContain('shotlist trust --folder');
    });
});

const plantNamed = (name: string): Plant => {
  const found = plants.find((plant) => plant.name.startsWith(name));
  if (found === undefined) throw new Error(`there is no plant "${name}"`);
  return found;
};

test('what a later commit puts into the folder that a run made is refused, tracked or not', async () => {
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
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toMatch(/git tracks \.shotlist/);
  git(sandbox.clone, 'rm', '-r', '--quiet', '--cached', '.shotlist');
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toMatch(/state\.jsonl\.part is a link/);
  rmSync(join(sandbox.clone, '.shotlist/rehearsal/p/state.jsonl.part'));
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
});

describe('a planted webhook with an event that waits', () => {
  const plant = plantNamed('a webhook');

  test('would be told by a service that the user starts on it', async () => {
    const data = freshFolder();
    write(data, {
      'service.sqlite': plant.files?.['.shotlist/rehearsal/p/service/service.sqlite'] ?? '',
    });
    adopt(data);
    const heard = connections;
    const service = await startService({ data, pictures: 'plain' });
    await until('the event is delivered', () => connections > heard);
    await service.close();
  });

  test('is never told by a rehearsal, even where the user trusts the folder', async () => {
    const origin = freshFolder();
    commitPlant(origin, plant, innocent(seeds));
    const sandbox = cloneInto(freshFolder(), origin, plant);
    rmSync(join(sandbox.clone, '.git'), { recursive: true });
    const adopted = resultOf(() => adopt(join(sandbox.clone, '.shotlist')));
    expect(adopted.ok && adopted.value.folders.length).toBe(2);
    expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
  });
});

test('a folder that was trusted is not trusted where it is copied to', async () => {
  const plant = plantNamed('nothing');
  const origin = freshFolder();
  commitPlant(origin, plant, innocent(seeds));
  const sandbox = cloneInto(freshFolder(), origin, plant);
  expect(await proveHarmless(sandbox, plant, 'rehearsal')).toBe('');
  const copy = cloneInto(freshFolder(), origin, plant);
  cpSync(join(sandbox.clone, '.shotlist'), join(copy.clone, '.shotlist'), { recursive: true });
  expect(await proveHarmless(copy, plant, 'rehearsal')).toContain('shotlist trust --folder');
});
