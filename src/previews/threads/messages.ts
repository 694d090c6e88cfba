// The messages between the service, a rendering process and its thread. They are plain data, about one job at a time.
import type { FaceQuestion, FoundFace, RenderOutcome, RenderRequest } from '../base/request.ts';

/** A tool is sent as its name. */
export type ThreadRequest = Omit<RenderRequest, 'tool'> & { readonly tool: string };

export type RenderJob =
  | { readonly kind: 'render'; readonly request: ThreadRequest }
  | { readonly kind: 'faces'; readonly question: FaceQuestion };

/** The answer to `reserve`. `most`: the request is too large for the budget of so many bytes. */
export interface MemoryAnswer {
  readonly kind: 'memory';
  readonly most: number | undefined;
}

export type Command = RenderJob | MemoryAnswer;

export type Report =
  /** The thread has started, and takes jobs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'face'; readonly face: FoundFace }
  /** Memory that a decoder needs, and that it no longer needs. A job holds one reservation at a time. */
  | { readonly kind: 'reserve'; readonly bytes: number }
  | { readonly kind: 'release' }
  /** The job is over; a search for faces has no files. */
  | { readonly kind: 'done'; readonly outcome: RenderOutcome }
  /** The job threw, or the thread is gone: a bug. */
  | { readonly kind: 'broke'; readonly stack: string };

/** The reports of a process: those of its thread, and that the thread took more heap than it may, and is gone. */
export type ProcessReport = Report | { readonly kind: 'out-of-memory' };
