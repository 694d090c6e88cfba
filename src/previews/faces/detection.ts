// Faces as the finder sees them.
import type { Patch } from './patch.ts';

/** A face as the finder sees it: pixels of the patch. */
export interface Detection {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** How sure it is that this is a face: 0 to 1. */
  readonly score: number;
}

/** Looks for faces in a patch; those that are so sure, or surer: 0 to 1. */
export type Locate = (patch: Patch, confidence: number) => Promise<readonly Detection[]>;
