// The processes that a process has started, and whether a process still runs.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** `Z`: it has ended, and nobody has asked for its end. */
  readonly state: string;
}

export const childrenOf = (pid: number): readonly number[] =>
  processes()
    .filter(({ parent }) => parent === pid)
    .map((child) => child.pid);

export const isRunning = (pid: number): boolean =>
  processes().some((one) => one.pid === pid && one.state !== 'Z');

/** Linux says it in /proc, also where `ps` is not installed. */
function processes(): readonly Process[] {
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => statusOf(Number(name)) ?? []);
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      state: state.slice(0, 1),
    }));
}

function statusOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which is in parentheses and may contain any character.
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), state };
  } catch (error) {
    // It has ended since the folder was read.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(`${error.code}`))
      return undefined;
    throw error;
  }
}
