// What a renderer is asked for and what it answers.
import type { MediaType } from '../../contract/api/asset.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import type { Region } from '../../contract/api/region.ts';
import type { JsonObject } from '../../contract/base/json.ts';
import type { Result } from '../../contract/base/result.ts';
import type { Tool } from '../../contract/kinds/kind.ts';

export interface RenderInput {
  /** Where the body names it: `assets.target_file_path`. */
  readonly field: string;
  readonly media: MediaType;
  /** The absolute path of the file; undefined for a URL that is not ours, which is not fetched. */
  readonly file: string | undefined;
  /** How the request named it. */
  readonly reference: string;
  /** When this is the crop of a detected face: where it was in its picture. */
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
  /** Pixels that the shorter side of an output may have on this plan. */
  readonly most: number;
  /** Pixels that the longer side may have; undefined: as many as the shorter one allows. */
  readonly longest?: number;
}

export interface RenderedFile {
  /** Its name in the folder. */
  readonly name: string;
  /** Pixels; undefined for sound, and where they are not known. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Frames a second, where they are known. */
  readonly fps?: number | undefined;
}

/** An error is the project's: a bad input, for example. */
export type RenderOutcome = Result<readonly RenderedFile[], ProjectError>;
