// Files to and from storage: no bearer header leaves for an address that is not the service’s, and what comes is whole.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../files/places.ts';
import { clientFor, nobody, serve } from './server.ts';

const hash = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');
const contents: readonly (readonly [string, Buffer])[] = [
  ['small', Buffer.from('a picture')],
  ['empty', Buffer.alloc(0)],
  ['large', Buffer.alloc(3_000_000, 'pixels ')],
];

describe('an upload', () => {
  test.each(contents)(
    'sends a %s file whole, with its length and without the key',
    async (_, content) => {
      const server = await serve((__, response) => response.writeHead(200).end());
      const path = join(temporaryFolder(), 'a.png');
      writeFileSync(path, content);
      expect(
        await server
          .client()
          .put({ uploadUrl: `${server.address}/put?sig=1`, filePath: 'x' }, { path }),
      ).toEqual({ ok: true, value: hash(content) });
      expect(server.asked).toMatchObject([
        {
          method: 'PUT',
          path: '/put?sig=1',
          headers: { 'content-length': String(content.length) },
        },
      ]);
      expect(hash(Buffer.from(server.asked[0]?.body ?? '', 'latin1'))).toBe(hash(content));
      expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
    },
  );

  test.each([
    [403, 'expired'],
    [500, 'unanswered'],
    [400, 'refused'],
  ])('that storage answers with %i is %s', async (status, reason) => {
    const server = await serve((_, response) => response.writeHead(status).end('<xml/>'));
    const path = join(temporaryFolder(), 'a.png');
    for (const [, content] of contents) {
      writeFileSync(path, content);
      expect(
        await server.client().put({ uploadUrl: server.address, filePath: 'x' }, { path }),
      ).toMatchObject({ ok: false, error: { reason } });
    }
  });

  test.each([
    ['that is missing', 'gone.png', 'the file does not exist'],
    ['that is a folder', 'sub', 'the file is a folder'],
  ])('of a file %s says so', async (_, name, message) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'sub'));
    const got = await clientFor(await nobody()).put(
      { uploadUrl: 'http://127.0.0.1:9/x', filePath: 'x' },
      { path: join(folder, name) },
    );
    expect(got).toEqual({ ok: false, error: { reason: 'refused', status: 0, message } });
  });

  test('to an address that is no web address is refused', async () => {
    const path = join(temporaryFolder(), 'a.png');
    writeFileSync(path, 'x');
    expect(
      await clientFor(await nobody()).put(
        { uploadUrl: 'file:///etc/passwd', filePath: 'x' },
        { path },
      ),
    ).toMatchObject({ ok: false, error: { reason: 'refused' } });
  });
});

/** An empty file is no result. */
const results = contents.filter(([name]) => name !== 'empty');

describe('a download', () => {
  test.each(results)(
    'of a %s file is on disk, whole, with its hash, and asked for without the key',
    async (_, content) => {
      const server = await serve((__, response) =>
        response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': content.length })
          .end(content),
      );
      const path = join(temporaryFolder(), 'a.part');
      expect(await server.client().download(`${server.address}/a.png?sig=1`, { path })).toEqual({
        ok: true,
        value: {
          bytes: content.length,
          digest: hash(content),
          contentType: 'image/png',
          isVerified: false,
        },
      });
      expect(hash(readFileSync(path))).toBe(hash(content));
      expect(server.asked[0]?.headers).not.toHaveProperty('authorization');
    },
  );

  test.each([
    ['of no bytes', { 'content-length': '0' }],
    ['that ends at once', {}],
  ])('%s is no result', async (_, headers) => {
    const server = await serve((__, response) => response.writeHead(200, headers).end());
    const folder = temporaryFolder();
    expect(
      await server.client().download(server.address, { path: join(folder, 'a.part') }),
    ).toEqual({ ok: false, error: { reason: 'damaged', message: 'the file is empty' } });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('whose length is not said is taken as it comes', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      response.write('in ');
      response.end('pieces');
    });
    const path = join(temporaryFolder(), 'a.part');
    expect(await server.client().download(server.address, { path })).toMatchObject({
      ok: true,
      value: { bytes: 9, contentType: '' },
    });
    expect(readFileSync(path, 'utf8')).toBe('in pieces');
  });

  test.each([
    ['its length', { 'content-length': '5' }, undefined],
    ['its hash', { 'content-md5': 'XUFAKrxLKna5cZ2REBfFkg==' }, undefined],
    ['neither', {}, true],
  ])('of which the storage tells %s says so', async (_, headers, isUntold) => {
    const server = await serve((__, response) => {
      response.writeHead(200, headers);
      response.write('hel', () => response.end('lo'));
    });
    const path = join(temporaryFolder(), 'a.part');
    const fetched = await server.client().download(server.address, { path });
    expect(fetched.ok && fetched.value.isUntold).toBe(isUntold);
  });

  test.each([
    ['small', { 'content-length': '100' }, 10],
    ['large', { 'content-length': '3000000' }, 2_000_000],
    ['chunked', { 'transfer-encoding': 'chunked' }, 2_000_000],
  ])('that is cut off is not taken for whole: %s', async (_, headers, sent) => {
    const server = await serve((__, response) => {
      response.writeHead(200, headers);
      response.write(Buffer.alloc(sent), () => response.socket?.destroy());
    });
    const folder = temporaryFolder();
    const path = join(folder, 'a.part');
    expect(await server.client().download(server.address, { path })).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
    // Nothing says that the rest would be of the same content.
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    [403, 'expired'],
    [404, 'expired'],
    [410, 'expired'],
    [500, 'unanswered'],
    [206, 'refused'],
    [302, 'refused'],
  ])('that storage answers with %i is %s, and leaves no file', async (status, reason) => {
    const server = await serve((_, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('<xml/>'),
    );
    const path = join(temporaryFolder(), 'a.part');
    expect(await server.client().download(server.address, { path })).toMatchObject({
      ok: false,
      error: { reason },
    });
    expect(existsSync(path)).toBe(false);
    expect(server.asked).toHaveLength(1);
  });

  test.each(results)(
    'of a %s file that cannot be written says so, and its connection is free for the next',
    async (_, content) => {
      const server = await serve((__, response) =>
        response.writeHead(200, { 'content-length': content.length }).end(content),
      );
      const client = server.client({ connections: 1 });
      const folder = temporaryFolder();
      const got = await client.download(server.address, {
        path: join(folder, 'no', 'folder', 'a.part'),
      });
      expect(got).toEqual({
        ok: false,
        error: {
          reason: 'refused',
          status: 0,
          message: expect.stringMatching(/^a file in .*folder does not exist$/),
        },
      });
      expect((await client.download(server.address, { path: join(folder, 'a.part') })).ok).toBe(
        true,
      );
    },
    5000,
  );

  test('from an address that is no web address is refused', async () => {
    const path = join(temporaryFolder(), 'a.part');
    expect(await clientFor(await nobody()).download('file:///etc/passwd', { path })).toMatchObject({
      ok: false,
      error: { reason: 'refused' },
    });
  });

  test('from where nobody listens was never sent', async () => {
    const path = join(temporaryFolder(), 'a.part');
    expect(await clientFor(await nobody()).download(await nobody(), { path })).toMatchObject({
      ok: false,
      error: { reason: 'unreachable' },
    });
  });
});

describe('when the run is stopped', () => {
  test('no file is sent or fetched that was not under way', async () => {
    const server = await serve((_, response) => response.writeHead(200).end('x'));
    const client = server.client({ stop: AbortSignal.abort() });
    const path = join(temporaryFolder(), 'a.png');
    writeFileSync(path, 'x');
    expect(await client.put({ uploadUrl: server.address, filePath: 'x' }, { path })).toMatchObject({
      ok: false,
      error: { reason: 'aborted' },
    });
    expect(await client.download(server.address, { path })).toMatchObject({
      ok: false,
      error: { reason: 'aborted' },
    });
    expect(server.asked).toEqual([]);
  });
});
