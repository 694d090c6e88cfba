// What an answer may take, of memory and of time: at most so much, and then it counts as lost.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../files/places.ts';
import { until } from '../rig.ts';
import { answer, clientFor, nobody, serve } from './server.ts';

/** Writes a byte every millisecond, for ever. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 1);
  response.on('close', () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

const lost = { ok: false, error: { reason: 'unanswered' } };

describe('an answer of the service', () => {
  test('that is longer than the limit is not read to its end, and a creation is in doubt', async () => {
    let written = 0;
    let closed = false;
    const server = await serve((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      const more = (): void => {
        written += 1 << 16;
        if (!closed) response.write(Buffer.alloc(1 << 16, 'x'), more);
      };
      more();
    });
    const client = server.client({ longestAnswer: 1 << 20 });
    const got = await client.create('face-swap-photo', {});
    expect(got).toEqual({
      ok: false,
      error: { reason: 'unanswered', message: 'the answer is longer than 1048576 bytes' },
    });
    await until('the connection is closed', () => closed);
    expect(written).toBeLessThan(64 << 20);
  });

  test('may be 16 MiB long, and no longer', async () => {
    const long = (length: number) => ({ id: 'p', filler: 'x'.repeat(length - 22) });
    const server = await serve(({ path }, response) =>
      answer(response, 200, long((16 << 20) + (path.endsWith('more') ? 1 : 0))),
    );
    expect(JSON.stringify(long(100))).toHaveLength(100);
    expect((await server.client().create('fits', {})).ok).toBe(true);
    expect(await server.client().create('more', {})).toMatchObject(lost);
  });

  test('that comes byte by byte has a deadline all the same', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      drip(response);
    });
    const client = server.client({ totalMs: 50 });
    expect(await client.create('face-swap-photo', {})).toEqual({
      ok: false,
      error: { reason: 'unanswered', message: 'the answer was not complete in time' },
    });
  });

  test('the deadline of a request begins when it leaves, not while it waits for a connection', async () => {
    const held: (() => void)[] = [];
    const server = await serve((_, response) => {
      held.push(() => answer(response, 200, { id: 'p', credits_charged: 1 }));
    });
    const client = server.client({ connections: 1, totalMs: 2000 });
    const first = client.create('a', {});
    const second = client.create('b', {});
    await until('the first has come', () => held.length === 1);
    held[0]?.();
    expect((await first).ok).toBe(true);
    await until('the second has come', () => held.length === 2);
    held[1]?.();
    expect((await second).ok).toBe(true);
  });

  test('that consists of interim answers alone is given up', async () => {
    const server = await serve((_, response) => {
      for (let times = 0; times < 50; times++) response.writeProcessing();
    });
    expect(await server.client().create('a', {})).toMatchObject(lost);
  });
});

describe('when the run stops waiting', () => {
  test('a creation that was sent is in doubt, and one that waits for a connection was surely not sent', async () => {
    const cut = new AbortController();
    const server = await serve(() => undefined);
    const client = server.client({ connections: 1, cut: cut.signal });
    const sent = client.create('a', {});
    const waiting = client.create('b', {});
    await until('the first has come', () => server.asked.length === 1);
    cut.abort();
    expect(await sent).toMatchObject(lost);
    expect(await waiting).toMatchObject({ ok: false, error: { reason: 'aborted' } });
    expect(await client.create('c', {})).toMatchObject({ error: { reason: 'aborted' } });
    expect(server.asked).toHaveLength(1);
  });

  test('a transfer ends', async () => {
    const cut = new AbortController();
    const server = await serve((_, response) => {
      response.writeHead(200);
      response.write('x');
    });
    const client = server.client({ cut: cut.signal });
    const path = join(temporaryFolder(), 'a.part');
    const got = client.download(server.address, { path });
    await until('it has begun', () => existsSync(path));
    cut.abort();
    expect(await got).toEqual({ ok: false, error: { reason: 'aborted', message: '' } });
  });
});

describe('a transfer that hardly moves', () => {
  const progress = { bytes: 1000, everyMs: 300 };

  test('counts as cut, and a download goes on from where it was', async () => {
    const content = Buffer.alloc(2_000_000, ' ');
    const half = content.length / 2;
    const server = await serve(({ headers }, response) => {
      const from = Number(/\d+/.exec(headers.range ?? '')?.[0] ?? 0);
      const length = { etag: '"v1"', 'content-length': content.length - from };
      if (from > 0) {
        const range = `bytes ${from}-${content.length - 1}/${content.length}`;
        response.writeHead(206, { ...length, 'content-range': range }).end(content.subarray(from));
        return;
      }
      response.writeHead(200, length);
      response.write(content.subarray(0, half), () => drip(response));
    });
    const client = server.client({ progress });
    const path = join(temporaryFolder(), 'a.part');
    const first = await client.download(server.address, { path });
    expect(first).toMatchObject(lost);
    expect(first.ok ? '' : first.error.message).toMatch(/^only \d+ bytes came in 0\.3 seconds$/);
    // A client with patience: a busy machine may be slow.
    expect((await server.client().download(server.address, { path })).ok).toBe(true);
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(Number(/\d+/.exec(server.asked[1]?.headers.range ?? '')?.[0])).toBeGreaterThanOrEqual(
      half,
    );
  });

  test('an upload that nobody reads neither holds up the run', async () => {
    const { createServer } = await import('node:net');
    const deaf = createServer((socket) => void socket.pause());
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const bound = deaf.address();
    const uploadUrl = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}/x`;
    const path = join(temporaryFolder(), 'large.png');
    writeFileSync(path, Buffer.alloc(32 << 20));
    const client = clientFor(await nobody(), { progress });
    expect(await client.put({ uploadUrl, filePath: 'x' }, { path })).toMatchObject(lost);
    onTestFinished(() => void deaf.close());
  });
});

test('a file without end is given up, and leaves nothing', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200);
    const more = (): void => void response.write(Buffer.alloc(1 << 16), more);
    more();
  });
  const path = join(temporaryFolder(), 'a.part');
  const got = await server.client({ longestFile: 1 << 21 }).download(server.address, { path });
  expect(got).toMatchObject({ ok: false, error: { reason: 'refused', status: 0 } });
  expect(existsSync(path)).toBe(false);
});

test('a compressed file is not taken for the file', async () => {
  const server = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('xyz'),
  );
  const path = join(temporaryFolder(), 'a.part');
  expect(await server.client().download(server.address, { path })).toMatchObject(lost);
  expect(existsSync(path)).toBe(false);
});

describe('what the service says of a failure is cut to size', () => {
  test('in a refusal', async () => {
    const message = `${'x'.repeat(5_000_000)}\ud800`;
    const server = await serve((_, response) => answer(response, 400, { message }));
    const got = await server.client().create('a', {});
    expect(got.ok ? '' : got.error.message).toBe('x'.repeat(2000));
  });

  test('in a project', async () => {
    const error = { code: 'y'.repeat(20_000_000 / 4), message: 'z'.repeat(5_000_000) };
    const server = await serve((_, response) =>
      answer(response, 200, { id: 'p', status: 'error', downloads: [], error }),
    );
    const got = await server.client().project('image', 'p');
    expect(got).toMatchObject({
      ok: true,
      value: { error: { code: 'y'.repeat(100), message: 'z'.repeat(2000) } },
    });
  });
});
