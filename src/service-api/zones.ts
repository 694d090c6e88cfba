// Which part of the network an IP address belongs to. Sources: IANA's special-purpose address registries for IPv4 and IPv6.
import { BlockList, isIP, isIPv4 } from 'node:net';

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
