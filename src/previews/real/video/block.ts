// A small picture with its place on a frame: a subtitle, a caption.
import type { Picture } from '../../pictures/picture.ts';
import { lay } from '../../pictures/canvas.ts';

export interface Block {
  readonly picture: Picture;
  /** Pixels from the frame's upper left corner. */
  readonly left: number;
  readonly top: number;
}

export function layBlock(frame: Picture, block: Block | undefined): void {
  if (block !== undefined) lay(frame, block.picture, block.left, block.top);
}
