// The lock of a state file, and the live file that says who holds it: with real processes, containers, threads and files.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { holderOf, readLive } from '../../src/state/live.ts';
import { isHeld, Lock } from '../../src/state/lock.ts';
import { lockState } from '../../src/state/lock-state.ts';
import { pathsOf, type RunPaths } from '../../src/state/run-paths.ts';
import { FakeClock, temporaryFolder } from '../files/places.ts';
import { makeNamedPipe } from '../named-pipe.ts';
import { canBeNobody, nobody } from '../nobody.ts';
import { Rig } from '../rig.ts';
import { longTest } from '../sweep.ts';

const script = fileURLToPath(new URL('./lock-process.ts', import.meta.url));
const container = ['unshare', '--uts', '--pid', '--fork', '--mount-proc', '--kill-child'];
const [unshare = '', ...boxed] = container;
const hasContainers = spawnSync(unshare, [...boxed, 'true']).status === 0;

const lockFile = (): string => join(temporaryFolder(), 'p.lock');

function started(before: readonly string[], ...args: readonly string[]): ChildProcess {
  const [command = '', ...rest] = [...before, process.execPath, script, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function said(child: ChildProcess): Promise<string> {
  const [text]: unknown[] = await once(child.stdout ?? child, 'data');
  return String(text).trim();
}

/** Without the patience for those who only look. */
const takeNow = (file: string): Promise<Lock | undefined> => Lock.take(file, new FakeClock());

async function held(file: string): Promise<Lock> {
  const lock = await Lock.take(file, realClock);
  if (lock === undefined) throw new Error(`${file} is held`);
  return lock;
}

describe('one at a time', () => {
  test.each([
    ['process', []],
    ...(hasContainers ? [['container', container] as const] : []),
  ] as const)(
    'a %s holds it while it is frozen, and no longer when it is killed',
    async (_, before) => {
      const file = lockFile();
      const child = started(before, 'take', file);
      expect(await said(child)).toBe('held');
      child.kill('SIGSTOP');
      expect([await takeNow(file), isHeld(file)]).toEqual([undefined, true]);
      child.kill('SIGKILL');
      await once(child, 'close');
      const lock = await held(file);
      await lock.release();
      expect([isHeld(file), existsSync(file)]).toEqual([false, false]);
    },
  );

  test('neither a second one in the process, nor a thread, nor a look ends it', async () => {
    const file = lockFile();
    const lock = await held(file);
    expect([await takeNow(file), isHeld(file)]).toEqual([undefined, true]);
    const thread = new Worker(script, { argv: ['take', file] });
    onTestFinished(async () => void (await thread.terminate()));
    expect(await once(thread, 'message')).toEqual(['refused']);
    expect(await said(started([], 'ask', file))).toBe('held');
    expect(await said(started([], 'take', file))).toBe('refused');
    await lock.release();
    expect(await said(started([], 'take', file))).toBe('held');
  });

  test('a file that is removed under it is noticed, and what another one makes there stays', async () => {
    const file = lockFile();
    const first = await held(file);
    expect(first.isStill).toBe(true);
    unlinkSync(file);
    expect(first.isStill).toBe(false);
    const second = await held(file);
    await first.release();
    expect([first.isStill, second.isStill, isHeld(file)]).toEqual([false, true, true]);
  });

  longTest('a storm of processes that take and release it', async () => {
    const file = lockFile();
    const stormy = [1, 2, 3, 4].map(() => started([], 'storm', file, '300'));
    for (const text of await Promise.all(stormy.map(said))) expect(text).toMatch(/^refused \d+$/);
  });
});

describe('what is no lock of ours is refused, and left as it is', () => {
  test.each<[string, (file: string, victim: string) => void]>([
    ['a link', (file, victim) => symlinkSync(victim, file)],
    ['a link to nothing', (file, victim) => symlinkSync(`${victim}2`, file)],
    ['a journal beside it', (file, victim) => symlinkSync(victim, `${file}-journal`)],
    ['a text', (file) => writeFileSync(file, '{"pid":1}')],
    ['a folder', (file) => mkdirSync(file)],
    ['a named pipe', (file) => makeNamedPipe(file)],
    [
      'a database',
      (file) => new DatabaseSync(file).exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)'),
    ],
  ])('%s', async (_, plant) => {
    const file = lockFile();
    const victim = join(temporaryFolder(), 'victim');
    writeFileSync(victim, 'precious');
    plant(file, victim);
    await expect(takeNow(file)).rejects.toMatchObject({ problem: { reason: 'input' } });
    expect(isHeld(file)).toBe(false);
    expect([readFileSync(victim, 'utf8'), existsSync(`${victim}2`)]).toEqual(['precious', false]);
  });

  test.skipIf(!canBeNobody)('a file, or a folder, that this user may not write', async () => {
    const file = lockFile();
    chmodSync(join(file, '..'), 0o755);
    const asOther = () =>
      spawnSync(process.execPath, [script, 'try', file], { ...nobody, encoding: 'utf8' });
    expect(asOther().stderr).toContain('permission denied');
    writeFileSync(file, '', { mode: 0o644 });
    expect(asOther().stderr).toContain('permission denied');
    await held(file);
    expect(asOther().stdout.trim()).toBe('refused');
  });
});

test.each([
  ['ENOLCK', 5],
  ['EPERM', 3],
  ['ENOTSUP', 3850],
])('a drive without locks (%s) is refused, and is no run that holds one', async (_, errcode) => {
  const paths = await pathsIn();
  const failure = Object.assign(new Error('no'), { errcode });
  vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw failure;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const taken = lockState(paths, 'run', { clock: realClock, onWarning });
  await expect(taken).rejects.toMatchObject({
    problem: { reason: 'input', diagnostics: [{ hint: expect.stringContaining('--state') }] },
  });
  vi.restoreAllMocks();
  expect(holderOf(paths)).toBeUndefined();
  await using locked = await lockState(paths, 'run', { clock: realClock, onWarning });
  expect(locked.lock?.isStill).toBe(true);
});

async function pathsIn(
  rig = new Rig('pipeline: p\nsteps: { up: { uses: upload, with: { file: a.png } } }\n'),
): Promise<RunPaths> {
  const bound = boundPipeline(await loadPipeline(rig.file));
  return pathsOf(bound, { kind: 'hosted', address: 'https://a', key: 'k' }, {});
}

const onWarning = (): void => undefined;

/** What whoever holds the lock writes. */
async function ownLive(paths: RunPaths): Promise<object> {
  await using _held = await lockState(paths, 'edit', { clock: realClock, onWarning });
  return readLive(paths.live) ?? {};
}

describe('the live file', () => {
  test.each<[string, object, object | undefined, 'refused' | 'taken', readonly number[]]>([
    [
      'of another kernel, that beats',
      { boot: 'other' },
      { boot: 'other', beat: 9 },
      'refused',
      [3000],
    ],
    [
      'of another kernel, that is replaced',
      { boot: 'other' },
      { boot: 'other', since: '2' },
      'refused',
      [3000],
    ],
    ['of another kernel, that stays', { boot: 'other' }, { boot: 'other' }, 'taken', [3000]],
    ['of another kernel, that ends', { boot: 'other' }, undefined, 'taken', [3000]],
    [
      'of a dead container of this kernel',
      { host: 'pod-1' },
      { host: 'pod-1', beat: 9 },
      'taken',
      [],
    ],
    ['of another form', { boot: 'other', beat: '1' }, { boot: 'other', beat: 2 }, 'taken', []],
  ])('%s', async (_, before, after, result, slept) => {
    const paths = await pathsIn();
    const own = await ownLive(paths);
    const write = (fields: object): void =>
      writeFileSync(paths.live, JSON.stringify({ ...own, ...fields }));
    write(before);
    const clock = new FakeClock();
    const sleep = async (ms: number): Promise<void> => {
      await clock.sleep(ms);
      if (after === undefined) rmSync(paths.live);
      else write(after);
    };
    const taken = lockState(paths, 'edit', { clock: { ...realClock, sleep }, onWarning });
    if (result === 'taken') await (await taken)[Symbol.asyncDispose]();
    else await expect(taken).rejects.toMatchObject({ problem: { reason: 'locked' } });
    expect(clock.slept).toEqual(slept);
    // Where the other one lives, its files stay.
    expect([existsSync(paths.lock), existsSync(paths.live)]).toEqual(
      Array(2).fill(result === 'refused'),
    );
    expect(isHeld(paths.lock)).toBe(false);
  });

  test('of another host that began at the same moment, and wrote it last, ends our lock', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const paths = await pathsIn();
    const locked = await lockState(paths, 'edit', { clock: realClock, onWarning });
    vi.advanceTimersByTime(2_000);
    expect([locked.lock?.isStill, readLive(paths.live)?.beat]).toEqual([true, 3]);
    const own = readFileSync(paths.live, 'utf8');
    const others = JSON.stringify({ ...readLive(paths.live), boot: 'other' });
    writeFileSync(paths.live, others);
    expect(locked.lock?.isStill).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(readFileSync(paths.live, 'utf8')).toBe(others);
    rmSync(paths.live);
    expect(locked.lock?.isStill).toBe(false);
    writeFileSync(paths.live, own);
    expect(locked.lock?.isStill).toBe(true);
    writeFileSync(paths.live, others);
    await locked[Symbol.asyncDispose]();
    // Both are the other one's now.
    expect([existsSync(paths.lock), readFileSync(paths.live, 'utf8')]).toEqual([true, others]);
  });

  test('of a host that is gone, whose lock the server keeps, is looked at twice', async () => {
    const paths = await pathsIn();
    const own = await ownLive(paths);
    const lock = await held(paths.lock);
    writeFileSync(paths.live, JSON.stringify({ ...own, boot: 'other' }));
    const clock = new FakeClock();
    await expect(lockState(paths, 'edit', { clock, onWarning })).rejects.toMatchObject({
      problem: { reason: 'locked', diagnostics: [{ hint: expect.stringContaining('remove') }] },
    });
    expect(clock.slept.at(-1)).toBe(3000);
    await lock.release();
  });

  test('names the process only while the lock is held, and only in its own form', async () => {
    const paths = await pathsIn();
    const own = await ownLive(paths);
    const plant = (text: string): void => writeFileSync(paths.live, text);
    plant(JSON.stringify(own));
    expect(holderOf(paths)).toBeUndefined();
    const lock = await held(paths.lock);
    expect(holderOf(paths)?.process).toContain(`process ${process.pid} `);
    const unnamed = { process: 'a process that does not say which', facts: undefined };
    for (const text of [
      '',
      'x',
      '[]',
      JSON.stringify({ ...own, pid: '1' }),
      JSON.stringify({ ...own, facts: {} }),
    ]) {
      plant(text);
      expect(holderOf(paths)).toEqual(unnamed);
    }
    const elsewhere = join(temporaryFolder(), 'live');
    writeFileSync(elsewhere, JSON.stringify(own));
    rmSync(paths.live);
    symlinkSync(elsewhere, paths.live);
    expect(holderOf(paths)).toEqual(unnamed);
    await lock.release();
  });
});
