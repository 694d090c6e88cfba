// A monitor: hears about the runs of this process, and answers /healthz, /readyz and /metrics.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { isSystemProblem, systemCode } from '../../base/system-error.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type {
  RefusalReason,
  RequestFacts,
  RunObserver,
  RunWatch,
  WatchedRun,
  WatchedWorker,
  WorkerObserver,
  WorkerWatch,
} from '../../run/monitor.ts';
import type { RunEvent } from '../../run/run-event.ts';
import type { ListenAddress } from '../../service-api/address.ts';
import {
  createServer,
  isOwnHost,
  limitConnections,
  listenOn,
} from '../../service-api/web-server.ts';
import { refuse } from '../refuse.ts';
import { createMetrics, ProjectWaits, QueueMetrics, RunMetrics, WorkerMetrics } from './metrics.ts';

export interface MonitorOptions {
  readonly listen: ListenAddress;
  /** Aborted when the process is asked to stop. */
  readonly stop?: AbortSignal | undefined;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

export interface Monitor extends RunObserver, WorkerObserver {
  /** Where it answers, `http://127.0.0.1:9464`. */
  readonly address: string;
  /** The process is set up, and waits for work on these state files (absolute paths). */
  opened(states: readonly string[]): void;
  /** The database, in which the process looks for work, is away or back. */
  databaseAway(isAway: boolean): void;
  /** When the next run of a pipeline is due, in epoch milliseconds; undefined if none is. */
  setNextDue(pipeline: string, due: number | undefined): void;
  close(): Promise<void>;
}

/** More pipelines than this share one label. */
const maxPipelines = 200;

export async function startMonitor({ listen, stop, clock }: MonitorOptions): Promise<Monitor> {
  const metrics = createMetrics();
  const { registry } = metrics;
  const readiness = new Readiness(stop);
  const running = new Set<RunMetrics | WorkerMetrics>();
  const names = new Set<string>();
  const labelOf = (pipeline: string): string => {
    if (names.size < maxPipelines) names.add(pipeline);
    return names.has(pipeline) ? pipeline : 'other';
  };
  const server = await openMonitorServer(listen, {
    reasons: () => readiness.reasons(),
    async metrics() {
      for (const run of running) run.collect();
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });
  const begin = ({ pipeline, kinds, state, view }: WatchedRun): RunWatch => {
    const label = labelOf(pipeline);
    const run = new RunMetrics(metrics, { pipeline: label, kinds, view }, clock);
    let queue: QueueMetrics | undefined;
    running.add(run);
    readiness.runBegins(state);
    return {
      event(event) {
        run.event(event);
        readiness.event(event);
        if (event.type !== 'ended') return;
        queue?.end();
        running.delete(run);
      },
      request(request) {
        run.request(request);
        readiness.request(request);
      },
      project: (project) => run.project(project),
      ledger: (totals) => run.ledger(totals),
      refused(reason) {
        run.end(reason === 'system' ? 'stopped' : 'refused');
        readiness.refused(reason);
        queue?.end();
        running.delete(run);
      },
      queue(state) {
        queue ??= new QueueMetrics(metrics, { pipeline: label });
        queue.set(state);
        readiness.databaseAway(state === undefined);
      },
    };
  };
  const beginWorker = ({ pipeline, places }: WatchedWorker): WorkerWatch => {
    const worker = new WorkerMetrics(metrics, { pipeline: labelOf(pipeline), places }, clock);
    const waits = new ProjectWaits(metrics);
    running.add(worker);
    return {
      beat: (busy) => worker.beat(busy),
      ended: (outcome) => worker.ended(outcome),
      away(isAway) {
        worker.away(isAway);
        readiness.databaseAway(isAway);
      },
      request({ route, status }) {
        metrics.requests.inc({ route, status });
        readiness.request({ route, status });
      },
      project: (project) => waits.see(project, clock.elapsed()),
      over() {
        worker.over();
        running.delete(worker);
      },
    };
  };
  return {
    address: server.address,
    begin,
    beginWorker,
    databaseAway: (isAway) => readiness.databaseAway(isAway),
    opened: (states) => readiness.opened(states),
    setNextDue(pipeline, due) {
      const labels = { pipeline: labelOf(pipeline) };
      if (due === undefined) metrics.nextDue.remove(labels);
      else metrics.nextDue.set(labels, due / 1000);
    },
    close: () => server.close(),
  };
}

// Whether this process is ready to do work: the service accepts the key, the state files can be written, the database of a
// distributed run is there, and the process was not asked to stop.

class Readiness {
  readonly #stop: AbortSignal | undefined;
  readonly #states = new Set<string>();
  #began = false;
  #keyRefused = false;
  #databaseAway = false;
  /** The last run could not begin or go on. */
  #failure: 'system' | 'unreachable' | undefined;

  /** `stop`: aborted when the process is asked to stop. */
  constructor(stop: AbortSignal | undefined) {
    this.#stop = stop;
  }

  /** The process is set up, and waits for work on these state files. */
  opened(states: readonly string[]): void {
    this.#began = true;
    for (const state of states) this.#states.add(state);
  }

  runBegins(state: string): void {
    this.#states.add(state);
  }

  event(event: RunEvent): void {
    if (event.type === 'planned') {
      this.#began = true;
      this.#failure = undefined;
    }
    if (event.type === 'account') this.#keyRefused = false;
    if (event.type === 'ended' && event.summary.outcome === 'unauthorized') this.#keyRefused = true;
  }

  request({ route, status }: RequestFacts): void {
    // Storage does not see the key.
    if (route === 'upload' || route === 'download') return;
    if (status === '401') this.#keyRefused = true;
    if (status === '2xx') this.#keyRefused = false;
  }

  databaseAway(isAway: boolean): void {
    this.#databaseAway = isAway;
  }

  refused(reason: RefusalReason): void {
    if (reason === 'system' || reason === 'unreachable') this.#failure = reason;
  }

  /** Why the process is not ready, without paths; empty if it is. */
  async reasons(): Promise<readonly string[]> {
    const writable = await Promise.all([...this.#states].map(isWritable));
    return [
      ...(this.#began ? [] : ['no run has been prepared yet']),
      ...(this.#stop?.aborted === true ? ['the process is stopping'] : []),
      ...(this.#keyRefused ? ['the service refused the API key'] : []),
      ...(this.#databaseAway ? ['the database is away'] : []),
      ...(this.#failure === 'unreachable' ? ['the service cannot be reached'] : []),
      ...(this.#failure === 'system' ? ['this machine stopped the last run'] : []),
      ...(writable.every((good) => good) ? [] : ['a state file cannot be written']),
    ];
  }
}

async function isWritable(state: string): Promise<boolean> {
  try {
    await access(dirname(state), constants.W_OK);
    await access(state, constants.W_OK);
    return true;
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    // Without a state file, the first run makes the folder too.
    return systemCode(error) === 'ENOENT';
  }
}

// The web server of a monitor. It needs no key and gives nothing away: no paths, no items, no projects.

interface MonitorPages {
  /** Why the process is not ready; empty if it is. */
  readonly reasons: () => Promise<readonly string[]>;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

interface MonitorServer {
  readonly address: string;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const senderMs = 5_000;
const maxConnections = { perPeer: 32, total: 64 };

async function openMonitorServer(
  listen: ListenAddress,
  pages: MonitorPages,
): Promise<MonitorServer> {
  const server = createServer(
    { requestTimeout: senderMs, headersTimeout: senderMs, maxHeaderSize: 8_192 },
    async (request, response) => {
      const answering = pageFor(request, listen, pages).then((page) => send(response, page));
      await connections.busyWhile(request.socket, answering);
    },
  );
  const connections = limitConnections(server, maxConnections);
  const address = await listenOn(server, listen);
  if (!address.ok)
    return refuse(`--monitor: ${address.error}`, 'choose another port; 0 selects a free one');
  return {
    address: address.value,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const says = (status: number, text: string): Page => ({
  status,
  type: 'text/plain; charset=utf-8',
  text: `${text}\n`,
});

async function pageFor(
  request: IncomingMessage,
  { host }: ListenAddress,
  { reasons, metrics }: MonitorPages,
): Promise<Page> {
  if (!isOwnHost(request.headersDistinct['host'] ?? [], host))
    return says(403, 'The monitor does not answer to this name.');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return says(405, 'The monitor is read with GET.');
  switch (request.url?.split('?')[0]) {
    case '/healthz':
      return says(200, 'ok');
    case '/readyz': {
      const why = await reasons();
      return why.length === 0 ? says(200, 'ok') : says(503, why.join('\n'));
    }
    case '/metrics':
      return { status: 200, ...(await metrics()) };
    default:
      return says(404, 'There are /healthz, /readyz and /metrics.');
  }
}

/** Resolves when the answer is sent, or the client has disconnected. */
function send(response: ServerResponse, { status, type, text }: Page): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', resolve);
  });
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  // Node.js leaves the body out of an answer to HEAD.
  response.end(text);
  return gone;
}
