// Decides where results may be fetched from and uploads sent to. The service names these addresses, so they are checked
// like any other input: a service on the internet must not make this machine connect to its own network.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { err, ok, type Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';

// Which part of the network an IP address belongs to. Sources: IANA's special-purpose address registries for IPv4 and IPv6.

/**
 * - `public`: anywhere on the internet.
 * - `private`: a network behind a router: private, unique-local and carrier-grade NAT addresses.
 * - `link-local`: the same cable, and where clouds keep the secrets of their machines.
 * - `loopback`: this machine.
 * - `reserved`: multicast, documentation, benchmarks, future use: no service is there.
 */
export type Zone = 'public' | 'private' | 'link-local' | 'loopback' | 'reserved';

type AddressRange = readonly [address: string, prefix: number];

const ranges: readonly (readonly [Zone, readonly AddressRange[]])[] = [
  // Connecting to the unspecified address reaches this machine.
  [
    'loopback',
    [
      ['127.0.0.0', 8],
      ['0.0.0.0', 32],
      ['::1', 128],
      ['::', 128],
    ],
  ],
  [
    'link-local',
    [
      ['169.254.0.0', 16],
      ['fe80::', 10],
    ],
  ],
  [
    'private',
    [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
      ['fc00::', 7],
      ['fec0::', 10],
    ],
  ],
  [
    'reserved',
    [
      ['0.0.0.0', 8],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
      ['64:ff9b:1::', 48],
      ['100::', 64],
      ['2001::', 23],
      ['2001:db8::', 32],
      ['3fff::', 20],
      ['5f00::', 16],
      ['ff00::', 8],
    ],
  ],
];

const lists: readonly (readonly [Zone, BlockList])[] = ranges.map(([zone, all]) => {
  const list = new BlockList();
  for (const [address, prefix] of all)
    list.addSubnet(address, prefix, isIPv4(address) ? 'ipv4' : 'ipv6');
  return [zone, list];
});

/** A text that is not an IP address is `reserved`. */
export function zoneOf(address: string): Zone {
  const version = isIP(address);
  if (version === 0) return 'reserved';
  const inner = version === 6 ? embedded(address) : undefined;
  if (inner !== undefined) return zoneOf(inner);
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return lists.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}

/** The IPv4 address in an IPv6 address: mapped, compatible, NAT64 or 6to4. */
function embedded(address: string): string | undefined {
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  if (zeros && e === 0 && (f === 0xffff || (f === 0 && g !== 0))) return dotted(g, h);
  if (zeros && e === 0xffff && f === 0) return dotted(g, h);
  if (a === 0x64 && b === 0xff9b && c === 0 && d === 0 && e === 0 && f === 0) return dotted(g, h);
  return a === 0x2002 ? dotted(b, c) : undefined;
}

const dotted = (high: number, low: number): string =>
  [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [plain = ''] = address.split('%');
  // The URL parser writes a dotted tail as two groups.
  const text = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [before = '', after] = text.split('::');
  const numbers = (part: string): readonly number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [numbers(before), numbers(after ?? '')];
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: gap }, () => 0), ...tail];
}

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
const zonesFor: Readonly<Record<Zone, readonly Zone[]>> = {
  public: ['public'],
  private: ['public', 'private'],
  'link-local': ['public', 'private', 'link-local'],
  loopback: ['public', 'private', 'loopback'],
  reserved: ['public', 'reserved'],
};

/** The most public zone first: a service with addresses in two zones counts as the more public one. */
const publicFirst: readonly Zone[] = ['public', 'reserved', 'link-local', 'private', 'loopback'];

const zoneNames: Readonly<Record<Zone, string>> = {
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

interface StorageRules {
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
    const fit = this.#rules.loopbackOnly ? ['loopback'] : zonesFor[own];
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
    return refusal(`the address of the file leads to ${where}, which is ${zoneNames[zone]}, ${why}`)
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
