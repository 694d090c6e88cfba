// The secrets of this process, which are hidden in everything that is written or shown.

import { statSync } from 'node:fs';
import { readSecretFile } from '../base/regular-file.ts';
import { shellPath } from '../base/shell.ts';
import { systemCode } from '../base/system-error.ts';
import type { Env } from '../base/user-folder.ts';
import { bucketSecrets } from './bucket-access.ts';

const secretNames = [
  'SHOTLIST_API_KEY',
  'SHOTLIST_WEBHOOK_SECRET',
  'SHOTLIST_WORKER_SECRET',
] as const;

/** Of the database of a run with an engine. To hide usual words would hide words of messages, and no secret. */
const databaseSecrets = ['PGPASSWORD', 'PGSSLPASSWORD'] as const;
const usualWords: readonly string[] = ['', 'password', 'postgres', 'shotlist'];

/** An unreadable file contains no secret to hide; the code that needs the secret reports the problem. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const ofBucket = bucketSecrets.map((name) => env[name] ?? '').filter((text) => text !== '');
  const own = secretNames.flatMap((name) => {
    const file = env[`${name}_FILE`];
    const read = file === undefined || file === '' ? undefined : readSecretFile(file);
    return [env[name] ?? '', read?.ok === true ? read.value : ''].filter((text) => text !== '');
  });
  const ofDatabase = databaseSecrets
    .map((name) => env[name] ?? '')
    .filter((text) => !usualWords.includes(text));
  return [...own, ...ofBucket, ...ofDatabase];
}

// Warns about files that contain a key or a secret and that other users of this machine can read.

/** Each variable that names such a file, and the variable that takes precedence over it. */
const secretFiles = [
  ['SHOTLIST_API_KEY_FILE', 'SHOTLIST_API_KEY'],
  ['SHOTLIST_WEBHOOK_SECRET_FILE', 'SHOTLIST_WEBHOOK_SECRET'],
  ['SHOTLIST_WORKER_SECRET_FILE', 'SHOTLIST_WORKER_SECRET'],
] as const;

/** A warning for each secret file in use that others can read, with the command that fixes it. */
export function openSecretWarnings(env: Env): readonly string[] {
  const warnings: string[] = [];
  for (const [variable, instead] of secretFiles) {
    const file = env[variable];
    if (file === undefined || file === '' || (env[instead] ?? '') !== '') continue;
    if (isOpenToOthers(file))
      warnings.push(`other users can read ${file} (${variable}): run chmod 600 ${shellPath(file)}`);
  }
  return warnings;
}

/** False if there is no file: the code that reads the file reports that. On Windows, modes say nothing. */
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
