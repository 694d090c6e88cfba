// Bytes that are no text are refused at their place, before anybody pays for U+FFFD.
import { describe, expect, test } from 'vitest';
import { renderDiagnostic } from '../../../src/contract/yaml/diagnostic.ts';
import { decodeText } from '../../../src/contract/yaml/utf8.ts';

const decode = (...parts: readonly (string | readonly number[])[]) =>
  decodeText(
    'p.yaml',
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([...part]))),
    ),
  );

describe('text', () => {
  test.each([
    'pipeline: p\n',
    '',
    'a: é ü 漢 😀 \ufffd\n',
    '\ufeffpipeline: p\n',
    'a:\tb\r\nc: \u0085\n',
  ])('%j is taken as it is', (text) => {
    expect(decode(text)).toEqual({ ok: true, value: text });
  });
});

describe('bytes that are no UTF-8', () => {
  test.each<readonly [string, readonly (string | readonly number[])[], object, string]>([
    [
      'Latin-1',
      ['a: 1\nname: M', [0xfc], 'ller\n'],
      { line: 2, column: 8 },
      '0xFC is not part of a character, at byte 12',
    ],
    [
      'a character that is cut',
      ['é: ', [0xe2, 0x82]],
      { line: 1, column: 4 },
      '0xE2 is not part of a character, at byte 4',
    ],
    [
      'a start like a byte order mark',
      ['a', [0xef, 0xbf], 'b'],
      { line: 1, column: 2 },
      '0xEF is not part of a character, at byte 1',
    ],
    [
      'an overlong form',
      ['a', [0xc0, 0xaf]],
      { line: 1, column: 2 },
      '0xC0 is not part of a character, at byte 1',
    ],
    [
      'half a surrogate pair',
      ['😀', [0xed, 0xa0, 0x80]],
      { line: 1, column: 3 },
      '0xED is not part of a character, at byte 4',
    ],
    [
      'U+FFFD before it',
      ['\ufffd', [0xff]],
      { line: 1, column: 2 },
      '0xFF is not part of a character, at byte 3',
    ],
  ])('%s: the place of the first', (_, parts, span, message) => {
    expect(decode(...parts)).toMatchObject({
      ok: false,
      error: {
        diagnostic: {
          severity: 'error',
          span,
          message: expect.stringContaining(message),
          hint: 'save the file as UTF-8',
        },
      },
    });
  });

  test.each([
    ['NUL', 0, 'NUL'],
    ['escape', 0x1b, 'U+001B'],
    ['delete', 0x7f, 'U+007F'],
  ])('a control character: %s', (_, code, name) => {
    expect(decode('a: x\nb: y', [code], 'z\n')).toMatchObject({
      ok: false,
      error: {
        diagnostic: {
          span: { line: 2, column: 5 },
          message: `the file contains the control character ${name}, at byte 9`,
        },
      },
    });
  });

  test.each([
    [
      'UTF-16 with a mark, little end first',
      Buffer.from('\ufeffpipeline: p\n', 'utf16le'),
      'UTF-16',
    ],
    [
      'UTF-16 with a mark, big end first',
      Buffer.from('\ufeffpipeline: p\n', 'utf16le').swap16(),
      'UTF-16',
    ],
    ['UTF-16 without a mark', Buffer.from('pipeline: p\n', 'utf16le'), 'UTF-16'],
    [
      'UTF-16 without a mark, big end first',
      Buffer.from('pipeline: p\n', 'utf16le').swap16(),
      'UTF-16',
    ],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'UTF-32'],
  ])('%s is named', (_, bytes, name) => {
    expect(decodeText('p.yaml', bytes)).toEqual({
      ok: false,
      error: {
        diagnostic: {
          severity: 'error',
          code: 'SL001',
          file: 'p.yaml',
          message: `the file is ${name}, but a pipeline must be UTF-8`,
          hint: 'save the file as UTF-8',
        },
      },
    });
  });

  test('a picture is refused in a few short lines', () => {
    const noise = Array.from({ length: 20_000 }, (_, index) => (index * 167 + 31) % 256);
    const jpeg = decode([0xff, 0xd8, 0xff, 0xe0], noise);
    if (jpeg.ok) throw new Error('it passed');
    const { diagnostic, text } = jpeg.error;
    expect(diagnostic).toMatchObject({ span: { line: 1, column: 1 } });
    expect(renderDiagnostic(diagnostic, text).length).toBeLessThan(500);
  });
});
