// A service that a test can kill as a power cut would, and the data folder that outlives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { asJson, isObject } from '../../src/base/json.ts';
import { type Door, textAt } from './client.ts';

export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export interface Child {
  readonly door: Door;
  /** Kills it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

export interface ChildOptions {
  readonly slots?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A service in a process of its own. */
export async function child(
  data: string,
  speed: string,
  { slots = 8, env = {} }: ChildOptions = {},
): Promise<Child> {
  const script = fileURLToPath(new URL('./child.ts', import.meta.url));
  const started: ChildProcess = spawn(process.execPath, [script, data, speed, String(slots)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const gone = once(started, 'exit');
  onTestFinished(() => void started.kill('SIGKILL'));
  if (started.stdout === null) throw new Error('the child has no output');
  const lines = createInterface({ input: started.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => `${text}`),
    gone.then(() => Promise.reject(new Error('the service ended before it listened'))),
  ]);
  const door = asJson(JSON.parse(line));
  if (!isObject(door)) throw new Error(`the child said ${line}`);
  return {
    door: { address: textAt(door, 'address'), key: textAt(door, 'key') },
    kill: async () => {
      started.kill('SIGKILL');
      await gone;
    },
  };
}
