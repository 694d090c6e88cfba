// The formats of a state file: the version in its header, and how to read its lines.
//
// To add a format: raise `formatVersion` and change the schemas, describe in a separate file how to upgrade lines of
// the previous format (format-1.ts), and list it below. Lines of an older format are upgraded as they are read. A file
// of an older format is compacted before anything is appended to it, and compaction writes the current format, so the
// lines of a file always have the format that its header names.
import type { FromSchema } from 'json-schema-to-ts';
import { isObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Schema } from '../../contract/base/schema.ts';
import { eventSchemas } from './event-schemas.ts';
import {
  type EventLine1,
  eventSchemas1,
  type Header1,
  headerSchema1,
  upgradedEvent,
  upgradedHeader,
} from './format-1.ts';
import { parseLine, readLine, type StateLine } from './line.ts';
import { formatVersion, headerSchema } from './line-schemas.ts';

export interface StateFormat {
  readonly version: number;
  /** Jobs may be rows (rows.ts). */
  readonly hasRows: boolean;
  /**
   * Reads one line that is no row, upgraded to the current format. The error is the end of a sentence about the line.
   */
  parse(text: string): Result<StateLine, string>;
  /** The events that may have been appended to a file of this format, by name. */
  readonly events: Readonly<Record<string, Schema>>;
}

export const currentFormat: StateFormat = {
  version: formatVersion,
  hasRows: true,
  parse: parseLine,
  events: eventSchemas,
};

/** Every job is a line of its own. */
const format2: StateFormat = {
  version: 2,
  hasRows: false,
  parse: parseLine2,
  events: eventSchemas,
};

const format1: StateFormat = {
  version: 1,
  hasRows: false,
  parse: parseLine1,
  events: eventSchemas1,
};

/** The newest first. */
export const formats: readonly StateFormat[] = [currentFormat, format2, format1];

/** The format of a state file that begins with this line. The error is a sentence that says why no format fits. */
export function formatOf(firstLine: string): Result<StateFormat, string> {
  const version = versionIn(firstLine);
  const format = formats.find((known) => known.version === version);
  if (format !== undefined) return ok(format);
  // A line without a version is not a header; the current format's parser reports that.
  if (version === undefined || version < formatVersion) return ok(currentFormat);
  return err(
    `a newer shotlist wrote it, in format ${version}; this version reads formats up to ${formatVersion}: upgrade shotlist`,
  );
}

/** Reads one line of any format: a merge may have put lines of two formats into one file. */
export function parseAnyFormat(text: string): Result<StateLine, string> {
  const read = currentFormat.parse(text);
  if (read.ok) return read;
  for (const format of [format2, format1]) {
    const old = format.parse(text);
    if (old.ok) return old;
  }
  return read;
}

function versionIn(line: string): number | undefined {
  const value = jsonIn(line);
  const version = isObject(value) ? value['shotlist'] : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;
}

const headerSchema2 = {
  ...headerSchema,
  properties: { ...headerSchema.properties, shotlist: { type: 'integer', const: 2 } },
} as const;

function parseLine2(text: string): Result<StateLine, string> {
  const value = text.startsWith('{"shotlist":') ? jsonIn(text) : undefined;
  if (!isObject(value)) return parseLine(text);
  return readLine<FromSchema<typeof headerSchema2>>(headerSchema2, value, (line) => ({
    type: 'header',
    line: { ...line, shotlist: formatVersion },
  }));
}

function parseLine1(text: string): Result<StateLine, string> {
  const value = jsonIn(text);
  if (!isObject(value)) return parseLine(text);
  if (value['shotlist'] === 1)
    return readLine<Header1>(headerSchema1, value, (line) => ({
      type: 'header',
      line: upgradedHeader(line),
    }));
  const name = value['event'];
  const schema =
    typeof name === 'string' && Object.hasOwn(schemas1, name) ? schemas1[name] : undefined;
  if (schema === undefined) return parseLine(text);
  return readLine<EventLine1>(schema, value, (line) => ({
    type: 'event',
    line: upgradedEvent(line),
  }));
}

const schemas1: Readonly<Record<string, Schema>> = eventSchemas1;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
