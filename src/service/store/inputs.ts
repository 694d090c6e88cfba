// The files that a request names: found by the schema's `x-asset` marks, checked against storage, and kept
// with the project as what they mean (interface.md, Asset reference).
import {
  extensionOf,
  knownExtensions,
  libraryMediaOf,
  type MediaType,
} from '../../contract/api/asset.ts';
import { asJson, isObject, type Json, type JsonObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Schema } from '../../contract/base/schema.ts';
import { badRequest, type ErrorResponse } from '../base/error-response.ts';
import type { Assets } from './assets.ts';
import type { PresignedAddresses } from './presigned-addresses.ts';
import type { StoredProject } from './project-row.ts';

export interface Input {
  /** Where in the body it is named: `assets.face_mappings.0.new_face`. */
  readonly field: string;
  readonly media: MediaType;
  /** The asset reference as it was sent. */
  readonly reference: string;
  /**
   * `stored`: a file of ours, by its key. `lost`: an address of ours that no longer works.
   * `elsewhere`: a URL of somebody else's; it is never fetched.
   */
  readonly place: 'stored' | 'lost' | 'elsewhere';
  /** The key in storage; empty unless stored. */
  readonly key: string;
}

/** Where the files of one account may be. */
export interface InputSources {
  readonly account: string;
  readonly assets: Assets;
  readonly projects: { find(id: string): Pick<StoredProject, 'account'> | undefined };
  readonly addresses: PresignedAddresses;
}

/** Every file that a valid body names, or a refusal that names the one that does not exist. */
export function inputsOf(
  schema: Schema,
  body: JsonObject,
  sources: InputSources,
): Result<readonly Input[], ErrorResponse> {
  const inputs: Input[] = [];
  for (const { field, media, reference } of namedIn(schema, body, '')) {
    const location = locationOf(reference, sources);
    if (!location.ok)
      return err({ ...location.error, message: `${field}: ${location.error.message}` });
    inputs.push({ field, media, reference, ...location.value });
  }
  return ok(inputs);
}

type FileLocation = Pick<Input, 'place' | 'key'>;

function locationOf(reference: string, sources: InputSources): Result<FileLocation, ErrorResponse> {
  const { account, assets, addresses } = sources;
  if (!/^https?:\/\//i.test(reference)) {
    if (assets.has(reference, account)) return ok({ place: 'stored', key: reference });
    return badRequest(
      `The path "${reference}" does not exist. Use the file_path that POST /v1/files/generate-upload-urls ` +
        'returned, and PUT the file to its upload_url.',
    );
  }
  if (!URL.canParse(reference)) return badRequest(`"${reference}" is not a valid URL.`);
  const url = new URL(reference);
  const own = addresses.read(url);
  if (own?.state === 'valid' && !isOwn(own.key, sources))
    return badRequest(`The URL "${reference}" does not exist.`);
  if (own !== undefined)
    return ok(
      own.state === 'valid' ? { place: 'stored', key: own.key } : { place: 'lost', key: '' },
    );
  if (
    libraryMediaOf(reference) === undefined &&
    !knownExtensions.includes(extensionOf(url.pathname))
  )
    return badRequest(
      `The URL "${reference}" must end in a known extension (${knownExtensions.join(', ')}).`,
    );
  return ok({ place: 'elsewhere', key: '' });
}

/** An address opens a file to whoever has it; as an asset it stands only for a file of the caller's own account. */
function isOwn(key: string, { account, assets, projects }: InputSources): boolean {
  const [, project] = /^outputs\/([^/]+)\//.exec(key) ?? [];
  return project === undefined
    ? assets.has(key, account)
    : projects.find(project)?.account === account;
}

type Named = Pick<Input, 'field' | 'media' | 'reference'>;

/** Walks schema and value together; a string under an `x-asset` mark is an asset reference. */
export function* namedIn(schema: unknown, value: Json, field: string): Generator<Named> {
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

/** Inputs as they are kept in the database. */
export const writeInputs = (inputs: readonly Input[]): string => JSON.stringify(inputs);

export function readInputs(text: string): readonly Input[] {
  const list = asJson(JSON.parse(text));
  if (!Array.isArray(list)) throw new Error('bug: stored inputs are a list');
  return list.map(readInput);
}

function readInput(value: Json): Input {
  if (!isObject(value)) throw new Error('bug: a stored input is an object');
  const { field, media, reference, place, key } = value;
  if (typeof field !== 'string' || typeof reference !== 'string' || typeof key !== 'string')
    throw new Error('bug: a stored input lacks a text');
  if (media !== 'image' && media !== 'video' && media !== 'audio')
    throw new Error('bug: a stored input has no media');
  if (place !== 'stored' && place !== 'lost' && place !== 'elsewhere')
    throw new Error('bug: a stored input has no place');
  return { field, media, reference, place, key };
}
