// The strip on every preview, which says that it is one.
import { expect, test } from 'vitest';
import { mark, markHeight } from '../../../src/previews/pictures/mark.ts';

const size = { width: 400, height: 300 };

/** The bytes of the strip at the lower edge, after these captions were painted one over the other. */
function stripAfter(...captions: readonly string[]): Buffer {
  const picture = { ...size, pixels: Buffer.alloc(size.width * size.height * 4, 255) };
  for (const caption of captions) mark(picture, caption, caption);
  return picture.pixels.subarray(size.width * (size.height - markHeight(size)) * 4);
}

test('the mark of a preview that is made from another preview hides the first one', () => {
  const once = stripAfter('photo-colorizer');
  expect(stripAfter('image-background-remover', 'photo-colorizer').equals(once)).toBe(true);
  expect(stripAfter('image-background-remover').equals(once)).toBe(false);
});
