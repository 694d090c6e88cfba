// The renderer on threads of its own, so that the service answers while it renders. A thread does one errand at a
// time; one that takes too long or too much memory is ended with its thread, and the next gets a new one.
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ProjectError } from '../../../api/project.ts';
import { err } from '../../../base/result.ts';
import { type FaceAnswer, type FoundFace, type Renderer, RendererClosed } from '../renderer.ts';
import type { RenderOutcome } from '../request.ts';
import type { Errand, Report } from './messages.ts';

export interface PoolOptions {
  /** Default: one less than the machine has, but two to four. */
  readonly threads?: number;
  /** How long one errand may take, in milliseconds; default ten minutes. */
  readonly errandMs?: number;
  /** How much a thread's heap may grow; default 1024. Pixels are outside the heap, and limited where they are read. */
  readonly heapMegabytes?: number;
  /** What a thread runs; another one in tests. */
  readonly script?: URL;
}

/** An errand and whoever waits for it. */
interface Ordered {
  readonly errand: Errand;
  readonly found: (face: FoundFace) => void;
  readonly end: (report: Ending) => void;
  readonly fail: (reason: unknown) => void;
}

type Ending =
  | Exclude<Report, { readonly kind: 'face' | 'broke' }>
  | { readonly kind: 'refused'; readonly error: ProjectError };

export function openPool(options: PoolOptions = {}): Renderer {
  const { threads = usualThreads(), errandMs = 600_000, heapMegabytes = 1024 } = options;
  const script = options.script ?? new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
  const idle: Worker[] = [];
  const busy = new Map<Worker, Ordered & { readonly timer: NodeJS.Timeout }>();
  const waiting: Ordered[] = [];
  let closed = false;

  function pump(): void {
    while (!closed && waiting.length > 0) {
      const worker = idle.pop() ?? (busy.size < threads ? begin() : undefined);
      const ordered = worker === undefined ? undefined : waiting.shift();
      if (worker === undefined || ordered === undefined) return;
      perform(worker, ordered);
    }
  }

  function begin(): Worker {
    const worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    worker.on('message', (report: Report) => {
      const ordered = busy.get(worker);
      if (report.kind === 'face') return ordered?.found(report.face);
      leave(worker, report.kind !== 'broke');
      if (report.kind === 'broke') ordered?.fail(new Error(report.stack));
      else ordered?.end(report);
    });
    worker.on('error', (reason) => {
      const ordered = leave(worker, false);
      if (isOutOfMemory(reason))
        ordered?.end({ kind: 'refused', error: tookTooMuch(heapMegabytes) });
      else ordered?.fail(reason);
    });
    worker.on('exit', (code) => {
      const ordered = leave(worker, false);
      ordered?.fail(new Error(`a rendering thread ended by itself with code ${code}`));
    });
    return worker;
  }

  function perform(worker: Worker, ordered: Ordered): void {
    // Only work under way holds the process.
    worker.ref();
    const timer = setTimeout(() => {
      leave(worker, false);
      ordered.end({ kind: 'refused', error: tookTooLong(errandMs) });
    }, errandMs);
    busy.set(worker, { ...ordered, timer });
    worker.postMessage(ordered.errand);
  }

  /** The errand of a thread is over; `fit`: the thread can take another one. */
  function leave(worker: Worker, fit: boolean): Ordered | undefined {
    const ordered = busy.get(worker);
    if (ordered === undefined) return undefined;
    clearTimeout(ordered.timer);
    busy.delete(worker);
    worker.unref();
    if (fit) idle.push(worker);
    else void worker.terminate();
    pump();
    return ordered;
  }

  function order(errand: Errand, found: (face: FoundFace) => void): Promise<Ending> {
    if (closed) return Promise.reject(new RendererClosed());
    return new Promise((end, fail) => {
      const ordered = { errand, found, end, fail };
      // Looking for faces is free and quick, and somebody waits for it before anything is rendered.
      if (errand.kind === 'faces') waiting.unshift(ordered);
      else waiting.push(ordered);
      pump();
    });
  }

  return {
    render: async ({ tool, ...request }): Promise<RenderOutcome> => {
      const errand: Errand = { kind: 'render', request: { ...request, tool: tool.name } };
      const ending = await order(errand, () => {});
      if (ending.kind === 'refused') return err(ending.error);
      if (ending.kind !== 'rendered') throw new Error('bug: the thread did another errand');
      return ending.outcome;
    },
    findFaces: async (question, tell): Promise<FaceAnswer> => {
      let told = Promise.resolve();
      let failure: { readonly reason: unknown } | undefined;
      const ending = await order({ kind: 'faces', question }, (face) => {
        told = told
          .then(() => tell(face))
          .catch((reason: unknown) => {
            failure ??= { reason };
          });
      });
      await told;
      if (failure !== undefined) throw failure.reason;
      if (ending.kind === 'refused') return err(ending.error);
      if (ending.kind !== 'searched') throw new Error('bug: the thread did another errand');
      return ending.answer;
    },
    close: async () => {
      closed = true;
      const workers = [...idle.splice(0), ...busy.keys()];
      for (const { timer } of busy.values()) clearTimeout(timer);
      const unfinished = [...waiting.splice(0), ...busy.values()];
      busy.clear();
      for (const { fail } of unfinished) fail(new RendererClosed());
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** The machine is left a processor for the service and whoever asks it. Each thread holds a few hundred megabytes. */
function usualThreads(): number {
  return Math.min(4, Math.max(2, availableParallelism() - 1));
}

const isOutOfMemory = (reason: unknown): boolean =>
  reason instanceof Error && 'code' in reason && reason.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tookTooLong = (ms: number): ProjectError => ({
  code: 'processing_timeout',
  message: `Rendering took longer than ${ms / 1000} seconds, the most that the local service allows`,
});

const tookTooMuch = (megabytes: number): ProjectError => ({
  code: 'file_too_large',
  message: `Rendering needed more than ${megabytes} megabytes, the most that the local service allows`,
});
