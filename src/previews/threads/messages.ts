// The messages between the service, a rendering process and its thread. They are plain data, about one job at a time.
import type { FaceAnswer, FaceQuestion, FoundFace } from '../base/renderer.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';

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

/** What ends a job. */
export type Done =
  | { readonly kind: 'rendered'; readonly outcome: RenderOutcome }
  | { readonly kind: 'searched'; readonly answer: FaceAnswer };

export type Report =
  | Done
  /** The thread has started, and takes jobs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'face'; readonly face: FoundFace }
  /** Memory that a decoder needs, and that it no longer needs. A job holds one reservation at a time. */
  | { readonly kind: 'reserve'; readonly bytes: number }
  | { readonly kind: 'release' }
  /** The job threw, which is a bug. */
  | { readonly kind: 'broke'; readonly stack: string };

/** The reports of a process: those of its thread, and two of its own. */
export type ProcessReport =
  | Report
  /** The thread took more heap than it may, and is gone. */
  | { readonly kind: 'out-of-memory' }
  /** The thread is gone for another reason, which is a bug. */
  | { readonly kind: 'gone'; readonly stack: string };
