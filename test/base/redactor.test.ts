// Spellings of secrets in texts, and JSON texts that may hide a secret.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';

const redactor = new Redactor(['sk_live_1234', 'klucz-do-łąki']);
const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

describe('the value of a JSON text', () => {
  test.each([
    ['a plain text', '{"id":"p","list":[1,true,null]}'],
    ['a secret in a value', '{"id":"sk_live_1234"}'],
    ['a secret in a name', '{"sk_live_1234":["x"]}'],
    ['a secret with an escape', String.raw`{"id":"sk\u005flive_1234"}`],
    ['a secret with an escape of another script', String.raw`{"id":"klucz-do-\u0142\u0105ki"}`],
    ['an escape without a secret', String.raw`{"id":"a\nb"}`],
    ['many lists beside each other', `[${'[1],'.repeat(100)}[1]]`],
    ['as many levels as are kept', nested(64)],
    ['more levels than are kept', nested(65)],
    ['far more levels', nested(2000)],
  ])('is the redacted value: %s', (_, text) => {
    const value = redactor.json(text);
    expect(value).toEqual(redactor.value(JSON.parse(text)));
    expect(JSON.stringify(value)).not.toMatch(/sk_live_1234|klucz/);
  });

  test('that has more levels than are kept ends there', () => {
    expect(JSON.stringify(redactor.json(nested(65)))).toBe(nested(64).replace('1', 'null'));
  });

  test('is an error if the text is not JSON', () => {
    expect(() => redactor.json('<html>')).toThrow(SyntaxError);
  });
});

describe('a text', () => {
  const secret = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 });
  const around = fc.string({ unit: 'grapheme-ascii', maxLength: 5 });
  const escapes = [
    (character: string) => character,
    (character: string) => `\\${character}`,
    (character: string) => `%${Buffer.from(character).toString('hex')}`,
    (character: string) => `%${Buffer.from(character).toString('hex').toUpperCase()}`,
    (character: string) => `\\x${Buffer.from(character).toString('hex')}`,
    (character: string) => `\\u00${Buffer.from(character).toString('hex')}`,
  ];

  test('keeps no spelling of a secret, also if each character has another one', () => {
    const ways = fc.array(fc.constantFrom(...escapes), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(secret, ways, around, around, (given, way, before, after) => {
        const spelled = Array.from(given, (character, at) => way[at]?.(character)).join('');
        const told = new Redactor([given]).text(`${before}${spelled}${after}`);
        expect(told).toContain('REDACTED');
        expect(told).not.toContain(spelled);
      }),
    );
  });

  test('keeps no Base64 of a secret, wherever it stands in what was encoded', () => {
    const alphabets = fc.constantFrom('base64' as const, 'base64url' as const);
    const wrap = fc.constantFrom(
      (text: string) => text,
      (text: string) => encodeURIComponent(text),
      (text: string) => text.replaceAll('/', '\\/'),
    );
    fc.assert(
      fc.property(secret, alphabets, wrap, around, around, (given, form, inside, before, after) => {
        const encoded = inside(Buffer.from(`${before}${given}${after}`).toString(form));
        const told = new Redactor([given]).text(encoded);
        expect(told).toContain('REDACTED');
        expect(told.replace('REDACTED', '').length).toBeLessThan(encoded.length - 8);
      }),
    );
  });

  test('keeps nothing of a secret that is longer than any pattern may be', () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'aA0-_'.repeat(20_000)}`;
    const redactor = new Redactor([token]);
    expect(redactor.text(`Bearer ${token}, %7B${token}`)).toBe('Bearer REDACTED, %7BREDACTED');
    expect(redactor.mayHide(JSON.stringify({ token }))).toBe(true);
  });

  test('in another script is found as addresses and JSON spell it', () => {
    const own = 'klucz-do-łąki-🔑';
    const json = Array.from({ length: own.length }, (_, at) => own.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('');
    for (const spelled of [own, encodeURIComponent(own), encodeURI(own), json])
      expect(new Redactor([own]).text(`a${spelled}b`)).toBe('aREDACTEDb');
  });
});
