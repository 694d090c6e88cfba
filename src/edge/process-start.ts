// When a process began, as a text that no other process of this machine ever has: a process id alone is used again,
// and in containers everything is process 1.
import { readFileSync } from 'node:fs';
import { isSystemTrouble, systemCode } from './system-error.ts';

/** Undefined: there is no such process, or this system does not say (Linux does, proc(5)). */
export function processStart(pid: number): string | undefined {
  const boot = readSmall('/proc/sys/kernel/random/boot_id')?.trim();
  const stat = readSmall(`/proc/${pid}/stat`);
  if (boot === undefined || stat === undefined) return undefined;
  // The second field is the program's name in brackets, which may hold spaces and brackets; the 22nd is the start
  // in clock ticks since the boot.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[22 - 3];
  return ticks === undefined ? undefined : `${boot} ${ticks}`;
}

function readSmall(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: the process ended while it was being read.
    if (isSystemTrouble(error) || systemCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}
