// JSON texts that may hide a secret, and those that cannot.
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/contract/base/redactor.ts';

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
