// Processes that perform runs (child.ts), started ahead of time: what a process needs to load takes longer than many
// a run lives. One whose run ended by itself is there for the next one.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Problem } from '../src/runner/operations/pipeline/problem.ts';
import type { Summary } from '../src/runner/report/run-event.ts';
import { openCompileCache } from './compile-cache.ts';
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

export interface Nursery {
  /** A process that is ready or nearly so. */
  take(): RunProcess;
  close(): void;
}

const script = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Keeps so many processes waiting; they hand the key to the service. */
export function openNursery(waiting: number, key: string): Nursery {
  const cache = openCompileCache();
  const env = { ...process.env, SHOTLIST_API_KEY: key, NODE_COMPILE_CACHE: cache.folder };
  const ready: RunProcess[] = [];
  const all = new Set<RunProcess>();
  const start = (): RunProcess => {
    const made = new RunProcess(env, (again) => (again ? ready.unshift(made) : all.delete(made)));
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

export class RunProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #over: (again: boolean) => void;
  #complaints = '';
  #gone: Ended | undefined;
  #hear: ((end: Ended) => void) | undefined;

  /** `over` hears that a run has ended, and whether there can be another one. */
  constructor(env: NodeJS.ProcessEnv, over: (again: boolean) => void) {
    this.#over = over;
    this.#child = spawn(process.execPath, [script], { env });
    // It may be dead before it has read what it is to do.
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
    // A signal that comes before a run listens for it, or a second time, ends the process.
    const asked = signal === 'SIGKILL' || signal === 'SIGINT' || signal === 'SIGTERM';
    if (asked || code === 130) return { how: 'killed' };
    return { how: 'broke', why: `exit code ${code}: ${this.#complaints.trim() || 'no word'}` };
  }

  #tell(end: Ended): void {
    this.#hear?.(end);
    this.#hear = undefined;
  }

  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** One run; resolves when it has ended, one way or another, and the process is idle or gone. */
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
