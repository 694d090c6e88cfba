// Requests that are no proper HTTP, each by its name: the service refuses them, creates nothing by them, and goes on.
import { describe, expect, test } from 'vitest';
import {
  answersTo,
  chunked,
  close,
  creationFor,
  inChunks,
  json,
  lengthOf,
  linesFor,
  message,
  order,
} from './http-text.ts';
import { besiege, expectAlive, frozen, moneyOf } from './siege.ts';

const siege = await besiege(frozen);
const { local } = siege;
const { host, key } = linesFor(local);
const length = lengthOf(order);
const creation = creationFor(local);

const get = (target: string, version = ' HTTP/1.1'): string =>
  message(`GET ${target}${version}`, [host, key, close]);
/** Any request with these headers. */
const having = (...headers: readonly string[]): string =>
  message('GET /v1/account HTTP/1.1', [host, key, ...headers]);
/** A creation with these headers, and this after them. */
const post = (headers: readonly string[], body = order): string =>
  message('POST /v1/text-to-video HTTP/1.1', [host, key, json, ...headers], body);
const inParts = (body: string): string => post([chunked], body);
/** Behind it stands a creation that only a misreading of its length would bring about. */
const smuggling = (...headers: readonly string[]): string =>
  post(headers, inChunks(order) + creation);

/** Refused with 400. */
const malformed: Readonly<Record<string, string>> = {
  'a line of one word': 'hello\r\n\r\n',
  'a line with no target': message('GET HTTP/1.1', [host]),
  'a line in small letters': message('get /v1/account http/1.1', [host]),
  'a target with a space': get('/v1/acc ount'),
  'a target with a NUL': get('/v1/acc\0ount'),
  'a target without a slash': get('v1/account'),
  'an unknown method': message('FEED /v1/account HTTP/1.1', [host, key]),
  'an unknown version': get('/v1/account', ' HTTP/9.9'),
  'the version 2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'no host': message('GET /v1/account HTTP/1.1', [key]),
  'a header without a colon': having('hello'),
  'a header without a name': having(': x'),
  'a header name with a space': having('X Y: z'),
  'a header value with a NUL': having('X: a\0b'),
  'a header value with a lone return': having('X: a\rY: b'),
  'a space before the colon of the length': post([length.replace(':', ' :')]),
  'a length below zero': post(['Content-Length: -1']),
  'a length with a sign': post([`Content-Length: +${order.length}`]),
  'a length in words': post(['Content-Length: ten']),
  'a length in hexadecimal': post(['Content-Length: 0x28']),
  'a length beyond all numbers': post([`Content-Length: ${'9'.repeat(40)}`]),
  'two lengths': post([length, 'Content-Length: 5']),
  'two lengths in one': post([`${length}, 5`]),
  'a length and chunks': smuggling('Content-Length: 4', chunked),
  'chunks and a length': smuggling(chunked, 'Content-Length: 4'),
  'chunks spelled with a control character': smuggling('Transfer-Encoding:\x0bchunked'),
  'chunks that are packed again': smuggling(`${chunked}, gzip`),
  'an encoding that is not chunks': smuggling('Transfer-Encoding: gzip'),
  'a chunk without a length': inParts(`x\r\n${order}\r\n0\r\n\r\n`),
  'a chunk of a length below zero': inParts(`-1\r\n${order}\r\n0\r\n\r\n`),
  'a chunk of a length beyond all numbers': inParts(`${'f'.repeat(20)}\r\n${order}`),
  'a chunk longer than it says': inParts(`5\r\n${order}\r\n0\r\n\r\n`),
  'a chunk that ends in a lone line feed': inParts(`28\n${order}\n0\n\n`),
  'a TLS hello': `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${'\x7f'.repeat(500)}`,
  'an SSH banner': 'SSH-2.0-OpenSSH_9.9\r\n\r\n',
};

/** Refused with 431. */
const oversized: Readonly<Record<string, string>> = {
  'a target of 100 kB': get(`/v1/${'x'.repeat(100_000)}`),
  'a header of 100 kB': having(`X: ${'x'.repeat(100_000)}`),
  'a header name of 100 kB': having(`${'x'.repeat(100_000)}: x`),
  'a head of 5000 lines': having(...Array.from({ length: 5000 }, () => 'X: y')),
};

describe('is refused, and creates nothing:', () => {
  test.each([
    ...Object.entries(malformed).map(([name, text]) => [name, text, 400] as const),
    ...Object.entries(oversized).map(([name, text]) => [name, text, 431] as const),
  ])('%s', async (_, text, status) => {
    const before = moneyOf(local);
    const answers = await answersTo(local, [text], 'hear-out');
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(moneyOf(local)).toEqual(before);
    await expectAlive(siege);
  });
});

describe('is answered as what it means, or as a path that nobody answers to:', () => {
  const head = message('HEAD /v1/account HTTP/1.1', [host, key, close]);
  const odd: readonly (readonly [string, string, readonly number[]])[] = [
    ['a line with a space too many', get(' /v1/account'), [200, 400]],
    ['an empty line before the request', `\r\n${get('/v1/account')}`, [200]],
    ['an older version', get('/v1/account', ' HTTP/1.0'), [200]],
    ['the oldest version', 'GET /v1/account\r\n\r\n', [400, 401]],
    ['a target with a host', get(`${local.address}/v1/account`), [200, 404]],
    ['a target with a host that is somebody else’s', get('http://x.com/v1/account'), [200, 404]],
    ['a target of two slashes', get('//'), [404]],
    ['a target of two slashes and a host', get('//example.com/v1/account'), [404]],
    ['a target of a thousand slashes', get('/'.repeat(1000)), [404]],
    ['a target of a thousand ways up', get('/..'.repeat(1000)), [404]],
    ['a star', get('*'), [404]],
    ['a star that is asked for its options', message('OPTIONS * HTTP/1.1', [host, close]), [404]],
    ['percent signs under /v1', get('/v1/%%%/%zz/%1'), [404]],
    ['a percent sign at the end', get('/v1/image-projects/%'), [404]],
    ['bytes beyond ASCII', get('/v1/\xff\xfe\xc3\xa9'), [400, 404]],
    ['a fragment', get('/v1/account#x'), [200, 404]],
    ['a method that nobody answers to', get('/v1/account').replace('GET', 'PROPFIND'), [404]],
    ['a method that asks for itself', get('/v1/account').replace('GET', 'TRACE'), [404]],
    ['a method for heads only', head, [404]],
    ['a wish for another protocol', having('Connection: upgrade, close', 'Upgrade: h2c'), [200]],
    ['a body where none belongs', having(close, length).concat(order), [200, 400]],
    ['a length that comes twice and is the same', post([length, length, close]), [200, 400]],
    ['chunks, in capitals', post([chunked.toUpperCase(), close], inChunks(order)), [200]],
    ['an expectation that nobody knows', post(['Expect: the best', length, close]), [200, 417]],
  ];

  test.each(odd)('%s', async (_, text, expected) => {
    const [first] = await answersTo(local, [text], 'hear-out');
    expect(expected).toContain(first?.status);
    await expectAlive(siege);
  });

  test('a body that waits to be asked for is asked for, and taken', async () => {
    const text = post([length, close, 'Expect: 100-continue']);
    const answers = await answersTo(local, [text], 'hear-out');
    expect(answers.map(({ status }) => status)).toEqual([100, 200]);
    await expectAlive(siege);
  });

  test('a tunnel is not dug', async () => {
    const text = message('CONNECT example.com:443 HTTP/1.1', [host, key, close]);
    const answers = await answersTo(local, [text], 'hear-out');
    for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400);
    await expectAlive(siege);
  });
});
