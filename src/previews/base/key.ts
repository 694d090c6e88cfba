// The key of a request: everything that would change the hosted service's result, and nothing that differs between two
// uploads of one file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { digestOf } from '../../base/digest.ts';
import { isObject, type Json } from '../../base/json.ts';
import type { RenderRequest } from './request.ts';

/** The request without its name and its files: two requests with one key differ in their inputs only. */
export function keyOf({ tool, body, inputs, seed }: RenderRequest): string {
  const fields = new Set(['name', ...inputs.map(({ field }) => field)]);
  return digestOf({ tool: tool.name, seed, body: without(body, fields, '') });
}

function without(value: Json, fields: ReadonlySet<string>, path: string): Json {
  const below = (name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`);
  if (Array.isArray(value)) return value.map((member, i) => without(member, fields, below(i)));
  if (!isObject(value)) return fields.has(path) ? null : value;
  const kept = Object.entries(value).filter(([name]) => !fields.has(below(name)));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, without(member, fields, below(name))]),
  );
}

/** A colour's angle, 0 to 359, that is always the same for the same key. */
export function hueOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt16BE(0) % 360;
}

/** The SHA-256 of a file's content, read in pieces. */
export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
