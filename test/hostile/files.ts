// Hostile storage: where results are said to be, and what comes from there.
import { type Behaviour, drip, forever, ok, raw, status, text, wild } from './behaviour.ts';
import type { Operation } from './front.ts';

const pending = (at: Behaviour['at'], name: string, operation: Operation): Behaviour => ({
  ...{ name, at, operation, after: ['pending'] },
});

/** The project is complete, and its result is at this address. */
const result = (address: string): Behaviour =>
  pending(
    'project',
    `a result at ${JSON.stringify(address).slice(0, 60)}`,
    text((honest) => honest.replace(/"url":"[^"]*"/g, `"url":${JSON.stringify(address)}`)),
  );

const download = (name: string, operation: Operation): Behaviour =>
  pending('download', `a download: ${name}`, operation);

export const files: readonly Behaviour[] = [
  ...[
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'ftp://127.0.0.1/x',
    'x',
    '//127.0.0.1/x',
    'http://',
    'http://user:word@127.0.0.1:9/x',
    'http://10.0.0.1/x',
    'http://192.168.0.1:8080/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://0x0a.1:9/x',
    'http://[::ffff:10.0.0.1]/x',
    'http://[64:ff9b::10.0.0.1]/x',
    'http://[fd00::1]/x',
    'http://224.0.0.1/x',
    'http://private.test/x',
    'http://both.test/x',
    `http://10.0.0.1/${'x'.repeat(1 << 20)}`,
    `http://10.0.0.1/x${wild}`,
    `http://10.0.0.1/\r\nx: y`,
  ].map(result),
  download('nothing', raw(ok('', 'content-length: 0'))),
  download('less than its length', raw(ok('abc', 'content-length: 1000'))),
  download('more than its length', raw(ok('x'.repeat(1000), 'content-length: -3'))),
  download('without end', forever(ok('', 'connection: close'), Buffer.alloc(1 << 16))),
  download('longer than the disk', raw(ok('x', 'content-length: 999999999999999'))),
  download('compressed', status(200, 'xyz', { 'content-encoding': 'gzip' })),
  download('a redirect', status(302, '', { location: 'http://127.0.0.1:9/x' })),
  download('a part that nobody asked for', status(206, 'x', { 'content-range': 'bytes 5-6/7' })),
  download('a reset', raw(ok('abc', 'content-length: 1000'), 'reset')),
  download('broken chunks', raw(ok('zz\r\n', 'transfer-encoding: chunked'))),
  download('no HTTP', raw('\0\0\0\0')),
  {
    ...download('a byte now and then', drip(ok('', 'connection: close'))),
    client: { progress: { bytes: 1 << 20, everyMs: 50 } },
  },
  {
    name: 'a download: a type and a name that lead elsewhere',
    at: 'download',
    after: ['done'],
    operation: ({ honest, response }) => {
      response.writeHead(200, {
        'content-type': '../../../etc/passwd',
        'content-disposition': 'attachment; filename="../../../evil"',
      });
      response.end(honest.body);
    },
  },
  {
    name: 'uploads: a reset',
    at: 'upload',
    who: 'all',
    after: ['failed'],
    operation: raw('', 'reset'),
  },
  {
    name: 'uploads: a redirect',
    at: 'upload',
    who: 'all',
    after: ['failed'],
    operation: status(307, '', { location: 'http://127.0.0.1:9/x' }),
  },
  {
    name: 'uploads: no HTTP',
    at: 'upload',
    who: 'all',
    after: ['failed'],
    operation: raw('\0\0\0\0'),
  },
  {
    name: 'deletes: no HTTP',
    at: 'delete',
    after: ['failed'],
    operation: raw('HTTP/1.1 two hundred\r\n\r\n'),
  },
  {
    name: 'deletes: a creation in place of an answer',
    at: 'delete',
    after: ['done'],
    operation: text(() => '{"id":"..","credits_charged":1e999}'),
  },
];
