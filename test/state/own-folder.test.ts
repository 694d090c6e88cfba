// `.shotlist` is used only where shotlist made it, and nothing in it leads elsewhere.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { claimFolder, ownershipOf } from '../../src/base/owner.ts';
import { forget } from '../../src/features/forget/forget.ts';
import { repair } from '../../src/features/repair/repair.ts';
import { adopt } from '../../src/features/trust/adopt.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { type Problem, Refusal, renderProblem, resultOf } from '../../src/language/load/problem.ts';
import { checkOwnFolder, claimOwnFolder, ownFolderForPlan } from '../../src/state/own-folder.ts';
import { pathsOf, type RunPaths } from '../../src/state/run-paths.ts';
import { makePipe } from '../small-disk.ts';

let root = '';
let ownFolder = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-own-'));
  ownFolder = join(root, '.shotlist');
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  const steps =
    'steps: { a: { uses: ai-qr-code-generator, with: { content: x, style: { art_style: plain } } } }';
  writeFileSync(join(root, 'p.yaml'), `pipeline: p\nitems: { values: [{ key: a }] }\n${steps}\n`);
});

async function pathsFor(kind: 'hosted' | 'rehearsal'): Promise<RunPaths> {
  const loaded = await loadPipeline(join(root, 'p.yaml'));
  const target =
    kind === 'rehearsal'
      ? ({ kind } as const)
      : ({ kind, address: 'https://x', key: 'k' } as const);
  return pathsOf(boundPipeline(loaded), target, {});
}

const words = (problem: Problem | undefined): string =>
  problem === undefined ? '' : renderProblem(problem);

describe('the folder is made', () => {
  test.skipIf(process.platform === 'win32')(
    'for its owner alone where new files are open to everybody, and so is an older one',
    async () => {
      const before = process.umask(0);
      onTestFinished(() => void process.umask(before));
      const paths = await pathsFor('hosted');
      expect(await claimOwnFolder(paths)).toBeUndefined();
      expect(statSync(ownFolder).mode & 0o777).toBe(0o700);
      chmodSync(ownFolder, 0o777);
      expect(await claimOwnFolder(paths)).toBeUndefined();
      expect(statSync(ownFolder).mode & 0o777).toBe(0o700);
    },
  );

  test('with a marker and a rule that keeps it out of git', async () => {
    expect(await claimOwnFolder(await pathsFor('hosted'))).toBeUndefined();
    expect(ownershipOf(ownFolder)).toBe('ours');
    expect(readFileSync(join(ownFolder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await claimOwnFolder(await pathsFor('rehearsal'))).toBeUndefined();
  });

  test('by nobody who only looks', async () => {
    expect(checkOwnFolder(await pathsFor('hosted'))).toBeUndefined();
    expect(readdirSync(root)).toEqual(['p.yaml']);
  });
});

test('commands that only take the lock leave a folder that the next one trusts', async () => {
  const header = { shotlist: 3, pipeline: 'p', service: 'https://x' };
  writeFileSync(join(root, 'p.state.jsonl'), `${JSON.stringify(header)}\n`);
  const loaded = await loadPipeline(join(root, 'p.yaml'));
  const commands = [
    () => forget(loaded, { by: 'task', task: 'none' }),
    () => repair(loaded, { service: 'https://x' }),
  ];
  for (const command of commands) {
    rmSync(ownFolder, { recursive: true, force: true });
    await resultOf<unknown>(command);
    expect(ownershipOf(ownFolder)).toBe('ours');
    expect(checkOwnFolder(await pathsFor('hosted'))).toBeUndefined();
  }
});

describe('the folder is refused', () => {
  test('when somebody else made it: moved away or trusted it is used', async () => {
    const paths = await pathsFor('rehearsal');
    mkdirSync(join(ownFolder, 'rehearsal/p'), { recursive: true });
    for (const refused of [checkOwnFolder(paths), await claimOwnFolder(paths)]) {
      expect(words(refused)).toContain('was not made by shotlist for you on this machine');
      expect(words(refused)).toContain(`shotlist trust --folder ${ownFolder}`);
    }
    const planned = await resultOf(() => ownFolderForPlan(paths));
    expect(planned.ok ? '' : words(planned.error)).toContain('was not made by shotlist');
    expect(adopt(ownFolder)).toEqual({ folders: [ownFolder] });
    expect(await claimOwnFolder(paths)).toBeUndefined();
  });

  test('when it is a link, also to a folder that is ours', async () => {
    claimFolder(join(root, 'elsewhere'));
    symlinkSync('elsewhere', ownFolder);
    expect(words(await claimOwnFolder(await pathsFor('hosted')))).toMatch(/is a link.*remove/s);
    expect(words(checkOwnFolder(await pathsFor('hosted')))).toContain('is a link');
    expect(() => adopt(ownFolder)).toThrow(Refusal);
  });

  test('when it is a file', async () => {
    writeFileSync(ownFolder, '');
    expect(words(await claimOwnFolder(await pathsFor('hosted')))).toContain(ownFolder);
  });

  const kept = 'kept/a/b/link';
  const rehearsed = 'rehearsal/p/service/api-assets/link';
  // The local service keeps a folder for each output, and reads and removes nothing in it by path.
  const inOutput = 'rehearsal/p/service/outputs/1/link';
  const cases = [
    { what: 'a link in it', path: 'hashes.db', hosted: true, rehearsal: true },
    { what: 'a link far below', path: kept, hosted: true, rehearsal: false },
    { what: 'a link in a rehearsal', path: rehearsed, hosted: false, rehearsal: true },
    { what: 'a link in an output', path: inOutput, hosted: false, rehearsal: false },
    { what: 'a link in another one', path: 'rehearsal/q/x', hosted: false, rehearsal: false },
    { what: 'a link for a rehearsal', path: 'rehearsal/p', hosted: false, rehearsal: true },
    { what: 'the rehearsals as a link', path: 'rehearsal', hosted: true, rehearsal: true },
  ] as const;
  test.each(cases)('for $what, by those who use it', async ({ path, ...refused }) => {
    claimFolder(ownFolder);
    mkdirSync(join(ownFolder, path, '..'), { recursive: true });
    symlinkSync(root, join(ownFolder, path));
    for (const kind of ['hosted', 'rehearsal'] as const) {
      const said = words(checkOwnFolder(await pathsFor(kind)));
      expect(said.includes(`${join(ownFolder, path)} is a link`), kind).toBe(refused[kind]);
    }
    const adopted = resultOf(() => adopt(ownFolder));
    expect(adopted.ok ? '' : words(adopted.error)).toContain('is a link');
  });

  test('for a named pipe in it, which would hold a command up for ever', async () => {
    claimFolder(ownFolder);
    expect(makePipe(join(ownFolder, 'p.state.jsonl.lock'))).toBe(true);
    expect(words(checkOwnFolder(await pathsFor('hosted')))).toContain('is not a regular file');
  });
});

describe('without a place for the key that marks folders', () => {
  beforeEach(() => {
    writeFileSync(join(root, 'state'), 'a file where a folder should be');
  });

  test('a run is refused with the cure', async () => {
    const said = words(await claimOwnFolder(await pathsFor('hosted')));
    expect(said).toContain('set XDG_STATE_HOME to a folder that you may write to');
    expect(existsSync(join(ownFolder, 'owner.json'))).toBe(false);
  });

  test('a plan goes on without the cache of hashes', async () => {
    const planned = await resultOf(async () => ownFolderForPlan(await pathsFor('hosted')));
    expect(planned.ok && planned.value.hashes).toBeUndefined();
    expect(planned.ok).toBe(true);
  });
});

test('what a person trusts is a folder of shotlist, not any folder', () => {
  mkdirSync(join(root, 'photos'));
  const photos = resultOf(() => adopt(join(root, 'photos')));
  expect(photos.ok ? '' : words(photos.error)).toContain('is neither a .shotlist folder nor');
  writeFileSync(join(root, 'photos/service.sqlite'), '');
  adopt(join(root, 'photos'));
  expect(ownershipOf(join(root, 'photos'))).toBe('ours');
  expect(() => adopt(join(root, 'nowhere'))).toThrow(Refusal);
  expect(() => adopt(join(root, 'p.yaml'))).toThrow(Refusal);
});

test('a person trusts a folder together with the data of its rehearsals', () => {
  const data = join(ownFolder, 'rehearsal/p/service');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'service.sqlite'), '');
  expect(adopt(ownFolder)).toEqual({ folders: [ownFolder, data] });
  expect(adopt(ownFolder)).toEqual({ folders: [] });
  expect([ownershipOf(ownFolder), ownershipOf(data)]).toEqual(['ours', 'ours']);
});
