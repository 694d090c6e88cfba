// One run at a time, and the second one is told by whom.

import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  holderOf,
  type ProcessState,
  processIn,
  processState,
  takeLock,
} from '../../../../src/state/lock/lock.ts';
import { replaceUntilEnd } from '../../../files/patched-fs.ts';
import { temporaryFolder } from '../../../files/places.ts';
import { makePipe } from '../../../small-disk.ts';

const now = Date.parse('2026-08-05T10:00:00Z');

/** The id of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

/** Without `started`, as on a system that does not say when a process began. */
const holder = (pid: number, host = hostname(), started?: string): string =>
  JSON.stringify({ pid, host, since: '2026-08-05T09:00:00.000Z', started });

/** Only Linux says when a process began. */
const tells = processState(process.pid) !== undefined;

describe('a lock', () => {
  test('is taken once; the second taker is told who holds it, and since when', async () => {
    const file = join(temporaryFolder(), 'deep', 'p.lock');
    const first = await takeLock(file, now);
    expect(first.ok).toBe(true);
    const second = await takeLock(file, now);
    expect(second).toEqual({
      ok: false,
      error: `another run holds ${file}: process ${process.pid} on ${hostname()}, since 2026-08-05T10:00:00.000Z`,
    });
  });

  test('can be taken again once it was released', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const first = await takeLock(file, now);
    if (!first.ok) throw new Error(first.error);
    await first.value.release();
    expect(existsSync(file)).toBe(false);
    expect((await takeLock(file, now)).ok).toBe(true);
  });

  test('of a process that is gone is taken over', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const pid = deadPid();
    writeFileSync(file, holder(pid));
    const taken = await takeLock(file, now);
    expect(taken.ok && taken.value.warning).toBe(
      `this run took over the lock of process ${pid} on ${hostname()}, since 2026-08-05T09:00:00.000Z, which has ended`,
    );
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('that nobody left behind says nothing', async () => {
    const taken = await takeLock(join(temporaryFolder(), 'p.lock'), now);
    expect(taken).toMatchObject({ ok: true, value: { warning: undefined } });
  });

  test.skipIf(!tells)(
    'whose process id is another process’s by now is taken over, as after a reboot or in a container',
    async () => {
      const file = join(temporaryFolder(), 'p.lock');
      writeFileSync(file, holder(process.pid, hostname(), 'another-boot 4711'));
      const taken = await takeLock(file, now);
      expect(taken.ok && taken.value.warning).toContain('which has ended');
    },
  );

  test('of a process that lives and began when the lock says is respected', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(process.pid, hostname(), processState(process.pid)?.started));
    expect(await takeLock(file, now)).toEqual({
      ok: false,
      error: expect.stringContaining(`process ${process.pid} `),
    });
  });

  test.skipIf(!tells)(
    'of a killed process that its parent never asks about, as in a container, is taken over',
    async () => {
      const file = join(temporaryFolder(), 'p.lock');
      // The shell becomes a program that never waits for its child.
      const script = `${JSON.stringify(process.execPath)} -e 'setInterval(() => {}, 1000)' & echo $!; exec sleep 1000`;
      const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
      onTestFinished(() => void parent.kill('SIGKILL'));
      const pid = await new Promise<number>((resolve) =>
        parent.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString()))),
      );
      // Until then, the shell itself would ask about it.
      await vi.waitUntil(() => /^sleep$/m.test(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')));
      const started = processState(pid)?.started;
      writeFileSync(file, holder(pid, hostname(), started));
      expect((await takeLock(file, now)).ok).toBe(false);
      process.kill(pid, 'SIGKILL');
      const taken = await takeLock(file, now);
      expect(taken.ok && taken.value.warning).toContain('which has ended');
      expect(processState(pid)).toEqual({ started, is: 'gone' });
    },
  );

  test('of a process that lives, and that does not say when it began, is respected', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(process.pid));
    expect((await takeLock(file, now)).ok).toBe(false);
  });

  test('of a process on another machine is respected: nobody here can know whether it lives', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(deadPid(), 'another-machine'));
    expect(await takeLock(file, now)).toEqual({
      ok: false,
      error: expect.stringMatching(
        /on another-machine, since .*\. This machine cannot tell whether that process still runs: once it has ended, remove the file/,
      ),
    });
  });

  test.each([
    ['EPERM', false],
    ['ESRCH', true],
  ])('of a process of another user is respected, also as root: %s', async (code, taken) => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(4711));
    const probe = (): never => {
      throw Object.assign(new Error(code), { code });
    };
    const lock = await takeLock(file, now, { probe, state: () => undefined });
    expect(lock.ok).toBe(taken);
    if (!lock.ok) expect(lock.error).toContain('process 4711 ');
  });

  test('of a process that is ending is waited for', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(4711, hostname(), 'boot 1'));
    let asked = 0;
    const state = (): ProcessState => {
      asked += 1;
      return { started: 'boot 1', is: asked < 3 ? 'dying' : 'gone' };
    };
    expect((await takeLock(file, now, { probe: () => undefined, state })).ok).toBe(true);
  });

  test('that another process is taking over at this moment is left to it', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(deadPid()));
    const other = holder(process.pid, hostname(), processState(process.pid)?.started);
    writeFileSync(`${file}.next`, other);
    expect(await takeLock(file, now)).toEqual({
      ok: false,
      error: expect.stringContaining('has just taken'),
    });
    expect(readFileSync(`${file}.next`, 'utf8')).toBe(other);
  });

  test('that a process was taking over when it died can be taken', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(deadPid()));
    writeFileSync(`${file}.next`, holder(deadPid()));
    expect((await takeLock(file, now)).ok).toBe(true);
    expect(existsSync(`${file}.next`)).toBe(false);
  });

  test('that somebody else holds by now is not released', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const taken = await takeLock(file, now);
    if (!taken.ok) throw new Error(taken.error);
    const other = holder(process.pid, hostname(), processState(process.pid)?.started);
    writeFileSync(file, other);
    await taken.value.release();
    expect(readFileSync(file, 'utf8')).toBe(other);
  });

  test('that another run takes over while its holder is looked at is left to that run', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const other = holder(process.pid, hostname(), 'boot 2');
    writeFileSync(file, holder(4711, hostname(), 'boot 1'));
    const state = (pid: number): ProcessState | undefined => {
      if (pid === 4711) writeFileSync(file, other);
      return { started: 'boot 2', is: 'alive' };
    };
    expect(await takeLock(file, now, { probe: () => undefined, state })).toEqual({
      ok: false,
      error: expect.stringContaining(`another run holds ${file}: process ${process.pid} `),
    });
    expect(readdirSync(dirname(file))).toEqual(['p.lock']);
    expect(readFileSync(file, 'utf8')).toBe(other);
  });

  test('that goes away while it is looked at is taken', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const processes = { probe: () => undefined, state: () => undefined };
    const { open } = files;
    writeFileSync(file, holder(4711));
    replaceUntilEnd(files, {
      open: (...given: Parameters<typeof open>) => {
        if (given[0] === file) rmSync(file, { force: true });
        return open(...given);
      },
    });
    expect((await takeLock(file, now, processes)).ok).toBe(true);
  });

  test('of a process that lives is respected, also when it says of no time that it began', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(holder(process.pid)), started: 5 }));
    expect((await takeLock(file, now)).ok).toBe(false);
  });

  test('that another process was taking over a moment ago, and then gave up, is taken', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const { open } = files;
    writeFileSync(file, holder(deadPid()));
    writeFileSync(`${file}.next`, holder(process.pid));
    replaceUntilEnd(files, {
      open: (...given: Parameters<typeof open>) => {
        if (given[0] === `${file}.next`) rmSync(`${file}.next`, { force: true });
        return open(...given);
      },
    });
    expect((await takeLock(file, now)).ok).toBe(true);
  });

  test('says who holds it, and leaves nothing beside it', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    const lock = await takeLock(file, now);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      pid: process.pid,
      host: hostname(),
      since: '2026-08-05T10:00:00.000Z',
      ...(tells ? { started: processState(process.pid)?.started } : {}),
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(readdirSync(dirname(file))).toEqual(['p.lock']);
    await takeLock(file, now);
    expect(readdirSync(dirname(file))).toEqual(['p.lock']);
    if (!lock.ok) throw new Error(lock.error);
    await lock.value.release();
    await lock.value.release();
    expect(readdirSync(dirname(file))).toEqual([]);
  });

  test('of another machine is respected for any process id that there can be', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(1, 'another-machine'));
    expect((await takeLock(file, now)).ok).toBe(false);
  });

  test.each([
    'null',
    '"text"',
    '{"pid":0,"host":"h","since":"s"}',
    '{"pid":1.5,"host":"h","since":"s"}',
    '{"pid":"1","host":"h","since":"s"}',
    '{"pid":9007199254740993,"host":"h","since":"s"}',
    '{"host":"h","since":"s"}',
    '{"pid":1,"since":"s"}',
    '{"pid":1,"host":"h"}',
    '{"pid":1,"host":2,"since":"s"}',
    '{"pid":1,"host":"h","since":3}',
    '{"pid":',
    '{"pid":-1,"host":"h","since":"s"}',
    '[]',
    '',
  ])('that holds rubbish is taken over: %j', async (rubbish) => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, rubbish);
    const taken = await takeLock(file, now);
    expect(taken.ok && taken.value.warning).toBe(
      `the lock ${file} names no process, so this run took it over`,
    );
  });

  test.each([
    ['its folder is a file', 'file/p.lock'],
    ['a folder has its name', 'folder'],
  ])('that cannot be made because %s is an error, not an exception', async (_, path) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'folder'));
    expect(await takeLock(join(folder, path), now)).toEqual({
      ok: false,
      error: expect.stringMatching(
        new RegExp(`^the lock .*${path} .*; nothing was sent: fix this, then run again$`),
      ),
    });
  });
});

describe('the holder of a lock', () => {
  test('is who took it, while that process lives', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    await takeLock(file, now);
    expect(await holderOf(file)).toBe(
      `process ${process.pid} on ${hostname()}, since 2026-08-05T10:00:00.000Z`,
    );
  });

  test('on another machine is told, since nobody here knows more', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    writeFileSync(file, holder(deadPid(), 'another-machine'));
    expect(await holderOf(file)).toContain('on another-machine');
  });

  test('is nobody where the process has ended, the file says nothing, or there is none', async () => {
    const file = join(temporaryFolder(), 'p.lock');
    expect(await holderOf(file)).toBeUndefined();
    writeFileSync(file, holder(deadPid()));
    expect(await holderOf(file)).toBeUndefined();
    writeFileSync(file, 'rubbish');
    expect(await holderOf(file)).toBeUndefined();
  });
});

describe('many takers at once', () => {
  test.each([
    ['a free lock', undefined],
    ['a lock whose process is gone', deadPid()],
  ])('of %s: exactly one has it', async (_, pid) => {
    for (let round = 0; round < 60; round++) {
      const file = join(temporaryFolder(), 'p.lock');
      if (pid !== undefined) writeFileSync(file, holder(pid));
      const takers = await Promise.all(Array.from({ length: 8 }, () => takeLock(file, now)));
      expect(takers.filter((taker) => taker.ok)).toHaveLength(1);
    }
  });
});

test('a link or a named pipe in the place of a lock is replaced, and what a link leads to stays', async () => {
  const folder = temporaryFolder();
  const [file, victim] = [join(folder, 'p.lock'), join(folder, 'victim')];
  // As if a process held it that is alive.
  writeFileSync(victim, holder(process.pid));
  symlinkSync(victim, file);
  symlinkSync(victim, `${file}.next`);
  const taken = await takeLock(file, now);
  expect(taken).toMatchObject({
    ok: true,
    value: { warning: expect.stringContaining('no process') },
  });
  expect(readFileSync(victim, 'utf8')).toBe(holder(process.pid));
  const pipe = join(folder, 'q.lock');
  expect(makePipe(pipe)).toBe(true);
  expect((await takeLock(pipe, now)).ok).toBe(true);
});

// A process is told from another one that has its id later, and one that runs from one that is over.

describe.skipIf(!existsSync('/proc/self/stat'))('when a process began (Linux)', () => {
  test('is the same whenever it is asked for, and another for another process', () => {
    const child = spawn(process.execPath, [
      '-e',
      'process.title = "a) b ("; setInterval(() => {}, 1000)',
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const own = processState(process.pid);
    expect(own).toEqual({ started: expect.stringMatching(/^[0-9a-f-]{36} \d+$/), is: 'alive' });
    expect(processState(process.pid)).toEqual(own);
    expect(processState(child.pid ?? 0)?.started).not.toBe(own?.started);
  });

  test('is unknown where there is no process', () => {
    expect(processState(2 ** 30)).toBeUndefined();
  });
});

describe('what a process is', () => {
  /** As proc(5) says it, with these fields. */
  const stat = (state: string, flags: number, threads: number): string =>
    `4711 (a) b (c) ${state} 1 2 3 4 5 ${flags} ${'0 '.repeat(10)}${threads} 0 99 0 0`;
  const status = (own: string, shared: string): string =>
    `Name:\ta\nSigQ:\t0/1\nSigPnd:\t${own}\nShdPnd:\t${shared}\nSigBlk:\t0000000000000100\n`;
  const [none, kill, others] = ['0000000000000000', '0000000000000100', '0000000000004001'];

  const lookalike = `xSigPnd:\t${kill}\nSigPnd:\t${kill}x\nSigPnd:${none}\nSigCgt:\t${kill}\n`;

  test.each([
    ['sleeps', stat('S', 0x400000, 1), status(none, none), 'alive'],
    ['was sent signals that it may handle', stat('S', 0, 7), status(others, others), 'alive'],
    ['was ended, and nobody has asked how', stat('Z', 0x4, 1), status(none, none), 'gone'],
    ['is dead', stat('X', 0x4, 0), '', 'gone'],
    ['was ended, and other threads of it run', stat('Z', 0x4, 3), status(none, none), 'dying'],
    ['was ended, and one other thread of it runs', stat('Z', 0x4, 2), '', 'dying'],
    ['is dead, as an old system writes it', stat('x', 0x4, 0), '', 'gone'],
    ['has lines that only look like pending signals', stat('S', 0, 1), lookalike, 'alive'],
    ['was killed, and waits for a disk', stat('D', 0, 1), status(none, kill), 'dying'],
    ['was killed as a thread', stat('R', 0, 9), status(kill, none), 'dying'],
    ['is ending', stat('R', 0x400004, 1), '', 'dying'],
  ] as const)('that %s', (_, line, more, is) => {
    expect(processIn('boot', line, more)).toEqual({ started: 'boot 99', is });
  });

  test('that was killed is known by the signal, however the line is spaced', () => {
    expect(processIn('boot', stat('S', 0, 1), `SigPnd: \t ${kill}`)?.is).toBe('dying');
  });

  test('whose line is not complete is not known', () => {
    expect(processIn('boot', '4711 (a) S 1', '')).toBeUndefined();
  });
});
