// The formats of a state file: the version in its header, and what reads the lines of each.
//
// How a version is added: raise `formatVersion` and the header's schema (line.ts), give the new format its reader
// below, and let the reader of the old one stay, answering the new lines. A run appends only lines of the current
// format, so it then compacts an older file before its first line; compaction always writes the current one.
import { isObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { parseLine, type StateLine } from './line.ts';

type LineReader = (text: string) => Result<StateLine, string>;

const formatVersion = 1;
const readers = new Map<number, LineReader>([[formatVersion, parseLine]]);

/** What reads a state file that begins with this line. On failure: why nothing here does, as a sentence. */
export function readerFor(firstLine: string): Result<LineReader, string> {
  const version = versionIn(firstLine);
  // Without a version it is no header, which the current reader says in its own words.
  const reader = readers.get(version ?? formatVersion);
  if (reader !== undefined) return ok(reader);
  return err(
    `it was written by a newer shotlist (format ${version}); this one reads format ${formatVersion}: upgrade shotlist`,
  );
}

function versionIn(line: string): number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const version = isObject(value) ? value['shotlist'] : undefined;
    return typeof version === 'number' && Number.isSafeInteger(version) && version > formatVersion
      ? version
      : undefined;
  } catch {
    return undefined;
  }
}
