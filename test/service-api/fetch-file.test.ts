// A download that is cut: the rest is asked for, once it is sure that it is the rest of the same file. The wire is
// counted byte by byte.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpClient } from '../../src/service-api/http-client.ts';
import { temporaryFolder } from '../files/places.ts';
import { type Asked, serve, type TestServer } from './server.ts';

const size = 3_000_000;
const first = pattern(7);
const second = pattern(11);
const etag = '"v1"';

/** Every slice is another one. */
function pattern(step: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * step + (at >> 8)) % 251));
}

const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

type Handler = (asked: Asked, response: ServerResponse) => void;

/** One answer for each request, in turn; the last one stands for all that follow. */
async function storage(...answers: readonly Handler[]): Promise<TestServer> {
  let turn = 0;
  return await serve((asked, response) => {
    const answer = answers[Math.min(turn, answers.length - 1)];
    turn += 1;
    answer?.(asked, response);
  });
}

/** All of a file, cut after so many bytes. */
const whole =
  (
    content: Buffer,
    headers: OutgoingHttpHeaders = { etag },
    cutAfter = Number.POSITIVE_INFINITY,
  ): Handler =>
  (_, response) =>
    sendCut(response, 200, { ...lengthOf(content, headers), ...headers }, content, cutAfter);

/** The part that is asked for, with what the headers make of it. */
const part =
  (
    content: Buffer,
    headers: OutgoingHttpHeaders = { etag },
    cutAfter = Number.POSITIVE_INFINITY,
  ): Handler =>
  ({ headers: asked }, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(`${asked.range}`)?.[1]);
    const rest = content.subarray(start);
    const about = {
      'content-length': rest.length,
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
    };
    sendCut(response, 206, { ...about, ...headers }, rest, cutAfter);
  };

const status =
  (code: number): Handler =>
  (_, response) =>
    void response.writeHead(code).end('<xml/>');

const lengthOf = (content: Buffer, headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  'transfer-encoding' in headers ? {} : { 'content-length': content.length };

function sendCut(
  response: ServerResponse,
  code: number,
  headers: OutgoingHttpHeaders,
  content: Buffer,
  cutAfter: number,
): void {
  response.writeHead(code, headers);
  if (cutAfter >= content.length) return void response.end(content);
  response.write(content.subarray(0, cutAfter), () => response.socket?.end());
}

interface Spot {
  readonly folder: string;
  readonly into: { readonly path: string };
}

function spot(): Spot {
  const folder = temporaryFolder();
  return { folder, into: { path: join(folder, '.shotlist-1.part') } };
}

/** It ends with all of the file, and nothing else is left. */
async function expectWhole(
  client: HttpClient,
  { address }: TestServer,
  { into, folder }: Spot,
  content: Buffer,
): Promise<void> {
  expect(await client.download(address, into)).toMatchObject({
    ok: true,
    value: { bytes: content.length, digest: hash(content) },
  });
  expect(hash(readFileSync(into.path))).toBe(hash(content));
  expect(readdirSync(folder)).toEqual(['.shotlist-1.part']);
}

const rangesOf = ({ asked }: TestServer): readonly unknown[] =>
  asked.map(({ headers }) => [headers.range, headers['if-range']]);

/** Downloads what is cut. Answers how much of it is on disk then: what was still on its way is lost. */
async function cutOff(
  client: HttpClient,
  { address }: TestServer,
  { into }: Spot,
): Promise<number> {
  expect(await client.download(address, into)).toMatchObject({
    ok: false,
    error: { reason: 'unanswered' },
  });
  const { bytes } = JSON.parse(readFileSync(`${into.path}.json`, 'utf8'));
  expect(bytes).toBeGreaterThan(0);
  return bytes;
}

/** The same by a run whose process is gone. */
const leftBy = (server: TestServer, here: Spot): Promise<number> =>
  cutOff(server.client(), server, here);

describe('a download that was cut', () => {
  test('fetches only the rest, as often as it is cut, and its hash covers everything', async () => {
    const server = await storage(
      whole(first, { etag }, 1_000_000),
      part(first, { etag }, 500_000),
      part(first),
    );
    const here = spot();
    const client = server.client();
    const once = await cutOff(client, server, here);
    const twice = await cutOff(client, server, here);
    expect(twice).toBeGreaterThan(once);
    await expectWhole(client, server, here, first);
    expect(rangesOf(server)).toEqual([
      [undefined, undefined],
      [`bytes=${once}-`, etag],
      [`bytes=${twice}-`, etag],
    ]);
  });

  test('is gone on with by a later run', async () => {
    const server = await storage(whole(first, { etag }, 1_000_000), part(first));
    const here = spot();
    const bytes = await leftBy(server, here);
    expect(JSON.parse(readFileSync(`${here.into.path}.json`, 'utf8'))).toEqual({
      validator: etag,
      total: size,
      bytes,
      sha256: hash(first.subarray(0, bytes)),
    });
    await expectWhole(server.client(), server, here, first);
    expect(rangesOf(server)[1]).toEqual([`bytes=${bytes}-`, etag]);
  });

  test('is gone on with under another address of the same file', async () => {
    const server = await storage(whole(first, { etag }, 1_000_000), status(403), part(first));
    const here = spot();
    const client = server.client();
    const bytes = await cutOff(client, server, here);
    expect(await client.download(server.address, here.into)).toMatchObject({
      ok: false,
      error: { reason: 'expired' },
    });
    await expectWhole(client, { ...server, address: `${server.address}/a?sig=2` }, here, first);
    expect(rangesOf(server)[2]).toEqual([`bytes=${bytes}-`, etag]);
  });

  test.each([429, 500, 503])('keeps what came when storage answers %i', async (code) => {
    const server = await storage(whole(first, { etag }, 1_000_000), status(code), part(first));
    const here = spot();
    const client = server.client();
    const bytes = await leftBy(server, here);
    expect((await client.download(server.address, here.into)).ok).toBe(false);
    await expectWhole(client, server, here, first);
    expect(rangesOf(server)[2]).toEqual([`bytes=${bytes}-`, etag]);
  });

  test('asks by its date where it has no tag', async () => {
    const date = 'Wed, 05 Aug 2026 10:00:00 GMT';
    const modified = 'Tue, 04 Aug 2026 10:00:00 GMT';
    const headers = { date, 'last-modified': modified };
    const server = await storage(whole(first, headers, 1_000_000), part(first, headers));
    const here = spot();
    const bytes = await leftBy(server, here);
    await expectWhole(server.client(), server, here, first);
    expect(rangesOf(server)[1]).toEqual([`bytes=${bytes}-`, modified]);
  });

  test.each<readonly [string, OutgoingHttpHeaders]>([
    ['no version', {}],
    ['a weak tag', { etag: 'W/"v1"' }],
    ['a tag that is none', { etag: 'v1' }],
    [
      'a date of this very second',
      { date: 'Wed, 05 Aug 2026 10:00:00 GMT', 'last-modified': 'Wed, 05 Aug 2026 10:00:00 GMT' },
    ],
    ['a date that is none', { 'last-modified': 'yesterday' }],
    ['no length', { etag, 'transfer-encoding': 'chunked' }],
  ])('with %s begins again, and leaves nothing behind', async (_, headers) => {
    const server = await storage(whole(first, headers, 1_000_000), whole(first, headers));
    const here = spot();
    const client = server.client();
    expect((await client.download(server.address, here.into)).ok).toBe(false);
    expect(readdirSync(here.folder)).toEqual([]);
    await expectWhole(client, server, here, first);
    expect(rangesOf(server)[1]).toEqual([undefined, undefined]);
  });
});

describe('the rest is not taken for the rest', () => {
  const wrong =
    (range: (start: number) => string): Handler =>
    (asked, response) => {
      const start = Number(/\d+/.exec(`${asked.headers.range}`)?.[0]);
      part(first, { etag, 'content-range': range(start) })(asked, response);
    };

  test.each<readonly [string, Handler]>([
    ['it begins elsewhere', wrong((start) => `bytes ${start - 1}-${size - 1}/${size}`)],
    ['it is of a file of another length', wrong((start) => `bytes ${start}-${size}/${size + 1}`)],
    ['it does not say of how many', wrong((start) => `bytes ${start}-${size - 1}/*`)],
    ['it does not say which bytes', wrong(() => 'bytes')],
    ['it is in several parts', (_, response) => void response.writeHead(206, { etag }).end('--x')],
    ['it is of another version', part(second, { etag: '"v2"' })],
    ['there is no such part', status(416)],
  ])('when %s: everything is fetched again', async (_, answer) => {
    const server = await storage(whole(first, { etag }, 1_000_000), answer, whole(second));
    const here = spot();
    const bytes = await leftBy(server, here);
    await expectWhole(server.client(), server, here, second);
    expect(rangesOf(server)).toEqual([
      [undefined, undefined],
      [`bytes=${bytes}-`, etag],
      [undefined, undefined],
    ]);
  });

  test('when storage sends all of it, because it has changed: that is taken', async () => {
    const server = await storage(whole(first, { etag }, 1_000_000), whole(second, { etag: '"2"' }));
    const here = spot();
    await leftBy(server, here);
    await expectWhole(server.client(), server, here, second);
    expect(server.asked).toHaveLength(2);
  });

  test('when storage sends all of it, and it has become small', async () => {
    const server = await storage(whole(first, { etag }, 1_000_000), whole(Buffer.from('small')));
    const here = spot();
    await leftBy(server, here);
    await expectWhole(server.client(), server, here, Buffer.from('small'));
  });
});

describe('what an earlier run left', () => {
  test('beyond what was noted is fetched again: it may not have been on disk', async () => {
    const server = await storage(whole(first, { etag }, 1_000_000), part(first));
    const here = spot();
    const bytes = await leftBy(server, here);
    writeFileSync(here.into.path, Buffer.alloc(500_000, 'garbage'), { flag: 'a' });
    await expectWhole(server.client(), server, here, first);
    expect(rangesOf(server)[1]).toEqual([`bytes=${bytes}-`, etag]);
  });

  const odd: readonly (readonly [string, (here: Spot) => void])[] = [
    ['whose bytes were changed', ({ into }) => writeFileSync(into.path, 'x', { flag: 'r+' })],
    ['that is shorter than noted', ({ into }) => truncateSync(into.path, 10)],
    ['whose note is torn', ({ into }) => truncateSync(`${into.path}.json`, 20)],
    ['whose note is empty', ({ into }) => truncateSync(`${into.path}.json`, 0)],
    [
      'whose note would break a header',
      ({ into }) => {
        const text = readFileSync(`${into.path}.json`, 'utf8');
        writeFileSync(`${into.path}.json`, text.replace('v1', 'v1\\r\\nx: y'));
      },
    ],
    [
      'whose note says that all of it is there',
      ({ into }) => {
        const text = readFileSync(`${into.path}.json`, 'utf8');
        writeFileSync(`${into.path}.json`, text.replace(`${size}`, `${JSON.parse(text).bytes}`));
      },
    ],
  ];
  test.each(odd)('%s is fetched again', async (_, spoil) => {
    const server = await storage(whole(first, { etag }, 1_000_000), whole(first));
    const here = spot();
    await leftBy(server, here);
    spoil(here);
    await expectWhole(server.client(), server, here, first);
    expect(rangesOf(server)[1]).toEqual([undefined, undefined]);
  });

  test('without a note is replaced', async () => {
    const server = await storage(whole(Buffer.from('small')), whole(first));
    for (const content of [Buffer.from('small'), first]) {
      const here = spot();
      writeFileSync(here.into.path, Buffer.alloc(size + 5, 'left'));
      await expectWhole(server.client(), server, here, content);
    }
  });

  test('is never written through when it is a link', async () => {
    const server = await storage(whole(Buffer.from('small')), whole(first));
    for (const content of [Buffer.from('small'), first]) {
      const here = spot();
      const precious = join(temporaryFolder(), 'precious.txt');
      writeFileSync(precious, 'precious');
      symlinkSync(precious, here.into.path);
      await expectWhole(server.client(), server, here, content);
      expect(readFileSync(precious, 'utf8')).toBe('precious');
    }
  });
});

test.each(['path', 'note'])(
  'a folder in the place of a part or its note fails that file alone: %s',
  async (which) => {
    const server = await storage(whole(Buffer.from('small')), whole(first));
    for (let times = 0; times < 2; times++) {
      const { into } = spot();
      mkdirSync(which === 'path' ? into.path : `${into.path}.json`);
      expect(await server.client().download(server.address, into)).toMatchObject({
        ok: false,
        error: { reason: 'refused', message: expect.stringMatching(/^a file in .* is a folder$/) },
      });
    }
  },
);

test('an answer that ends before its length is a cut, also of a part', async () => {
  const most = 1_200_000;
  const short: Handler = ({ headers }, response) => {
    const start = Number(/\d+/.exec(`${headers.range}`)?.[0]);
    const about = { 'content-range': `bytes ${start}-${most - 1}/${size}` };
    response.writeHead(206, about).end(first.subarray(start, most));
  };
  const server = await storage(whole(first, { etag }, 1_000_000), short, part(first));
  const here = spot();
  const client = server.client();
  await leftBy(server, here);
  expect(await client.download(server.address, here.into)).toEqual({
    ok: false,
    error: { reason: 'unanswered', message: `${most} of ${size} bytes came` },
  });
  await expectWhole(client, server, here, first);
  expect(rangesOf(server)[2]).toEqual([`bytes=${most}-`, etag]);
});

test('storage that stops sending is a cut', async () => {
  const stalls: Handler = (_, response) => {
    response.writeHead(200, { etag, 'content-length': size });
    response.write(first.subarray(0, 1_000_000));
  };
  const server = await storage(stalls, part(first));
  const here = spot();
  const client = server.client({ stallMs: 1 });
  const bytes = await cutOff(client, server, here);
  await expectWhole(client, server, here, first);
  expect(rangesOf(server)[1]).toEqual([`bytes=${bytes}-`, etag]);
});

test.runIf(process.platform === 'linux')(
  'a folder in which nobody may write is this machine’s trouble',
  async () => {
    for (const content of [Buffer.from('small'), first]) {
      const server = await storage(whole(content));
      expect(await server.client().download(server.address, { path: '/sys/a.part' })).toEqual({
        ok: false,
        error: {
          reason: 'local',
          message: expect.stringMatching(/^a file in \/sys (cannot|could) /),
        },
      });
    }
  },
);

describe('bytes that the storage does not have', () => {
  const small = Buffer.from('123456789');
  const md5 = createHash('md5').update(small).digest();
  const wrong = Buffer.from('123456780');
  const named = `md5=${md5.toString('base64')}`;

  test.each<readonly [string, OutgoingHttpHeaders]>([
    ['Content-MD5', { 'content-md5': md5.toString('base64') }],
    ['the MD5 of x-goog-hash', { 'x-goog-hash': `crc32c=AAAAAA==,${named}` }],
    [
      'the MD5 of x-goog-hash in a header of its own',
      { 'x-goog-hash': ['crc32c=AAAAAA==', named] },
    ],
    // The check value that the definition of CRC-32C gives for these nine bytes.
    ['the CRC-32C of x-goog-hash', { 'x-goog-hash': 'crc32c=4waSgw==' }],
    ['an entity tag that is an MD5', { etag: `"${md5.toString('hex')}"` }],
  ])('are refused by %s', async (_, headers) => {
    const server = await storage(whole(wrong, headers), whole(small, headers));
    const here = spot();
    const client = server.client();
    expect(await client.download(server.address, here.into)).toMatchObject({
      ok: false,
      error: { reason: 'damaged' },
    });
    expect(readdirSync(here.folder)).toEqual([]);
    await expectWhole(client, server, here, small);
  });

  test('are refused in what came before a cut, too', async () => {
    const md5 = createHash('md5').update(first).digest('hex');
    const headers = { etag: `"${md5}"` };
    const spoiled = Buffer.from(first);
    spoiled[10] = 0xff;
    const server = await storage(
      whole(spoiled, headers, 1_000_000),
      part(first, headers),
      whole(first, headers),
    );
    const here = spot();
    await leftBy(server, here);
    const client = server.client();
    expect(await client.download(server.address, here.into)).toMatchObject({
      ok: false,
      error: { reason: 'damaged' },
    });
    await expectWhole(client, server, here, first);
  });

  test.each([
    ['small', small],
    ['large', first],
  ])(
    'are not assumed where a %s file comes twice under a tag that only looks like a hash',
    async (_, content) => {
      const server = await storage(whole(content, { etag: `"${'0'.repeat(32)}"` }));
      const here = spot();
      const client = server.client();
      expect((await client.download(server.address, here.into)).ok).toBe(false);
      await expectWhole(client, server, here, content);
    },
  );

  test.each<OutgoingHttpHeaders>([
    { etag: `"${'0'.repeat(32)}-2"` },
    { etag: `"${'0'.repeat(32)}"`, 'x-amz-server-side-encryption': 'aws:kms' },
    { 'x-goog-hash': 'md5=AAAAAAAAAAAAAAAAAAAAAA==', 'x-goog-stored-content-encoding': 'gzip' },
  ])('are not assumed by %o, which is no hash of the file', async (headers) => {
    const server = await storage(whole(small, headers));
    await expectWhole(server.client(), server, spot(), small);
  });
});
