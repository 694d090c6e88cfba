// The hands of a run on other hosts: hands errands out to workers, and takes their answers. What no worker can do is done here.
import { randomUUID } from 'node:crypto';
import type { Digest } from '../base/digest.ts';
import type { Result } from '../base/result.ts';
import { extensionOf } from '../contract/api/asset.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import { outputPath } from '../core/output-path.ts';
import type {
  Clock,
  Disk,
  FileProblem,
  Hands,
  LocalFile,
  Saved,
  ServiceAnswer,
  Source,
  Spot,
  StoreAnswer,
  StoredFile,
  StoreFailure,
  UploadTarget,
} from '../core/ports.ts';
import { DatabaseAway, type Sql } from './connection.ts';
import { type Answer, type Bound, type Errand, Seal, type Task } from './errand.ts';
import { Queue, type QueueKind, type Queues, queueKinds } from './queue.ts';

export interface RemoteHandsParts {
  readonly sql: Sql;
  readonly term: { readonly run: string; readonly epoch: number; readonly word: string };
  readonly secret: string;
  /** The base address of the service. */
  readonly service: string;
  readonly local: Hands;
  readonly disk: Disk;
  /** Results must be in the output folder of the run, whatever the store has. */
  readonly needsFiles: boolean;
  /** The contents that a result may replace, SHA-256: those that are recorded for its place. */
  readonly replaces: (spot: Spot) => readonly string[];
  readonly clock: Clock;
  /** Aborted: no hand begins anything more. */
  readonly signal: AbortSignal;
  /** Aborted: nobody is waited for. */
  readonly cut: AbortSignal;
  readonly onNote: (message: string) => void;
}

const pollMs = 50;
const lookMs = 2_000;
const maxPerStatement = 500;
/** A worker that has been silent for so long is not counted on. */
const aliveSeconds = 8;
const untilMs = 6 * 3_600_000;
/** Some messages are about one file, and there may be very many. */
const maxTold = 20;

interface Pending {
  readonly task: Task;
  readonly bound: Bound;
  /** Undefined until it is queued. */
  kind?: QueueKind | undefined;
  /** With undefined: it is to be done here. */
  readonly settle: (result: unknown) => void;
  readonly fail: (bug: unknown) => void;
}

export class RemoteHands implements Hands {
  readonly isHere = false;
  readonly #o: RemoteHandsParts;
  readonly #errands: Seal;
  readonly #answers: Seal;
  /** Open from the first errand on. */
  #queues: Queues | undefined;
  readonly #pending = new Map<string, Pending>();
  readonly #told = new Set<string>();
  /** The places of the workers that are alive. */
  #places: Readonly<Record<QueueKind, number>> = { files: 0, any: 0 };
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** A hand without the folder of the run has the inputs, as far as is known. */
  #hasInputs = true;
  #turning: Promise<void> | undefined;

  constructor(parts: RemoteHandsParts) {
    const { secret, term, signal, cut } = parts;
    this.#o = parts;
    this.#errands = new Seal(secret, term.run, 'errands');
    this.#answers = new Seal(secret, term.run, 'answers');
    cut.addEventListener('abort', () => this.#leaveAll(), { once: true });
    const lookNow = (): void => {
      this.#lookedAt = Number.NEGATIVE_INFINITY;
    };
    signal.addEventListener('abort', lookNow, { once: true });
  }

  async close(): Promise<void> {
    this.#leaveAll();
    await this.#turning;
    await this.#empty().catch(unlessAway);
  }

  async #empty(): Promise<void> {
    await this.#eachQueue((queue) => queue.drop());
    await this.#o.sql.query(
      `with gone as (delete from shotlist.worker
         where run = $1 and at < clock_timestamp() - interval '1 minute')
       delete from shotlist.result where run = $1`,
      [this.#o.term.run],
    );
  }

  async #eachQueue(act: (queue: Queue, kind: QueueKind) => Promise<void>): Promise<void> {
    const queues = this.#queues;
    if (queues !== undefined) for (const kind of queueKinds) await act(queues[kind], kind);
  }

  // What is asked

  async upload(
    target: UploadTarget,
    source: Source,
    content: string | undefined,
  ): ServiceAnswer<Digest> {
    const done =
      source.in === 'here' || content === undefined
        ? undefined
        : await this.#ask<Upload>({ do: 'upload', target, path: source.path, content });
    return done ?? (await this.#o.local.upload(target, source, content));
  }

  async save(url: string, spot: Spot): ServiceAnswer<Result<Saved, FileProblem>> {
    const replaces = this.#o.replaces(spot);
    const done = await this.#saved<ApiFailure>({ do: 'save', url, spot, replaces });
    return done ?? (await this.#o.local.save(url, spot));
  }

  async bring(file: StoredFile, spot: Spot): StoreAnswer<Result<Saved, FileProblem>> {
    const replaces = this.#o.replaces(spot);
    const done = await this.#saved<StoreFailure>({ do: 'bring', file, spot, replaces });
    return done ?? (await this.#o.local.bring(file, spot));
  }

  copy(from: LocalFile, file: StoredFile, spot: Spot): Promise<Result<Saved, FileProblem>> {
    return this.#o.local.copy(from, file, spot);
  }

  async store(file: StoredFile): StoreAnswer<void> {
    const done = await this.#ask<Result<void, StoreFailure>>({ do: 'store', file });
    return done ?? (await this.#o.local.store(file));
  }

  /** What goes to the kept files is saved here. A hand must have saved a result where it belongs. */
  async #saved<E>(
    task: Task<'save' | 'bring'>,
  ): Promise<Result<Result<Saved, FileProblem>, E> | undefined> {
    const { spot } = task;
    if (spot.to === '' || spot.isKept) return undefined;
    const done = await this.#ask<Result<Result<Saved, FileProblem>, E>>(task);
    if (done?.ok !== true || !done.value.ok) return done;
    const { disk } = this.#o;
    const { path, sha256, stored } = done.value.value;
    const below = outputPath(spot.to, { ...spot, extension: extensionOf(path) });
    if (!below.ok || disk.recordedAs(below.value) !== path) return undefined;
    if (stored === undefined) await disk.remember({ path, sha256 });
    return done;
  }

  // How it is asked

  /** Undefined: it is to be done here. */
  async #ask<T>(task: Task): Promise<T | undefined> {
    if (this.#o.signal.aborted || this.#o.cut.aborted) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { clock, term } = this.#o;
    const bound = { epoch: term.epoch, id: randomUUID(), until: clock.now() + untilMs };
    this.#pending.set(bound.id, { task, bound, settle: resolve, fail: reject });
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = undefined;
    });
    // A hand answers with what its own method returns, and only hands that have the secret and this version are believed.
    return (await promise) as T | undefined;
  }

  /** As long as something is asked. */
  async #turn(): Promise<void> {
    const { clock, cut } = this.#o;
    while (this.#pending.size > 0) {
      try {
        await this.#open();
        if (clock.elapsed() - this.#lookedAt >= lookMs) await this.#look();
        await this.#issue();
        await clock.sleep(pollMs, cut);
        await this.#take();
      } catch (error) {
        if (error instanceof DatabaseAway) await clock.sleep(lookMs, cut);
        else for (const { fail } of this.#drain()) fail(error);
      }
    }
  }

  /** What an earlier term left in the queues is nobody's any more. */
  async #open(): Promise<void> {
    if (this.#queues !== undefined) return;
    this.#queues = await Queue.open(this.#o.sql, this.#o.term.run);
    await this.#empty();
  }

  #drain(): readonly Pending[] {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    return all;
  }

  #leaveAll(): void {
    for (const { settle } of this.#drain()) settle(undefined);
  }

  #settle(id: string, result: unknown): void {
    this.#pending.get(id)?.settle(result);
    this.#pending.delete(id);
  }

  async #issue(): Promise<void> {
    const waiting: Pending[] = [];
    const busy = { files: 1, any: 1 };
    for (const one of this.#pending.values())
      if (one.kind === undefined) waiting.push(one);
      else busy[one.kind] += 1;
    for (const one of waiting) {
      one.kind = this.#kindFor(one.task, busy);
      if (one.kind === undefined) this.#settle(one.bound.id, undefined);
      else busy[one.kind] += 1;
    }
    await this.#eachQueue(async (queue, wanted) => {
      const errands = waiting.filter(({ kind }) => kind === wanted);
      for (let at = 0; at < errands.length; at += maxPerStatement) {
        const group = errands.slice(at, at + maxPerStatement);
        await queue.insert(
          group.map(({ bound, task }) => ({ id: bound.id, text: this.#textOf(bound, task) })),
        );
      }
    });
  }

  #textOf(bound: Bound, task: Task): string {
    const { service, term, disk } = this.#o;
    const { store } = disk;
    const errand: Errand = { task, service, word: term.word, under: disk.recordedAs(''), store };
    return `${bound.epoch} ${bound.until} ${this.#errands.close(bound, errand)}`;
  }

  /** Where there are the most places for one that is `busy`. */
  #kindFor(task: Task, busy: Readonly<Record<QueueKind, number>>): QueueKind | undefined {
    const isForAny =
      task.do === 'upload'
        ? this.#hasInputs
        : task.do === 'save' && this.#o.disk.store !== undefined && !this.#o.needsFiles;
    const { files, any } = this.#places;
    if (isForAny && any / busy.any > files / busy.files) return 'any';
    if (files > 0) return 'files';
    this.#tell(alone);
    return undefined;
  }

  async #take(): Promise<void> {
    const rows = await this.#o.sql.query<{ body: string }>(
      'delete from shotlist.result where run = $1 returning body',
      [this.#o.term.run],
    );
    for (const { body } of rows) {
      const [id = '', sealed = ''] = body.split(' ');
      const asked = this.#pending.get(id);
      if (asked === undefined) continue;
      const answer = this.#answers.open<Answer>(asked.bound, sealed);
      if (answer === undefined)
        this.#tell('an answer in the database is not of a worker with this secret: dropped');
      else if (answer.is === 'done') this.#settle(id, answer.result);
      else {
        if (asked.task.do === 'upload' && asked.kind === 'any') this.#hasInputs = false;
        this.#tell(`a worker could not help, and this process does it: ${answer.why}`);
        this.#settle(id, undefined);
      }
    }
  }

  /** Which workers are alive, and which errands nobody does any more. */
  async #look(): Promise<void> {
    const { sql, term, clock, signal } = this.#o;
    const alive = await sql.query<{ files: boolean; places: number }>(
      `select files, sum(places)::int as places from shotlist.worker
       where run = $1 and at > clock_timestamp() - $2 * interval '1 s' group by files`,
      [term.run, aliveSeconds],
    );
    const placesOf = (isFiles: boolean) =>
      alive.find(({ files }) => files === isFiles)?.places ?? 0;
    this.#places = { files: placesOf(true), any: placesOf(false) };
    if (placesOf(true) + placesOf(false) > 0) this.#told.delete(alone);
    await this.#eachQueue(async (queue, wanted) => {
      const asked = [...this.#pending].filter(([, { kind }]) => kind === wanted).map(([id]) => id);
      if (asked.length === 0) return;
      await queue.lapse();
      if (signal.aborted || this.#places[wanted] === 0) await queue.dropWaiting();
      const has = await queue.has(asked);
      // An answer comes with the end of its errand: those of errands that have ended are there by now.
      await this.#take();
      for (const id of asked) if (!has.has(id)) this.#settle(id, undefined);
    });
    this.#lookedAt = clock.elapsed();
  }

  #tell(message: string): void {
    if (this.#told.has(message) || this.#told.size >= maxTold) return;
    this.#told.add(message);
    this.#o.onNote(message);
  }
}

type Upload = Awaited<ReturnType<Hands['upload']>>;

const alone = 'no worker can help yet: until one comes, this process moves the files itself';

function unlessAway(error: unknown): void {
  if (!(error instanceof DatabaseAway)) throw error;
}
