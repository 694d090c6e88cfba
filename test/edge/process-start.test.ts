// A process is told from another one that has its id later.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processStart } from '../../src/edge/process-start.ts';

describe.skipIf(!existsSync('/proc/self/stat'))('when a process began (Linux)', () => {
  test('is the same whenever it is asked for, and another for another process', () => {
    const child = spawn(process.execPath, [
      '-e',
      'process.title = "a) b ("; setInterval(() => {}, 1000)',
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const own = processStart(process.pid);
    expect(own).toMatch(/^[0-9a-f-]{36} \d+$/);
    expect(processStart(process.pid)).toBe(own);
    expect(processStart(child.pid ?? 0)).not.toBe(own);
  });

  test('is unknown where there is no process', () => {
    expect(processStart(2 ** 30)).toBeUndefined();
  });
});
