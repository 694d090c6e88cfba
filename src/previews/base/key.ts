// What a request says in words, and the key that tells one request from another: everything that would change
// the hosted service's result, and nothing that differs between two uploads of the same file.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { digestOf } from '../../contract/base/digest.ts';
import { fieldOf, isObject, type Json } from '../../contract/base/json.ts';
import type { RenderRequest } from './request.ts';

/** The words that a card shows. */
export function wordsOf({ tool, body }: RenderRequest): string {
  const fields = ['style.prompt', 'style.topic', 'content', 'style.art_style'];
  const words = fields.map((field) => fieldOf(body, field));
  return words.find((word) => typeof word === 'string' && word !== '')?.toString() ?? tool.title;
}

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

/** The SHA-256 of a file's content, read in pieces. */
export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
