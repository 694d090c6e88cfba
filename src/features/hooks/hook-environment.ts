// The environment of a hook's program: that of shotlist, without its secrets.
import type { Redactor } from '../../base/redactor.ts';
import type { Env } from '../../base/user-folder.ts';

/** The API key and the webhook secret, and the files that hold them. */
const ownSecrets = /^SHOTLIST_(?:API_KEY|WEBHOOK_SECRET)/i;
/** The bucket's credentials, and where they are kept. The region and the like stay. */
const bucketSecrets = /^AWS_.*(?:KEY|SECRET|TOKEN|CREDENTIAL)/i;

/** The passwords and keys of a database, the files that hold them, and addresses, which may hold one. */
const databaseSecrets = /^(?:PG(?:PASS|SSL|SERVICE)|POSTGRES_.*PASS|DATABASE_URL$)/i;
const databaseAddress = /^\s*postgres(?:ql)?:/i;

/** Variables with another name that hold a secret of shotlist are left out, too. */
export function hookEnvironment(env: Env, redactor: Redactor): Env {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        value !== undefined &&
        !ownSecrets.test(name) &&
        !bucketSecrets.test(name) &&
        !databaseSecrets.test(name) &&
        !databaseAddress.test(value) &&
        redactor.text(value) === value,
    ),
  );
}
