// Decides where results may be fetched from and uploads sent to. The service names these addresses, so they are checked
// like any other input: a service on the internet must not make this machine connect to its own network.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { err, ok, type Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import { type Zone, zoneOf } from './zones.ts';

/** How names are resolved and addresses are classified; tests replace it. */
export interface Network {
  /** All IP addresses of a host name. */
  resolve(host: string): Promise<readonly string[]>;
  zoneOf(address: string): Zone;
}

export const realNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  zoneOf,
};

/** The zones that storage may be in, by the service's own zone. */
const allowed: Readonly<Record<Zone, readonly Zone[]>> = {
  public: ['public'],
  private: ['public', 'private'],
  'link-local': ['public', 'private', 'link-local'],
  loopback: ['public', 'private', 'loopback'],
  reserved: ['public', 'reserved'],
};

/** The most public zone first: a service with addresses in two zones counts as the more public one. */
const publicFirst: readonly Zone[] = ['public', 'reserved', 'link-local', 'private', 'loopback'];

const names: Readonly<Record<Zone, string>> = {
  public: 'a public address',
  private: 'a private address',
  'link-local': 'a link-local address',
  loopback: 'an address of this machine',
  reserved: 'a reserved address',
};

/** A host on which storage is not allowed. The message is complete, for a person. */
export class RefusedAddress extends Error {
  readonly code = 'REFUSED_ADDRESS';
}

export interface StorageRules {
  /** The service's base address. */
  readonly base: string;
  readonly network: Network;
  /** A rehearsal connects only to this machine. */
  readonly loopbackOnly: boolean;
}

export class StorageAddresses {
  readonly #rules: StorageRules;
  /** The most public zone in which a connection to the service was made. */
  #met: Zone | undefined;

  constructor(rules: StorageRules) {
    this.#rules = rules;
  }

  /** Records that a connection to the service was made to this IP address. */
  meet(address: string): void {
    const zone = this.#rules.network.zoneOf(address);
    this.#met = this.#met === undefined ? zone : morePublic(this.#met, zone);
  }

  /** Checks what can be checked before the host is resolved. */
  check(text: string): Result<URL, ApiFailure> {
    const url = URL.parse(text);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
      return err(refusal('the address of the file is not http(s)'));
    if (url.username !== '' || url.password !== '')
      return err(refusal(`the address of the file at ${url.host} holds a user name or a password`));
    // The base address is plain HTTP only if the service is on this machine.
    if (url.protocol === 'http:' && !this.#rules.base.startsWith('http:'))
      return err(refusal(`the address of the file at ${url.host} is not encrypted (http)`));
    return ok(url);
  }

  /** The IP addresses to connect to for a host. Throws RefusedAddress if one of them is not allowed. */
  async addressesOf(host: string): Promise<readonly string[]> {
    const addresses = await this.#resolve(host);
    const own = await this.#zone();
    const fit = this.#rules.loopbackOnly ? ['loopback'] : allowed[own];
    for (const address of addresses) {
      const zone = this.#rules.network.zoneOf(address);
      if (!fit.includes(zone)) throw new RefusedAddress(this.#explain(host, address, zone));
    }
    return addresses;
  }

  async #resolve(host: string): Promise<readonly string[]> {
    return isIP(host) === 0 ? await this.#rules.network.resolve(host) : [host];
  }

  /** From the connections to the service; before the first connection, from its name. */
  async #zone(): Promise<Zone> {
    if (this.#met !== undefined) return this.#met;
    const host = new URL(this.#rules.base).hostname.replace(/^\[|\]$/g, '');
    const zones = (await this.#resolve(host)).map((address) => this.#rules.network.zoneOf(address));
    const [first, ...others] = zones;
    // A name without an address says nothing about where the service is.
    return first === undefined ? 'public' : others.reduce(morePublic, first);
  }

  #explain(host: string, address: string, zone: Zone): string {
    const where = host === address ? host : `${host} (${address})`;
    const why = this.#rules.loopbackOnly
      ? 'and a rehearsal speaks to this machine only'
      : 'and the service is not there itself';
    return refusal(`the address of the file leads to ${where}, which is ${names[zone]}, ${why}`)
      .message;
  }
}

const morePublic = (a: Zone, b: Zone): Zone =>
  publicFirst.indexOf(a) < publicFirst.indexOf(b) ? a : b;

function refusal(what: string): ApiFailure & { readonly reason: 'refused' } {
  const next =
    'nothing is lost: a result stays at the service; run again when the service gives another address';
  return { reason: 'refused', status: 0, message: `${what}; ${next}` };
}
