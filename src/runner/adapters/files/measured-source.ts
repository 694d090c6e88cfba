// The fields of an item that are in its file: its size, its hash, and what the header of a picture, clip or sound says.
// Only fields that an expression uses are read, once, when the items are listed.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JsonObject } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { systemReason } from '../../../contract/files/system-error.ts';
import type { MeasuredField } from '../../language/items.ts';
import { headerOf } from '../headers/media-header.ts';
import type { GlobSource } from './glob-source.ts';
import type { ItemSource, ListContext } from './item-source.ts';

/** How many files are read at once. */
const atOnce = 8;

interface Measured {
  readonly fields: JsonObject;
  readonly lacks: Readonly<Record<string, string>>;
}

export async function measuredSource(
  source: GlobSource,
  folder: string,
  { measured = new Set(), refusal, onMeasure, digest }: ListContext,
): Promise<ItemSource> {
  if (measured.size === 0) return source;
  const found: Measured[] = [];
  const measure = async (path: string): Promise<Measured> => {
    const file = resolve(folder, path);
    onMeasure?.(file);
    const refused = refusal?.(file);
    const values: Record<string, number | string> = {};
    const lacks: Record<string, string> = {};
    const note = (field: MeasuredField, value: Result<number | string, string>): void => {
      if (value.ok) values[field] = value.value;
      else lacks[field] = value.error;
    };
    const wanted = [...measured];
    if (refused !== undefined)
      return { fields: {}, lacks: Object.fromEntries(wanted.map((field) => [field, refused])) };
    for (const field of wanted) {
      if (field === 'bytes') note(field, bytesOf(file));
      else if (field === 'sha256') note(field, await (digest?.(path) ?? digestOf(file)));
      else note(field, await headerOf(file, field));
    }
    return { fields: values, lacks };
  };
  for (let start = 0; start < source.count; start += atOnce) {
    const paths = source.paths.slice(start, start + atOnce);
    found.push(...(await Promise.all(paths.map(measure))));
  }
  return {
    ...source,
    at: (index) => {
      const item = source.at(index);
      const { fields, lacks } = found[index] ?? { fields: {}, lacks: {} };
      return { ...item, fields: { ...item.fields, ...fields }, lacks };
    },
  };
}

function bytesOf(file: string): Result<number, string> {
  try {
    return ok(statSync(file).size);
  } catch (error) {
    return err(systemReason(error));
  }
}

async function digestOf(file: string): Promise<Result<string, string>> {
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return ok(hash.digest('hex'));
  } catch (error) {
    return err(systemReason(error));
  }
}
