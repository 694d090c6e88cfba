// JSON as YAML text.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asJson } from '../../../src/base/json.ts';
import { printable } from '../../../src/base/printable.ts';
import { parseSource } from '../../../src/contract/yaml/source.ts';
import { yamlText } from '../../../src/contract/yaml/yaml-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed()),
  fc.constantFrom(
    '<<',
    'null',
    'yes',
    '1',
    '- a',
    'a: b',
    '${{ a ? b : c }}',
    '*a',
    '&a',
    '\u202e',
    ' ',
    'a\n b\n',
    '\n',
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

test('is read back as the same value, and is safe for a terminal', () => {
  fc.assert(
    fc.property(value, (written) => {
      const yaml = yamlText(asJson({ written }));
      const read = parseSource('p.yaml', yaml);
      expect(read.ok ? read.value.value : read.error).toEqual({ written });
      expect(printable(yaml.replaceAll('\n', ''))).toBe(yaml.replaceAll('\n', ''));
    }),
    { numRuns: 300 },
  );
});
