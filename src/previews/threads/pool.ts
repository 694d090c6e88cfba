// A renderer in child processes, so that the service answers while it renders, and survives a decoder that crashes. A
// process does one job at a time; a job that takes too long or too much memory is ended with its process, and the next
// job gets a new process. After a crash, the job is rendered once more.

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProjectError } from '../../contract/api/project.ts';
import { err } from '../../contract/base/result.ts';
import { DecodeBudget, type Holder } from '../base/decode-budget.ts';
import { usualDecodeBytes } from '../base/decode-memory.ts';
import {
  type FaceAnswer,
  type FoundFace,
  type Renderer,
  RendererClosed,
} from '../base/renderer.ts';
import type { RenderOutcome } from '../base/request.ts';
import type { Command, Done, ProcessReport, RenderJob } from './messages.ts';

export interface PoolOptions {
  /** Gets the reports of crashed processes. Default: nobody. */
  readonly report?: (about: string, reason: unknown) => void;
  /** Default: one less than the machine has processors, but two to four. */
  readonly processes?: number;
  /** How long one job may take, in milliseconds; default ten minutes. */
  readonly jobMs?: number;
  /** How much a thread's heap may grow; default 1024. Pixels are outside the heap: `decodeBytes`. */
  readonly heapMegabytes?: number;
  /** What all decoders together may take; default: 1 GiB, or a fourth of a smaller machine's memory. */
  readonly decodeBytes?: number | undefined;
  /** What the thread of a process runs. */
  readonly script: URL;
}

/** A job and whoever waits for it. */
interface QueuedJob {
  readonly job: RenderJob;
  readonly found: (face: FoundFace) => void;
  readonly end: (ending: Ending) => void;
  readonly fail: (reason: unknown) => void;
  /** How many processes crashed while they did this job. */
  readonly crashes: number;
}

interface RunningJob extends QueuedJob {
  readonly memory: Holder;
  readonly releases: Map<number, () => void>;
}

type Ending = Done | { readonly kind: 'refused'; readonly error: ProjectError };

/** One crash may have an outside cause, such as a system out of memory; after two, the job is to blame. */
const mostCrashes = 2;

export function openPool(options: PoolOptions): Renderer {
  const { script, processes = defaultProcesses(), jobMs = 600_000, heapMegabytes = 1024 } = options;
  const budget = new DecodeBudget(options.decodeBytes ?? usualDecodeBytes);
  const idle = new Set<RenderingProcess>();
  const busy = new Map<RenderingProcess, RunningJob>();
  const waiting: QueuedJob[] = [];
  const starting = new Set<RenderingProcess>();
  const timers = new Map<RenderingProcess, NodeJS.Timeout>();
  let closed = false;

  function pump(): void {
    while (!closed && waiting.length > 0) {
      const [free] = idle;
      const renderer = free ?? (busy.size < processes ? startProcess() : undefined);
      const queued = renderer === undefined ? undefined : waiting.shift();
      if (renderer === undefined || queued === undefined) return;
      idle.delete(renderer);
      assign(renderer, queued);
    }
  }

  function startProcess(): RenderingProcess {
    const renderer: RenderingProcess = spawnProcess({
      script,
      heapMegabytes,
      onReport: (report) => onReport(renderer, report),
      crashed: (how) => {
        idle.delete(renderer);
        starting.delete(renderer);
        const queued = finishJob(renderer, false);
        if (queued !== undefined) afterCrash(queued, how);
      },
    });
    starting.add(renderer);
    return renderer;
  }

  function onReport(renderer: RenderingProcess, report: ProcessReport): void {
    const queued = busy.get(renderer);
    switch (report.kind) {
      case 'ready':
        starting.delete(renderer);
        return queued && time(renderer, queued);
      case 'face':
        return queued?.found(report.face);
      case 'reserve':
        return queued && void reserve(renderer, queued, report);
      case 'release':
        queued?.releases.get(report.ticket)?.();
        queued?.releases.delete(report.ticket);
        return;
      case 'out-of-memory':
        finishJob(renderer, false);
        return queued?.end({ kind: 'refused', error: tookTooMuch(heapMegabytes) });
      case 'broke':
      case 'gone':
        idle.delete(renderer);
        finishJob(renderer, false);
        return queued?.fail(new Error(report.stack));
      case 'rendered':
      case 'searched':
        finishJob(renderer, true);
        return queued?.end(report);
    }
  }

  async function reserve(
    renderer: RenderingProcess,
    { memory, releases }: RunningJob,
    { ticket, bytes }: { readonly ticket: number; readonly bytes: number },
  ): Promise<void> {
    const reserved = await memory.reserve(bytes);
    // The job may have ended meanwhile.
    if (busy.get(renderer)?.memory !== memory) return;
    if (reserved.ok) releases.set(ticket, reserved.value);
    renderer.send({ kind: 'memory', ticket, most: reserved.ok ? undefined : reserved.error });
  }

  function assign(renderer: RenderingProcess, queued: QueuedJob): void {
    // Only a running job keeps the service's process alive.
    renderer.hold(true);
    busy.set(renderer, { ...queued, memory: budget.holder(), releases: new Map() });
    renderer.send(queued.job);
    if (!starting.has(renderer)) time(renderer, queued);
  }

  /** The time limit of a job does not include the start of its process. */
  function time(renderer: RenderingProcess, { end }: QueuedJob): void {
    const late = (): void => {
      finishJob(renderer, false);
      end({ kind: 'refused', error: tookTooLong(jobMs) });
    };
    timers.set(renderer, setTimeout(late, jobMs));
  }

  /** The job of a process is over; `reusable`: the process can take another one. */
  function finishJob(renderer: RenderingProcess, reusable: boolean): QueuedJob | undefined {
    const queued = busy.get(renderer);
    if (queued === undefined) return undefined;
    clearTimeout(timers.get(renderer));
    timers.delete(renderer);
    queued.memory.close();
    busy.delete(renderer);
    renderer.hold(false);
    if (reusable) idle.add(renderer);
    else void renderer.kill();
    pump();
    return queued;
  }

  function afterCrash(queued: QueuedJob, how: string): void {
    const crashes = queued.crashes + 1;
    const again = crashes < mostCrashes;
    const fate = again ? 'it is rendered again' : 'it fails';
    options.report?.(`a rendering process (${nameOf(queued.job)}; ${fate})`, how);
    if (!again) return queued.end({ kind: 'refused', error: crashedTwice });
    if (closed) return queued.fail(new RendererClosed());
    waiting.unshift({ ...queued, crashes });
    pump();
  }

  function enqueue(job: RenderJob, found: (face: FoundFace) => void): Promise<Ending> {
    if (closed) return Promise.reject(new RendererClosed());
    return new Promise((end, fail) => {
      const queued = { job, found, end, fail, crashes: 0 };
      // Face detection is free and quick, and its result is needed before anything is rendered.
      if (job.kind === 'faces') waiting.unshift(queued);
      else waiting.push(queued);
      pump();
    });
  }

  return {
    render: async ({ tool, ...request }): Promise<RenderOutcome> => {
      const job: RenderJob = { kind: 'render', request: { ...request, tool: tool.name } };
      const ending = await enqueue(job, () => {});
      if (ending.kind === 'refused') return err(ending.error);
      if (ending.kind !== 'rendered') throw new Error('bug: the process did another job');
      return ending.outcome;
    },
    findFaces: async (question, tell): Promise<FaceAnswer> => {
      let told = Promise.resolve();
      let failure: { readonly reason: unknown } | undefined;
      const ending = await enqueue({ kind: 'faces', question }, (face) => {
        told = told
          .then(() => tell(face))
          .catch((reason: unknown) => {
            failure ??= { reason };
          });
      });
      await told;
      if (failure !== undefined) throw failure.reason;
      if (ending.kind === 'refused') return err(ending.error);
      if (ending.kind !== 'searched') throw new Error('bug: the process did another job');
      return ending.answer;
    },
    close: async () => {
      closed = true;
      const renderers = [...idle, ...busy.keys()];
      const unfinished = [...waiting.splice(0), ...busy.values()];
      for (const timer of timers.values()) clearTimeout(timer);
      for (const { memory } of busy.values()) memory.close();
      idle.clear();
      busy.clear();
      for (const { fail } of unfinished) fail(new RendererClosed());
      await Promise.all(renderers.map((renderer) => renderer.kill()));
    },
  };
}

const nameOf = (job: RenderJob): string =>
  job.kind === 'render' ? job.request.tool : 'face detection';

/** Leaves a processor for the service and its clients. Each process takes a few hundred megabytes. */
function defaultProcesses(): number {
  return Math.min(4, Math.max(2, availableParallelism() - 1));
}

const tookTooLong = (ms: number): ProjectError => ({
  code: 'processing_timeout',
  message: `Rendering took longer than ${ms / 1000} seconds, the most that the local service allows`,
});

const tookTooMuch = (megabytes: number): ProjectError => ({
  code: 'file_too_large',
  message: `Rendering needed more than ${megabytes} megabytes, the most that the local service allows`,
});

const crashedTwice: ProjectError = {
  code: 'unknown_error',
  message: 'The renderer crashed twice; one of the input files may be damaged',
};

// Starts a rendering process and exchanges messages with it.

interface RenderingProcess {
  send(command: Command): void;
  /** While it is held, it keeps this process alive. */
  hold(held: boolean): void;
  /** Ends it at once; resolves when it is gone. */
  kill(): Promise<void>;
}

interface SpawnOptions {
  /** What its thread runs. */
  readonly script: URL;
  readonly heapMegabytes: number;
  readonly onReport: (report: ProcessReport) => void;
  /** It ended by itself or could not be started; `how` is for people. */
  readonly crashed: (how: string) => void;
}

const main = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

function spawnProcess(options: SpawnOptions): RenderingProcess {
  const { script, heapMegabytes, onReport, crashed } = options;
  const child = fork(main, [script.href, `${heapMegabytes}`], {
    // Without this process's own options, such as a debugger's port.
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let killed = false;
  const over = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  child.on('message', (report: ProcessReport) => onReport(report));
  child.once('exit', (code, signal) => {
    if (!killed) crashed(signal === null ? `ended with code ${code}` : `ended by ${signal}`);
  });
  child.on('error', (reason) => {
    // A failure of a running process is reported when it exits.
    if (child.pid === undefined && !killed) crashed(`could not be started: ${reason.message}`);
  });
  hold(child, false);
  return {
    send: (command) => void child.send(command),
    hold: (held) => hold(child, held),
    kill: () => {
      killed = true;
      // Otherwise this process might exit while somebody waits for the child's end.
      child.ref();
      child.kill('SIGKILL');
      return over;
    },
  };
}

function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
