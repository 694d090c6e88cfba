// The user's state folder, outside all repositories: it records the folders that shotlist made and
// the pipeline files that the user trusts. The XDG Base Directory Specification calls this kind of
// data "state".
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

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
  return join(homedir(), '.local', 'state', 'shotlist');
}
