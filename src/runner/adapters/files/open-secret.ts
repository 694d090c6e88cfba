// Files that hold a key or a secret and that other users of this machine can read.
import { statSync } from 'node:fs';
import { systemCode } from '../../../contract/files/system-error.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Each variable that names such a file, and the variable that is used instead when it is set. */
const secretFiles = [
  ['SHOTLIST_API_KEY_FILE', 'SHOTLIST_API_KEY'],
  ['SHOTLIST_WEBHOOK_SECRET_FILE', 'SHOTLIST_WEBHOOK_SECRET'],
] as const;

/** A warning for each secret file in use that others can read, with the command that mends it. */
export function openSecretWarnings(env: Env): readonly string[] {
  const warnings: string[] = [];
  for (const [variable, instead] of secretFiles) {
    const file = env[variable];
    if (file === undefined || file === '' || (env[instead] ?? '') !== '') continue;
    if (isOpenToOthers(file))
      warnings.push(`other users can read ${file} (${variable}): run "chmod 600 ${file}"`);
  }
  return warnings;
}

/** False where there is no file, which is for whoever reads it to say. On Windows, modes do not tell. */
function isOpenToOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    const stats = statSync(file);
    return stats.isFile() && (stats.mode & 0o077) !== 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
