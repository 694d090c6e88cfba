// A compact set of digests: it has what was added, and nothing else, however many there are.
import { expect, test } from 'vitest';
import { DigestSet, digestOf } from '../../src/base/digest.ts';

test('says of each digest whether it is new, also after it has grown many times', () => {
  const set = new DigestSet();
  const digests = Array.from({ length: 20_000 }, (_, index) => digestOf(index));
  expect(digests.every((digest) => set.add(digest))).toBe(true);
  expect(digests.some((digest) => set.add(digest))).toBe(false);
  expect(set.size).toBe(20_000);
  expect(set.add(digestOf('another'))).toBe(true);
});

test('tells digests apart that differ in one of the first sixteen digits', () => {
  const set = new DigestSet();
  const zeros = '0'.repeat(64);
  const digests = Array.from(
    { length: 15 },
    (_, place) => `${zeros.slice(0, place)}2${zeros.slice(place + 1)}`,
  );
  expect([...digests, zeros].every((digest) => set.add(digest))).toBe(true);
  expect(set.add(zeros)).toBe(false);
});
