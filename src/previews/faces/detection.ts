// Faces as the detector reports them.
import type { Patch } from './patch.ts';

/** In pixels of the patch. */
export interface Detection {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The detector's confidence: 0 to 1. */
  readonly score: number;
}

/** Finds the faces of a patch with at least this confidence: 0 to 1. */
export type Locate = (patch: Patch, confidence: number) => Promise<readonly Detection[]>;
