// The interface of a renderer: a request and its input files go in, files come out. The same request gives the same bytes.

import type { Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import type { Region } from '../../contract/api/region.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from './request.ts';

export interface Renderer {
  /** A bad input is an outcome. Throws on a bug, and `RendererClosed`. */
  render(request: RenderRequest): Promise<RenderOutcome>;
  /** Looks for faces and reports each one as soon as it is found; resolves after the last report. */
  findFaces(
    question: FaceQuestion,
    report: (face: FoundFace) => Promise<void>,
  ): Promise<FaceAnswer>;
  /** Stops all work; unfinished calls throw `RendererClosed`. */
  close(): Promise<void>;
}

/** facts.md, Face detection. */
export interface FaceQuestion {
  /** A picture, or a clip, which is sampled a few times a second. */
  readonly input: RenderInput;
  /** The least confidence of the detector: 0 to 1. */
  readonly confidence: number;
}

export interface FoundFace {
  /** `<sample>-<face>.png`; the sample of a picture is 0. */
  readonly name: string;
  /** The face as a PNG. */
  readonly crop: Uint8Array;
  readonly region: Region;
}

/** An error: the file cannot be read. */
export type FaceAnswer = Result<undefined, ProjectError>;

/** The service is stopping. It renders unfinished projects again when it next starts. */
export class RendererClosed extends Error {
  readonly code = 'RENDERER_CLOSED';
  constructor() {
    super('The renderer was closed');
  }
}
