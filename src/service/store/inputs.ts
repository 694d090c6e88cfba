// The files that a request names, as they are kept with its project.

import { asJson, isObject, type Json } from '../../base/json.ts';
import type { MediaType } from '../../contract/api/asset.ts';

export interface Input {
  /** The field that names it: `assets.face_mappings.0.new_face`. */
  readonly field: string;
  readonly media: MediaType;
  /** The asset reference as the client sent it. */
  readonly reference: string;
  /**
   * `stored`: a file of this service, by its key. `lost`: an address of this service that no longer works.
   * `elsewhere`: a URL of another host, which the service never fetches.
   */
  readonly place: 'stored' | 'lost' | 'elsewhere';
  /** The key in storage; empty unless stored. */
  readonly key: string;
}

/** Inputs as text for the database. */
export const writeInputs = (inputs: readonly Input[]): string => JSON.stringify(inputs);

export function readInputs(text: string): readonly Input[] {
  const list = asJson(JSON.parse(text));
  if (!Array.isArray(list)) throw new Error('bug: stored inputs are not a list');
  return list.map(readInput);
}

function readInput(value: Json): Input {
  if (!isObject(value)) throw new Error('bug: a stored input is not an object');
  const { field, media, reference, place, key } = value;
  if (typeof field !== 'string' || typeof reference !== 'string' || typeof key !== 'string')
    throw new Error('bug: a stored input lacks a text');
  if (media !== 'image' && media !== 'video' && media !== 'audio')
    throw new Error('bug: a stored input has no media');
  if (place !== 'stored' && place !== 'lost' && place !== 'elsewhere')
    throw new Error('bug: a stored input has no place');
  return { field, media, reference, place, key };
}
