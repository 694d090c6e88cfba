// Answers to a paying request that break HTTP: nothing can be said of what became of it.
import { type Behaviour, bomb, drip, forever, ok, raw, status, text } from './behaviour.ts';
import type { Operation } from './front.ts';

const doubted = (name: string, operation: Operation): Behaviour => ({
  ...{ name, operation, at: 'creation', after: ['doubt'] },
});

export const wire: readonly Behaviour[] = [
  doubted('a negative content-length', raw(ok('{}', 'content-length: -5'))),
  doubted('a content-length beyond any number', raw(ok('{}', `content-length: ${'9'.repeat(40)}`))),
  doubted('a content-length that is no number', raw(ok('{}', 'content-length: two'))),
  doubted(
    'two content-lengths that differ',
    raw(ok('{}', 'content-length: 2', 'content-length: 3')),
  ),
  doubted(
    'a content-length beside chunks',
    raw(ok('2\r\n{}\r\n0\r\n\r\n', 'content-length: 2', 'transfer-encoding: chunked')),
  ),
  doubted('a status in words', raw('HTTP/1.1 two hundred\r\n\r\n{}')),
  doubted('a status of four digits', raw('HTTP/1.1 1000 OK\r\n\r\n{}')),
  doubted('status 0', raw('HTTP/1.1 000 OK\r\n\r\n{}')),
  doubted('a version of HTTP that does not exist', raw('HTTP/9.9 200 OK\r\n\r\n{}')),
  doubted('HTTP/0.9', raw('{"id":"x","credits_charged":1}')),
  doubted('a header without a colon', raw(ok('{}', 'nothing here'))),
  doubted('a header with a NUL', raw(ok('{}', 'x: a\0b'))),
  doubted('a name of a header with spaces', raw(ok('{}', 'x y z : 1'))),
  doubted('a folded transfer-encoding', raw(ok('{}', 'transfer-encoding:\x0bchunked'))),
  doubted('one header of a megabyte', raw(ok('{}', `x: ${'y'.repeat(1 << 20)}`))),
  doubted(
    'fifty thousand headers',
    raw(ok('{}', ...Array.from({ length: 50_000 }, (_, n) => `x${n}: y`))),
  ),
  doubted('a flood of 100 Continue', forever('', 'HTTP/1.1 100 Continue\r\n\r\n')),
  doubted('a flood of 102 Processing', forever('', 'HTTP/1.1 102 Processing\r\n\r\n')),
  doubted('103 and then nothing', raw('HTTP/1.1 103 Early Hints\r\n\r\n')),
  doubted(
    '101 Switching Protocols',
    raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello'),
  ),
  doubted('a chunk whose size is no number', raw(ok('zz\r\n{}\r\n', 'transfer-encoding: chunked'))),
  doubted(
    'a chunk of the largest size',
    raw(ok('FFFFFFFFFFFFFFFF\r\n{}', 'transfer-encoding: chunked')),
  ),
  doubted('chunks without an end', raw(ok('2\r\n{}\r\n', 'transfer-encoding: chunked'))),
  {
    ...doubted(
      'a chunk with an endless extension',
      forever(ok('2;', 'transfer-encoding: chunked'), 'x'.repeat(4096)),
    ),
    client: { totalMs: 3000 },
  },
  doubted(
    'garbage called gzip',
    text(() => 'no gzip', { 'content-encoding': 'gzip' }),
  ),
  doubted(
    'a bomb in gzip',
    text(() => bomb(), { 'content-encoding': 'gzip' }),
  ),
  doubted('an end in the middle of the body', raw(ok('{"id":"x', 'content-length: 100'))),
  doubted('a reset in the middle of the head', raw('HTTP/1.1 200 OK\r\ncontent-ty', 'reset')),
  doubted('a reset in the middle of the body', raw(ok('{"id":"x', 'content-length: 9'), 'reset')),
  doubted('an end without a byte', raw('')),
  doubted('binary garbage', raw(Buffer.from('00ff16030100ab8001c0ffee0a0d0a0d', 'hex'))),
  doubted('a TLS alert', raw(Buffer.from('15030300020228', 'hex'))),
  doubted('204 with a body', raw('HTTP/1.1 204 No Content\r\n\r\n{"id":"x","credits_charged":1}')),
  doubted('304', raw('HTTP/1.1 304 Not Modified\r\n\r\n')),
  doubted('an empty body', raw(ok('', 'content-length: 0'))),
  doubted('500 with a page', status(500, '<html>'.repeat(10_000), { 'content-type': 'text/html' })),
  doubted('502 with an id', status(502, '{"id":"x"}', { 'content-type': 'application/json' })),
  doubted(
    'an answer of 17 MiB',
    text((honest) => `${honest.slice(0, -1)},"x":"${'y'.repeat(17 << 20)}"}`),
  ),
  doubted('an answer without end', forever(ok('', 'connection: close'), ' '.repeat(1 << 16))),
  {
    ...doubted('a byte now and then', drip(ok('{"id":"', 'connection: close'))),
    client: { totalMs: 3000 },
  },
  {
    ...doubted('headers byte by byte', drip('HTTP/1.1 200 OK\r\nx: ')),
    client: { totalMs: 3000 },
  },
  {
    name: 'a second answer behind the first',
    at: 'creation',
    after: ['done'],
    operation: ({ honest, response }) => {
      const length = `content-length: ${honest.body.length}`;
      const second = ok('{"id":"planted","credits_charged":9}', 'content-length: 36');
      const { socket } = response;
      socket?.write(`${ok(honest.body.toString(), length)}${second}`);
    },
  },
  {
    name: 'a redirect elsewhere',
    at: 'creation',
    withheld: true,
    after: ['failed'],
    operation: status(307, '', { location: 'http://127.0.0.1:9/v1/face-swap-photo' }),
  },
];
