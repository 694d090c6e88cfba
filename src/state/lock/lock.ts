// One run at a time: a lock file that names its holder. The file appears atomically, as a link to a complete draft, so
// nobody ever sees a lock without its holder.
import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeFolder } from '../../base/folder.ts';
import { isObject, valueIn } from '../../base/json.ts';
import { removeLeftover } from '../../base/leftover.ts';
import { NotRegularFile } from '../../base/regular-file.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { isSystemProblem, systemCode, systemReason } from '../../base/system-error.ts';
import { createNew, openOwn } from '../../files/new-file.ts';
import { removeSocket } from './run-socket.ts';

export interface Lock {
  /** Set if another run left the lock behind; names that run. */
  readonly warning: string | undefined;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** When the process began. Undefined if the system does not say. */
  readonly started: string | undefined;
  /** Unique to each lock. */
  readonly token: string;
  /** Where the process says how far it is; undefined if it does not. */
  readonly socket: string | undefined;
}

/**
 * Takes over a lock whose process has ended. The error says who holds the lock, or why it could not be taken. `socket`: where
 * this process says how far it is.
 */
export async function takeLock(
  file: string,
  now: number,
  processes: Processes = realProcesses,
  socket?: string,
): Promise<Result<Lock, string>> {
  const since = new Date(now).toISOString();
  const { pid } = process;
  const token = randomUUID();
  const own: Holder = {
    pid,
    host: hostname(),
    since,
    started: processes.state(pid)?.started,
    token,
    socket,
  };
  const draft = `${file}.${own.token}`;
  try {
    makeFolder(dirname(file));
    await writeDraft(draft, own);
    return await place(file, draft, own, processes);
  } catch (error) {
    return err(
      `the lock ${file} ${systemReason(error)}; nothing was sent: fix this, then run again`,
    );
  } finally {
    await removeLeftover(draft);
  }
}

async function writeDraft(draft: string, own: Holder): Promise<void> {
  await using file = await createNew(draft);
  await file.writeFile(JSON.stringify(own));
}

async function place(
  file: string,
  draft: string,
  own: Holder,
  processes: Processes,
): Promise<Result<Lock, string>> {
  const mine = (warning?: string): Lock => ({ warning, release: () => release(file, own) });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await linked(draft, file)) return ok(mine());
    const standing = await readText(file);
    if (standing === undefined) continue;
    const holder = parseHolder(standing);
    if (holder !== undefined && !(await isGoneSoon(holder, processes)))
      return err(heldBy(holder, file));
    if (!(await takeOver(file, draft, standing, processes))) continue;
    if (holder?.socket !== undefined) await removeSocket(holder.socket);
    return ok(mine(leftBehind(holder, file)));
  }
  return err(`another run has just taken ${file}`);
}

function heldBy(holder: Holder, file: string): string {
  const held = `another run holds ${file}: ${described(holder)}`;
  if (holder.host === hostname()) return held;
  return `${held}. This machine cannot tell whether that process still runs: once it has ended, remove the file and run again`;
}

function leftBehind(holder: Holder | undefined, file: string): string {
  if (holder === undefined) return `the lock ${file} names no process, so this run took it over`;
  return `this run took over the lock of ${described(holder)}, which has ended`;
}

const described = ({ pid, host, since }: Holder): string =>
  `process ${pid} on ${host}, since ${since}`;

/** False if the file exists already. */
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
 * Replaces a dead process's lock in one step, so that there is no moment without a lock. A second file, which only one
 * process can create, decides who may do that.
 */
async function takeOver(
  file: string,
  draft: string,
  stale: string,
  processes: Processes,
): Promise<boolean> {
  const next = `${file}.next`;
  if (!(await linked(draft, next))) {
    const other = parseHolder((await readText(next)) ?? '');
    if (other === undefined || lifeOf(other, processes) === 'gone') await rm(next, { force: true });
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
  // A lock that cannot be removed is taken over by the next run, which sees that this process has ended.
  if (holder?.token === own.token) await removeLeftover(file);
}

const maxLockBytes = 1 << 16;

/** Undefined if the file was removed meanwhile. Anything but a file, such as a link, counts as an invalid lock: "". */
async function readText(file: string): Promise<string | undefined> {
  try {
    await using handle = await openOwn(file, constants.O_RDONLY);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxLockBytes), 0, maxLockBytes);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP' || error instanceof NotRegularFile) return '';
    throw error;
  }
}

/** Undefined if the text is invalid: no living process wrote it. */
function parseHolder(text: string): Holder | undefined {
  const value = valueIn(text);
  if (!isObject(value)) return undefined;
  const { pid, host, since, started, token, socket } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof host !== 'string' || typeof since !== 'string') return undefined;
  return {
    pid,
    host,
    since,
    started: typeof started === 'string' ? started : undefined,
    token: typeof token === 'string' ? token : '',
    socket: typeof socket === 'string' ? socket : undefined,
  };
}

export interface Holding {
  /** For people. */
  readonly process: string;
  /** Where the process may say how far it is. */
  readonly socket: string | undefined;
}

/** Who holds a lock, unless the process is known to have ended; undefined if nobody does. */
export async function holdingOf(file: string): Promise<Holding | undefined> {
  const holder = parseHolder((await readText(file)) ?? '');
  if (holder === undefined || lifeOf(holder, realProcesses) === 'gone') return undefined;
  // A path of another machine means nothing here.
  const socket = holder.host === hostname() ? holder.socket : undefined;
  return { process: described(holder), socket };
}

export const holderOf = async (file: string): Promise<string | undefined> =>
  (await holdingOf(file))?.process;

/** How often to check a process that is ending, and the pause before each check in milliseconds. */
const endingChecks = { times: 50, pauseMs: 20 };

/** Waits for a process that is ending, for example after a kill. */
async function isGoneSoon(holder: Holder, processes: Processes): Promise<boolean> {
  for (let left = endingChecks.times; left > 0; left--) {
    const life = lifeOf(holder, processes);
    if (life !== 'dying') return life === 'gone';
    await wait(endingChecks.pauseMs);
  }
  return false;
}

/** True unless a process on this machine is known to have ended. `started`: as `processState` says. */
export const isRunning = (
  { pid, started }: Pick<Holder, 'pid' | 'started'>,
  processes: Processes = realProcesses,
): boolean => lifeOf({ pid, host: hostname(), started }, processes) !== 'gone';

/** `gone`: the process has ended, or its id now belongs to another process. */
function lifeOf(
  { pid, host, started }: Pick<Holder, 'pid' | 'host' | 'started'>,
  processes: Processes,
): 'alive' | 'dying' | 'gone' {
  if (host !== hostname()) return 'alive';
  try {
    processes.probe(pid);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return 'gone';
  }
  const found = processes.state(pid);
  if (found === undefined) return 'alive';
  return started !== undefined && started !== found.started ? 'gone' : found.is;
}

// Asks the system about a process: whether it still runs, and when it began, as a text that no other process on this
// machine ever has. (A process id alone is reused, and in containers every process is number 1.)

export interface ProcessState {
  readonly started: string;
  /**
   * `gone`: the process has ended, also if it is a zombie whose parent has not collected its status; it no longer
   * writes. `dying`: it was killed or is ending, and parts of it may still run for a moment.
   */
  readonly is: 'alive' | 'dying' | 'gone';
}

/** What a lock asks the system about processes. */
interface Processes {
  /** Throws an error with the code `ESRCH` if there is no such process, and `EPERM` if it is another user's. */
  probe(pid: number): void;
  state(pid: number): ProcessState | undefined;
}

export const realProcesses: Processes = {
  probe: (pid) => void process.kill(pid, 0),
  state: processState,
};

/** Undefined if there is no such process, or if this system does not say (Linux does, proc(5)). */
export function processState(pid: number): ProcessState | undefined {
  const boot = readSmall('/proc/sys/kernel/random/boot_id')?.trim();
  const stat = readSmall(`/proc/${pid}/stat`);
  if (boot === undefined || stat === undefined) return undefined;
  return processIn(boot, stat, readSmall(`/proc/${pid}/status`) ?? '');
}

const isExiting = 0x4;
const killPending = 1n << 8n;

/** From the texts of /proc/sys/kernel/random/boot_id, /proc/<pid>/stat and /proc/<pid>/status. */
export function processIn(boot: string, stat: string, status: string): ProcessState | undefined {
  // The second field is the program's name in brackets, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): string | undefined => fields[number - 3];
  // In clock ticks since boot.
  const ticks = field(22);
  if (ticks === undefined) return undefined;
  const started = `${boot} ${ticks}`;
  const ended = ['Z', 'X', 'x'].includes(field(3) ?? '');
  // The first thread may have ended before the others.
  if (ended) return { started, is: Number(field(20)) > 1 ? 'dying' : 'gone' };
  const pending = [...status.matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)$/gm)];
  const killed = pending.some(([, mask]) => (BigInt(`0x${mask}`) & killPending) !== 0n);
  return { started, is: killed || (Number(field(9)) & isExiting) !== 0 ? 'dying' : 'alive' };
}

function readSmall(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: the process ended during the read.
    if (isSystemProblem(error) || systemCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}
