// How many pictures a request asks for.
import { fieldOf } from '../contract/base/json.ts';
import type { RenderRequest } from './base/request.ts';

/** More pictures than any model makes at once. */
const mostPictures = 16;

export function imageCountOf({ body }: RenderRequest): number {
  const count = fieldOf(body, 'image_count');
  return typeof count === 'number' ? Math.max(1, Math.min(mostPictures, Math.floor(count))) : 1;
}
