// A pool of worker processes (run-worker.ts), started ahead of time, because loading takes longer than many runs. A worker
// whose run ended by itself is used again.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Summary } from '../src/core/run-event.ts';
import type { Problem } from '../src/language/load/refusal.ts';
import { openCompileCache } from './compile-cache.ts';
import type { Crash } from './crash-points.ts';

/** The result of a run that ended by itself. */
export type RunEnd =
  | { readonly summary: Summary }
  | { readonly problem: Problem['reason']; readonly text: string };

export interface Order {
  /** The pipeline file. */
  readonly file: string;
  /** The service's address. */
  readonly service: string;
  readonly state: string;
  /** The folder of the receipts. */
  readonly receipts: string;
  readonly crash?: Crash | undefined;
}

export type Ended =
  | { readonly how: 'ended'; readonly end: RunEnd }
  | { readonly how: 'killed' }
  /** The process ended in a way that is always a bug. */
  | { readonly how: 'broke'; readonly why: string };

export interface WorkerPool {
  /** Takes a worker that is ready or is starting. */
  take(): RunWorker;
  close(): void;
}

const script = fileURLToPath(new URL('./run-worker.ts', import.meta.url));

/** Keeps `waiting` workers ready; they send `key` to the service. */
export function openWorkerPool(waiting: number, key: string): WorkerPool {
  const cache = openCompileCache();
  const env = { ...process.env, SHOTLIST_API_KEY: key, NODE_COMPILE_CACHE: cache.folder };
  const ready: RunWorker[] = [];
  const all = new Set<RunWorker>();
  const start = (): RunWorker => {
    const made = new RunWorker(env, (again) => (again ? ready.unshift(made) : all.delete(made)));
    all.add(made);
    return made;
  };
  return {
    take() {
      let taken = ready.shift();
      while (taken?.isGone) taken = ready.shift();
      while (ready.length < waiting) ready.push(start());
      return taken ?? start();
    },
    close() {
      for (const one of all) one.signal('SIGKILL');
      cache.close();
    },
  };
}

export class RunWorker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #over: (again: boolean) => void;
  #complaints = '';
  #gone: Ended | undefined;
  #hear: ((end: Ended) => void) | undefined;

  /** `over` is called when a run has ended; `again` says whether the worker can perform another one. */
  constructor(env: NodeJS.ProcessEnv, over: (again: boolean) => void) {
    this.#over = over;
    this.#child = spawn(process.execPath, [script], { env });
    // The process may be killed before it reads its order.
    this.#child.stdin.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#complaints += chunk.toString();
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const end: RunEnd = JSON.parse(line);
      this.#tell({ how: 'ended', end });
      this.#over(true);
    });
    this.#child.on('close', (code, signal) => {
      this.#gone = this.#endOf(code, signal);
      this.#tell(this.#gone);
      this.#over(false);
    });
  }

  #endOf(code: number | null, signal: NodeJS.Signals | null): Ended {
    // A signal before a run listens for it, or a second signal, ends the process.
    const asked = signal === 'SIGKILL' || signal === 'SIGINT' || signal === 'SIGTERM';
    if (asked || code === 130) return { how: 'killed' };
    return { how: 'broke', why: `exit code ${code}: ${this.#complaints.trim() || 'no message'}` };
  }

  #tell(end: Ended): void {
    this.#hear?.(end);
    this.#hear = undefined;
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Performs one run. Resolves when the run has ended and the process is idle or gone. */
  run(order: Order): Promise<Ended> {
    if (this.#gone !== undefined) return Promise.resolve(this.#gone);
    return new Promise((resolve) => {
      this.#hear = resolve;
      this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }
}
