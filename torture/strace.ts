// strace as a tool of the torture: it lists the system calls that change files, makes one of them fail, or kills the
// process there. Only Linux has it, and a container may forbid it.
import { spawnSync } from 'node:child_process';

/** Everything that creates, changes, names or removes a file or folder. */
const changing = [
  ...['openat', 'open', 'creat', 'mkdir', 'mkdirat', 'rmdir'],
  ...['write', 'pwrite64', 'writev', 'pwritev', 'copy_file_range', 'sendfile'],
  ...['ftruncate', 'truncate', 'fallocate', 'fsync', 'fdatasync', 'sync_file_range'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat'],
  ...['unlink', 'unlinkat'],
];

/** One system call of a run: the `nth` call of this name on this path, from 1. */
export interface Call {
  readonly name: string;
  /** Relative to the traced folder; of a rename or a link, the old name. */
  readonly path: string;
  readonly nth: number;
}

export const diskErrors = ['EIO', 'ENOSPC'] as const;
export type DiskError = (typeof diskErrors)[number];

/** What happens at a call: it fails, or it fails from then on, or the process is killed. */
export interface FaultInjection {
  readonly call: Call;
  readonly how: DiskError | 'kill';
  /** Every later call of this name on this path fails too. */
  readonly lasting: boolean;
}

/** Undefined: system calls can be traced here. */
export function whyNoTracing(): string | undefined {
  if (process.platform !== 'linux')
    return `strace exists on Linux only, and this is ${process.platform}`;
  const tried = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=none', 'true']);
  if (tried.error !== undefined)
    return 'strace is not installed (Debian and Ubuntu: apt-get install strace)';
  if (tried.status === 0) return undefined;
  return `strace may not trace here: ${tried.stderr.toString().trim()}`;
}

/** The arguments of strace, in front of the command. The log then has all calls, or those that met the interference. */
export function straceArgs(
  log: string,
  folder: string,
  injection: FaultInjection | undefined,
): readonly string[] {
  const args = ['-f', '-y', '-s', '0', '-o', log];
  const fast = '--seccomp-bpf';
  if (injection === undefined) return [...args, fast, '-e', `trace=${changing.join(',')}`];
  const { call, how, lasting } = injection;
  // With the filter in the kernel a signal sometimes gets lost.
  if (how !== 'kill') args.push(fast);
  const effect = how === 'kill' ? 'signal=SIGKILL' : `error=${how}`;
  const inject = `inject=${call.name}:${effect}:when=${call.nth}${lasting ? '+' : ''}`;
  return [...args, '-P', `${folder}/${call.path}`, '-e', `trace=${call.name}`, '-e', inject];
}

/** Did the log see the interference happen? */
export const wasHit = (log: string): boolean =>
  log.includes('(INJECTED)') || log.includes('+++ killed by SIGKILL');

/** The calls that change something below a folder, in order. An open counts when it may create the file. */
export function callsIn(log: string, folder: string): readonly Call[] {
  const times = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of log.split('\n')) {
    const [, name, given] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
    if (name === undefined || given === undefined) continue;
    const path = firstPath(given);
    if (path === undefined || !(path === folder || path.startsWith(`${folder}/`))) continue;
    const key = `${name} ${path}`;
    const nth = (times.get(key) ?? 0) + 1;
    times.set(key, nth);
    if (!/^open/.test(name) || given.includes('O_CREAT'))
      calls.push({ name, nth, path: path.slice(folder.length + 1) });
  }
  return calls;
}

/** A quoted path, or that of a file descriptor: `21</folder/file>`. */
function firstPath(given: string): string | undefined {
  const plain = given.replace(/^AT_FDCWD(<[^>]*>)?, /, '');
  return /^"([^"]*)"/.exec(plain)?.[1] ?? /^\d+<([^>]*)>/.exec(plain)?.[1];
}

export function injectionText({ call, how, lasting }: FaultInjection): string {
  const which = `${call.name} #${call.nth} of ${call.path}`;
  return `${which}: ${how}${lasting ? ', and from then on' : ''}`;
}
