// What a watch listens to: the folder of its files, the pipeline file and what it includes, without what its own runs write.
import { basename, dirname, resolve, sep } from 'node:path';
import type { FolderWatch } from '../../adapters/files/folder-watch.ts';
import { isWithin } from '../../adapters/files/within.ts';
import { isExclusion } from '../../language/items.ts';
import { commonBase } from '../../task/item.ts';
import type { WatchContext } from './context.ts';
import type { ReadyPipeline } from './watched-pipeline.ts';

export function openFolderWatch(
  { bound, paths, patterns }: ReadyPipeline,
  { file, pollMs, onEvent, watchFolders }: WatchContext,
): FolderWatch {
  const folder = resolve(bound.folder, commonBase(patterns.filter((one) => !isExclusion(one))));
  // If the watched folder is inside the output folder, the files in it are not outputs.
  const own = [paths.ownFolder, paths.output].filter((path) => !isWithin(folder, path));
  const included = new Set(Object.keys(bound.included).map((name) => resolve(name)));
  // A folder reports a file that is removed and written again; of these folders, nothing else counts.
  const besides = new Set([...included].map(dirname));
  const isBeside = (path: string): boolean =>
    besides.has(dirname(path)) && !included.has(path) && path !== resolve(file);
  return watchFolders({
    paths: [folder, resolve(file), ...besides],
    ignores: (path) =>
      own.some((one) => isWithin(path, one)) ||
      (isBeside(path) && !isWithin(path, folder) && !isWithin(folder, path)) ||
      isStateFile(path, paths.state) ||
      path.split(sep).includes('.git'),
    onProblem: (why) => {
      const message = `not every change is reported: ${why}; watch looks for changes every ${pollMs / 1000} s`;
      onEvent({ type: 'notice', message });
    },
  });
}

/** The state file, and the files that a run keeps beside it. */
function isStateFile(path: string, state: string): boolean {
  if (dirname(path) !== dirname(state)) return false;
  const [name, own] = [basename(path), basename(state)];
  return name.startsWith(own) || name.startsWith(`.${own}`);
}
