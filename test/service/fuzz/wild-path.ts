// Pieces of paths and queries as an enemy of the data folder would choose them: all that a target may hold. Bytes beyond
// ASCII come spelled with percent signs, since as they are no target holds them (raw-http.test.ts).
import fc from 'fast-check';

/** What lies beside the data folder, and what no answer may ever hold. */
export const canary = { name: 'canary.png', text: 'the canary that nobody may hear' };

const ups = ['..', '.', '...', '....//', '..;', '%2e%2e', '%2E%2e', '.%2e', '%252e%252e', '..%00'];
const odd = [
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '%uff0e%uff0e',
  encodeURI('\uff0e\uff0e'),
  '~',
  '$HOME',
];
const cuts = [
  '/',
  '//',
  '\\',
  '%2f',
  '%2F',
  '%5c',
  '%252f',
  '%c0%af',
  encodeURI('\u2215'),
  ';',
  ':',
];
const breaks = [
  '%00',
  '%0d%0a',
  '%0a',
  '%',
  '%%',
  '%zz',
  '%e0%a4%a',
  '%ff',
  '%f0%9f',
  '#',
  '?',
  '&',
];
const names = [
  ...[canary.name, 'service.sqlite', 'service.sqlite-wal', 'incoming', 'api-assets', 'outputs'],
  ...['etc/passwd', 'data', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'undefined'],
  ...['con', 'nul', 'null', '0', '-1', '1e9', '*', ':id', '{id}', '[]', "'--", '<b>', '%3Cb%3E'],
];
const letters = ['é', '猫', '😀', '\u202e', '\ufeff', 'ａ', 'İ'].map(encodeURI);

const piece: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...ups) },
  { weight: 4, arbitrary: fc.constantFrom(...cuts) },
  { weight: 4, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: fc.constantFrom(...breaks, ...odd) },
  { weight: 2, arbitrary: fc.constantFrom(...letters) },
  { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{1,12}$/) },
  { weight: 1, arbitrary: fc.nat(9000).map((length) => 'x'.repeat(length)) },
);

const lined = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));

/** Some levels up, in one spelling, and then a name there. */
const climbing = fc
  .tuple(
    fc.constantFrom(...ups, ...odd),
    fc.constantFrom(...cuts),
    fc.nat(6),
    fc.constantFrom(...names),
  )
  .map(([up, cut, levels, name]) => `${`${up}${cut}`.repeat(levels)}${name}`);

/** What may stand for an id, a key, an asset path or a name; never what cannot be part of a target at all. */
export const wildPart: fc.Arbitrary<string> = fc
  .oneof(lined, climbing)
  .filter((text) => /^[!-~]*$/.test(text));

const field = fc.oneof(
  fc.constantFrom('expires', 'signature', 'account', 'status', 'limit', 'before', 'webhook'),
  fc.constantFrom('project', '__proto__', 'expires[]', 'expires[0]', 'constructor[prototype]', ''),
  wildPart,
);

/** A query, with its question mark; often none. */
export const wildQuery: fc.Arbitrary<string> = fc.oneof(
  fc.constant(''),
  fc
    .array(fc.tuple(field, fc.constantFrom('=', '', '=='), fc.oneof(wildPart, fc.constant(''))), {
      maxLength: 4,
    })
    .map((fields) => `?${fields.map((parts) => parts.join('')).join('&')}`),
);
