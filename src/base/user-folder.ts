// The user's state folder, outside all repositories: receipts, consents, and what shotlist remembers
// about the folders of pipelines. The XDG Base Directory Specification calls this kind of data "state".
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { systemCode } from './system-error.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Absolute: `$XDG_STATE_HOME/shotlist`, else `~/.local/state/shotlist`; on Windows below
 * `%LOCALAPPDATA%`.
 */
export function userFolder(env: Env = process.env): string {
  const given = env['XDG_STATE_HOME'];
  // The specification: a relative path is invalid and must be ignored.
  if (given !== undefined && isAbsolute(given)) return join(given, 'shotlist');
  const local = env['LOCALAPPDATA'];
  if (process.platform === 'win32' && local !== undefined && isAbsolute(local))
    return join(local, 'shotlist', 'state');
  return join(homeFolder(), '.local', 'state', 'shotlist');
}

/**
 * Absolute. A relative or an empty HOME is not used: a repository could bring the folder. A user without a home, as in a
 * container, has a folder that does not exist.
 */
export function homeFolder(): string {
  for (const home of [homedir, () => userInfo().homedir]) {
    try {
      const path = home();
      if (isAbsolute(path)) return path;
    } catch (error) {
      // ENOENT by another name: the system knows no such user.
      if (systemCode(error) !== 'ERR_SYSTEM_ERROR') throw error;
    }
  }
  return resolve('/nonexistent');
}
