// `.shotlist` beside a pipeline: the lock, kept files, outputs and state files of rehearsals. Anybody may put
// something into it, for example with a repository: nothing in it is trusted, and no link in it is followed.
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { makeFolder, oddEntryIn } from '../base/folder.ts';
import {
  failingDiskCure,
  isFailingDisk,
  isSystemProblem,
  systemReason,
} from '../base/system-error.ts';
import { createNew } from '../files/new-file.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { makePrivateFolder } from './private-folder.ts';
import type { RunPaths } from './run-paths.ts';

type OwnPaths = Pick<RunPaths, 'ownFolder' | 'runFolder'>;

/** Why nothing in it may be read, written or removed: the folder is a link, or one is in it. */
export function checkOwnFolder(paths: OwnPaths): Problem | undefined {
  const { ownFolder } = paths;
  try {
    const stats = lstatSync(ownFolder, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) return isLink(ownFolder);
    const odd = oddEntryIn(ownFolder, (folder) => belongsTo(paths, folder));
    if (odd === undefined) return undefined;
    return odd.is === 'link' ? isLink(odd.path) : isSpecial(odd.path);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return problem(`the folder ${ownFolder} ${systemReason(error)}`, 'shotlist', 'move it away');
  }
}

/** A hosted run does not check the rehearsals, which may be large; a rehearsal checks only its own folder. */
function belongsTo({ ownFolder, runFolder }: OwnPaths, folder: string): boolean {
  const rehearsals = join(ownFolder, 'rehearsal');
  if (runFolder === ownFolder) return folder !== rehearsals;
  return folder === rehearsals || folder === runFolder || folder.startsWith(runFolder + sep);
}

/** The same, but makes the folder and the private folder, because a run needs them. */
export async function claimOwnFolder(paths: RunPaths): Promise<Problem | undefined> {
  const refused = checkOwnFolder(paths);
  if (refused !== undefined) return refused;
  try {
    await claim(paths);
    return undefined;
  } catch (error) {
    return unclaimed(error, paths);
  }
}

/** The same for a command that takes the lock: makes the folders if the lock is kept there. */
export async function ownFolderForLock(paths: RunPaths): Promise<Problem | undefined> {
  return paths.lock.startsWith(paths.ownFolder + sep)
    ? await claimOwnFolder(paths)
    : checkOwnFolder(paths);
}

/** The same for a plan, which continues without a cache of hashes if the folders cannot be made. */
export async function ownFolderForPlan(paths: RunPaths): Promise<RunPaths> {
  const refused = checkOwnFolder(paths);
  if (refused !== undefined) throw new Refusal(refused);
  try {
    await claim(paths);
    return paths;
  } catch (error) {
    if (!(error instanceof NoPrivateFolder) && !isSystemProblem(error)) throw error;
    return { ...paths, hashes: undefined };
  }
}

async function claim(paths: RunPaths): Promise<void> {
  const { ownFolder, runFolder, privateFolder, privateRunFolder } = paths;
  makeWithPrivate(ownFolder, privateFolder);
  closeToOthers(ownFolder);
  await keepOutOfGit(ownFolder);
  makeWithPrivate(runFolder, privateRunFolder);
  inPrivate(privateFolder, () => {
    makePrivateFolder(dirname(ownFolder));
    makeFolder(privateRunFolder, 0o700);
  });
}

/** Where there was no folder, nothing is remembered: a new checkout in the place of another one is not that one. */
function makeWithPrivate(folder: string, privateFolder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  inPrivate(privateFolder, () => rmSync(privateFolder, { recursive: true, force: true }));
  makeFolder(folder, (process.umask() & everybody) === 0 ? 0o700 : 0o777);
}

/** Thrown with the reason if the private folder cannot be used. */
class NoPrivateFolder extends Error {}

function inPrivate(folder: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (!isSystemProblem(cause)) throw cause;
    throw new NoPrivateFolder(`${folder} ${systemReason(cause)}`, { cause });
  }
}

/** The permission of everybody to write. */
const everybody = 0o002;

/** Where everybody may write, a file may become a link at any moment. A group may share the folder. */
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

function unclaimed(error: unknown, { ownFolder }: OwnPaths): Problem {
  if (error instanceof NoPrivateFolder)
    return problem(
      `shotlist cannot remember what it did in this folder: ${error.message}`,
      'shotlist',
      isFailingDisk(error.cause)
        ? failingDiskCure
        : 'set XDG_STATE_HOME to a folder that you can write to, outside all repositories',
    );
  if (!isSystemProblem(error)) throw error;
  const cure = isFailingDisk(error)
    ? failingDiskCure
    : 'a run keeps files there: make sure that you can write to the folder above it';
  return problem(`the folder ${ownFolder} ${systemReason(error)}`, 'shotlist', cure);
}

const isLink = (path: string): Problem =>
  problem(
    `${path} is a link: shotlist follows no links among its own files, because they may come from somebody else and lead anywhere`,
    'shotlist',
    `remove the link: ${path}`,
  );

const isSpecial = (path: string): Problem =>
  problem(`${path} is not a regular file`, 'shotlist', 'remove it');
