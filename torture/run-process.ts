// Processes that perform one run each (child.ts), started ahead of time: what a process needs to load takes longer
// than many a run lives.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Summary } from '../src/report/happening.ts';
import type { Problem } from '../src/workspace/problem.ts';
import type { Crash } from './crash-points.ts';

/** What a run that ended by itself says. */
export type RunEnd =
  | { readonly summary: Summary }
  | { readonly problem: Problem['reason']; readonly text: string };

export interface Order {
  /** The pipeline file. */
  readonly file: string;
  /** The service's address. */
  readonly service: string;
  readonly state: string;
  readonly crash?: Crash | undefined;
}

export type Ended =
  | { readonly how: 'ended'; readonly end: RunEnd }
  | { readonly how: 'killed' }
  /** It ended in a way that no run may end. */
  | { readonly how: 'broke'; readonly why: string };

export interface RunProcess {
  begin(order: Order): void;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface Nursery {
  /** A process that is ready or nearly so. */
  take(): RunProcess;
  close(): void;
}

const script = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Keeps so many processes waiting; they hand the key to the service. */
export function openNursery(waiting: number, key: string): Nursery {
  const cache = mkdtempSync(join(tmpdir(), 'shotlist-torture-cache-'));
  const env = { ...process.env, SHOTLIST_API_KEY: key, NODE_COMPILE_CACHE: cache };
  const ready: RunProcess[] = [];
  const fill = (): void => {
    while (ready.length < waiting) ready.push(startProcess(env));
  };
  return {
    take() {
      const first = ready.shift() ?? startProcess(env);
      fill();
      return first;
    },
    close() {
      for (const one of ready.splice(0)) one.signal('SIGKILL');
      rmSync(cache, { recursive: true, force: true });
    },
  };
}

function startProcess(env: NodeJS.ProcessEnv): RunProcess {
  const child = spawn(process.execPath, [script], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  // It may be dead before it has read what it is to do.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
  });
  return {
    begin: (order) => void child.stdin.end(`${JSON.stringify(order)}\n`),
    signal: (name) => void child.kill(name),
    ended: endOf(child),
  };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let said = '';
  let complained = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
    (resolve, reject) => {
      child.on('error', reject);
      child.on('close', (...end) => resolve(end));
    },
  );
  if (signal === 'SIGKILL') return { how: 'killed' };
  // A signal that comes before a run listens for it, or a second time, ends the process.
  if (signal === 'SIGINT' || signal === 'SIGTERM' || code === 130) return { how: 'killed' };
  if (code !== 0 || said === '')
    return { how: 'broke', why: `exit code ${code}: ${complained.trim() || 'no word'}` };
  const end: RunEnd = JSON.parse(said);
  return { how: 'ended', end };
}
