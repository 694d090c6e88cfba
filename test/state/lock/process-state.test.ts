// A process is told from another one that has its id later, and one that runs from one that is over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processIn, processState } from '../../../src/state/lock/lock.ts';

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
