// The world of a story: a pipeline is planned and run with a service, a disk, a clock and a state file in memory, and may be
// killed at any line of it. Nothing sleeps, nothing is sent, and a seed decides everything that chance decides.
//
// It goes through these doors and no other, so that it outlives what is behind them: the operations of the library
// (src/index.ts), `withInternals` (src/features/internals.ts: api, disk, record, lines), the ports Clock, MediaApi and Disk
// (src/core/ports.ts), and the contract (tools, prices, answers).
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Disk } from '../../src/core/ports.ts';
import { type RunInternals, withInternals } from '../../src/features/internals.ts';
import {
  type EditOptions,
  type LoadedPipeline,
  type LoadOptions,
  loadPipeline,
  type Planned,
  type PlanOptions,
  pick,
  plan,
  prune,
  type RerollOptions,
  type Resolution,
  type RunEvent,
  type RunOptions,
  type RunOutcome,
  refresh,
  reroll,
  resolve,
  run,
  type StatusReport,
  type Summary,
  status,
  type TaskEnding,
  tick,
} from '../../src/index.ts';
import { contentFor } from '../photo.ts';
import { chances, VirtualClock } from './clock.ts';
import {
  type Cut,
  type DiskFault,
  type Files,
  FolderFiles,
  MemoryDisk,
  MemoryFiles,
  Process,
  type Saved,
} from './process.ts';
import { Service } from './service.ts';

export type { Cut } from './process.ts';

export interface WorldOptions {
  /**
   * `memory` (default): disk and state file in memory. `folder`: the real ones, for what lists, removes or compares files
   * itself: `prune`, git, provenance, files of other pipelines.
   */
  readonly disk?: 'memory' | 'folder';
  readonly seed?: number;
  /** The name of the folder. */
  readonly name?: string;
  readonly load?: LoadOptions;
}

/** How a task ended, as the run told. */
export interface TaskEnd {
  readonly step: string;
  readonly ending: TaskEnding;
  readonly why: string;
}

export interface Told {
  /** `killed`: at the line or the request that the story said. */
  readonly outcome: RunOutcome | 'killed';
  /** Undefined if the run was killed. */
  readonly summary: Summary | undefined;
  readonly events: readonly RunEvent[];
  readonly ends: ReadonlyMap<string, TaskEnd>;
  /** Endings by task. */
  readonly endings: Readonly<Record<string, TaskEnding>>;
  /** Credits that the service took while it ran, refunds taken off. */
  readonly charged: number;
}

/** The summary counts each task as its event says that it ended. */
function agree(events: readonly RunEvent[], { tasks }: Summary): void {
  const told: Record<string, number> = {};
  for (const event of events)
    if (event.type === 'task') told[event.ending] = (told[event.ending] ?? 0) + 1;
  const counted = Object.entries(tasks).filter(([, count]) => count > 0);
  expect(Object.fromEntries(counted)).toEqual(told);
}

interface Killing {
  readonly cut?: Cut;
}

/** What all checkouts of a world share: one computer of one person, and one service. */
class Machine {
  readonly root: string;
  readonly clock = new VirtualClock();
  readonly service = new Service(this.clock);
  readonly chance: () => number;
  readonly #memory: MemoryFiles;
  readonly #disk: FolderFiles;

  constructor(seed: number) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), 'shotlist-world-')));
    this.chance = chances(seed);
    this.#memory = new MemoryFiles(this.root);
    this.#disk = new FolderFiles(this.root);
    this.service.isSaved = (content) => this.#has(content);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      SHOTLIST_BASE_URL: 'http://127.0.0.1:1',
      SHOTLIST_API_KEY: 'key',
      SHOTLIST_RECEIPTS: join(this.root, 'receipts'),
    };
  }

  files(isReal: boolean): Files {
    return isReal ? this.#disk : this.#memory;
  }

  #has(content: string): boolean {
    return [this.#memory, this.#disk].some((files) =>
      files.below(this.root).some((path) => files.read(path) === content),
    );
  }
}

/** A pipeline file in a folder of its own, with its state file. */
export class Checkout {
  readonly machine: Machine;
  readonly folder: string;
  readonly file: string;
  /** Faults of the disk, by path: outputs below the output folder, others relative to the pipeline file. */
  diskFault: DiskFault = () => undefined;
  /** Files that must be read before their hash is known. */
  readonly unread = new Set<string>();
  /** How long a sync of these lines takes, in milliseconds. */
  syncMs: (lines: readonly string[]) => number = () => 1;
  /** Called right before a line is handed to the state file. */
  onLine: (line: string) => void = () => undefined;
  /** Every line that was written, also those that were lost or folded since. */
  readonly written: string[] = [];
  #state = '';
  #saved: Saved = new Set();
  #output = '';
  /** Each day's run makes tasks of its own. */
  #isDated = false;
  readonly #options: WorldOptions;
  #loaded: Promise<LoadedPipeline> | undefined;

  constructor(machine: Machine, pipeline: string, options: WorldOptions) {
    this.machine = machine;
    this.folder = join(machine.root, options.name ?? 'pipeline');
    this.file = join(this.folder, 'pipeline.yaml');
    this.#options = options;
    mkdirSync(join(this.folder, '.shotlist'), { recursive: true });
    this.edit(pipeline);
  }

  get #isReal(): boolean {
    return this.#options.disk === 'folder';
  }

  get #files(): Files {
    return this.machine.files(this.#isReal);
  }

  /** Changes the pipeline file. */
  edit(pipeline: string): void {
    writeFileSync(this.file, pipeline);
    const [, name = ''] = /^pipeline: *(\S+)/m.exec(pipeline) ?? [];
    this.#output = /^output: *(\S+)/m.exec(pipeline)?.[1] ?? `out/${name}`;
    this.#isDated = /\brun\.(date|due|number)\b/.test(pipeline);
    this.machine.service.pipelines.add(name);
    this.#loaded = undefined;
  }

  /** The path is relative to the pipeline file. */
  write(path: string, content: string): void {
    const absolute = join(this.folder, path);
    if (this.#isReal || !path.startsWith('out/')) {
      // Items are listed in the real folder.
      mkdirSync(dirname(absolute), { recursive: true });
      writeFileSync(absolute, contentFor(path, content));
    }
    if (!this.#isReal) this.#files.write(absolute, content);
  }

  read(path: string): string | undefined {
    return this.#files.read(join(this.folder, path));
  }

  /** Removes a file, as a person would. */
  remove(path: string): void {
    const absolute = join(this.folder, path);
    this.#files.remove(absolute);
    if (!this.#isReal && !path.startsWith('out/')) rmSync(absolute, { force: true });
  }

  /** Contents by path, without the folder .shotlist. */
  get files(): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const path of this.#files.below(this.folder)) {
      const short = relative(this.folder, path);
      if (!short.startsWith('.shotlist/') && short !== 'pipeline.yaml')
        found[short] = this.#files.read(path) ?? '';
    }
    return found;
  }

  /** The paths of the saved files, below the output folder. */
  get outputs(): readonly string[] {
    return Object.keys(this.files).flatMap((path) =>
      path.startsWith(`${this.#output}/`) ? path.slice(this.#output.length + 1) : [],
    );
  }

  /** The text of the state file; empty if there is none. */
  get state(): string {
    return this.#isReal ? (this.machine.files(true).read(this.#statePath) ?? '') : this.#state;
  }

  /** As git or a person changes it. */
  set state(text: string) {
    if (!this.#isReal) this.#state = text;
    else if (text === '') rmSync(this.#statePath, { force: true });
    else writeFileSync(this.#statePath, text);
  }

  get #statePath(): string {
    const name = readdirSync(this.folder).find((one) => one.endsWith('.state.jsonl'));
    return join(this.folder, name ?? 'none.state.jsonl');
  }

  /** What a fresh clone has: the inputs and the state file. */
  cloneAgain(): void {
    for (const path of this.#files.below(this.folder)) {
      const short = relative(this.folder, path);
      if (/^(out|\.shotlist)\//.test(short)) this.#files.remove(path);
    }
    this.#saved = new Set();
  }

  async plan(options: PlanOptions = {}): Promise<Planned> {
    return await this.do((loaded, own) => plan(loaded, own), options);
  }

  async run(options: RunOptions & Killing = {}): Promise<Told> {
    return await this.#tell(run, options);
  }

  async tick(options: RunOptions & Killing = {}): Promise<Told> {
    return await this.#tell(tick, options);
  }

  async reroll(tasks: readonly string[], options: RerollOptions & Killing = {}): Promise<Told> {
    return await this.#tell((loaded, own) => reroll(loaded, tasks, own), options);
  }

  async pick(task: string, take: number): Promise<void> {
    await this.do((loaded, own) => pick(loaded, task, take, own));
  }

  async resolve(task: string, how: Resolution): Promise<void> {
    await this.do((loaded, own) => resolve(loaded, task, how, own));
  }

  async refresh(): Promise<void> {
    await this.do((loaded, own) => refresh(loaded, own));
  }

  async prune(): Promise<void> {
    await this.do((loaded, own) => prune(loaded, own));
  }

  async status(): Promise<StatusReport> {
    return await this.do((loaded, own) => status(loaded, own));
  }

  /** Any other operation of the library: `world.do((pipeline, options) => audit(pipeline, options))`. */
  async do<T, O extends EditOptions>(
    operation: (loaded: LoadedPipeline, options: O) => Promise<T>,
    options?: O,
  ): Promise<T>;
  async do<T>(
    operation: (loaded: LoadedPipeline, options: EditOptions) => Promise<T>,
    options: EditOptions = {},
  ): Promise<T> {
    const process = new Process(this.machine.clock, this.machine.chance);
    return await this.machine.clock.until(this.#operate(process, operation, options));
  }

  async #operate<T, O extends EditOptions>(
    process: Process,
    operation: (loaded: LoadedPipeline, options: O) => Promise<T>,
    options: O,
  ): Promise<T> {
    const { machine } = this;
    const env = { ...machine.env, ...options.env };
    this.#loaded ??= loadPipeline(this.file, { env, ...this.#options.load });
    // In memory, nothing but results is ever in the output folder.
    const replaceFiles = !this.#isReal;
    const own = { clock: process.clock, replaceFiles, ...options, env };
    return await operation(await this.#loaded, withInternals(own, this.#internals(process)));
  }

  async #tell(
    operation: (loaded: LoadedPipeline, options: RunOptions) => Promise<{ summary: Summary }>,
    { cut, ...options }: RunOptions & Killing,
  ): Promise<Told> {
    const { machine } = this;
    const process = new Process(machine.clock, machine.chance, cut);
    const events: RunEvent[] = [];
    const ends = new Map<string, TaskEnd>();
    const onEvent = (event: RunEvent): void => {
      if (process.isKilled) return;
      events.push(event);
      options.onEvent?.(event);
      if (event.type !== 'task') return;
      const { task, step, ending, why = '' } = event;
      ends.set(task, { step, ending, why });
    };
    const before = machine.service.charged;
    const ran = this.#operate(process, operation, { ...options, onEvent });
    const ended = await machine.clock.until(Promise.race([ran, process.killed]));
    if (ended === 'killed') this.#recover();
    const summary = ended === 'killed' ? undefined : ended.summary;
    const endings = Object.fromEntries([...ends].map(([task, { ending }]) => [task, ending]));
    const charged = machine.service.charged - before;
    // No event tells of the tasks that a run finishes for an earlier day, or saves before all others.
    if (summary !== undefined && ends.size > 0 && !this.#isDated) agree(events, summary);
    return { outcome: summary?.outcome ?? 'killed', summary, events, ends, endings, charged };
  }

  #internals(process: Process): RunInternals {
    const { machine, folder } = this;
    const files = this.#files;
    const api = process.api(machine.service, files, folder);
    const common = { api: () => api, backoffMs: 100 };
    if (this.#isReal) return { ...common, lines: (file) => this.#watched(file, process) };
    const fault: DiskFault = (doing, path) => this.diskFault(doing, path);
    const { unread } = this;
    const shared = { process, files, folder, saved: this.#saved, unread, fault, ms: 1 };
    const diskOn = (real: Disk): Disk => new MemoryDisk({ ...shared, real });
    return { ...common, disk: diskOn, record: this.#recordFor(process) };
  }

  /** The state file in memory: what was synced survives. */
  #recordFor(process: Process): NonNullable<RunInternals['record']> {
    let lines = 0;
    let durable = 0;
    const pending: string[] = [];
    const keep = (until: number): void => {
      for (const line of pending.splice(0, until - durable)) this.#state += `${line}\n`;
      durable = Math.max(durable, until);
    };
    return {
      text: () => this.#state + pending.map((line) => `${line}\n`).join(''),
      append: (line) => {
        if (process.isKilled) return;
        lines += 1;
        if (process.isCutAt(lines, 'before')) return process.kill();
        this.onLine(line);
        pending.push(line);
        this.written.push(line);
        if (!process.isCutAt(lines, 'after')) return;
        keep(lines);
        process.kill();
      },
      sync: async () => {
        const until = lines;
        await process.pass(this.syncMs(pending));
        keep(until);
      },
      replace: async (text) => {
        await process.pass(this.syncMs([]));
        pending.length = 0;
        durable = lines;
        this.#state = text;
      },
    };
  }

  #watched(file: Parameters<NonNullable<RunInternals['lines']>>[0], process: Process): typeof file {
    let lines = 0;
    let isLast = false;
    return {
      append: (line) => {
        if (process.isKilled) return;
        lines += 1;
        if (process.isCutAt(lines, 'before')) return process.kill();
        isLast ||= process.isCutAt(lines, 'after');
        this.onLine(line);
        this.written.push(line);
        file.append(line);
      },
      sync: async () => {
        await process.pass(this.syncMs([]));
        await file.sync();
        if (isLast) process.kill();
        await process.pass(0);
      },
    };
  }

  /** After a kill, nobody holds the lock. */
  #recover(): void {
    if (!this.#isReal) return;
    const own = join(this.folder, '.shotlist');
    for (const name of readdirSync(own))
      if (/\.(lock|live\.json)$/.test(name)) unlinkSync(join(own, name));
  }
}

/** A machine, a service, and a first checkout, which the world itself is. */
export class World extends Checkout {
  readonly #options: WorldOptions;

  constructor(
    pipeline: string,
    files: Readonly<Record<string, string>> = {},
    options: WorldOptions = {},
  ) {
    super(new Machine(options.seed ?? 1), pipeline, options);
    this.#options = options;
    if (options.disk === 'folder')
      this.service.bytesOf = (text, extension) =>
        Buffer.from(contentFor(`x.${extension}`, text)).toString('latin1');
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    onTestFinished(() => this[Symbol.dispose]());
  }

  get service(): Service {
    return this.machine.service;
  }

  get clock(): VirtualClock {
    return this.machine.clock;
  }

  /** Credits by task, as the service counts them: refunds are taken off. */
  get bill(): Readonly<Record<string, number>> {
    return this.service.bill;
  }

  /** Every call so far, such as `create swap:a`, in order. */
  get requests(): readonly string[] {
    return this.service.calls.map(({ call, about }) => `${call} ${about}`.trimEnd());
  }

  /** Another folder of the same person, with the same receipts. */
  checkout(name: string, pipeline: string): Checkout {
    return new Checkout(this.machine, pipeline, { ...this.#options, name });
  }

  /** What the person's receipts say is gone. */
  loseReceipts(): void {
    rmSync(join(this.machine.root, 'receipts'), { recursive: true, force: true });
  }

  /** Removes the folder; a test does so at its end. */
  [Symbol.dispose](): void {
    this.clock.stop();
    rmSync(this.machine.root, { recursive: true, force: true });
  }
}
