// The secrets that this process was given: what is hidden wherever something is written or shown.
import { readSecretFile } from '../../../contract/files/regular-file.ts';
import { openSecretWarnings } from '../../adapters/files/open-secret.ts';

export { openSecretWarnings };

const names = ['SHOTLIST_API_KEY', 'SHOTLIST_WEBHOOK_SECRET'] as const;

/** A file that cannot be read holds no secret to hide; whoever needs it says what is wrong with it. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return names.flatMap((name) => {
    const file = env[`${name}_FILE`];
    const read = file === undefined || file === '' ? undefined : readSecretFile(file);
    return [env[name] ?? '', read?.ok === true ? read.value : ''].filter((text) => text !== '');
  });
}
