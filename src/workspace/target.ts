// Which service a run speaks to: a hosted one, with an address and a key, or a rehearsal. Never a mixture.
import { err, ok, type Result } from '../base/result.ts';
import { readSecretFile } from '../edge/regular-file.ts';
import { type Problem, problem } from './problem.ts';

export type Target =
  | { readonly kind: 'rehearsal' }
  /** `key` is never printed, logged, written or put into an address. */
  | { readonly kind: 'hosted'; readonly address: string; readonly key: string };

export interface TargetOptions {
  /** `--service`. */
  readonly service?: string | undefined;
  /** `--rehearse`: a rehearsal, whatever is set. */
  readonly rehearse?: boolean | undefined;
  /** `--hosted`: never a rehearsal (for CI). */
  readonly hosted?: boolean | undefined;
}

export function chooseTarget(
  options: TargetOptions,
  fromPipeline: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Result<Target, Problem> {
  if (options.rehearse === true && options.hosted === true)
    return err(problem('--rehearse and --hosted exclude each other'));
  if (options.rehearse === true && options.service !== undefined)
    return err(
      problem(
        `--rehearse and --service ${options.service} exclude each other`,
        'shotlist',
        'a rehearsal has a local service of its own: remove one of the two',
      ),
    );
  if (options.rehearse === true) return ok({ kind: 'rehearsal' });
  const address = options.service ?? (env['SHOTLIST_BASE_URL'] || undefined) ?? fromPipeline;
  const key = readKey(env);
  if (!key.ok) return key;
  if (address === undefined && key.value === undefined)
    return options.hosted === true
      ? err(problem('--hosted: there is no service to run against', 'shotlist', needs))
      : ok({ kind: 'rehearsal' });
  const checked = address === undefined ? undefined : checkAddress(address);
  if (checked !== undefined && !checked.ok) return checked;
  if (key.value === undefined)
    return err(
      problem(
        `the service is ${checked?.value}, but there is no API key`,
        'shotlist',
        'set SHOTLIST_API_KEY (or SHOTLIST_API_KEY_FILE), or use --rehearse',
      ),
    );
  if (checked === undefined)
    return err(
      problem(
        'there is an API key, but no address of a service',
        'shotlist',
        'set SHOTLIST_BASE_URL, use --service <address>, or use --rehearse',
      ),
    );
  return ok({ kind: 'hosted', address: checked.value, key: key.value });
}

const needs = 'set SHOTLIST_BASE_URL (or --service) and SHOTLIST_API_KEY';

function readKey(
  env: Readonly<Record<string, string | undefined>>,
): Result<string | undefined, Problem> {
  const given = env['SHOTLIST_API_KEY'];
  if (given !== undefined && given !== '') return checkKey(given, 'SHOTLIST_API_KEY');
  const file = env['SHOTLIST_API_KEY_FILE'];
  if (file === undefined || file === '') return ok(undefined);
  const read = readSecretFile(file);
  return read.ok
    ? checkKey(read.value, `the file ${file}`)
    : err(problem(`the key file ${file} (SHOTLIST_API_KEY_FILE) ${read.error}`));
}

/** A key goes into a header: what cannot stand there is refused without being shown. */
function checkKey(key: string, from: string): Result<string, Problem> {
  if (/^[\x21-\x7e]+$/.test(key)) return ok(key);
  return err(
    problem(
      `${from} holds no API key: it is empty, or has a character that no key has, such as a space`,
      'shotlist',
      'copy the key again, alone and on one line',
    ),
  );
}

export function checkAddress(address: string): Result<string, Problem> {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  if (!scheme || !URL.canParse(address)) return err(notAnAddress(address, scheme));
  const url = new URL(address);
  // A lone # or ? leaves no trace in the parsed address.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(address))
    return err(
      problem(
        'the address of the service must not hold a user, a password, a query or a fragment',
        'shotlist',
        `write the scheme, the host and the path alone, such as ${url.origin}`,
      ),
    );
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return err(notAnAddress(address, scheme));
  if (url.protocol === 'http:' && !isOwnMachine(url.hostname))
    return err(
      problem(
        `${url.origin}: the API key would be sent unencrypted`,
        'shotlist',
        `use https://${url.host}`,
      ),
    );
  return ok(url.href.replace(/\/+$/, ''));
}

function notAnAddress(address: string, scheme: boolean): Problem {
  // It may hold a password.
  const said = /[@?#]/.test(address) ? '' : ` ${JSON.stringify(address)}`;
  if (scheme) return problem(`the service's address${said} is not valid`, 'shotlist', whole);
  if (address.trim() !== address)
    return problem(`the service's address${said} has spaces around it`, 'shotlist', 'remove them');
  const full = `${schemeFor(address)}://${address}`;
  const hint = said !== '' && URL.canParse(full) ? `write ${full}` : whole;
  return problem(`the service's address${said} does not begin with https://`, 'shotlist', hint);
}

const whole = 'write all of it, such as https://api.example.com';

const isOwnMachine = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** What stands before the port or the path may be this machine, which needs no encryption. */
const schemeFor = (address: string): string =>
  isOwnMachine(/^(?:\[[^\]]*\]|[^:/]*)/.exec(address)?.[0] ?? '') ? 'http' : 'https';
