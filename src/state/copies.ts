// Copies of a state file that a program which synchronizes folders left beside it: two machines ran while they were apart, and
// each file knows payments that the other does not.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSystemProblem } from '../base/system-error.ts';

/** `.sync-conflict-…` (Syncthing), `(… conflicted copy …)` (Dropbox, Nextcloud), `(1)` (Google Drive, browsers), `-host` aside. */
const marks =
  /^(?:\.sync-conflict-[^/]*|[ _-]?\([^()/]*(?:conflict|copy)[^()/]*\)|[ _-]?\(\d+\))$/i;

const ending = '.jsonl';

/** Paths beside the state file, sorted. */
export function copiesOf(state: string): readonly string[] {
  const name = basename(state);
  if (!name.endsWith(ending)) return [];
  const stem = name.slice(0, -ending.length);
  let names: readonly string[];
  try {
    names = readdirSync(dirname(state));
  } catch (error) {
    // Whoever opens the file says what is wrong with its folder.
    if (!isSystemProblem(error)) throw error;
    return [];
  }
  return names
    .filter(
      (other) =>
        other.endsWith(ending) &&
        other.startsWith(stem) &&
        marks.test(other.slice(stem.length, -ending.length)),
    )
    .sort()
    .map((other) => join(dirname(state), other));
}
