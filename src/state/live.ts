// The live file beside a lock: who holds it, and how far that process is. Whoever holds the lock replaces it each second, which
// also guards a drive that locks for one host only (NFS with nolock, SMB with nobrl, sshfs): a live file of another host that
// changes is as good as a lock, and of two hosts that begin at the same moment, the one that wrote it last goes on. Anybody may
// put one there, so that is all that it decides.
import { closeSync, readFileSync, readSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { valueIn } from '../base/json.ts';
import { openRegularSync, readOwnFile } from '../base/regular-file.ts';
import { validatorOf } from '../base/schema.ts';
import { isSystemProblem, systemCode } from '../base/system-error.ts';
import type { Clock } from '../core/ports.ts';
import { type LiveFacts, liveSchema } from '../views/live/live-facts.ts';
import { isHeld, type Lock } from './lock.ts';
import type { RunPaths } from './run-paths.ts';

interface Live {
  readonly host: string;
  readonly pid: number;
  /** Of the kernel; undefined if the system does not say. */
  readonly boot?: string | undefined;
  /** ISO 8601. */
  readonly since: string;
  /** Counts the times that it was written. */
  readonly beat: number;
  /** Of a run. */
  readonly facts?: LiveFacts | undefined;
}

const text = { type: 'string', maxLength: 300 } as const;
const whole = { type: 'integer', minimum: 0 } as const;

const isLive = validatorOf<Live>({
  type: 'object',
  additionalProperties: false,
  required: ['host', 'pid', 'since', 'beat'],
  properties: { host: text, pid: whole, boot: text, since: text, beat: whole, facts: liveSchema },
});

const maxBytes = 1 << 20;
const beatMs = 1_000;
/** Between two looks at the live file of another host. */
const lookMs = 3 * beatMs;

export interface Holder {
  /** For people. */
  readonly process: string;
  /** How far it is; undefined if it does not say. */
  readonly facts: LiveFacts | undefined;
}

/** Who holds a lock; undefined if nobody on this machine does. */
export function holderOf({ lock, live }: Pick<RunPaths, 'lock' | 'live'>): Holder | undefined {
  return isHeld(lock) ? holderIn(readLive(live)) : undefined;
}

/** Of a lock that is held. */
export const holderIn = (live: Live | undefined): Holder => ({
  process:
    live === undefined
      ? 'a process that does not say which'
      : `process ${live.pid} on ${live.host}, since ${live.since}`,
  facts: live?.facts,
});

/** Undefined if there is none, if it has another form, and if it is a link. */
export function readLive(file: string): Live | undefined {
  const read = readOwnFile(file, { max: maxBytes });
  if (!read.ok) return undefined;
  const live = valueIn(read.value.toString('utf8'));
  return isLive(live) ? live : undefined;
}

/** The live file of a process that works on another host now. Whoever is dead leaves one that does not change. */
export async function beatsElsewhere(
  file: string,
  clock: Pick<Clock, 'sleep'>,
): Promise<Live | undefined> {
  const first = readLive(file);
  if (first === undefined || !isElsewhere(first)) return undefined;
  await clock.sleep(lookMs);
  const second = readLive(file);
  return second?.beat === first.beat && second.since === first.since ? undefined : second;
}

/** In a container, the host has another name and the same kernel, whose locks hold. */
export const isElsewhere = ({ boot, host }: Live): boolean =>
  boot !== ownBoot || (boot === undefined && host !== hostname());

const ownBoot = ((): string | undefined => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
})();

interface Beat {
  /** False if another process has written the live file, or removed it: its host does not hear of our lock. */
  readonly isOwn: boolean;
  /** Call before the lock is released. */
  end(): void;
}

/** Writes the live file of a lock now and each second. A run goes on if that cannot be. `now`: epoch milliseconds. */
export function beginBeat(
  file: string,
  lock: Pick<Lock, 'isStill'>,
  now: number,
  answer: (() => LiveFacts) | undefined,
): Beat {
  const part = `${file}.part`;
  const since = new Date(now).toISOString();
  const own = { host: hostname(), pid: process.pid, boot: ownBoot, since };
  const beginning = Buffer.from(JSON.stringify(own).slice(0, -1));
  const found = Buffer.alloc(beginning.length);
  let beat = 0;
  let isWritten = false;
  const isOwn = (): boolean => !isWritten || hasBytes(file, beginning, found);
  // Else another process may have the lock, and a live file of its own.
  const ifStill = (work: () => void): void => {
    try {
      if (lock.isStill && isOwn()) work();
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
    }
  };
  const write = (): void => {
    beat += 1;
    const live: Live = { ...own, beat, facts: factsOf(answer) };
    ifStill(() => {
      remove(part);
      // Exclusively: not through a link that somebody has put there.
      writeFileSync(part, JSON.stringify(live), { flag: 'wx' });
      renameSync(part, file);
      isWritten = true;
    });
  };
  write();
  const timer = setInterval(write, beatMs).unref();
  return {
    get isOwn() {
      return isOwn();
    },
    end() {
      clearInterval(timer);
      ifStill(() => [part, file].forEach(remove));
    },
  };
}

/** Whether a file begins with these bytes; asked before each creation, so it is cheap. `into`: for as many bytes. */
function hasBytes(file: string, bytes: Buffer, into: Buffer): boolean {
  let descriptor: number | undefined;
  try {
    // Opened by its name each time: only then does a network drive ask its server.
    descriptor = openRegularSync(file);
    return readSync(descriptor, into) === bytes.length && into.equals(bytes);
  } catch (error) {
    // No process of ours has written what cannot be read.
    return systemCode(error) !== 'ENOENT';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
  }
}

/** What is only shown must not end a run, not even by a bug. */
function factsOf(answer: (() => LiveFacts) | undefined): LiveFacts | undefined {
  try {
    return answer?.();
  } catch {
    return undefined;
  }
}
