// What the last run with nothing to do has compared: as long as it is the same, the next run has nothing to do either.
import { ok, type Result } from '../../../contract/base/result.ts';
import { validatorOf } from '../../../contract/base/schema.ts';
import { readOwnFile } from '../../../contract/files/regular-file.ts';
import type { Plan } from '../../plan/plan.ts';
import type { SkippedGroup } from '../../run/skipped-tasks.ts';
import type { Content } from './file-version.ts';
import { remembered, replaceMemory } from './memory-file.ts';

/** Everything except the files, whose paths follow it. */
export interface Compared {
  /** A digest of everything that is neither an item nor a file. */
  readonly terms: string;
  /** The state file. */
  readonly state: Content;
  /** A digest of the items. */
  readonly items: string;
  /** A digest of the stamps of all files. */
  readonly stamps: string;
  /** What the run told: its number, its plan, the credits that stay reserved, and the tasks that are skipped. */
  readonly run: number;
  readonly plan: Plan;
  readonly reserved: number;
  readonly skipped: readonly SkippedGroup[];
}

export interface RememberedRun {
  readonly compared: Compared;
  /** As in `StampedFiles`. */
  readonly paths: Uint8Array;
}

const text = { type: 'string', maxLength: 64 } as const;

const comparedSchema = {
  type: 'object',
  required: ['terms', 'state', 'items', 'stamps', 'run', 'plan', 'reserved', 'skipped'],
  properties: {
    ...{ terms: text, items: text, stamps: text },
    state: {
      type: 'object',
      required: ['bytes', 'sha256'],
      properties: { bytes: { type: 'integer' }, sha256: text },
    },
    run: { type: 'integer' },
    plan: {
      type: 'object',
      required: ['items', 'rows', 'credits'],
      properties: {
        items: { type: 'integer' },
        rows: { type: 'array' },
        credits: { type: 'number' },
      },
    },
    reserved: { type: 'number' },
    skipped: {
      type: 'array',
      items: {
        type: 'object',
        required: ['skips', 'items'],
        properties: {
          skips: { type: 'object', additionalProperties: { type: 'string' } },
          items: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const;

/** More than the paths of a million files. */
const max = 200_000_000;
const lineFeed = 10;

/** Undefined if the file is missing or unreadable. */
export function readUpToDate(file: string): RememberedRun | undefined {
  const read = readOwnFile(file, { max });
  if (!read.ok) return undefined;
  const bytes = read.value;
  const end = bytes.indexOf(lineFeed);
  if (end < 0) return undefined;
  const compared = remembered(bytes.toString('utf8', 0, end));
  if (!validatorOf<Compared>(comparedSchema)(compared)) return undefined;
  return { compared, paths: bytes.subarray(end + 1) };
}

/** Replaces the file, unless there is too much to remember. The error says why that failed; the old file stays. */
export async function writeUpToDate(
  file: string,
  { compared, paths }: RememberedRun,
): Promise<Result<void, string>> {
  const head = `${JSON.stringify(compared)}\n`;
  if (Buffer.byteLength(head) + paths.length > max) return ok(undefined);
  return await replaceMemory(file, head, paths);
}
