// Values without quotation marks that YAML reads otherwise than a person does.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import { marked } from './check.ts';

/** A pipeline with a prompt, a name of a file and items, each of which can be replaced. */
const file = (parts: {
  readonly prompt?: string;
  readonly to?: string;
  readonly items?: string;
  readonly more?: string;
}): string => `pipeline: p
items: ${parts.items ?? '{ values: [a] }'}
${parts.more ?? ''}
steps:
  clip:
    uses: text-to-video
    with:
      end_seconds: 3
      model: ltx-2.3 # the cheapest
      resolution: 480p
      style:
        prompt: ${parts.prompt ?? 'a mug'}
  save:
    uses: download
    with:
      of: clip
      to: ${parts.to ?? '"${{ item.key }}.mp4"'}
`;

const warningsOf = (text: string) => {
  const checked = validate('p.yaml', text);
  if (!checked.ok) throw new Error(checked.error.map(({ message }) => message).join('; '));
  return checked.value.warnings;
};

describe('a text that ends before a #', () => {
  test.each([
    ['a prompt', { prompt: 'a mug that says «#1 in the world»' }],
    ['a prompt, with a space behind the sign', { prompt: 'a mug with the sign «# 1»' }],
    ['a prompt of two lines', { prompt: 'a mug\n          that says «#1»' }],
    ['a prompt with a cell', { prompt: '${{ item.key }} that says «#1»' }],
    ['a tab before the sign', { prompt: 'a mug\t«#1»' }],
    ['a name of a file', { to: 'mugs/mug «#1.mp4»' }],
    ['an item', { items: '\n  values:\n    - a mug «#1»\n    - b' }],
    ['a field of an item', { items: '\n  key: n\n  values:\n    - n: 1\n      text: a mug «# 1»' }],
    ['the default of an input', { more: 'inputs:\n  x:\n    type: string\n    default: mug «#1»' }],
  ])('is warned of in %s, with its place', (_, parts) => {
    const { text, span } = marked(file(parts));
    expect(warningsOf(text)).toMatchObject([{ code: 'SL028', severity: 'warning', span }]);
  });

  test.each([
    ['in quotation marks', { prompt: '"a mug that says #1 in the world"' }],
    ['without a space before it', { prompt: 'a mug#1' }],
    ['in a block', { prompt: '>-\n          a mug that says #1' }],
    ['behind quotation marks', { prompt: '"a mug" #1' }],
    ['a comment behind an expression', { prompt: '${{ item.key }} # from the items' }],
    ['a comment behind an item', { items: '\n  values:\n    - a mug # the first\n    - b' }],
    ['a comment on its own line', { prompt: 'a mug\n        # and more' }],
    ['in a note', { more: 'description: mugs #1' }],
  ])('is fine %s', (_, parts) => {
    expect(warningsOf(file(parts))).toEqual([]);
  });
});

describe('a number that is a name', () => {
  const values = (sku: string) => ({ items: `{ key: sku, values: [{ sku: ${sku} }] }` });

  test.each([
    '007',
    '1.10',
    '1.0',
    '1e3',
    '0x1F',
    '+5',
    '.5',
    '1585841080431321089',
    '12345678901234567890',
  ])('%s is warned of', (sku) => {
    const { text, span } = marked(file(values(`«${sku}»`)));
    expect(warningsOf(text)).toMatchObject([{ code: 'SL532', severity: 'warning', span }]);
  });

  test.each(['7', '1.1', '-2', '"007"', "'1.10'", '2026-01-02', '1_000', '9007199254740991'])(
    '%s stays as it is',
    (sku) => {
      expect(warningsOf(file(values(sku)))).toEqual([]);
    },
  );

  test('is none in a request', () => {
    expect(warningsOf(file({}).replace('end_seconds: 3', 'end_seconds: 3.0'))).toEqual([]);
  });
});
