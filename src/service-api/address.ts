// The base address of a service: which addresses are valid, and their normal form.
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';

/** Returns the address in its normal form: international names in Punycode, without a final slash. */
export function checkAddress(address: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  if (!scheme || !URL.canParse(address)) throw new Refusal(notAnAddress(address, scheme));
  const url = new URL(address);
  // An empty query or fragment leaves no trace in the parsed address.
  if (url.username !== '' || url.password !== '' || /[?#]/.test(address))
    throw new Refusal(
      problem(
        'the address of the service must not hold a user, a password, a query or a fragment',
        'shotlist',
        `write the scheme, the host and the path alone, such as ${url.origin}`,
      ),
    );
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Refusal(notAnAddress(address, scheme));
  if (url.protocol === 'http:' && !isOwnMachine(url.hostname))
    throw new Refusal(
      problem(
        `${url.origin}: the API key would be sent unencrypted`,
        'shotlist',
        `use https://${url.host}`,
      ),
    );
  return url.href.replace(/\/+$/, '');
}

function notAnAddress(address: string, scheme: boolean): Problem {
  // The address may contain a password.
  const said = /[@?#]/.test(address) ? '' : ` ${JSON.stringify(address)}`;
  if (scheme) return problem(`the service's address${said} is not valid`, 'shotlist', addressHint);
  if (address.trim() !== address)
    return problem(`the service's address${said} has spaces around it`, 'shotlist', 'remove them');
  const full = `${schemeFor(address)}://${address}`;
  const hint = said !== '' && URL.canParse(full) ? `write ${full}` : addressHint;
  return problem(`the service's address${said} does not begin with https://`, 'shotlist', hint);
}

const addressHint = 'write the full address, such as https://api.example.com';

const isOwnMachine = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

/** If the text before the port or the path names this machine, no encryption is needed. */
const schemeFor = (address: string): string =>
  isOwnMachine(/^(?:\[[^\]]*\]|[^:/]*)/.exec(address)?.[0] ?? '') ? 'http' : 'https';

// Whether an address to listen on is reachable only from this machine.

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** The address to listen on; port 0 selects a free port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}
