// Who gets something from the server of a live page, and what.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LiveServer, openLiveServer } from '../../src/report/live-server.ts';
import { get, listenTo } from '../page-client.ts';
import { until } from '../rig.ts';

async function serving(): Promise<LiveServer> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-page-'));
  writeFileSync(join(folder, 'clip.mp4'), '0123456789');
  writeFileSync(join(folder, 'page.html'), '<script>alert(1)</script>');
  const files = ['clip.mp4', 'page.html', 'gone.png'].map((name) => join(folder, name));
  const opened = await openLiveServer(
    { port: 0, title: 'photos', page: { script: 'let a = 1;', style: '', notices: '' } },
    {
      greeting: () => [{ type: 'report', data: '{"items":[]}' }],
      thumbnail: async (number) => (number === 0 ? Buffer.from('webp') : undefined),
      file: (number) => files[number],
    },
  );
  if (!opened.ok) throw new Error(opened.error);
  onTestFinished(async () => {
    await opened.value.close();
    rmSync(folder, { recursive: true });
  });
  return opened.value;
}

describe('a live page', () => {
  test('can be opened once with an address for once, which leads to its own', async () => {
    const page = await serving();
    const [once, other] = [page.addressForOnce(), page.addressForOnce()];
    expect(once).not.toBe(other);
    const { host } = new URL(once);
    const foreign = await get(once, { host, 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
    const { status, headers, body } = await get(once);
    expect({ status, body: body.toString() }).toEqual({ status: 303, body: '' });
    expect(new URL(headers.location ?? '', once).href).toBe(page.address);
    expect((await get(once)).status).toBe(404);
    expect((await get(other)).status).toBe(303);
  });

  test('gives nothing to other names, other pages, proxies and changes', async () => {
    const { address } = await serving();
    const { host } = new URL(address);
    const statuses = async (path: string): Promise<readonly number[]> => {
      const strangers = [
        { host: 'photos.example:80' },
        { host: `localhost.example:${new URL(address).port}` },
        { host: '10.0.0.1' },
        { host: 'localhost:65536' },
        { host, origin: 'https://photos.example' },
        { host, origin: 'null' },
        { host, 'sec-fetch-site': 'cross-site' },
        { host, 'sec-fetch-site': 'same-site' },
        { host, 'x-forwarded-for': '127.0.0.1' },
        { host, method: 'POST' },
        { host, method: 'OPTIONS', 'access-control-request-method': 'GET' },
      ];
      const got = await Promise.all(strangers.map((one) => get(address + path, one)));
      for (const { headers, body } of got) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-'))).toEqual([]);
        expect(body.toString()).not.toMatch(/script|webp|items/);
      }
      return got.map(({ status }) => status);
    };
    const refusals = [403, 403, 403, 403, 403, 403, 403, 403, 403, 405, 405];
    for (const path of ['', 'events', 'pictures/0', 'files/0/clip.mp4'])
      expect(await statuses(path)).toEqual(refusals);
    const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await get(address, own)).status).toBe(200);
  });

  test('needs its whole token, and knows no path', async () => {
    const { address } = await serving();
    const { origin, pathname } = new URL(address);
    expect(pathname).toMatch(/^\/[\w-]{43}\/$/);
    const wrong = [
      ...[
        '/',
        '/events',
        '/pictures/0',
        '//',
        `${pathname.slice(0, -2)}/`,
        `/x${pathname.slice(1)}`,
      ],
      ...['/../', `${pathname}..`, `${pathname}files/0/../../../etc/passwd`],
      ...[
        `${pathname}files/%2e%2e/etc`,
        `${pathname}files//etc/passwd`,
        `${pathname}pictures/../0`,
      ],
      ...[`${pathname}files/0/..%2f..%2fetc`, `${pathname}pictures/-1`, `${pathname}files/99/a`],
      `${origin}${pathname}`,
    ];
    const got = await Promise.all(wrong.map((path) => get(origin, { path })));
    const named = '/files/0/..%2f..%2fetc';
    expect(got.map(({ status }, index) => [wrong[index], status])).toEqual(
      // The name after the number says nothing, however it is written.
      wrong.map((path) => [path, path.endsWith(named) ? 200 : 404]),
    );
    for (const { body } of got) expect(body.toString()).not.toMatch(/root:/);
  });

  test('sends pictures and files by number, in parts, and never as a page', async () => {
    const { address } = await serving();
    const picture = await get(`${address}pictures/0`);
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/webp']);
    expect((await get(`${address}pictures/1`)).status).toBe(204);
    const part = await get(`${address}files/0/clip.mp4`, { range: 'bytes=2-4' });
    expect([part.status, part.body.toString(), part.headers['content-type']]).toEqual([
      206,
      '234',
      'video/mp4',
    ]);
    expect(part.headers['content-range']).toBe('bytes 2-4/10');
    expect((await get(`${address}files/0/clip.mp4`, { range: 'bytes=20-' })).status).toBe(416);
    expect((await get(`${address}files/2/gone.png`)).status).toBe(404);
    const page = await get(`${address}files/1/page.html`);
    expect(page.headers['content-type']).toBe('application/octet-stream');
    expect(page.headers['content-disposition']).toBe('attachment');
    for (const { headers } of [picture, part, page]) {
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain('sandbox');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });

  test('is a page that nobody frames, and that loads from its own server only', async () => {
    const { address } = await serving();
    const { headers, body } = await get(address);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; .*connect-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
    expect(body.toString()).toContain('let a = 1;');
  });

  test('tells every open page what happens, and last that nothing follows', async () => {
    const server = await serving();
    const [one, other] = [listenTo(server.address), listenTo(server.address)];
    await until('both are connected', () => server.pages() === 2);
    server.send({ type: 'trouble', data: '"a line\\nbreak"' });
    await server.close();
    await until('both heard the end', () => one.ended && other.ended);
    expect(one.types).toEqual(['report', 'trouble', 'ended']);
    await expect(get(server.address)).rejects.toThrow('ECONNREFUSED');
  });
});
