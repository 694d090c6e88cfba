// What a monitor hears: of the requests of a run or of a worker, of distributed runs, and of all runs of this process. Nothing in a
// run depends on a monitor.

import type { Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { CreditTotals } from '../model/ledger.ts';
import type { MediaApi } from './jobs/ports.ts';
import type { RunEvent } from './run-event.ts';
import type { RunView } from './run-view.ts';

/** Hears about requests. */
export interface RequestWatch {
  request(request: RequestFacts): void;
  project(project: ProjectFacts): void;
}

/** One request to the service or its storage. */
export interface RequestFacts {
  readonly route: RequestRoute;
  /** An HTTP status, `2xx`, or a word for a request without an answer. */
  readonly status: string;
}

export type RequestRoute =
  | 'account'
  | 'create'
  | 'delete-project'
  | 'detect-faces'
  | 'download'
  | 'face-detection'
  | 'project'
  | 'upload'
  | 'upload-address';

/** A project that was just made or read. */
export interface ProjectFacts {
  readonly id: string;
  /** The tool; undefined if the project was read, not made. */
  readonly kind?: string;
  /** As the service says it, such as `queued`. */
  readonly status: string;
}

// Of distributed runs: from their coordinators, and from workers.

/** The run as its coordinator sees it. */
export interface QueueState {
  /** The number of the coordinator's term. */
  readonly term: number;
  /** Orders that are due. */
  readonly queued: number;
  /** Orders that wait for their time: parked projects. */
  readonly parked: number;
  /** Orders at workers. */
  readonly active: number;
  /** Records that the coordinator has not heard yet. */
  readonly behind: number;
  readonly workers: readonly WorkerState[];
}

export interface WorkerState {
  /** Unique to the process. */
  readonly worker: string;
  readonly places: number;
  readonly busy: number;
  /** Milliseconds since its last beat. */
  readonly silentMs: number;
}

/** A worker that was silent for longer is gone, in milliseconds: it beats every few seconds. */
export const longestSilenceMs = 20_000;

/** Hears about the workers of this process. */
export interface WorkerObserver {
  /** Call when a worker begins to work on a run. */
  beginWorker(worker: WatchedWorker): WorkerWatch;
}

export interface WatchedWorker {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** How many orders the worker performs at once. */
  readonly places: number;
}

/** Hears about the part of one worker in one run. */
export interface WorkerWatch extends RequestWatch {
  /** The database has heard of the worker, which performs `busy` orders. */
  beat(busy: number): void;
  /** An order ended; `outcome` has few different values. */
  ended(outcome: string): void;
  /** The database is away, or back. */
  away(isAway: boolean): void;
  /** The worker works on the run no longer. */
  over(): void;
}

/** Hears about all runs of this process. */
export interface RunObserver {
  /** Call when a run begins. */
  begin(run: WatchedRun): RunWatch;
}

export interface WatchedRun {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The step kind of each step. */
  readonly kinds: ReadonlyMap<string, string>;
  /** The absolute path of the state file. */
  readonly state: string;
  /** What the run has told so far: an event is part of it before anybody hears the event. */
  readonly view: RunView;
}

/** Hears about one run. */
export interface RunWatch extends RequestWatch {
  event(event: RunEvent): void;
  /** The state file is open, and `totals` returns its credits at any time. */
  ledger(totals: () => CreditTotals): void;
  /** The run ended without a summary. */
  refused(reason: RefusalReason): void;
  /** Of a distributed run, every few seconds; undefined: the database is away. */
  queue(state: QueueState | undefined): void;
}

export type RefusalReason = 'input' | 'locked' | 'system' | 'unreachable';

/** Reports every request, and changes none. */
export function watchedApi(api: MediaApi, watch: RequestWatch | undefined): MediaApi {
  if (watch === undefined) return api;
  const seen = async <T>(
    route: RequestRoute,
    answer: Promise<Result<T, ApiFailure>>,
  ): Promise<Result<T, ApiFailure>> => {
    const got = await answer;
    const status = got.ok ? '2xx' : statusOf(got.error);
    if (status !== undefined) watch.request({ route, status });
    return got;
  };
  return {
    uploadAddresses: (items) => seen('upload-address', api.uploadAddresses(items)),
    put: (target, file) => seen('upload', api.put(target, file)),
    detectFaces: (body) => seen('detect-faces', api.detectFaces(body)),
    faceDetection: (id) => seen('face-detection', api.faceDetection(id)),
    account: () => seen('account', api.account()),
    async create(tool, body, known) {
      const made = await seen('create', api.create(tool, body, known));
      if (made.ok) watch.project({ id: made.value.id, kind: tool, status: 'queued' });
      return made;
    },
    async project(record, id) {
      const read = await seen('project', api.project(record, id));
      if (read.ok) watch.project({ id, status: read.value.status });
      return read;
    },
    deleteProject: (record, id) => seen('delete-project', api.deleteProject(record, id)),
    download: (url, into) => seen('download', api.download(url, into)),
  };
}

/** Few different values, because each becomes a time series. Undefined: nothing was sent. */
function statusOf(failure: ApiFailure): string | undefined {
  switch (failure.reason) {
    case 'aborted':
    case 'outage':
    case 'no-answers':
    case 'late':
      return undefined;
    case 'unauthorized':
      return '401';
    case 'payment-required':
      return '402';
    case 'forbidden':
      return '403';
    case 'not-found':
      return '404';
    case 'missing-asset':
      return '400';
    case 'throttled':
      return '429';
    case 'refused':
      return failure.status === 0 ? 'refused' : String(failure.status);
    case 'unavailable':
      return String(failure.status);
    case 'expired':
    case 'unreachable':
    case 'unanswered':
    case 'damaged':
    case 'local':
      return failure.reason;
  }
}
