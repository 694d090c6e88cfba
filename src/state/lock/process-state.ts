// Asks the system about a process: whether it still runs, and when it began, as a text that no other process on this
// machine ever has. (A process id alone is reused, and in containers every process is number 1.)
import { readFileSync } from 'node:fs';
import { isSystemProblem, systemCode } from '../../base/system-error.ts';

export interface ProcessState {
  readonly started: string;
  /**
   * `gone`: the process has ended, also if it is a zombie whose parent has not collected its status; it no longer
   * writes. `dying`: it was killed or is ending, and parts of it may still run for a moment.
   */
  readonly is: 'alive' | 'dying' | 'gone';
}

/** What a lock asks the system about processes. */
export interface Processes {
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
