// Tasks that are certain to come to one job, although the job is not known yet.
import { describe, expect, test } from 'vitest';
import { type Item, valueItem } from '../../../src/model/item.ts';
import { alikeKey } from '../../../src/run/planned-task.ts';
import { pipelineOf } from '../../tables/plan-world.ts';

/** The key of a step with this `with:`, for an item. */
function keyOf(
  more: string,
  item: Item | undefined,
  contentOf: (step: string) => string | undefined = (step) => `content of ${step}`,
): string | undefined {
  const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a, kind: rose }] }
steps:
  photo: { uses: upload, with: { file: a.png } }
  it: { uses: photo-colorizer, ${more} }
`);
  const step = steps.find(({ name }) => name === 'it');
  if (step === undefined) throw new Error('there is no step');
  return alikeKey(step, item, contentOf);
}

const assets = 'assets: { image_file_path: "${{ steps.photo.file_path }}" }';
const body = `with: { ${assets} }`;
const item = (fields: { readonly key: string; readonly kind?: string }) => valueItem(fields, 0);
const [a, b] = [item({ key: 'a', kind: 'rose' }), item({ key: 'b', kind: 'rose' })];
const c = item({ key: 'c', kind: 'tulip' });

describe('two items', () => {
  test('are alike where nothing of theirs is read', () => {
    expect(keyOf(body, a)).toBeDefined();
    expect(keyOf(body, a)).toBe(keyOf(body, b));
    expect(keyOf(body, a)).toBe(keyOf(body, undefined));
  });

  test('are alike where the fields that are read are equal', () => {
    const reads = `if: item.kind == "rose", ${body}`;
    expect(keyOf(reads, a)).toBe(keyOf(reads, b));
    expect(keyOf(reads, a)).not.toBe(keyOf(reads, c));
    expect(keyOf(reads, a)).not.toBe(keyOf(reads, item({ key: 'd' })));
    expect(keyOf(reads, undefined)).toBe(keyOf(reads, item({ key: 'd' })));
  });

  test('are alike whatever they are called at the service', () => {
    const named = `with: { name: "\${{ item.key }}", ${assets} }`;
    expect(keyOf(named, a)).toBe(keyOf(named, b));
  });

  test('are not alike where the whole item may be read', () => {
    const reads = `if: 'item[inputs.which] == "rose"', ${body}`;
    const key = (of: Item) => {
      const { steps } = pipelineOf(`pipeline: p
inputs: { which: { type: string, default: kind } }
items: { values: [{ key: a, kind: rose }] }
steps:
  photo: { uses: upload, with: { file: a.png } }
  it: { uses: photo-colorizer, ${reads} }
`);
      const step = steps.find(({ name }) => name === 'it');
      if (step === undefined) throw new Error('there is no step');
      return alikeKey(step, of, () => 'x');
    };
    expect(key(a)).toBe(key(item({ key: 'a', kind: 'rose' })));
    expect(key(a)).not.toBe(key(b));
  });

  test('are not alike where they use different content', () => {
    const other = (step: string) => `other content of ${step}`;
    expect(keyOf(body, a)).not.toBe(keyOf(body, a, other));
  });

  test('have no key where the content that they use is not known', () => {
    expect(keyOf(body, a, () => undefined)).toBeUndefined();
    const reads = `if: size(steps.photo.file_path) > 0, with: { assets: { image_file_path: "https://x.test/a.png" } }`;
    expect(keyOf(reads, a, () => undefined)).toBeUndefined();
  });
});
