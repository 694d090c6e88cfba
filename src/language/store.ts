// Where results are kept besides the output folder: checks `outputs.store`, and reads the address.
import { digestOfBytes } from '../base/digest.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Diagnostic, errorAt, type Finding } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Pipeline } from './pipeline.ts';

type StoreAddress =
  /** Relative to the pipeline file, or absolute. */
  | { readonly kind: 'folder'; readonly path: string }
  /** `prefix` is empty, or ends with a slash. */
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string };

const example = 'for example s3://my-bucket/shots';

/** Names a store in the state file, without its address, which may be private. */
export const storeName = (address: string): string =>
  digestOfBytes(address.replace(/\/+$/, '')).slice(0, 16);

/** The same for a pipeline; undefined if the pipeline has no store. */
export const storeNameOf = ({ store }: Pick<Pipeline, 'store'>): string | undefined =>
  store === undefined ? undefined : storeName(store);

export const isBucket = (address: string): boolean => address.startsWith('s3://');

/** The message of the error is the end of a sentence about the store. */
export function storeAddressOf(text: string): Result<StoreAddress, Finding> {
  if (text.includes('${{'))
    return err({
      code: 'SL117',
      message: 'holds an expression, and a store is the same for every run',
      hint: 'write the folder or the bucket itself',
    });
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  if (scheme === undefined) return folderAddress(text);
  if (scheme !== 's3')
    return err({
      code: 'SL120',
      message: `begins with ${scheme}://`,
      hint: `name a folder, or a bucket: ${example}`,
    });
  return bucketAddress(text.slice('s3://'.length));
}

function folderAddress(path: string): Result<StoreAddress, Finding> {
  if (path.trim() !== path)
    return err({ code: 'SL120', message: 'has spaces around its name', hint: 'remove them' });
  if (/^~[^/]*(\/|$)/.test(path))
    return err({
      code: 'SL121',
      message: 'begins with "~", which only a shell expands',
      hint: 'write the whole path',
    });
  return ok({ kind: 'folder', path });
}

function bucketAddress(rest: string): Result<StoreAddress, Finding> {
  if (rest.includes('@'))
    return err({
      code: 'SL701',
      message: 'holds credentials, and a pipeline file is no place for them',
      hint: 'remove them, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead',
    });
  const [bucket = '', ...folders] = rest.replace(/\/+$/, '').split('/');
  if (bucket === '')
    return err({ code: 'SL120', message: 'names no bucket', hint: `write it, ${example}` });
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    return err({
      code: 'SL120',
      message: `names the bucket ${JSON.stringify(bucket)}, which is not a bucket's name`,
      hint: 'a name has 3 to 63 lower-case letters, digits, hyphens and dots',
    });
  const odd = folders.find((name) => !/^[\w.=+-]+$/.test(name) || /^\.\.?$/.test(name));
  if (odd !== undefined)
    return err({
      code: 'SL120',
      message: `has the part ${JSON.stringify(odd)} in its prefix`,
      hint: 'use letters, digits and . _ - = + between single slashes',
    });
  return ok({ kind: 'bucket', bucket, prefix: folders.map((name) => `${name}/`).join('') });
}

export function checkStore({ outputs }: JsonObject, source: Source): readonly Diagnostic[] {
  const store = isObject(outputs) ? outputs['store'] : undefined;
  if (typeof store !== 'string' || store === '') return [];
  const address = storeAddressOf(store);
  if (address.ok) return [];
  const { error } = address;
  // An address with credentials is not repeated.
  const shown = store.includes('@') ? 'the address' : JSON.stringify(store);
  const message = `outputs.store: ${shown} ${error.message}`;
  return [errorAt(source.file, source.spanOf(['outputs', 'store']), { ...error, message })];
}
