// The chance of a request: the same request draws the same lots, and each of its pictures has its own.
import { createHash } from 'node:crypto';
import { chanceOf } from '../../../contract/base/chance.ts';
import { keyOf } from '../../base/key.ts';
import type { RenderRequest } from '../../base/request.ts';

export function lotsOf(request: RenderRequest, index = 0): () => number {
  const digest = createHash('sha256').update(keyOf(request)).digest();
  return chanceOf(digest.readInt32BE(0), index);
}
