// Answers that are HTTP and not what the interface says: JSON of the wrong kind, ids, credits and words that no service sends.
import { type Behaviour, fields, status, text, wild } from './behaviour.ts';
import type { Operation } from './front.ts';

const json = { 'content-type': 'application/json' };

const created = (name: string, operation: Operation, ...after: Behaviour['after']): Behaviour => ({
  ...{ name: `a creation: ${name}`, operation, at: 'creation', after },
});
const read = (name: string, operation: Operation, ...after: Behaviour['after']): Behaviour => ({
  ...{ name: `a project: ${name}`, operation, at: 'project', after },
});

/** An id that is not the project's. */
const id = (name: string, value: unknown, ...after: Behaviour['after']): Behaviour =>
  created(
    `an id ${name}`,
    fields(() => ({ id: value })),
    ...after,
  );

const failedWith = (code: string, message: string): Operation =>
  fields(() => ({ status: 'error', credits_charged: 0, downloads: [], error: { code, message } }));

const refusal = (name: string, message: (key: string) => string): Behaviour => ({
  name: `a refusal: ${name}`,
  at: 'creation',
  withheld: true,
  after: ['failed'],
  operation: ({ response, key }) =>
    void response.writeHead(422, json).end(JSON.stringify({ message: message(key) })),
});

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

export const answers: readonly Behaviour[] = [
  created(
    'a list',
    text((honest) => `[${honest}]`),
    'doubt',
  ),
  created(
    'a text',
    text(() => '"created"'),
    'doubt',
  ),
  created(
    'null',
    text(() => 'null'),
    'doubt',
  ),
  created(
    'cut JSON',
    text((honest) => honest.slice(0, -3)),
    'doubt',
  ),
  created(
    'two objects',
    text((honest) => `${honest}${honest}`),
    'doubt',
  ),
  created(
    'UTF-16',
    text((honest) => Buffer.from(honest, 'utf16le')),
    'doubt',
  ),
  created(
    'a hundred thousand levels',
    text(() => deep(100_000)),
    'doubt',
  ),
  created(
    'a hundred thousand levels in a field of no interest',
    text((honest) => `${honest.slice(0, -1)},"x":${deep(100_000)}}`),
    'done',
  ),
  created(
    'a byte order mark',
    text((honest) => `\ufeff${honest}`),
    'done',
  ),
  created(
    'a key twice',
    text((honest) => `{"id":"planted",${honest.slice(1)}`),
    'done',
  ),
  created(
    '__proto__',
    text((honest) => `{"__proto__":{"id":"planted","credits_charged":0},${honest.slice(1)}`),
    'done',
  ),
  created(
    'credits below zero',
    fields(() => ({ credits_charged: -5 })),
    'done',
    'doubt',
  ),
  created(
    'credits in words',
    fields(() => ({ credits_charged: 'ten' })),
    'done',
    'doubt',
  ),
  created(
    'NaN credits',
    text(() => '{"id":"x","credits_charged":NaN}'),
    'doubt',
  ),
  created(
    'endless credits',
    text((honest) => honest.replace(/"credits_charged":\d+/, '"credits_charged":1e999')),
    'done',
    'doubt',
  ),
  created(
    'a quadrillion credits',
    fields(() => ({ credits_charged: 1e15 })),
    'done',
    'doubt',
  ),
  id('that is a number', 7, 'doubt'),
  id('that is empty', '', 'doubt'),
  id('that is an object', { toString: 'x' }, 'doubt'),
  id('of another project', 'somebody-elses', 'lost'),
  id('with slashes', '../../v1/account', 'lost', 'doubt'),
  id('that is ..', '..', 'doubt'),
  id('with half a character', 'x\ud800', 'doubt'),
  id('of ten megabytes', 'x'.repeat(10 << 20), 'doubt'),
  id('with control characters', `x${wild}`, 'doubt', 'lost'),
  created(
    'the key as an id',
    fields((_, key) => ({ id: key })),
    'doubt',
    'lost',
  ),

  refusal('with a message of 20 MB', () => 'no '.repeat(5 << 20).slice(0, 15 << 20)),
  refusal('with control characters', () => `no${wild}`),
  refusal('with the key', (key) => `the key ${key} may not do that`),

  read(
    'no JSON',
    text(() => '<html>'),
    'pending',
  ),
  read(
    'a list',
    text((honest) => `[${honest}]`),
    'pending',
  ),
  read(
    'a status that is a number',
    fields(() => ({ status: 7 })),
    'pending',
  ),
  read(
    'downloads that are null',
    fields(() => ({ downloads: null })),
    'pending',
  ),
  read(
    'downloads of numbers',
    fields(() => ({ downloads: [1, 2, 3] })),
    'pending',
  ),
  read(
    'no downloads',
    fields(() => ({ downloads: [] })),
    'pending',
  ),
  read(
    'credits below zero',
    fields(() => ({ credits_charged: -1 })),
    'done',
  ),
  read(
    'endless credits',
    text((honest) => honest.replace(/"credits_charged":\d+/, '"credits_charged":1e999')),
    'done',
  ),
  read(
    'a hundred thousand levels',
    text((honest) => `${honest.slice(0, -1)},"x":${deep(100_000)}}`),
    'done',
  ),
  read(
    'a type and a name with control characters',
    fields(() => ({ type: wild, name: wild })),
    'done',
  ),
  read(
    '__proto__',
    text((honest) => `{"__proto__":{"status":"error"},${honest.slice(1)}`),
    'done',
  ),
  read('an expiry in words', expiring('yesterday'), 'done', 'pending'),
  read('an expiry with control characters', expiring(wild), 'done', 'pending'),
  read('an expiry long ago', expiring('1970-01-01T00:00:00Z'), 'done', 'pending'),
  read('500 with garbage', status(500, Buffer.from('00ff00ff', 'hex')), 'pending'),
  read(
    'an answer of 17 MiB',
    text(() => ' '.repeat(17 << 20)),
    'pending',
  ),
  {
    ...read('an error code of 15 MB', failedWith('x'.repeat(15_000_000), 'm'), 'failed'),
    charged: 20,
  },
  {
    ...read('an error with control characters', failedWith(wild, wild), 'failed'),
    charged: 20,
  },
  {
    ...read(
      'an error with the key',
      fields((_, key) => ({
        ...{ status: 'error', credits_charged: 0, downloads: [] },
        error: { code: key, message: `Bearer ${key}; ${key}` },
      })),
      'failed',
    ),
    charged: 20,
  },

  free(
    'addresses',
    'no addresses',
    fields(() => ({ items: [] })),
  ),
  free(
    'addresses',
    'addresses that are null',
    fields(() => ({ items: null })),
  ),
  free('addresses', 'an upload to a file', uploadTo('file:///etc/passwd')),
  free('addresses', 'an upload with a user name', uploadTo('http://user:word@127.0.0.1:9/x')),
  free(
    'detect',
    'a detection without an id',
    fields(() => ({ id: null })),
  ),
  free(
    'detect',
    'a detection called ..',
    fields(() => ({ id: '..' })),
  ),
  free(
    'detection',
    'faces that are a text',
    fields(() => ({ faces: 'many' })),
  ),
  free(
    'detection',
    'faces without paths',
    fields(() => ({ faces: [{}, null] })),
  ),
  free(
    'detection',
    'faces at a path of garbage',
    fields(() => ({ faces: [{ path: wild }] })),
  ),
  {
    ...{ name: 'an account with credits below zero', at: 'account', who: 'all' },
    operation: fields(() => ({ credits: -1 })),
    after: ['done'],
  },
  {
    ...{ name: 'an account on a plan of control characters', at: 'account', who: 'all' },
    operation: fields(() => ({ tier: wild })),
    after: ['done'],
  },
  {
    ...{ name: 'an account of a web page with control characters', at: 'account', who: 'all' },
    operation: status(200, wild, { 'content-type': 'text/html' }),
    after: ['refused'],
  },
];

function expiring(at: string): Operation {
  return text((honest) =>
    honest.replace(/"expires_at":"[^"]*"/, `"expires_at":${JSON.stringify(at)}`),
  );
}

function uploadTo(address: string): Operation {
  return text((honest) =>
    honest.replace(/"upload_url":"[^"]*"/g, `"upload_url":${JSON.stringify(address)}`),
  );
}

/** Every request of the place meets it: nothing is bought. */
function free(at: Behaviour['at'], name: string, operation: Operation): Behaviour {
  return { name, at, operation, who: 'all', after: ['failed'] };
}
