// The interface of a renderer: a request and its input files go in, files come out. The same request gives the same bytes.

import type { JsonObject } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import type { MediaType, Region } from '../../contract/api/asset.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import type { Tool } from '../../contract/tool.ts';

export interface RenderInput {
  /** Its path in the request body: `assets.target_file_path`. */
  readonly field: string;
  readonly media: MediaType;
  /** The absolute path of the file; undefined for a URL of another host, which is never fetched. */
  readonly file: string | undefined;
  /** How the request named it. */
  readonly reference: string;
  /** For the crop of a detected face: where the face was in its picture. */
  readonly face: Region | undefined;
  /** Where face detection found faces in this picture. */
  readonly faces: readonly Region[];
}

export interface RenderRequest {
  readonly tool: Tool;
  /** With its defaults filled in. */
  readonly body: JsonObject;
  readonly inputs: readonly RenderInput[];
  /** An empty folder for the outputs. */
  readonly folder: string;
  readonly seed: number;
  /** The plan's limit on the shorter side of an output, in pixels. */
  readonly most: number;
  /** The plan's limit on the longer side, in pixels; undefined: none. */
  readonly longest?: number;
}

export interface RenderedFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Pixels; undefined for sound, and where they are unknown. */
  readonly width?: number;
  readonly height?: number;
  /** Frames per second, where they are known. */
  readonly fps?: number;
}

/** An error belongs to the project: a bad input, for example. */
export type RenderOutcome = Result<readonly RenderedFile[], ProjectError>;

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
