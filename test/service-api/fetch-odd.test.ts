// Downloads whose answers do not fit: too long, compressed, more than there is, or onto a disk that is full.
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordDisk } from '../fakes/disk-recorder.ts';
import { temporaryFolder } from '../files/places.ts';
import { canMount, smallDisk } from '../small-disk.ts';
import { serve } from './server.ts';

const size = 3_000_000;
const content = Buffer.alloc(size, 'pixels ');
const etag = '"v1"';

/** The first request is cut in the middle; `rest` answers the second, which asks for what is missing. */
async function cutThen(rest: (start: number, response: ServerResponse) => void) {
  let times = 0;
  const server = await serve(({ headers }, response) => {
    times += 1;
    if (times === 2) return rest(Number(/\d+/.exec(`${headers.range}`)?.[0]), response);
    response.writeHead(200, { etag, 'content-length': size });
    if (times > 2) return void response.end(content);
    response.write(content.subarray(0, 2_000_000), () => response.socket?.end());
  });
  const client = server.client();
  const folder = temporaryFolder();
  const into = { path: join(folder, 'a.part') };
  expect((await client.download(server.address, into)).ok).toBe(false);
  expect(readdirSync(folder)).toEqual(['a.part', 'a.part.json']);
  return { server, folder, into, again: () => client.download(server.address, into) };
}

describe('the rest of a download', () => {
  test('that is more than the rest is no result, and nothing of it stays', async () => {
    const { again, folder } = await cutThen((start, response) => {
      response.writeHead(206, { etag, 'content-range': `bytes ${start}-${size - 1}/${size}` });
      response.write(content.subarray(start));
      response.end('more');
    });
    expect(await again()).toEqual({
      ok: false,
      error: {
        reason: 'damaged',
        message: `${size + 4} bytes came, which is more than the ${size} that there are`,
      },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is compressed is not written behind what is there', async () => {
    const { again, into, server } = await cutThen((start, response) => {
      const range = `bytes ${start}-${size - 1}/${size}`;
      response
        .writeHead(206, { etag, 'content-range': range, 'content-encoding': 'gzip' })
        .end(content.subarray(start));
    });
    expect((await again()).ok).toBe(true);
    expect(readFileSync(into.path).equals(content)).toBe(true);
    expect(server.asked).toHaveLength(3);
  });

  test('that names no version is believed', async () => {
    const { again, into, server } = await cutThen((start, response) => {
      const range = `bytes ${start}-${size - 1}/${size}`;
      response.writeHead(206, { 'content-range': range }).end(content.subarray(start));
    });
    expect((await again()).ok).toBe(true);
    expect(readFileSync(into.path).equals(content)).toBe(true);
    expect(server.asked).toHaveLength(2);
  });
});

describe('a file that is too long', () => {
  test.each([
    [1000, true],
    [1001, false],
  ])('is known by its length before a byte of it is written: %i', async (length, fits) => {
    const server = await serve((_, response) => response.end(Buffer.alloc(length)));
    const folder = temporaryFolder();
    const client = server.client({ longestFile: 1000 });
    const got = await client.download(server.address, { path: join(folder, 'a.part') });
    expect(got.ok).toBe(fits);
    if (!got.ok)
      expect(got.error).toEqual({
        reason: 'refused',
        status: 0,
        message:
          'the file is longer than 1000 bytes, the most that is fetched; it stays at the service',
      });
    expect(readdirSync(folder)).toEqual(fits ? ['a.part'] : []);
  });

  test.each([
    [1000, true],
    [1001, false],
  ])('is known by what comes where no length is said: %i', async (length, fits) => {
    const server = await serve((_, response) => {
      response.write(Buffer.alloc(length - 1));
      response.end('x');
    });
    const folder = temporaryFolder();
    const client = server.client({ longestFile: 1000 });
    const got = await client.download(server.address, { path: join(folder, 'a.part') });
    expect(got.ok).toBe(fits);
    expect(readdirSync(folder)).toEqual(fits ? ['a.part'] : []);
  });
});

test.each([
  ['gzip', false],
  ['deflate', false],
  ['br', false],
  ['zstd', false],
  ['compress', false],
  ['identity, GZIP', false],
  ['identity', true],
  ['none', true],
])('an encoding of %s is the file itself: %s', async (encoding, ok) => {
  const server = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end('xyz'),
  );
  const folder = temporaryFolder();
  const got = await server.client().download(server.address, { path: join(folder, 'a.part') });
  expect(got.ok).toBe(ok);
  if (!got.ok)
    expect(got.error.message).toBe(
      'the storage sent a compressed file, although the request did not accept one',
    );
  expect(server.asked[0]?.headers['accept-encoding']).toBe('identity');
});

test.each([
  ['small', 1 << 20],
  ['large', (1 << 20) + 1],
])('a %s file is on disk when it is fetched', async (_, length) => {
  const server = await serve((__, response) =>
    response.writeHead(200, { 'content-length': length }).end(content.subarray(0, length)),
  );
  const disk = await recordDisk((name) => name === 'a.part');
  const path = join(temporaryFolder(), 'a.part');
  expect((await server.client().download(server.address, { path })).ok).toBe(true);
  expect(disk.done.filter((one) => !one.startsWith('write'))).toEqual(['datasync a.part']);
});

describe.skipIf(!canMount)('on a full disk (needs to mount: root, or unshare -rm)', () => {
  test.each([
    ['small', 100_000],
    ['large', size],
  ])('a %s download is this machine’s trouble', async (_, length) => {
    const disk = smallDisk(1 << 20);
    disk.fill(1 << 15);
    const server = await serve((__, response) =>
      response.writeHead(200, { 'content-length': length }).end(content.subarray(0, length)),
    );
    const path = join(disk.folder, 'a.part');
    expect(await server.client().download(server.address, { path })).toEqual({
      ok: false,
      error: {
        reason: 'local',
        message: `a file in ${disk.folder} could not be written: the disk is full`,
      },
    });
    expect(readdirSync(disk.folder).filter((name) => name.startsWith('a.'))).toEqual([]);
  });
});
