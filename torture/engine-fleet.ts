// The processes of a run with an engine: coordinators and workers, each a real process of the command, and a liar.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openCompileCache } from './compile-cache.ts';

export type Role = 'worker' | 'coordinator' | 'stranger' | 'liar';
type Env = Readonly<Record<string, string>>;

/** Where a process runs, and what it knows. */
export interface Ground {
  readonly folder: string;
  readonly env: Env;
}

export const mainSource = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
/** The last lines of each process, for a person who investigates. */
const maxLines = 60;

export class Fleet {
  readonly #cache = openCompileCache();
  readonly #members = new Set<Member>();
  readonly #onEnd: (member: Member) => void;
  #started = 0;
  /** The processes end with this one. */
  readonly #killAll = (): void => {
    for (const member of this.#members) member.kill();
  };

  constructor(onEnd: (member: Member) => void) {
    this.#onEnd = onEnd;
    process.once('exit', this.#killAll);
  }

  start(role: Role, args: readonly string[], { folder, env }: Ground): Member {
    this.#started += 1;
    const child = spawn(process.execPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SHOTLIST_DEBUG: '1', NODE_COMPILE_CACHE: this.#cache.folder, ...env },
    });
    const member = new Member(`${role} ${this.#started}`, { role, folder, child });
    this.#members.add(member);
    void member.ended.then(() => {
      this.#members.delete(member);
      this.#onEnd(member);
    });
    return member;
  }

  /** The oldest first. Frozen ones run, too. */
  running(role?: Role): readonly Member[] {
    return [...this.#members].filter((one) => role === undefined || one.role === role);
  }

  async close(): Promise<void> {
    const members = [...this.#members];
    this.#killAll();
    process.off('exit', this.#killAll);
    await Promise.all(members.map(({ ended }) => ended));
    this.#cache.close();
  }
}

interface About {
  readonly role: Role;
  readonly folder: string;
  readonly child: ChildProcess;
}

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly folder: string;
  readonly lines: string[] = [];
  /** With the exit code. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  /** Somebody did something to it that may end it. */
  isStruck = false;
  isFrozen = false;
  /** A worker that does errands. */
  isServing = false;
  code: number | null = null;
  lies = 0;

  constructor(name: string, { role, folder, child }: About) {
    this.name = name;
    this.role = role;
    this.folder = folder;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on('line', (line) => this.#hear(line));
    this.ended = once(child, 'close').then(([code]: readonly (number | null)[]) => {
      this.code = code ?? null;
      return this.code;
    });
  }

  #hear(line: string): void {
    const [, type = ''] = /^\{"type":"(serving|served|waiting|lied)"/.exec(line) ?? [];
    if (type === 'lied') this.lies += 1;
    else if (type !== '') this.isServing = type === 'serving';
    this.lines.push(line);
    if (this.lines.length > maxLines) this.lines.shift();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  kill(): void {
    this.isStruck = true;
    this.#child.kill('SIGKILL');
  }

  freeze(): void {
    this.isStruck = true;
    this.isFrozen = true;
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.isFrozen = false;
    this.#child.kill('SIGCONT');
  }
}
