// The processes of a distributed run: workers and coordinators, each a real process of the command.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openCompileCache } from './compile-cache.ts';
import type { Workspace } from './workspace.ts';

export type Role = 'worker' | 'coordinator';

/** The end of a process. `asked`: it was killed, or told to leave. */
export interface MemberEnd {
  readonly member: Member;
  readonly code: number | null;
  readonly asked: boolean;
}

export interface FleetOptions {
  readonly workspace: Workspace;
  /** The address of the database. */
  readonly database: string;
  /** The address of the service. */
  readonly service: string;
  readonly key: string;
  /** How many orders a worker performs at once. */
  readonly places: number;
  /** The file of the command; undefined: that of the sources. */
  readonly main: string | undefined;
  readonly onEnd: (end: MemberEnd) => void;
}

const mainSource = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
/** A coordinator with short pauses. */
const coordinatorScript = fileURLToPath(new URL('./engine-coordinator.ts', import.meta.url));
/** The last lines of each process, for a person who investigates. */
const mostLines = 60;

export class Fleet {
  readonly #o: FleetOptions;
  readonly #cache = openCompileCache();
  readonly #members = new Set<Member>();
  #started = 0;

  /** The processes end with this one. */
  readonly #killAll = (): void => {
    for (const member of this.#members) member.kill();
  };

  constructor(options: FleetOptions) {
    this.#o = options;
    process.once('exit', this.#killAll);
  }

  startWorker(): Member {
    return this.#start('worker', this.#workerLine);
  }

  startCoordinator(): Member {
    return this.#start('coordinator', this.#coordinatorLine);
  }

  get #main(): string {
    return this.#o.main ?? mainSource;
  }

  get #workerLine(): readonly string[] {
    const { database, workspace, places } = this.#o;
    const flags = ['--engine', database, '--root', workspace.folder, '--jobs', `${places}`];
    return [this.#main, 'worker', ...flags, '--json'];
  }

  get #coordinatorLine(): readonly string[] {
    const { database, workspace } = this.#o;
    return [coordinatorScript, workspace.file, database];
  }

  /** A command that ends by itself. */
  async command(args: readonly string[]): Promise<MemberEnd> {
    return await this.#start('worker', [this.#main, ...args], true).ended;
  }

  /**
   * Before there are tables: each kind of process says so and ends. A process that is killed does not save its compiled
   * code, and these do.
   */
  async refused(): Promise<readonly MemberEnd[]> {
    const lines = [this.#workerLine, this.#coordinatorLine];
    return await Promise.all(lines.map((line) => this.#start('worker', line, true).ended));
  }

  /** Those that run, the oldest first. Frozen ones run, too. */
  running(role: Role): readonly Member[] {
    return [...this.#members].filter((member) => member.role === role);
  }

  get all(): readonly Member[] {
    return [...this.#members];
  }

  async close(): Promise<void> {
    const members = [...this.#members];
    this.#killAll();
    process.off('exit', this.#killAll);
    await Promise.all(members.map(({ ended }) => ended));
    this.#cache.close();
  }

  #start(role: Role, args: readonly string[], alone = false): Member {
    const { service, key, workspace } = this.#o;
    this.#started += 1;
    const child = spawn(process.execPath, [...args], {
      cwd: workspace.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SHOTLIST_API_KEY: key,
        SHOTLIST_BASE_URL: service,
        SHOTLIST_DEBUG: '1',
        NODE_COMPILE_CACHE: this.#cache.folder,
      },
    });
    const member = new Member(alone ? `command ${this.#started}` : `${role} ${this.#started}`, {
      role,
      child,
    });
    if (alone) return member;
    this.#members.add(member);
    void member.ended.then((end) => {
      this.#members.delete(member);
      this.#o.onEnd(end);
    });
    return member;
  }
}

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly started = Date.now();
  readonly ended: Promise<MemberEnd>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  #asked = false;
  frozen = false;
  /** A worker that takes orders. */
  isServing = false;

  constructor(
    name: string,
    { role, child }: { readonly role: Role; readonly child: ChildProcess },
  ) {
    this.name = name;
    this.role = role;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on('line', (line) => {
          const [, type = ''] = /^\{"type":"(serving|served|idle)"/.exec(line) ?? [];
          if (type !== '') this.isServing = type === 'serving';
          this.#lines.push(line);
          if (this.#lines.length > mostLines) this.#lines.shift();
        });
    this.ended = once(child, 'close').then(([code]: readonly (number | null)[]) => ({
      member: this,
      code: code ?? null,
      asked: this.#asked,
    }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  kill(): void {
    this.#asked = true;
    this.#child.kill('SIGKILL');
  }

  leave(): void {
    this.#asked = true;
    this.#child.kill('SIGTERM');
  }

  freeze(): void {
    this.frozen = true;
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.frozen = false;
    this.#child.kill('SIGCONT');
  }
}
