// Resolves the asset references of a request: the schema's `x-asset` marks find them, and each is checked against the
// file store (interface.md, Asset reference).

import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Schema } from '../../base/schema.ts';
import { extensionOf, knownExtensions, libraryMediaOf } from '../../contract/api/asset.ts';
import { badRequest, type ErrorResponse } from '../base/error-response.ts';
import type { Assets } from '../store/assets.ts';
import type { Input } from '../store/inputs.ts';
import type { PresignedAddresses } from '../store/presigned-addresses.ts';
import type { StoredProject } from '../store/project-row.ts';

/** Where the files of one account can be. */
export interface FileSources {
  readonly account: string;
  readonly assets: Assets;
  readonly projects: { find(id: string): Pick<StoredProject, 'account'> | undefined };
  readonly addresses: PresignedAddresses;
}

/** Every file that a valid body names, or an error that names the first file that does not exist. */
export function inputsOf(
  schema: Schema,
  body: JsonObject,
  sources: FileSources,
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

function locationOf(reference: string, sources: FileSources): Result<FileLocation, ErrorResponse> {
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

/** Anyone with a download address can fetch the file; only the account that owns the file can use it as an asset. */
function isOwn(key: string, { account, assets, projects }: FileSources): boolean {
  const [, project] = /^outputs\/([^/]+)\//.exec(key) ?? [];
  return project === undefined
    ? assets.has(key, account)
    : projects.find(project)?.account === account;
}

type Named = Pick<Input, 'field' | 'media' | 'reference'>;

/** Walks schema and value together: a string under an `x-asset` mark is an asset reference. */
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
