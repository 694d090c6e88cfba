// Files that are only a memory: without one, the next command asks or compares once more. So they are not synced, and what
// cannot be read does not count.
import { rename } from 'node:fs/promises';
import { valueIn } from '../base/json.ts';
import { removeLeftover } from '../base/leftover.ts';
import { readOwnFile } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { validatorOf } from '../base/schema.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { createNew } from '../files/new-file.ts';

/** Replaces the file. The error says why that failed; the old file stays. */
export async function replaceMemory(
  file: string,
  ...pieces: readonly (string | Uint8Array)[]
): Promise<Result<void, string>> {
  const part = `${file}.part`;
  try {
    {
      await using handle = await createNew(part);
      for (const piece of pieces) await handle.writeFile(piece);
    }
    await rename(part, file);
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    await removeLeftover(part);
    return err(`${file} ${systemReason(error)}`);
  }
}

// What this checkout remembers between short runs: when it last looked at each project that renders, and the account's
// plan. Only a memory: without the file, the next tick asks the service once more.

export interface RememberedLooks {
  /** The tier of the account; undefined if the service did not report it. */
  readonly tier: string | undefined;
  /** By project, in milliseconds since 1970. */
  readonly looks: ReadonlyMap<string, number>;
}

interface Stored {
  readonly tier?: string | undefined;
  readonly looks: Readonly<Record<string, string>>;
}

const storedSchema = {
  type: 'object',
  required: ['looks'],
  properties: {
    tier: { type: 'string', maxLength: 100 },
    looks: { type: 'object', additionalProperties: { type: 'string', maxLength: 64 } },
  },
} as const;

/** More than the looks at a hundred thousand projects. */
const max = 10_000_000;

const noLooks: RememberedLooks = { tier: undefined, looks: new Map() };

/** Nothing if the file is missing or unreadable. */
export function readLooks(file: string): RememberedLooks {
  const read = readOwnFile(file, { max });
  if (!read.ok) return noLooks;
  const value = valueIn(read.value.toString('utf8'));
  if (!validatorOf<Stored>(storedSchema)(value)) return noLooks;
  const looks = Object.entries(value.looks)
    .map(([project, at]): [string, number] => [project, Date.parse(at)])
    .filter(([, at]) => !Number.isNaN(at));
  return { tier: value.tier, looks: new Map(looks) };
}

/** Replaces the file. The error says why that failed; the old file stays. */
export async function writeLooks(
  file: string,
  { tier, looks }: RememberedLooks,
): Promise<Result<void, string>> {
  const at = [...looks].map(([project, ms]) => [project, new Date(ms).toISOString()]);
  const stored: Stored = { tier, looks: Object.fromEntries(at) };
  return await replaceMemory(file, `${JSON.stringify(stored)}\n`);
}
