// The files that a request names (interface.md, Asset reference): the schema's `x-asset` marks find them, each is checked
// against the file store, and they are stored with the project.

import { asJson, isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import {
  extensionOf,
  knownExtensions,
  libraryMediaOf,
  type MediaType,
} from '../contract/api/asset.ts';
import { RequestError } from './errors.ts';
import type { Assets } from './store/assets.ts';
import type { PresignedAddresses } from './store/presigned-addresses.ts';

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

/** Where the files of an account can be. */
interface FileSources {
  readonly assets: Assets;
  readonly projects: { find(id: string): { readonly account: string } | undefined };
  readonly addresses: PresignedAddresses;
}

/** Every file that a valid body names. Throws if one does not exist, with the field that names it. */
export function inputsOf(
  schema: Schema,
  body: JsonObject,
  account: string,
  sources: FileSources,
): readonly Input[] {
  return [...namedIn(schema, body, '')].map((named) => {
    const location = locationOf(named.reference, account, sources);
    if (typeof location === 'string') throw new RequestError(400, `${named.field}: ${location}`);
    return { ...named, ...location };
  });
}

/** A sentence says why there is no such file. */
function locationOf(
  reference: string,
  account: string,
  { assets, projects, addresses }: FileSources,
): Pick<Input, 'place' | 'key'> | string {
  if (!/^https?:\/\//i.test(reference)) {
    if (assets.has(reference, account)) return { place: 'stored', key: reference };
    return (
      `The path "${reference}" does not exist. Use the file_path that POST /v1/files/generate-upload-urls ` +
      'returned, and PUT the file to its upload_url.'
    );
  }
  if (!URL.canParse(reference)) return `"${reference}" is not a valid URL.`;
  const url = new URL(reference);
  const own = addresses.read(url);
  if (own?.state === 'valid') {
    // Anyone with a download address can fetch the file; only the account that owns the file can use it as an asset.
    const [, project] = /^outputs\/([^/]+)\//.exec(own.key) ?? [];
    const isOwner =
      project === undefined
        ? assets.has(own.key, account)
        : projects.find(project)?.account === account;
    return isOwner ? { place: 'stored', key: own.key } : `The URL "${reference}" does not exist.`;
  }
  if (own !== undefined) return { place: 'lost', key: '' };
  if (
    libraryMediaOf(reference) === undefined &&
    !knownExtensions.includes(extensionOf(url.pathname))
  )
    return `The URL "${reference}" must end in a known extension (${knownExtensions.join(', ')}).`;
  return { place: 'elsewhere', key: '' };
}

type Named = Pick<Input, 'field' | 'media' | 'reference'>;

/** Walks schema and value together: a string under an `x-asset` mark is an asset reference. */
function* namedIn(schema: unknown, value: Json, field: string): Generator<Named> {
  if (!isObject(schema)) return;
  const mark = schema['x-asset'];
  if (typeof value === 'string') {
    if (mark === 'image' || mark === 'video' || mark === 'audio')
      yield { field, media: mark, reference: value };
    return;
  }
  const below = (name: string | number): string => (field === '' ? `${name}` : `${field}.${name}`);
  if (isObject(value) && isObject(schema['properties']))
    for (const [name, member] of Object.entries(schema['properties']))
      if (Object.hasOwn(value, name)) yield* namedIn(member, value[name] ?? null, below(name));
  if (Array.isArray(value) && isObject(schema['items']))
    for (const [index, member] of value.entries())
      yield* namedIn(schema['items'], member, below(index));
}

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
