// Nothing in `.shotlist` leads elsewhere, and what is remembered about it is outside of it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { repair } from '../../src/features/repair/repair.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { type Problem, renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { checkOwnFolder, claimOwnFolder, ownFolderForPlan } from '../../src/state/own-folder.ts';
import { makePrivateFolder, privateFolderOf } from '../../src/state/private-folder.ts';
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
  // Mutants are tried in a worker thread, which cannot set the umask.
  test.skipIf(process.platform === 'win32' || !isMainThread)(
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

  test('with a rule that keeps it out of git', async () => {
    expect(await claimOwnFolder(await pathsFor('hosted'))).toBeUndefined();
    expect(readFileSync(join(ownFolder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await claimOwnFolder(await pathsFor('rehearsal'))).toBeUndefined();
  });

  test('by nobody who only looks', async () => {
    expect(checkOwnFolder(await pathsFor('hosted'))).toBeUndefined();
    expect(readdirSync(root)).toEqual(['p.yaml']);
  });
});

test('commands that only take the lock leave a folder that the next one uses', async () => {
  const header = { shotlist: 3, pipeline: 'p', service: 'https://x' };
  writeFileSync(join(root, 'p.state.jsonl'), `${JSON.stringify(header)}\n`);
  const loaded = await loadPipeline(join(root, 'p.yaml'));
  const commands = [
    () => resolve(loaded, 'none', { how: 'abandon' }),
    () => repair(loaded, { service: 'https://x' }),
  ];
  for (const command of commands) {
    rmSync(ownFolder, { recursive: true, force: true });
    await resultOf<unknown>(command);
    expect(existsSync(ownFolder)).toBe(true);
    expect(checkOwnFolder(await pathsFor('hosted'))).toBeUndefined();
  }
});

describe('the folder is refused', () => {
  test('when it is a link', async () => {
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync('elsewhere', ownFolder);
    expect(words(await claimOwnFolder(await pathsFor('hosted')))).toMatch(/is a link.*remove/s);
    expect(words(checkOwnFolder(await pathsFor('hosted')))).toContain('is a link');
  });

  test('when it is a file', async () => {
    writeFileSync(ownFolder, '');
    expect(words(await claimOwnFolder(await pathsFor('hosted')))).toContain(ownFolder);
  });

  const kept = 'kept/a/b/link';
  const rehearsed = 'rehearsal/p/out/a/link';
  const cases = [
    { what: 'a link in it', path: 'hashes.db', hosted: true, rehearsal: true },
    { what: 'a link far below', path: kept, hosted: true, rehearsal: false },
    { what: 'a link in a rehearsal', path: rehearsed, hosted: false, rehearsal: true },
    { what: 'a link in another one', path: 'rehearsal/q/x', hosted: false, rehearsal: false },
    { what: 'a link for a rehearsal', path: 'rehearsal/p', hosted: false, rehearsal: true },
    { what: 'the rehearsals as a link', path: 'rehearsal', hosted: true, rehearsal: true },
  ] as const;
  test.each(cases)('for $what, by those who use it', async ({ path, ...refused }) => {
    mkdirSync(join(ownFolder, path, '..'), { recursive: true });
    symlinkSync(root, join(ownFolder, path));
    for (const kind of ['hosted', 'rehearsal'] as const) {
      const said = words(checkOwnFolder(await pathsFor(kind)));
      expect(said.includes(`${join(ownFolder, path)} is a link`), kind).toBe(refused[kind]);
    }
  });

  test('for a named pipe in it, which would hold a command up for ever', async () => {
    mkdirSync(ownFolder);
    expect(makePipe(join(ownFolder, 'p.state.jsonl.lock'))).toBe(true);
    expect(words(checkOwnFolder(await pathsFor('hosted')))).toContain('is not a regular file');
  });
});

describe('without a place for what is remembered', () => {
  beforeEach(() => {
    writeFileSync(join(root, 'state'), 'a file where a folder should be');
  });

  test('a run is refused with the cure', async () => {
    const said = words(await claimOwnFolder(await pathsFor('hosted')));
    expect(said).toContain('set XDG_STATE_HOME to a folder that you can write to');
  });

  test('a plan goes on without the cache of hashes', async () => {
    const planned = await resultOf(async () => ownFolderForPlan(await pathsFor('hosted')));
    expect(planned.ok && planned.value.hashes).toBeUndefined();
    expect(planned.ok).toBe(true);
  });
});

describe('what is remembered', () => {
  /** The names in a private folder. */
  const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort();

  async function remember(): Promise<{ readonly hosted: RunPaths; readonly rehearsal: RunPaths }> {
    const [hosted, rehearsal] = [await pathsFor('hosted'), await pathsFor('rehearsal')];
    for (const paths of [hosted, rehearsal]) {
      expect(await claimOwnFolder(paths)).toBeUndefined();
      writeFileSync(join(paths.privateRunFolder, 'memory'), '');
    }
    return { hosted, rehearsal };
  }

  test('is in the state folder of the user, closed to others, and says which folder it is about', async () => {
    const { hosted } = await remember();
    expect(hosted.privateFolder.startsWith(join(root, 'state/shotlist/folders/'))).toBe(true);
    expect(readFileSync(join(hosted.privateFolder, 'path'), 'utf8')).toBe(realpathSync(root));
    expect(namesIn(hosted.privateFolder)).toEqual(['memory', 'path', 'rehearsal']);
    if (process.platform !== 'win32')
      expect(statSync(hosted.privateFolder).mode & 0o777).toBe(0o700);
  });

  test('of a rehearsal is forgotten with its folder, and nothing else is', async () => {
    const { hosted, rehearsal } = await remember();
    rmSync(rehearsal.runFolder, { recursive: true });
    expect(await claimOwnFolder(hosted)).toBeUndefined();
    expect(namesIn(rehearsal.privateRunFolder)).toEqual(['memory']);
    expect(await claimOwnFolder(rehearsal)).toBeUndefined();
    expect(namesIn(rehearsal.privateRunFolder)).toEqual([]);
    expect(namesIn(hosted.privateFolder)).toContain('memory');
  });

  test('is forgotten in a new checkout at the same path', async () => {
    const { hosted } = await remember();
    rmSync(ownFolder, { recursive: true });
    expect(await claimOwnFolder(hosted)).toBeUndefined();
    expect(namesIn(hosted.privateFolder)).toEqual(['path']);
  });

  test('is removed if the folder is gone, and nobody has used it for a month', async () => {
    const { hosted } = await remember();
    const others = ['gone', 'gone for long', 'there'].map((name) => join(root, name));
    const privateOnes = others.map((folder) => {
      makePrivateFolder(folder);
      return privateFolderOf(folder);
    });
    mkdirSync(join(root, 'there'));
    const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const folder of privateOnes.slice(1)) utimesSync(join(folder, 'path'), old, old);
    makePrivateFolder(join(root, 'another'));
    expect([hosted.privateFolder, ...privateOnes].map((one) => existsSync(one))).toEqual([
      ...[true, true, false, true],
    ]);
  });

  test('has the time of its last use by the own clock, not by that of a server', async () => {
    const { hosted } = await remember();
    const now = Date.now() + 365 * 24 * 60 * 60 * 1000;
    vi.useFakeTimers({ now, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await claimOwnFolder(hosted)).toBeUndefined();
    expect(statSync(join(hosted.privateFolder, 'path')).mtimeMs).toBe(now);
  });
});
