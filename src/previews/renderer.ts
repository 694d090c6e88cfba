// What the service asks for: a request and its input files go in, files come out. The same request gives the same bytes.
import type { JsonObject } from '../base/json.ts';
import type { Result } from '../base/result.ts';
import type { MediaType, Region } from '../contract/api/asset.ts';
import type { ProjectError } from '../contract/api/project.ts';
import type { OutputLimit } from '../contract/api/tier.ts';
import type { Tool } from '../contract/tool.ts';

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

export interface RenderRequest extends OutputLimit {
  readonly tool: Tool;
  /** With its defaults filled in. */
  readonly body: JsonObject;
  readonly inputs: readonly RenderInput[];
  /** An empty folder for the outputs. */
  readonly folder: string;
  readonly seed: number;
}

export interface RenderedFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Pixels, and frames per second of a clip. */
  readonly width?: number;
  readonly height?: number;
  readonly fps?: number;
}

export interface FoundFace {
  /** A PNG of the head. */
  readonly crop: Buffer;
  readonly region: Region;
}

/** An error belongs to the project. Calls throw on a bug, and what `isRendererClosed` knows. */
export interface Renderer {
  render(request: RenderRequest): Promise<Result<readonly RenderedFile[], ProjectError>>;
  /** From left to right. `confidence`: the least one, 0 to 1. */
  findFaces(
    input: RenderInput,
    confidence: number,
  ): Promise<Result<readonly FoundFace[], ProjectError>>;
  /** What a rehearsal with these kinds of steps should know, or one with all: a sentence each. */
  notes(kinds?: ReadonlySet<string>): readonly string[];
  /** Stops all work. */
  close(): Promise<void>;
}
