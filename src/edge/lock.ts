// One run at a time: a lock file that says who holds it. It comes into being whole, by a link to a file that was
// written first, so nobody ever sees a lock without its holder.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { isObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemCode, systemReason } from './system-error.ts';

export interface Lock {
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Unique to the taking. */
  readonly token: string;
}

/** The text says who holds it, or why it could not be taken. A lock whose process is gone is taken over. */
export async function takeLock(file: string, now: number): Promise<Result<Lock, string>> {
  const since = new Date(now).toISOString();
  const own: Holder = { pid: process.pid, host: hostname(), since, token: randomUUID() };
  const draft = `${file}.${own.token}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(draft, JSON.stringify(own), { flag: 'wx', mode: 0o644 });
    return await place(file, draft, own);
  } catch (error) {
    return err(`the lock ${file} ${systemReason(error)}`);
  } finally {
    await rm(draft, { force: true }).catch((error: unknown) => {
      // Below something that is no folder there is nothing to remove either.
      if (systemCode(error) !== 'ENOTDIR') throw error;
    });
  }
}

async function place(file: string, draft: string, own: Holder): Promise<Result<Lock, string>> {
  const mine = { release: () => release(file, own) };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await linked(draft, file)) return ok(mine);
    const standing = await readText(file);
    if (standing === undefined) continue;
    const holder = parseHolder(standing);
    if (holder !== undefined && !isGone(holder))
      return err(
        `another run holds ${file}: process ${holder.pid} on ${holder.host}, since ${holder.since}`,
      );
    if (await takeOver(file, draft, standing)) return ok(mine);
  }
  return err(`another run has just taken ${file}`);
}

/** False: there is one already. */
async function linked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Replaces a dead process's lock in one step, so that there is no moment without a lock. Who may do that is settled
 * by a second file, which only one can make.
 */
async function takeOver(file: string, draft: string, stale: string): Promise<boolean> {
  const next = `${file}.next`;
  if (!(await linked(draft, next))) {
    const other = parseHolder((await readText(next)) ?? '');
    if (other === undefined || isGone(other)) await rm(next, { force: true });
    return false;
  }
  if ((await readText(file)) === stale) {
    await rename(next, file);
    return true;
  }
  await rm(next, { force: true });
  return false;
}

async function release(file: string, own: Holder): Promise<void> {
  const holder = parseHolder((await readText(file)) ?? '');
  if (holder?.token === own.token) await rm(file, { force: true });
}

/** Undefined: it went away meanwhile. */
async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined: rubbish, which nobody who is alive has written. */
function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { pid, host, since, token } = value;
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string')
      return undefined;
    return { pid, host, since, token: typeof token === 'string' ? token : '' };
  } catch {
    return undefined;
  }
}

function isGone({ pid, host }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
}
