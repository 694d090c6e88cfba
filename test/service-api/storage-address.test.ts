// Where files may come from: judged by where the service itself is, before and while a connection is made. No test
// here connects to anything but this machine.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Network,
  RefusedAddress,
  StorageAddresses,
  type Zone,
  zoneOf,
} from '../../src/service-api/storage-address.ts';
import { temporaryFolder } from '../files/places.ts';
import { clientFor, serve } from './server.ts';

/** Names of a test and their addresses. */
const known: Readonly<Record<string, readonly string[]>> = {
  'public.test': ['8.8.8.8', '2606:4700::1111'],
  'private.test': ['10.0.0.7'],
  'metadata.test': ['169.254.169.254'],
  'both.test': ['8.8.8.8', '192.168.1.1'],
  'mapped.test': ['::ffff:10.0.0.7'],
};

const network: Network = {
  resolve: async (host) => known[host] ?? [],
  zoneOf,
};

const at = (base: string, loopbackOnly = false): StorageAddresses =>
  new StorageAddresses({ base, network, loopbackOnly });

const examples: Readonly<Record<Zone, string>> = {
  public: '9.9.9.9',
  private: '192.168.7.7',
  'link-local': '169.254.169.254',
  loopback: '127.0.0.1',
  reserved: '224.0.0.1',
};

describe('storage', () => {
  test.each([
    ['public', ['public']],
    ['private', ['public', 'private']],
    ['link-local', ['public', 'private', 'link-local']],
    ['loopback', ['public', 'private', 'loopback']],
  ] as const)('of a %s service may be in zones %j alone', async (own, zones) => {
    const addresses = at('https://service.test');
    addresses.meet(examples[own]);
    const fit: string[] = [];
    for (const [zone, address] of Object.entries(examples))
      await addresses.addressesOf(address).then(
        () => fit.push(zone),
        (error: unknown) => expect(error).toBeInstanceOf(RefusedAddress),
      );
    expect(fit).toEqual(zones);
  });

  test('of a service whose name has no address is not on this machine', async () => {
    const refused = at('https://nowhere.test').addressesOf('127.0.0.1');
    await expect(refused).rejects.toBeInstanceOf(RefusedAddress);
  });

  test('of a rehearsal is on this machine', async () => {
    const addresses = at('http://127.0.0.1', true);
    expect(await addresses.addressesOf('127.0.0.1')).toEqual(['127.0.0.1']);
    await expect(addresses.addressesOf('public.test')).rejects.toThrow(
      'a rehearsal speaks to this machine only',
    );
  });

  test.each(['private.test', 'metadata.test', 'both.test', 'mapped.test', '127.0.0.1', '::1'])(
    'at %s is refused for a public service, when one of its addresses is not public',
    async (host) => {
      await expect(at('https://public.test').addressesOf(host)).rejects.toThrow(
        /which is an? .*address.*nothing is lost/,
      );
    },
  );

  test('that is public is connected to at the addresses that were checked', async () => {
    expect(await at('https://public.test').addressesOf('public.test')).toEqual([
      '8.8.8.8',
      '2606:4700::1111',
    ]);
  });

  test('is judged by the most public address at which the service was met', async () => {
    const addresses = at('https://service.test');
    addresses.meet('127.0.0.1');
    addresses.meet('8.8.8.8');
    addresses.meet('127.0.0.1');
    await expect(addresses.addressesOf('127.0.0.1')).rejects.toThrow(RefusedAddress);
  });

  test.each([
    ['file:///etc/passwd', 'is not http(s)'],
    ['javascript:alert(1)', 'is not http(s)'],
    ['nothing', 'is not http(s)'],
    ['http://public.test/x', 'at public.test is not encrypted (http)'],
    ['https://user:secret@public.test/x', 'at public.test holds a user name or a password'],
  ])('at %s is refused as it stands, without its secrets', (url, why) => {
    const checked = at('https://public.test').check(url);
    expect(checked).toMatchObject({ ok: false, error: { reason: 'refused', status: 0 } });
    expect(checked.ok ? '' : checked.error.message).toContain(why);
    expect(JSON.stringify(checked)).not.toContain('secret@');
  });
});

describe('the client', () => {
  /** Pretends that this machine is elsewhere. */
  const pretending = (zones: Readonly<Record<string, Zone>>, resolve: Network['resolve']) => ({
    network: { resolve, zoneOf: (address: string) => zones[address] ?? zoneOf(address) },
  });
  const project = { id: 'p', status: 'queued', downloads: [] };

  test('does not connect to a refused address, keeps nothing, and says what to do', async () => {
    const asked: string[] = [];
    const server = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(project)),
    );
    const { port } = new URL(server.address);
    const client = server.client(
      pretending({ '127.0.0.1': 'public', '127.0.0.2': 'private' }, async (host) => {
        asked.push(host);
        return ['127.0.0.2'];
      }),
    );
    expect((await client.project('image', 'p')).ok).toBe(true);
    const path = join(temporaryFolder(), 'a.part');
    for (const host of ['127.0.0.2', 'storage.test']) {
      const got = await client.download(`http://${host}:${port}/a.png`, { path });
      expect(got).toMatchObject({ ok: false, error: { reason: 'refused', status: 0 } });
      expect(got.ok ? '' : got.error.message).toMatch(
        /127\.0\.0\.2\)?, which is a private address, and the service is not there itself; nothing is lost: .* run again/,
      );
      writeFileSync(`${path}.up`, 'x');
      const put = { uploadUrl: `http://${host}:${port}/up`, filePath: 'x' };
      expect(await client.put(put, { path: `${path}.up` })).toMatchObject({
        error: { reason: 'refused' },
      });
    }
    expect(existsSync(path)).toBe(false);
    expect(server.asked).toHaveLength(1);
    expect(asked.length).toBeGreaterThan(0);
  });

  test('connects to the address that was checked, though the name leads elsewhere the next time', async () => {
    const server = await serve((_, response) => response.writeHead(200).end('a picture'));
    const { port } = new URL(server.address);
    let times = 0;
    const client = server.client({
      ...pretending({}, async () => (times++ === 0 ? ['127.0.0.1'] : ['10.0.0.7'])),
    });
    const path = join(temporaryFolder(), 'a.part');
    expect((await client.download(`http://storage.test:${port}/a.png`, { path })).ok).toBe(true);
    expect(times).toBe(1);
    expect(server.asked).toHaveLength(1);
  });

  test('follows no redirect', async () => {
    const elsewhere = await serve((_, response) => response.writeHead(200).end('a picture'));
    const server = await serve((_, response) =>
      response.writeHead(302, { location: elsewhere.address }).end(),
    );
    const path = join(temporaryFolder(), 'a.part');
    const got = await clientFor(server.address).download(`${server.address}/a.png`, { path });
    expect(got).toMatchObject({ ok: false, error: { reason: 'refused', status: 302 } });
    expect(elsewhere.asked).toEqual([]);
  });
});

// Which part of the network an address belongs to, in all its spellings.

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'loopback'],
  ['::', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['64:ff9b::127.0.0.1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fc00::1', 'private'],
  ['fdff::1', 'private'],
  ['fec0::1', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::a00:1', 'private'],
  ['2002:c0a8:101::1', 'private'],
  ['169.254.169.254', 'link-local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['64:ff9b::169.254.169.254', 'link-local'],
  ['2002:a9fe:a9fe::', 'link-local'],
  ['0.1.2.3', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['ff02::1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['64:ff9b:1::10.0.0.1', 'reserved'],
  ['2001::1', 'reserved'],
  ['no address', 'reserved'],
  ['', 'reserved'],
  ['8.8.8.8', 'public'],
  ['172.32.0.1', 'public'],
  ['100.128.0.1', 'public'],
  ['2606:4700::1111', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['64:ff9b::8.8.8.8', 'public'],
  ['2002:808:808::', 'public'],
  // Nearly one of the forms that hold an IPv4 address.
  ['0:0:0:0:0:ffff:a00:1', 'private'],
  ['::ffff:0:10.0.0.1', 'private'],
  ['::10.0.0.1', 'private'],
  ['::2', 'public'],
  ['1::ffff:10.0.0.1', 'public'],
  ['0:1::ffff:10.0.0.1', 'public'],
  ['0:0:1::ffff:10.0.0.1', 'public'],
  ['0:0:0:1:0:ffff:10.0.0.1', 'public'],
  ['::1:ffff:10.0.0.1', 'public'],
  ['::fffe:10.0.0.1', 'public'],
  ['::ffff:1:10.0.0.1', 'public'],
  ['::fffe:0:10.0.0.1', 'public'],
  ['1::ffff:0:10.0.0.1', 'public'],
  ['1::10.0.0.1', 'public'],
  ['65:ff9b::10.0.0.1', 'public'],
  ['64:ff9a::10.0.0.1', 'public'],
  ['64:ff9b:0:1::10.0.0.1', 'public'],
  ['64:ff9b::1:0:10.0.0.1', 'public'],
  ['64:ff9b::1:10.0.0.1', 'public'],
  ['2003:a00:1::', 'public'],
  ['1:2:3:4:5:6:7:8', 'public'],
  ['1:2:3:4:5:6:10.0.0.1', 'public'],
])('%s is %s', (address, zone) => {
  expect(zoneOf(address)).toBe(zone);
});
