// Chooses the outputs for the commit after a run: those that git does not have yet, as they were recorded, up to a size.
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { openRegular } from '../../base/regular-file.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import type { Ledger } from '../../model/ledger.ts';
import { placeIn } from './place.ts';

/** `--commit-outputs`. */
export type CommitOutputs = 'none' | 'small' | 'all';

/** In bytes. */
const limits = { file: 1 << 20, total: 20 << 20 };

export interface OutputSearch {
  /** The pipeline's folder: recorded paths are relative to it. */
  readonly folder: string;
  readonly top: string;
  readonly inHead: ReadonlySet<string>;
  /** When the run began, in milliseconds. A file in HEAD that is older has not changed. */
  readonly since: number;
  readonly which: CommitOutputs;
}

export interface ChosenOutputs {
  /** Relative to the top, sorted. */
  readonly paths: readonly string[];
  /** The number of outputs that are too large. */
  readonly tooLarge: number;
}

/** Those of `found` that fit, and that nobody has changed. */
export async function chooseOutputs(
  found: FoundOutputs,
  which: CommitOutputs,
): Promise<ChosenOutputs> {
  const paths: string[] = [];
  let [tooLarge, total] = [0, 0];
  for (const [path, output] of [...found].sort(byPath)) {
    const fits = output.bytes <= limits.file && total + output.bytes <= limits.total;
    if (which === 'small' && !fits) tooLarge += 1;
    else if (await isAsRecorded(output)) {
      paths.push(path);
      total += output.bytes;
    }
  }
  return { paths, tooLarge };
}

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

interface OutputFile {
  readonly file: string;
  readonly bytes: number;
  /** Two tasks may have saved one path, one after the other. */
  readonly hashes: Set<string>;
}

/** By path, relative to the top. */
export type FoundOutputs = ReadonlyMap<string, OutputFile>;

/** The outputs that git does not have. */
export function newOutputs(
  ledger: Ledger,
  { folder, top, inHead, since, which }: OutputSearch,
): FoundOutputs {
  if (which === 'none') return new Map();
  const found = new Map<string, OutputFile>();
  for (const { outputs = [] } of ledger.jobs())
    for (const { path: recorded, sha256 } of outputs) {
      const file = resolve(folder, recorded);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      // Lost, elsewhere, or no longer shotlist's own.
      if (stats === undefined || !stats.isFile()) continue;
      const path = placeIn(top, file);
      if (path === undefined || (inHead.has(path) && stats.mtimeMs < since)) continue;
      const known = found.get(path);
      if (known === undefined)
        found.set(path, { file, bytes: stats.size, hashes: new Set([sha256]) });
      else known.hashes.add(sha256);
    }
  return found;
}

/** A file that its owner changed is not committed for them. */
async function isAsRecorded({ file, hashes }: OutputFile): Promise<boolean> {
  try {
    await using handle = await openRegular(file);
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return hashes.has(hash.digest('hex'));
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  }
}
