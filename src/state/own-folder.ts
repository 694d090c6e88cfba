// Checks `.shotlist` beside a pipeline. shotlist trusts, overwrites and removes its content, so it must be a folder
// that shotlist made for this user, and no repository may have put anything into it.
import { chmodSync, lstatSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { oddEntryIn } from '../base/odd-entries.ts';
import { adoptFolder, claimFolder, OwnerKeyError, ownershipOf } from '../base/owner.ts';
import {
  failingDiskCure,
  isFailingDisk,
  isSystemProblem,
  systemReason,
} from '../base/system-error.ts';
import { trackedAt } from '../files/git-index.ts';
import { createNew } from '../files/new-file.ts';
import { type Problem, problem, Refusal } from '../language/load/problem.ts';
import type { RunPaths } from './run-paths.ts';

type OwnPaths = Pick<RunPaths, 'ownFolder' | 'runFolder' | 'serviceData'>;

/** Why nothing in it may be read, written or removed; undefined if the folder is ours or empty. */
export function checkOwnFolder(paths: OwnPaths): Problem | undefined {
  const { ownFolder } = paths;
  try {
    const ownership = ownershipOf(ownFolder);
    if (ownership === 'absent') return undefined;
    if (ownership === 'link') return isLink(ownFolder);
    const tracked = trackedAt(ownFolder);
    if (tracked !== undefined) return isTracked(ownFolder, tracked);
    if (ownership === 'foreign') return isForeign(ownFolder);
    const odd = oddEntryIn(ownFolder, (folder) => belongsTo(paths, folder));
    if (odd === undefined) return undefined;
    return odd.is === 'link' ? isLink(odd.path) : isSpecial(odd.path);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return problem(`the folder ${ownFolder} ${systemReason(error)}`, 'shotlist', 'move it away');
  }
}

/**
 * A hosted run does not check the rehearsals, which may be large; a rehearsal checks only its own folder. The local service keeps
 * a folder for each asset and each output in its data, and removes nothing in there by path: it stops at the same depth.
 */
function belongsTo({ ownFolder, runFolder, serviceData }: OwnPaths, folder: string): boolean {
  const rehearsals = join(ownFolder, 'rehearsal');
  if (runFolder === ownFolder) return folder !== rehearsals;
  if (dirname(dirname(folder)) === serviceData) return false;
  return folder === rehearsals || folder === runFolder || folder.startsWith(runFolder + sep);
}

/** The same, but claims a folder that is missing or empty, because a run needs it. */
export async function claimOwnFolder(paths: OwnPaths): Promise<Problem | undefined> {
  const refused = checkOwnFolder(paths);
  if (refused !== undefined) return refused;
  try {
    return await claim(paths.ownFolder);
  } catch (error) {
    return unclaimed(error, paths.ownFolder);
  }
}

/** The same for a command that takes the lock: makes the folder if the lock is kept in it. */
export async function ownFolderForLock(paths: RunPaths): Promise<Problem | undefined> {
  return paths.lock.startsWith(paths.ownFolder + sep)
    ? await claimOwnFolder(paths)
    : checkOwnFolder(paths);
}

/** The same for a plan, which continues without a cache of hashes if the folder cannot be made. */
export async function ownFolderForPlan(paths: RunPaths): Promise<RunPaths> {
  const refused = checkOwnFolder(paths);
  if (refused !== undefined) throw new Refusal(refused);
  try {
    const foreign = await claim(paths.ownFolder);
    if (foreign === undefined) return paths;
    throw new Refusal(foreign);
  } catch (error) {
    if (!(error instanceof OwnerKeyError) && !isSystemProblem(error)) throw error;
    return { ...paths, hashes: undefined };
  }
}

/**
 * Marks a folder of another user or host as this user's, too, because there is a proof that it can be trusted. Links in it, and
 * files that git tracks, are refused even so. False: nothing was to be done.
 */
export function adoptOwnFolder({ ownFolder }: Pick<OwnPaths, 'ownFolder'>): boolean {
  try {
    if (ownershipOf(ownFolder) !== 'foreign') return false;
    const tracked = trackedAt(ownFolder);
    if (tracked !== undefined) throw new Refusal(isTracked(ownFolder, tracked));
    const odd = oddEntryIn(ownFolder);
    if (odd !== undefined)
      throw new Refusal(odd.is === 'link' ? isLink(odd.path) : isSpecial(odd.path));
    adoptFolder(ownFolder);
    return true;
  } catch (error) {
    throw new Refusal(unclaimed(error, ownFolder));
  }
}

async function claim(ownFolder: string): Promise<Problem | undefined> {
  const was = claimFolder(ownFolder, (process.umask() & everybody) === 0 ? 0o700 : 0o777);
  // The folder appeared after the first check.
  if (was === 'foreign' || was === 'link') return isForeign(ownFolder);
  closeToOthers(ownFolder);
  await keepOutOfGit(ownFolder);
  return undefined;
}

/** The permission of everybody to write. */
const everybody = 0o002;

/** What everybody may write cannot be trusted. A group may share the folder. */
function closeToOthers(ownFolder: string): void {
  const { mode, uid } = lstatSync(ownFolder);
  if ((mode & everybody) !== 0 && uid === process.getuid?.()) chmodSync(ownFolder, 0o700);
}

/** So that nobody commits it by mistake. */
async function keepOutOfGit(ownFolder: string): Promise<void> {
  const file = join(ownFolder, '.gitignore');
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  await using handle = await createNew(file);
  await handle.writeFile('*\n');
}

function unclaimed(error: unknown, ownFolder: string): Problem {
  if (error instanceof OwnerKeyError) return withoutKey(error);
  if (!isSystemProblem(error)) throw error;
  const cure = isFailingDisk(error)
    ? failingDiskCure
    : 'a run keeps files there: make its folder one that you may write to';
  return problem(`the folder ${ownFolder} ${systemReason(error)}`, 'shotlist', cure);
}

/** The problem if folders cannot be marked as this user's. */
export function withoutKey({ message, cause }: OwnerKeyError): Problem {
  return problem(
    `shotlist cannot remember which folders it made: ${message}`,
    'shotlist',
    isFailingDisk(cause)
      ? failingDiskCure
      : 'set XDG_STATE_HOME to a folder that you may write to, outside of all repositories',
  );
}

export const isLink = (path: string): Problem =>
  problem(
    `${path} is a link: shotlist follows no links among its own files, because they may come from somebody else and lead anywhere`,
    'shotlist',
    `remove the link: ${path}`,
  );

export const isSpecial = (path: string): Problem =>
  problem(`${path} is not a regular file`, 'shotlist', 'remove it');

export const isTracked = (ownFolder: string, name: string): Problem =>
  problem(
    `git tracks ${name}, and what others commit must not become shotlist's own files`,
    'shotlist',
    `stop tracking the folder, then commit the change: git -C ${dirname(ownFolder)} rm -r --cached ${basename(ownFolder)}`,
  );

const isForeign = (ownFolder: string): Problem =>
  problem(
    `${ownFolder} was not made by shotlist for you on this machine, so its content is not trusted`,
    'shotlist',
    `move it away, or, if you made it yourself with an older version or copied it, run: shotlist trust --folder ${ownFolder}`,
  );
