// The state files that may know a file: beside the pipelines of the file's folders, and of the working folder.
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSystemProblem } from '../../../contract/files/system-error.ts';
import { realPathOr } from '../../adapters/files/real-path.ts';
import { repositoryOf } from '../../adapters/files/repository.ts';
import { checkOwnFolder } from '../files/own-folder.ts';

export interface StatePlace {
  /** The state file. */
  readonly state: string;
  /** The folder of the pipeline file: recorded paths are relative to it. */
  readonly folder: string;
  /** Undefined if nobody knows where they are, or if `.shotlist` is not ours. */
  readonly manifests: string | undefined;
}

/** Folders above one another, and folders in one folder: more are not looked at. */
const limits = { above: 12, beside: 200 };

/** In the order in which they are worth reading: the nearest first. */
export function stateFilesFor(file: string, workingFolder: string): readonly StatePlace[] {
  const places = new Map<string, StatePlace>();
  for (const start of [dirname(realPathOr(file)), realPathOr(workingFolder)]) {
    const top = repositoryOf(start);
    const isRepository = existsSync(join(top, '.git'));
    let folder = start;
    for (let level = 0; level < limits.above; level++) {
      for (const place of placesIn(folder)) places.set(place.state, place);
      if (isRepository || folder === start)
        for (const name of foldersIn(folder))
          for (const place of placesIn(join(folder, name))) places.set(place.state, place);
      if ((isRepository && folder === top) || dirname(folder) === folder) break;
      folder = dirname(folder);
    }
  }
  return [...places.values()];
}

/** Of a state file that the user names. */
export function placeOfState(state: string): StatePlace {
  const folder = dirname(state);
  const known = placesIn(folder).find((place) => place.state === state);
  return known ?? { state, folder, manifests: undefined };
}

function placesIn(folder: string): readonly StatePlace[] {
  const own = join(folder, '.shotlist');
  const hosted = namesIn(folder)
    .filter((name) => name.endsWith('.state.jsonl'))
    .map((name) => ({ state: join(folder, name), folder, manifests: inOwn(own, own, name) }));
  const rehearsals = namesIn(join(own, 'rehearsal')).flatMap((name): StatePlace[] => {
    const run = join(own, 'rehearsal', name);
    const state = join(run, 'state.jsonl');
    const manifests = inOwn(own, run, basename(state));
    return manifests === undefined || !existsSync(state) ? [] : [{ state, folder, manifests }];
  });
  return [...hosted, ...rehearsals];
}

function inOwn(ownFolder: string, runFolder: string, state: string): string | undefined {
  const paths = { ownFolder, runFolder, serviceData: join(runFolder, 'service') };
  if (!existsSync(ownFolder) || checkOwnFolder(paths) !== undefined) return undefined;
  return join(runFolder, `${state}.manifests.jsonl`);
}

const foldersIn = (folder: string): readonly string[] =>
  namesIn(folder)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .slice(0, limits.beside)
    .filter(
      (name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true,
    );

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}
