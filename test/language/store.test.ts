// outputs.store: a folder or a bucket, without credentials or expressions.
import { describe, expect, test } from 'vitest';
import { storeAddressOf, storeName } from '../../src/language/store.ts';
import { validate } from '../../src/language/validate.ts';

const pipeline = (store: string): string => `pipeline: p
outputs: { store: ${JSON.stringify(store)} }
steps:
  make: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: a } }, keep: remote }
`;

test.each([
  ['store', { kind: 'folder', path: 'store' }],
  ['/mnt/shots', { kind: 'folder', path: '/mnt/shots' }],
  ['s3://shots', { kind: 'bucket', bucket: 'shots', prefix: '' }],
  ['s3://shots/', { kind: 'bucket', bucket: 'shots', prefix: '' }],
  ['s3://my.shots/2026/a_b-c', { kind: 'bucket', bucket: 'my.shots', prefix: '2026/a_b-c/' }],
])('%s is a store', (text, address) => {
  expect(storeAddressOf(text)).toEqual({ ok: true, value: address });
  expect(validate('p.yaml', pipeline(text))).toMatchObject({ ok: true });
});

describe('a store is refused, with its place and a remedy,', () => {
  test.each([
    ['s3://', 'names no bucket'],
    ['s3:///prefix', 'names no bucket'],
    ['s3://Shots', 'not a bucket'],
    ['s3://shots/a//b', 'has the part ""'],
    ['s3://shots/../other', 'has the part ".."'],
    ['s3://shots/a?b=c', 'has the part'],
    ['s3://AKIA:secret@shots/a', 'holds credentials'],
    ['gs://shots', 'begins with gs://'],
    ['https://s3.example.com/shots', 'begins with https://'],
    ['~/shots', 'only a shell expands'],
    [' shots', 'spaces around'],
    ['s3://${{ env.BUCKET }}', 'holds an expression'],
    ['${{ inputs.folder }}', 'holds an expression'],
  ])('if it is %s', (text, words) => {
    const checked = validate('p.yaml', pipeline(text));
    expect(checked).toMatchObject({
      ok: false,
      error: [
        {
          message: expect.stringContaining(words),
          hint: expect.any(String),
          span: { line: 2 },
        },
      ],
    });
    expect(JSON.stringify(checked)).not.toContain('secret');
  });
});

test('a store has one name in the state file, with or without a slash at its end', () => {
  expect(storeName('s3://shots/a')).toBe(storeName('s3://shots/a/'));
  expect(storeName('s3://shots/a')).not.toBe(storeName('s3://shots/b'));
  expect(storeName('s3://shots/a')).toMatch(/^[0-9a-f]{16}$/);
});
