// The processes of a run with an engine, each a real one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Role = 'coordinator' | 'worker';

/** Where a process runs, and what it knows. */
export interface Ground {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxLines = 60;
let started = 0;

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly folder: string;
  readonly ended: Promise<unknown>;
  /** The last ones that it printed. */
  readonly lines: string[] = [];
  isFrozen = false;
  /** A worker that does errands. */
  isServing = false;
  readonly #child: ChildProcess;

  constructor(role: Role, args: readonly string[], { folder, env }: Ground) {
    this.name = `${role} ${++started}`;
    this.role = role;
    this.folder = folder;
    this.#child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SHOTLIST_DEBUG: '1', ...env },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on('line', (line) => {
          if (/^\{"type":"(serving|served)"/.test(line)) this.isServing = line.includes('serving');
          this.lines.push(line);
          if (this.lines.length > maxLines) this.lines.shift();
        });
    this.ended = once(this.#child, 'close');
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Null: it was killed, or goes on. */
  get code(): number | null {
    return this.#child.exitCode;
  }

  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.isFrozen = name === 'SIGSTOP';
    this.#child.kill(name);
  }

  get text(): string {
    return `${this.name}, ${this.code}: ${this.lines.join('\n')}`;
  }
}
