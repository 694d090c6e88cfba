// The version of shotlist, from package.json.
import { readFileSync } from 'node:fs';
import { isObject } from './json.ts';

export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isObject(json) && typeof json['version'] === 'string' ? json['version'] : '0.0.0';
}
