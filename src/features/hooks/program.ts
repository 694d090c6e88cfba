// Runs the program of a hook: without a shell, in a process group of its own, which is killed when the time is over.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { systemReason } from '../../base/system-error.ts';
import type { Env } from '../../base/user-folder.ts';
import type { Clock } from '../../core/ports.ts';

interface ProgramOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  readonly env: Env;
  /** Its standard input. */
  readonly input: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly timeoutMs: number;
  /** If it is aborted, the program is killed. */
  readonly signal: AbortSignal;
}

interface ProgramEnd {
  /** Why it failed, as the end of a sentence about the program; undefined: it ended with exit code 0. */
  readonly failure?: string;
  /** The beginning of standard output and standard error together. Not redacted. */
  readonly output: string;
}

/** Far more than is shown, so that the redactor sees a secret whole that ends after what is shown. */
const maxOutputBytes = 64_000;
/** For output that is still in a pipe when the program has ended. */
const drainMs = 1_000;

export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { command, folder, env, input, clock, timeoutMs } = options;
  const [program = '', ...args] = command;
  const output = new Output();
  const over = new AbortController();
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: folder,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // The group has the id of its first process. Windows has no groups.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    // For example a null character, or more arguments than the system takes.
    return { failure: `cannot start: ${systemReason(error)}`, output: '' };
  }
  const kill = (): void => killGroup(child);
  process.once('exit', kill);
  try {
    output.read(child.stdout);
    output.read(child.stderr);
    // A program need not read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    let isClosed = false;
    child.once('close', () => {
      isClosed = true;
    });
    const closed = once(child, 'close', { signal: over.signal });
    const exited = once(child, 'exit', { signal: over.signal });
    void Promise.allSettled([closed, exited]);
    const first = await Promise.race([
      exited.then(() => 'exited' as const),
      clock.sleep(timeoutMs, over.signal).then(() => 'late' as const),
      aborted(options.signal, over.signal),
    ]);
    if (first === 'exited') await Promise.race([closed, clock.sleep(drainMs, over.signal)]);
    // A process that it left behind and that holds its output open.
    if (!isClosed) kill();
    return { ...endOf(child, first, timeoutMs), output: output.text };
  } catch (error) {
    return { failure: `cannot start: ${systemReason(error)}`, output: output.text };
  } finally {
    over.abort();
    process.off('exit', kill);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<'stopped'> {
  const { promise, resolve } = Promise.withResolvers<'stopped'>();
  if (signal.aborted) resolve('stopped');
  signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: over });
  return promise;
}

function endOf(
  { exitCode, signalCode }: ChildProcess,
  first: 'exited' | 'late' | 'stopped',
  timeoutMs: number,
): Pick<ProgramEnd, 'failure'> {
  if (first === 'late')
    return { failure: `did not end within ${timeoutMs / 1000} s and was killed` };
  if (first === 'stopped') return { failure: 'was killed because the run was asked to stop' };
  if (signalCode !== null) return { failure: `was ended by the signal ${signalCode}` };
  return exitCode === 0 ? {} : { failure: `ended with exit code ${exitCode ?? 'unknown'}` };
}

/** Kills the program and everything that it started and left in its group. */
function killGroup(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    if (exitCode === null && signalCode === null) child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: nobody is left. EPERM: the rest runs as somebody else, whom we may not end.
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM');

/** The beginning of several streams. They are read to their end, so that no writer blocks. */
class Output {
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  read(stream: Readable | null): void {
    stream?.on('data', (piece: Buffer) => {
      if (this.#bytes >= maxOutputBytes) return;
      this.#pieces.push(piece);
      this.#bytes += piece.length;
    });
    // A broken pipe ends the output, and the exit code says the rest.
    stream?.on('error', () => undefined);
  }

  get text(): string {
    return Buffer.concat(this.#pieces).subarray(0, maxOutputBytes).toString('utf8');
  }
}
