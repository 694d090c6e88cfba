// One history with a service that answers as it likes: real performers, a real recorder and the real reading of answers;
// only the wire, the disk and the clock are made up.

import { digestOf } from '../../../src/base/digest.ts';
import { isObject } from '../../../src/base/json.ts';
import { Redactor } from '../../../src/base/redactor.ts';
import { err, ok, type Result } from '../../../src/base/result.ts';
import {
  readAcceptedCreation,
  readAccount,
  readFaceDetection,
  readProject,
  readUploadAddresses,
} from '../../../src/contract/api/answers.ts';
import type { ApiFailure } from '../../../src/contract/api/failure.ts';
import type { Project } from '../../../src/contract/api/project.ts';
import { routes } from '../../../src/contract/api/routes.ts';
import { JournalWriter } from '../../../src/core/journal-writer.ts';
import type { Fetched, LocalFile, MediaApi } from '../../../src/core/ports.ts';
import { fingerprintFrom } from '../../../src/model/fingerprint.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import { Ledger as Record } from '../../../src/model/record/ledger.ts';
import type { Header } from '../../../src/model/record/line.ts';
import { LookSchedule } from '../../../src/plan/look-schedule.ts';
import { perform } from '../../../src/run/jobs/drive.ts';
import type { JobOrder } from '../../../src/run/jobs/job.ts';
import type { JobContext } from '../../../src/run/jobs/job-context.ts';
import { LookBudget } from '../../../src/run/jobs/looks.ts';
import { Outages } from '../../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../../src/run/jobs/project-ids.ts';
import { WebhookInbox } from '../../../src/run/jobs/webhook-inbox.ts';
import { failureOfStatus } from '../../../src/service-api/http-failure.ts';
import { digestOfText, MemoryDisk } from '../../fakes/memory-disk.ts';
import { FakeClock } from '../../files/places.ts';
import type { Talk, Wire } from './answers.ts';

type Answer<T> = Promise<Result<T, ApiFailure>>;

const redactor = new Redactor(['sk-a-secret-key']);
export const reserve = 10;
export const header: Header = { shotlist: 4, pipeline: 'p', service: 'https://api.example' };
const name = 'a boat #1';

/** As the client takes it. */
export function parsed(text: string): unknown {
  try {
    return redactor.value(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** As the client reads it: a noun, or why the request failed. */
function taken<T>(
  { status, text }: Wire,
  read: (value: unknown) => Result<T, string>,
): Result<T, ApiFailure> {
  const value = parsed(text);
  if (status !== 200) return err(failureOfStatus(status, value, {}, 0));
  const noun = read(value);
  return noun.ok ? noun : err({ reason: 'unanswered', message: noun.error });
}

/** Each in turn, the last one for ever. */
function turns<T>(list: readonly T[], otherwise: T): () => T {
  let next = 0;
  return () => list[Math.min(next++, list.length - 1)] ?? otherwise;
}

const nothing: Wire = { status: 404, text: '' };

export class ScriptedRun {
  readonly ledger = new Ledger(Record.of([header]));
  /** What is appended to the state file, without its header. */
  readonly lines: string[] = [];
  readonly job = fingerprintFrom(digestOf({ job: 'swap' }));
  /** How many creations were sent. */
  asked = 0;
  readonly #talk: Talk;
  readonly #disk = new MemoryDisk();
  readonly #clock = new FakeClock();
  readonly #stopper = new AbortController();
  readonly #journalWriter: JournalWriter;
  readonly #context: JobContext;

  constructor(talk: Talk) {
    this.#talk = talk;
    this.#disk.files.set('pic.png', 'a picture');
    const lines = { append: (line: string) => void this.lines.push(line), async sync() {} };
    this.#journalWriter = new JournalWriter(this.ledger, lines, this.#clock, { run: {}, redactor });
    const inbox = new WebhookInbox({ patienceMs: 1000, since: 0 });
    const outages = new Outages({
      ...{ api: this.#api(inbox), address: 'https://api.example', clock: this.#clock },
      ...{ stop: this.#stopper.signal, onEvent: () => undefined, backoffMs: 1, limitMs: 1000 },
    });
    this.#context = {
      ...{ api: outages.api, outages, disk: this.#disk, clock: this.#clock, inbox },
      ...{
        stop: this.#stopper.signal,
        backoffMs: 1,
        projects: new ProjectIds(),
        pace: async () => undefined,
        lookSchedule: new LookSchedule({ speedFactor: 1 }),
        looks: new LookBudget(this.#clock, 1),
      },
    };
  }

  async run(): Promise<void> {
    const common = { key: 'k', attempts: 2, timeoutMs: 60_000, fingerprint: this.job };
    const free = fingerprintFrom(digestOf({ job: 'free' }));
    const upload = fingerprintFrom(digestOf({ job: 'upload' }));
    const content = digestOfText('a picture');
    const from = { in: 'input', path: 'pic.png' } as const;
    await this.#do({
      ...{ ...common, operation: 'upload', fingerprint: upload, kind: 'upload', task: 'up' },
      ...{ from, name: 'pic.png', content },
    });
    const body = { assets: { target_file_path: 'api-assets/1.png' } };
    await this.#do({
      ...common,
      operation: 'detect',
      fingerprint: free,
      kind: 'face-detect',
      task: 'faces',
      body,
    });
    const about = { ...common, kind: 'face-swap-photo', task: 'swap' };
    const measure = { of: 'face-swap-photo', amount: reserve };
    const expectation = { kind: 'face-swap-photo', measure, why: '', otherwise: reserve };
    await this.#do({ ...about, operation: 'create', body, name, attempt: 1, reserve, expectation });
    for (let next = this.#next(about); next !== undefined; next = this.#next(about)) {
      const before = this.lines.length;
      await this.#do(next);
      if (this.lines.length === before) break;
    }
    this.#stopper.abort();
    this.#journalWriter.end();
  }

  /** What a run would do next with the job. */
  #next(
    about: Omit<
      Extract<JobOrder, { operation: 'attach' }>,
      'operation' | 'project' | 'settled' | 'since' | 'credits'
    >,
  ): JobOrder | undefined {
    const line = this.ledger.job(this.job);
    if (line?.project === undefined) return undefined;
    const { project, credits = 0 } = line;
    if (line.state === 'created')
      return { ...about, operation: 'attach', project, settled: false, since: 0, credits };
    if (line.state !== 'complete') return undefined;
    const tool = line.kind;
    if (line.outputs === undefined)
      return {
        ...about,
        operation: 'download',
        kind: 'download',
        task: 'save',
        tool,
        project,
        to: 'out/',
      };
    return { ...about, operation: 'delete', kind: 'delete', task: 'tidy', tool, project };
  }

  /** As the loop does: an event is on record before the job goes on. */
  async #do(order: JobOrder): Promise<void> {
    const performance = perform(order, this.#context);
    for (;;) {
      const step = await performance.next();
      if (step.done === true) return;
      if ('event' in step.value) this.#journalWriter.append([step.value.event]);
    }
  }

  #api(inbox: WebhookInbox): MediaApi {
    const talk = this.#talk;
    const record = turns(talk.records, nothing);
    const faces = turns(talk.faces, nothing);
    return {
      uploadAddresses: async () => {
        const got = taken(talk.upload, readUploadAddresses);
        if (!got.ok) return got;
        return ok(
          got.value.items.map((item) => ({ uploadUrl: item.upload_url, filePath: item.file_path })),
        );
      },
      put: async () => ok(digestOfText('a picture')),
      detectFaces: async () => taken(talk.detection, readAcceptedCreation),
      faceDetection: async (id) => {
        addressed(routes.faceDetection(id).path);
        return taken(faces(), readFaceDetection);
      },
      account: async () => taken({ status: 200, text: '{"credits":1e999}' }, readAccount),
      create: async () => {
        this.asked += 1;
        for (const event of talk.events) {
          const project = projectIn(event);
          if (project !== undefined) void inbox.deliver('image', project, this.#stopper.signal);
        }
        return taken(talk.creation, readAcceptedCreation);
      },
      project: async (kind, id) => {
        addressed(routes.project(kind, id).path);
        return taken(record(), readProject);
      },
      deleteProject: async (kind, id) => {
        addressed(routes.project(kind, id).path);
        return ok(undefined);
      },
      download: async (url, into) => this.#downloaded(url, into),
    };
  }

  async #downloaded(url: string, { path }: LocalFile): Answer<Fetched> {
    if (!URL.canParse(url)) return err({ reason: 'refused', status: 0, message: 'no address' });
    this.#disk.files.set(path, url);
    const digest = digestOfText(url);
    const { contentType } = this.#talk;
    return ok({ bytes: url.length, digest, contentType, isVerified: false });
  }
}

/** A path stays what it is when it becomes an address. */
function addressed(path: string): void {
  const { pathname, search, hash } = new URL(path, 'https://api.example');
  if (pathname !== path || search !== '' || hash !== '') throw new Error(`another path: ${path}`);
}

/** As the receiver of events reads it. */
export function projectIn({ text }: Wire): Project | undefined {
  const event = parsed(text);
  if (!isObject(event) || typeof event['type'] !== 'string') return undefined;
  const project = readProject(event['payload']);
  return project.ok ? project.value : undefined;
}
