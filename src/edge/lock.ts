// One run at a time: a lock file that says who holds it. `open(…, "wx")` is atomic on every local file system.
import { readFileSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { isObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode, systemReason } from './system-error.ts';

export interface Lock {
  release(): Promise<void>;
}

/** The text says who holds it, or why it could not be taken. A lock whose process is gone is taken over. */
export async function takeLock(file: string, now: number): Promise<Result<Lock, string>> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(file, 'wx', 0o644);
      const holder = { pid: process.pid, host: hostname(), since: new Date(now).toISOString() };
      await handle.writeFile(JSON.stringify(holder));
      await handle.close();
      return ok({ release: () => rm(file, { force: true }) });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return err(`${file} ${systemReason(error)}`);
    }
    const holder = readHolder(file);
    if (holder !== undefined && !isGone(holder))
      return err(
        `another run holds ${file}: process ${holder.pid} on ${holder.host}, since ${holder.since}`,
      );
    await rm(file, { force: true });
  }
  return err(`another run has just taken ${file}`);
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

function readHolder(file: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(value)) return undefined;
    const { pid, host, since } = value;
    return typeof pid === 'number' && typeof host === 'string' && typeof since === 'string'
      ? { pid, host, since }
      : undefined;
  } catch {
    // Half written or just removed: nobody who is alive holds it for longer than a moment.
    return undefined;
  }
}

function isGone({ pid, host }: Holder): boolean {
  if (host !== hostname()) return false;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}
