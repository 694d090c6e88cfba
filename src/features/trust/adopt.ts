// `trust --folder`: the user confirms that a folder is shotlist's own, for example because an older version made it or
// because it was copied from another machine. Links in the folder, and files that git tracks, are still refused.
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { oddEntryIn } from '../../base/odd-entries.ts';
import { adoptFolder, OwnerKeyError, ownershipOf } from '../../base/owner.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { trackedAt } from '../../files/git-index.ts';
import { type Problem, problem, Refusal } from '../../language/load/problem.ts';
import { isLink, isSpecial, isTracked, withoutKey } from '../../state/own-folder.ts';

export interface Adopted {
  /** Absolute: the folder, and the data folders of rehearsals in it. */
  readonly folders: readonly string[];
}

/** `path`: a `.shotlist` folder, or the data folder of a local service, relative to the working folder. */
export function adopt(path: string): Adopted {
  const folder = resolve(path);
  try {
    const refused = refusal(folder);
    if (refused !== undefined) throw new Refusal(refused);
    const folders = [folder, ...rehearsalData(folder)].filter((one) => ownershipOf(one) !== 'ours');
    for (const one of folders) adoptFolder(one);
    return { folders };
  } catch (error) {
    if (error instanceof OwnerKeyError) throw new Refusal(withoutKey(error));
    if (!isSystemProblem(error)) throw error;
    throw new Refusal(problem(`the folder ${folder} ${systemReason(error)}`));
  }
}

function refusal(folder: string): Problem | undefined {
  const stats = lstatSync(folder);
  if (stats.isSymbolicLink()) return isLink(folder);
  if (!stats.isDirectory()) return problem(`${folder} is not a folder`);
  // shotlist removes files with the names of its leftovers from a trusted folder, so not every folder may be trusted.
  if (basename(folder) !== '.shotlist' && !isData(folder))
    return problem(
      `${folder} is neither a .shotlist folder nor the data folder of a local service`,
      'shotlist',
      'name the folder that the error message named',
    );
  const tracked = trackedAt(folder);
  if (tracked !== undefined) return isTracked(folder, tracked);
  const odd = oddEntryIn(folder);
  if (odd === undefined) return undefined;
  return odd.is === 'link' ? isLink(odd.path) : isSpecial(odd.path);
}

const isData = (folder: string): boolean =>
  lstatSync(join(folder, 'service.sqlite'), { throwIfNoEntry: false })?.isFile() === true;

/** The data folders of rehearsals' services in a `.shotlist` folder. */
function rehearsalData(folder: string): readonly string[] {
  const rehearsals = join(folder, 'rehearsal');
  return entriesOf(rehearsals)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(rehearsals, name, 'service'))
    .filter(isData);
}

function entriesOf(folder: string): readonly Dirent[] {
  const there = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return there ? readdirSync(folder, { withFileTypes: true }) : [];
}
