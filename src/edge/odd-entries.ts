// Looks for what no folder of shotlist's own holds: links, pipes, devices. Nothing is followed.
import { type Dir, type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from './system-error.ts';

export interface OddEntry {
  readonly is: 'link' | 'special';
  readonly path: string;
}

/** How many entries are asked for at once. */
const many = 256;

/**
 * The first odd entry in a folder and in those below that `enters` lets in; undefined: there is none, or no folder. Throws what
 * the system throws.
 */
export function oddEntryIn(
  folder: string,
  enters: (folder: string) => boolean = () => true,
): OddEntry | undefined {
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of entriesOf(next)) {
      if (entry.isFile()) continue;
      const path = join(next, entry.name);
      if (!entry.isDirectory()) return { is: entry.isSymbolicLink() ? 'link' : 'special', path };
      if (enters(path)) folders.push(path);
    }
  }
  return undefined;
}

function* entriesOf(folder: string): Generator<Dirent> {
  const open = openFolder(folder);
  if (open === undefined) return;
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) yield entry;
  } finally {
    open.closeSync();
  }
}

/** Undefined: another process has just removed it. */
function openFolder(folder: string): Dir | undefined {
  try {
    return opendirSync(folder, { bufferSize: many });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
