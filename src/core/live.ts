// Values that age: uploads, addresses of results, faces. A request is filled with those that hold when it is sent.
import type { Digest } from '../base/digest.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import type { FaceDetection, Project } from '../contract/api/project.ts';
import { detectionRequest } from '../contract/kinds.ts';
import { bodyOf } from '../language/body.ts';
import { toCel } from '../language/expression.ts';
import { lastingFaces, liveFaces, liveProject } from '../model/outputs.ts';
import type { Attempt, Output } from '../model/record/line.ts';
import { filesOf, isAway, type Known, knownOf } from './decide.ts';
import { Ended } from './ended.ts';
import { isStored } from './facts.ts';
import type { Files } from './files.ts';
import { address, endOfSupply, recordedOutputs, savedOutputs, suppliedIn } from './outputs.ts';
import type { ServiceAnswer, Source } from './ports.ts';
import type { Projects } from './projects.ts';
import { textOf } from './reason.ts';
import type { Base, Task } from './scope.ts';
import type { World } from './world.ts';

interface Value {
  readonly outputs: JsonObject;
  /** Epoch milliseconds. */
  readonly until: number;
  /** It does not end with the project. */
  readonly isUpload: boolean;
}

/** For an address that does not say when it ends. */
const addressMs = 23 * 3_600_000;

interface LiveParts extends World {
  readonly files: Files;
  readonly projects: Projects;
  readonly base: Base;
  readonly savedBy: (task: Task) => Parameters<typeof savedOutputs>[0];
}

export class Live {
  readonly #o: LiveParts;
  readonly #values = new Map<string, Value>();
  readonly #renewing = new Map<string, Promise<void>>();
  /** Projects that are being deleted, or are. */
  readonly going = new Set<string>();

  constructor(parts: LiveParts) {
    this.#o = parts;
  }

  /** The request as it is sent now. Throws `Ended`. */
  async body(task: Task): Promise<JsonObject> {
    await Promise.all([...task.reads].map((one) => this.#fresh(one)));
    const { scope, planned, step } = task;
    const values = scope.values(this.#o.base, planned.needs, (one) => this.#outputs(one));
    const body = values.ok ? bodyOf(step, values.value) : values;
    if (!body.ok) throw new Ended('failed', body.error.message, { code: body.error.code });
    if (JSON.stringify(body.value).includes(address))
      throw new Error(`bug: ${task.id} was to be sent with an address that nobody has`);
    return body.value;
  }

  #outputs(task: Task): unknown {
    const { fingerprint, kind } = task;
    const live = this.#values.get(fingerprint)?.outputs;
    if (live !== undefined) return toCel(live);
    if (kind.operation === 'download') return toCel(savedOutputs(this.#o.savedBy(task)));
    // Whose address is not read may be looked at all the same: `all.map(one, one.url).take(2)`.
    return toCel(recordedOutputs(kind.operation, this.#known(fingerprint).job, true));
  }

  #known(job: string): Known {
    return knownOf(this.#o.journal.ledger, this.#o.receipts, job);
  }

  /** A record that was just read. */
  learn(job: string, project: Project): void {
    const ends = project.downloads.map(({ expires_at: at }) => Date.parse(at));
    const until = Math.min(...ends.map((end) => (Number.isNaN(end) ? this.#now + addressMs : end)));
    const outputs = liveProject(project);
    this.#values.set(job, { outputs, until: until - 60_000, isUpload: false });
  }

  get #now(): number {
    return this.#o.clock.now();
  }

  /** What a request named is not at the service any more, whatever the record says. */
  forget(task: Task): void {
    for (const { fingerprint } of task.reads) {
      this.#values.delete(fingerprint);
      this.#stale.add(fingerprint);
    }
  }

  readonly #stale = new Set<string>();

  async #fresh(task: Task): Promise<void> {
    const { fingerprint } = task;
    // What a download has saved is in the record.
    if (task.kind.operation === 'download') return;
    const { until = 0, isUpload = false } = this.#values.get(fingerprint) ?? {};
    if (until > this.#now && (isUpload || !this.#isAway(fingerprint))) return;
    // Whoever needs the same waits for the same.
    const renew = (): Promise<void> =>
      task.kind.operation === 'create' ? this.#renewProject(task) : this.#renewSupply(task);
    const renewing =
      this.#renewing.get(fingerprint) ?? renew().finally(() => this.#renewing.delete(fingerprint));
    this.#renewing.set(fingerprint, renewing);
    await renewing;
  }

  #isAway(job: string): boolean {
    const now = this.#known(job).ownNow;
    return this.going.has(job) || (now !== undefined && isAway(now));
  }

  // Free work

  /** An upload or a detection, as the record has it if that still holds. */
  async #renewSupply(task: Task): Promise<void> {
    const { ledger } = this.#o.journal;
    const { fingerprint, kind } = task;
    const supplied =
      suppliedIn(ledger.job(fingerprint)) ?? suppliedIn(this.#known(fingerprint).job);
    const until = supplied === undefined ? 0 : endOfSupply(Date.parse(supplied.at));
    const isStale = this.#stale.has(fingerprint) || until <= this.#now;
    if (supplied === undefined || isStale) return await this.supply(task);
    const { result } = supplied;
    const isUpload = true;
    if (kind.operation === 'upload') {
      const { file_path = '' } = result;
      return void this.#values.set(fingerprint, { outputs: { file_path }, until, isUpload });
    }
    const id = result['id'];
    if (typeof id !== 'string') return await this.supply(task);
    try {
      const outputs = liveFaces(await this.#detected(task, id, true));
      this.#values.set(fingerprint, { outputs, until, isUpload });
    } catch (error) {
      if (!(error instanceof Ended) || error.code !== 'not-found') throw error;
      await this.supply(task);
    }
  }

  async supply(task: Task): Promise<void> {
    if (task.kind.operation === 'upload') {
      const { file: path, content, step, away } = task;
      if (path === undefined) throw new Error(`bug: ${task.id} has no file`);
      const local = away === undefined ? undefined : await this.#stored(away, step.attempts);
      const source: Source =
        local === undefined ? { in: 'input', path } : { in: 'here', file: local.file };
      const file_path = await this.#send(source, path, content, step.attempts);
      await local?.over();
      return this.#supplied(task, { file_path }, { file_path });
    }
    const begun = await this.#beginDetection(task).catch((error: unknown) => {
      if (!(error instanceof Ended) || error.code !== 'missing-asset') throw error;
      this.forget(task);
      return this.#beginDetection(task);
    });
    const found = await this.#detected(task, begun.id, false);
    this.#sameFaces(task, found);
    this.#supplied(task, liveFaces(found), lastingFaces(found));
  }

  async #beginDetection(task: Task): Promise<{ readonly id: string }> {
    const body = detectionRequest(await this.body(task));
    return await this.#o.calls.free(() => this.#o.api.detectFaces(body), task.step.attempts);
  }

  /** A file that another checkout has saved, if the store has it. */
  async #stored(output: Output, attempts: number): ReturnType<Files['local']> {
    if (isStored(output, this.#o.facts))
      return await this.#o.files.local({ from: 'store', output }, attempts);
    throw new Ended('failed', textOf({ code: 'upload-expired', about: output.path }));
  }

  /** `result`: what stays true of it. */
  #supplied({ fingerprint: job, kind, id }: Task, outputs: JsonObject, result: JsonObject): void {
    this.#stale.delete(job);
    this.#values.set(job, { outputs, until: endOfSupply(this.#now), isUpload: true });
    this.#o.journal.note({ job, is: 'supplied', kind: kind.name, task: id, result });
  }

  /** Elements are named by their place, so another number of faces would give paid results to other faces. */
  #sameFaces({ fingerprint, id }: Task, found: FaceDetection): void {
    const before = suppliedIn(this.#known(fingerprint).job)?.result['faces'];
    if (!Array.isArray(before) || before.length === found.faces.length) return;
    throw new Ended(
      'failed',
      `the service finds ${found.faces.length} faces now, and ${before.length} are in the record: results that are paid for name them by their place; run --pay-again ${id} takes the new list`,
      { code: 'faces-changed' },
    );
  }

  /** `isOld`: begun by an earlier run, and probably over. */
  async #detected(task: Task, id: string, isOld: boolean): Promise<FaceDetection> {
    const { calls, api, looks, clock } = this.#o;
    const spent = (): number => clock.elapsed() - calls.waitedMs;
    const until = spent() + task.timeoutMs;
    using watch = looks.watch(task.kind.name, this.#now);
    for (let looked = 0; ; looked++) {
      if (!isOld || looked > 0) await watch.turn(undefined, { leftMs: until - spent() });
      const found = await calls.free(() => api.faceDetection(id), task.step.attempts);
      if (found.status === 'complete') {
        if (!isOld) watch.over({ status: 'complete' });
        return found;
      }
      if (found.status === 'error')
        throw new Ended('failed', 'the service could not look for faces in it');
      if (spent() >= until) throw new Ended('failed', 'the face detection was not over in time');
    }
  }

  /** Uploads one file; the service's name for it. */
  async #send(
    source: Source,
    name: string,
    content: string | undefined,
    attempts: number,
  ): Promise<string> {
    const { calls, api, hands } = this.#o;
    const extension = extensionOf(name);
    const type = mediaTypeOf(extension) ?? 'image';
    const target = await calls.free(() => api.uploadAddress({ type, extension }), attempts);
    const send = (): ServiceAnswer<Digest> => hands.upload(target, source, content);
    const digest = await calls.storage(target.uploadUrl, send, attempts);
    if (content !== undefined && digest !== content)
      throw new Ended('failed', `${name} changed while it was being uploaded`);
    return target.filePath;
  }

  // Results

  /** The addresses of a finished project, or uploads of its files in their place. */
  async #renewProject(task: Task): Promise<void> {
    const { fingerprint: job, step } = task;
    const { now } = this.#known(job);
    if (now === undefined) throw new Ended('pending', `${task.id} has no result`);
    if (!this.#isAway(job) && !isAway(now)) {
      const project = await this.#o.projects.read(job, step.kind.name, now, step.attempts);
      if (project !== undefined) return this.learn(job, project);
    }
    await this.#upload(task, now);
  }

  async #upload(task: Task, attempt: Attempt): Promise<void> {
    const { fingerprint: job, step } = task;
    const known = this.#known(job);
    const saved = filesOf(known, attempt, this.#o.facts);
    if (saved === undefined)
      throw new Ended(
        'failed',
        `${task.id} is needed, but its project was deleted and its file is gone; it would have to be paid for again`,
      );
    const downloads: JsonObject[] = [];
    for (const one of saved) {
      const { file, over } = await this.#o.files.local(one, step.attempts);
      const { sha256, path } = one.output;
      const url = await this.#send({ in: 'here', file }, path, sha256, step.attempts);
      downloads.push({ url, expires_at: '' });
      await over();
    }
    const [download = {}] = downloads;
    const recorded = recordedOutputs('create', known.job, false);
    const outputs = { ...recorded, downloads, download, url: download['url'] ?? '' };
    this.#values.set(job, { outputs, until: endOfSupply(this.#now), isUpload: true });
  }

  /** The address of one result. `isAgain`: the one before was refused. */
  async address(
    job: string,
    kind: string,
    attempt: Attempt,
    index: number,
    isAgain: boolean,
    attempts: number,
  ): Promise<string> {
    const known = this.#values.get(job);
    if (known === undefined || isAgain || known.until <= this.#now || known.isUpload) {
      const project = await this.#o.projects.read(job, kind, attempt, attempts);
      if (project === undefined) throw new Gone();
      this.learn(job, project);
    }
    const downloads = this.#values.get(job)?.outputs['downloads'];
    const entry: unknown = Array.isArray(downloads) ? downloads[index] : undefined;
    const url = isObject(entry) ? entry['url'] : undefined;
    if (typeof url === 'string') return url;
    throw new Ended('pending', 'the service lists fewer downloads than before');
  }
}

/** The project of a result is not there any more, and the record says so. */
export class Gone extends Error {}
