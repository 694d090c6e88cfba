// Canonical JSON and the digest over it: what every fingerprint stands on.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestFrom, digestOf } from '../../src/base/digest.ts';
import { asJson, canonical, isExactJson, isObject, type Json } from '../../src/base/json.ts';
import { validatorOf, withDefaults } from '../../src/base/schema.ts';

/** The same value with the keys of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

const json = fc.jsonValue({ noUnicodeString: false }).map(asJson);

describe('canonical JSON', () => {
  test('sorts keys by code unit at every depth and has no white space', () => {
    expect(canonical({ b: [1, { z: null, a: 'x y' }], B: true, a: 1.5 })).toBe(
      '{"B":true,"a":1.5,"b":[1,{"a":"x y","z":null}]}',
    );
  });

  test('keeps the order of lists', () => {
    expect(canonical(['b', 'a'])).not.toBe(canonical(['a', 'b']));
  });

  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 1 },
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonical(reversed(value))).toBe(canonical(value));
      }),
      { seed: 1 },
    );
  });
});

describe('a digest', () => {
  test('is the SHA-256 of the canonical text, in lower-case hexadecimal', () => {
    expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });

  test('differs between a number and its text', () => {
    expect(digestOf({ take: 1 })).not.toBe(digestOf({ take: '1' }));
  });

  test.each(['', 'abc', 'A'.repeat(64), 'g'.repeat(64), 'a'.repeat(65), `${'a'.repeat(64)}\n`])(
    'is not taken back from %j',
    (text) => {
      expect(() => digestFrom(text)).toThrow('not a SHA-256 digest');
    },
  );
});

describe('defaults', () => {
  const schema = {
    type: 'object',
    properties: { size: { type: 'integer', default: 3 }, name: { type: 'string' } },
  };

  test('are filled into a copy, and the value stays as it was', () => {
    const value = { name: 'a' };
    expect(withDefaults(schema, value)).toEqual({ name: 'a', size: 3 });
    expect(value).toEqual({ name: 'a' });
  });

  test('never overrule what is written', () => {
    expect(withDefaults(schema, { size: 4 })).toEqual({ size: 4 });
  });

  test('are not filled in by a mere check', () => {
    const value = {};
    expect(validatorOf(schema)(value)).toBe(true);
    expect(value).toEqual({});
  });
});

describe('data that JSON says exactly', () => {
  test('comes back from its text as it was', () => {
    fc.assert(
      fc.property(fc.anything({ withObjectString: true, withSparseArray: true }), (value) => {
        if (isExactJson(value)) expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // A list or an object, because what comes back from a parser has no negative zero.
        const plain: unknown = JSON.parse(JSON.stringify([value]));
        expect(isExactJson(plain)).toBe(true);
      }),
    );
  });

  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
  test.each([
    ['a field without a value', { a: undefined }],
    ['a negative zero', [-0]],
    ['an infinite number', { a: { b: Number.POSITIVE_INFINITY } }],
    ['no number', [Number.NaN]],
    ['a time', new Date(0)],
    ['a list with a hole', Object.assign([], { length: 1 })],
    ['a list with a name', Object.assign([1], { a: 1 })],
    ['a value that writes itself', { toJSON: () => 1 }],
    ['a big number', 1n],
    ['a map', new Map()],
    ['what is nested without an end', deep],
  ])('is not %s', (_, value) => {
    expect(isExactJson(value)).toBe(false);
  });
});
