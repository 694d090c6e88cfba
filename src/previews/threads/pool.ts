// A renderer in child processes, so that the service answers while it renders, and survives a decoder that crashes. A
// process does one job at a time; a job that takes too long or too much memory is ended with its process, and the next
// job gets a new process. After a crash, the job is rendered once more.

import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { err, ok } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { DecodeBudget, type Release, usualDecodeBytes } from '../base/decode-memory.ts';
import {
  type FaceAnswer,
  type FoundFace,
  type Renderer,
  RendererClosed,
  type RenderOutcome,
} from '../base/request.ts';
import type { Command, ProcessReport, RenderJob } from './messages.ts';

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
  readonly decodeBytes?: number;
  /** What the thread of a process runs. */
  readonly script: URL;
}

/** A job and whoever waits for it. */
interface QueuedJob {
  readonly job: RenderJob;
  readonly found: (face: FoundFace) => void;
  readonly end: (outcome: RenderOutcome) => void;
  readonly fail: (reason: unknown) => void;
  /** How many processes crashed while they did this job. */
  readonly crashes: number;
}

interface RunningJob extends QueuedJob {
  /** Of the memory that its decoder holds; undefined: it holds none. */
  release: Release | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A process and what it does. */
interface Slot {
  readonly child: ChildProcess;
  started: boolean;
  running: RunningJob | undefined;
}

/** One crash may have an outside cause, such as a system out of memory; after two, the job is to blame. */
const maxCrashes = 2;

export function openPool(options: PoolOptions): Renderer {
  const { script, processes = defaultProcesses(), jobMs = 600_000, heapMegabytes = 1024 } = options;
  const budget = new DecodeBudget(options.decodeBytes ?? usualDecodeBytes);
  const slots = new Set<Slot>();
  const waiting: QueuedJob[] = [];
  let closed = false;

  function pump(): void {
    while (!closed && waiting.length > 0) {
      const idle = [...slots].find(({ running }) => running === undefined);
      const slot = idle ?? (slots.size < processes ? openSlot() : undefined);
      const queued = slot && waiting.shift();
      if (slot === undefined || queued === undefined) return;
      assign(slot, queued);
    }
  }

  function openSlot(): Slot {
    const child = fork(main, [script.href, `${heapMegabytes}`], {
      // Without this process's own options, such as a debugger's port.
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const slot: Slot = { child, started: false, running: undefined };
    slots.add(slot);
    child.on('message', (report: ProcessReport) => onReport(slot, report));
    child.on('exit', (code, signal) =>
      onCrash(slot, signal === null ? `ended with code ${code}` : `ended by ${signal}`),
    );
    child.on('error', (reason) => {
      // A failure of a running process is reported when it exits.
      if (child.pid === undefined) onCrash(slot, `could not be started: ${reason.message}`);
    });
    hold(child, false);
    return slot;
  }

  function onReport(slot: Slot, report: ProcessReport): void {
    const { running } = slot;
    switch (report.kind) {
      case 'ready':
        slot.started = true;
        return startTimer(slot);
      case 'face':
        return running?.found(report.face);
      case 'reserve':
        return running && void reserve(slot, running, report.bytes);
      case 'release':
        return running && releaseMemory(running);
      case 'out-of-memory':
        endJob(slot, false);
        return running?.end(err(tookTooMuch(heapMegabytes)));
      case 'broke':
        endJob(slot, false);
        return running?.fail(new Error(report.stack));
      case 'done':
        endJob(slot, true);
        return running?.end(report.outcome);
    }
  }

  function onCrash(slot: Slot, how: string): void {
    // It was ended here.
    if (!slots.has(slot)) return;
    const { running } = slot;
    endJob(slot, false);
    if (running === undefined) return;
    const crashes = running.crashes + 1;
    const again = crashes < maxCrashes;
    const fate = again ? 'it is rendered again' : 'it fails';
    options.report?.(`a rendering process (${nameOf(running.job)}; ${fate})`, how);
    if (!again) return running.end(err(crashedTwice));
    waiting.unshift({ ...running, crashes });
    pump();
  }

  async function reserve(slot: Slot, running: RunningJob, bytes: number): Promise<void> {
    const reserved = await budget.reserve(bytes);
    if (reserved.ok) running.release = reserved.value;
    // The job may have ended meanwhile.
    if (slot.running !== running) return releaseMemory(running);
    send(slot, { kind: 'memory', most: reserved.ok ? undefined : reserved.error });
  }

  function releaseMemory(running: RunningJob): void {
    running.release?.();
    running.release = undefined;
  }

  function assign(slot: Slot, queued: QueuedJob): void {
    // Only a running job keeps the service's process alive.
    hold(slot.child, true);
    slot.running = { ...queued, release: undefined, timer: undefined };
    send(slot, queued.job);
    if (slot.started) startTimer(slot);
  }

  /** The time limit of a job does not include the start of its process. */
  function startTimer(slot: Slot): void {
    const { running } = slot;
    if (running === undefined) return;
    running.timer = setTimeout(() => {
      endJob(slot, false);
      running.end(err(tookTooLong(jobMs)));
    }, jobMs);
  }

  /** `reusable`: the process can take another job. */
  function endJob(slot: Slot, reusable: boolean): void {
    const { running } = slot;
    slot.running = undefined;
    clearTimeout(running?.timer);
    if (running !== undefined) releaseMemory(running);
    hold(slot.child, false);
    if (!reusable) {
      slots.delete(slot);
      void kill(slot.child);
    }
    pump();
  }

  function enqueue(job: RenderJob, found: (face: FoundFace) => void): Promise<RenderOutcome> {
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
    render: ({ tool, ...request }) =>
      enqueue({ kind: 'render', request: { ...request, tool: tool.name } }, () => {}),
    findFaces: async (question, tell): Promise<FaceAnswer> => {
      let told = Promise.resolve();
      const outcome = await enqueue({ kind: 'faces', question }, (face) => {
        told = told.then(() => tell(face));
        // A failure is thrown below, when the search is over.
        told.catch(() => {});
      });
      await told;
      return outcome.ok ? ok(undefined) : outcome;
    },
    close: async () => {
      closed = true;
      const open = [...slots];
      const unfinished = waiting.splice(0);
      for (const { running } of open) {
        if (running === undefined) continue;
        clearTimeout(running.timer);
        unfinished.push(running);
      }
      slots.clear();
      for (const { fail } of unfinished) fail(new RendererClosed());
      await Promise.all(open.map(({ child }) => kill(child)));
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

const main = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

const send = ({ child }: Slot, command: Command): void => void child.send(command);

/** While a process is held, it keeps this process alive. */
function hold(child: ChildProcess, held: boolean): void {
  if (held) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

/** Ends a process at once; resolves when it is gone. */
function kill(child: ChildProcess): Promise<void> {
  const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (isGone) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    // Otherwise this process might exit while somebody waits for the child's end.
    child.ref();
    child.kill('SIGKILL');
  });
}
