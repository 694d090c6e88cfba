// What goes to a rendering thread and what comes back: plain data, one errand at a time.
import type { FaceAnswer, FaceQuestion, FoundFace } from '../renderer.ts';
import type { RenderOutcome, RenderRequest } from '../request.ts';

/** A tool is known by its name on the other side. */
export type ThreadRequest = Omit<RenderRequest, 'tool'> & { readonly tool: string };

export type Errand =
  | { readonly kind: 'render'; readonly request: ThreadRequest }
  | { readonly kind: 'faces'; readonly question: FaceQuestion };

export type Report =
  | { readonly kind: 'face'; readonly face: FoundFace }
  | { readonly kind: 'rendered'; readonly outcome: RenderOutcome }
  | { readonly kind: 'searched'; readonly answer: FaceAnswer }
  /** The errand threw, which is a bug. */
  | { readonly kind: 'broke'; readonly stack: string };
