// Notices that something in a folder may have changed. It is only a wake-up: whoever waits then looks for itself. A change
// that the system does not report, as on many network drives, is found by the next look.
import { isAbsolute, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { systemCode, systemReason } from '../base/system-error.ts';

export interface FolderWatch {
  /** Resolves when something may have changed since the last call, or when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface FolderWatchOptions {
  /** Folders, with everything below them, and files. Absolute. */
  readonly paths: readonly string[];
  /** Paths whose changes are of no interest. */
  readonly ignores: (path: string) => boolean;
  /** Called once if the system cannot watch all of it; the rest is still watched. */
  readonly onProblem: (why: string) => void;
}

/**
 * Only folders are watched, not each file in them: a system can watch some ten thousand things at once, and a folder may
 * have more files. A folder also reports the changes of its files.
 */
export function watchFolders({ paths, ignores, onProblem }: FolderWatchOptions): FolderWatch {
  let wake = Promise.withResolvers<void>();
  const files = new Set(paths);
  const watcher: FSWatcher = watch([...paths], {
    ignoreInitial: true,
    ignored: (path, stats) =>
      ignores(path) || (stats !== undefined && !stats.isDirectory() && !files.has(path)),
  });
  const report = (path: string): void => {
    if (!ignores(path)) wake.resolve();
  };
  watcher.on('raw', (_event, path, details) => report(pathIn(path, details)));
  watcher.on('all', (_event, path) => report(path));
  let told = false;
  watcher.on('error', (error) => {
    if (!told) onProblem(whyNot(error));
    told = true;
  });
  return {
    async changed(signal) {
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      const stop = (): void => resolve();
      if (signal.aborted) return;
      signal.addEventListener('abort', stop, { once: true });
      try {
        await Promise.race([wake.promise, aborted]);
      } finally {
        signal.removeEventListener('abort', stop);
      }
      if (!signal.aborted) wake = Promise.withResolvers();
    },
    close: () => watcher.close(),
  };
}

/** The system names a file in a watched folder without the folder. */
function pathIn(path: unknown, details: unknown): string {
  const name = typeof path === 'string' ? path : '';
  const folder =
    isObject(details) && typeof details['watchedPath'] === 'string' ? details['watchedPath'] : '';
  return isAbsolute(name) ? name : resolve(folder, name);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** ENOSPC is not about the disk here. */
const whyNot = (error: unknown): string =>
  systemCode(error) === 'ENOSPC'
    ? 'the system watches as many folders as it can (on Linux, raise fs.inotify.max_user_watches)'
    : systemReason(error);
