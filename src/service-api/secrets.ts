// The secrets of this process, which are hidden in everything that is written or shown.
import { readSecretFile } from '../base/regular-file.ts';
import { bucketSecrets } from './bucket-access.ts';
import { openSecretWarnings } from './open-secret.ts';

export { openSecretWarnings };

const names = ['SHOTLIST_API_KEY', 'SHOTLIST_WEBHOOK_SECRET'] as const;

/** Of the database of a distributed run. */
const databaseSecrets = ['PGPASSWORD', 'PGSSLPASSWORD'] as const;

/** To hide these would hide words of messages and of names, and no secret. */
const words: readonly string[] = ['password', 'postgres', 'shotlist'];

/** An unreadable file contains no secret to hide; the code that needs the secret reports the problem. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const ofBucket = bucketSecrets.map((name) => env[name] ?? '').filter((text) => text !== '');
  const own = names.flatMap((name) => {
    const file = env[`${name}_FILE`];
    const read = file === undefined || file === '' ? undefined : readSecretFile(file);
    return [env[name] ?? '', read?.ok === true ? read.value : ''].filter((text) => text !== '');
  });
  const ofDatabase = databaseSecrets
    .map((name) => env[name] ?? '')
    .filter((text) => text !== '' && !words.includes(text));
  return [...own, ...ofBucket, ...ofDatabase];
}
