// Temporary folders, removed after each test, and a clock that a test owns.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A temporary folder with these files. */
export function folderWith(...files: readonly string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'x');
  }
  return folder;
}

/** Time goes by only in sleep, which takes none; `jump` sets the wall clock and nothing else. */
export class FakeClock implements Clock {
  readonly slept: number[] = [];
  #now: number;
  #elapsed = 0;

  constructor(now = Date.parse('2026-08-05T10:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  async sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return;
    this.slept.push(ms);
    this.pass(ms);
  }

  chance(): number {
    return 0.5;
  }

  pass(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }

  jump(ms: number): void {
    this.#now += ms;
  }
}
