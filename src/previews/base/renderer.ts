// What the service knows of rendering: a request with its real input files goes in, files come out. Who does it, and
// on which thread, is behind this interface. The same request gives the same bytes.
import type { ProjectError } from '../../contract/api/project.ts';
import type { Region } from '../../contract/api/region.ts';
import type { Result } from '../../contract/base/result.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from './request.ts';

export interface Renderer {
  /** A bad input is an outcome; it throws on a bug, and `RendererClosed`. */
  render(request: RenderRequest): Promise<RenderOutcome>;
  /** Looks for faces and tells each as soon as it is found; they are all told when it answers. */
  findFaces(question: FaceQuestion, tell: (face: FoundFace) => Promise<void>): Promise<FaceAnswer>;
  /** Ends what is under way, which then throws `RendererClosed`. */
  close(): Promise<void>;
}

/** facts.md, Face detection. */
export interface FaceQuestion {
  /** A picture, or a clip, which is looked at a few times a second. */
  readonly input: RenderInput;
  /** How sure one must be that it is a face: 0 to 1. */
  readonly confidence: number;
}

export interface FoundFace {
  /** `<look>-<face>.png`: for a picture the look is 0. */
  readonly name: string;
  /** The face as a PNG. */
  readonly crop: Uint8Array;
  readonly region: Region;
}

/** An error: the file cannot be looked into. */
export type FaceAnswer = Result<undefined, ProjectError>;

/** The service is stopping; what was to be rendered is begun again when it starts. */
export class RendererClosed extends Error {
  readonly code = 'RENDERER_CLOSED';
  constructor() {
    super('The renderer was closed');
  }
}
