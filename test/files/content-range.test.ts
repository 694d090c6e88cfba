// What headers say about the bytes of an answer: only a version that surely names the same bytes is gone on from.
import { describe, expect, test } from 'vitest';
import { contentRangeOf, isOtherVersion, lengthOf, validatorOf } from '../../src/files/part.ts';

const modified = 'Tue, 04 Aug 2026 10:00:00 GMT';

describe('a version is named by', () => {
  test.each([
    [{ etag: '"v1"' }, '"v1"'],
    [{ etag: '""' }, '""'],
    [{ etag: '"!~"', 'last-modified': modified }, '"!~"'],
    [{ etag: 'W/"v1"' }, undefined],
    [{ etag: '"v1" ' }, undefined],
    [{ etag: ' "v1"' }, undefined],
    [{ etag: '"v"1"' }, undefined],
    [{ etag: '"v 1"' }, undefined],
    [{ etag: '"v\u007f"' }, undefined],
    [{ etag: ['"v1"'] }, undefined],
    [{ 'last-modified': modified }, undefined],
    [{ 'last-modified': modified, date: 'Tue, 04 Aug 2026 10:00:01 GMT' }, modified],
    [{ 'last-modified': modified, date: modified }, undefined],
    [{ 'last-modified': modified, date: 'Tue, 04 Aug 2026 09:00:00 GMT' }, undefined],
    [{ 'last-modified': modified, date: 'soon' }, undefined],
    [{ 'last-modified': '2026-08-04', date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': [modified], date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [
      { etag: 'W/"v1"', 'last-modified': modified, date: 'Wed, 05 Aug 2026 10:00:00 GMT' },
      modified,
    ],
    [{ 'last-modified': `x${modified}`, date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': `${modified}x`, date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{ 'last-modified': 'Tue,  GMT', date: 'Wed, 05 Aug 2026 10:00:00 GMT' }, undefined],
    [{}, undefined],
  ])('%j: %s', (headers, validator) => {
    expect(validatorOf(headers)).toBe(validator);
  });
});

describe('an answer is of another version', () => {
  const tagged = { validator: '"v1"', total: 1 };
  const dated = { validator: modified, total: 1 };
  test.each([
    [{ etag: '"v1"' }, tagged, false],
    [{ etag: '"v2"' }, tagged, true],
    [{ etag: ['"v1"'] }, tagged, true],
    [{}, tagged, false],
    [{ 'last-modified': 'x' }, tagged, false],
    [{ 'last-modified': modified }, dated, false],
    [{ 'last-modified': 'x' }, dated, true],
    [{ etag: '"v2"' }, dated, false],
  ])('%j than %j: %s', (headers, version, is) => {
    expect(isOtherVersion(headers, version)).toBe(is);
  });
});

test.each([
  ['0', 0],
  ['3000000', 3_000_000],
  ['-1', undefined],
  ['1x', undefined],
  ['x1', undefined],
  ['', undefined],
  [['1'], undefined],
  [undefined, undefined],
])('a length of %j is %s', (header, length) => {
  expect(lengthOf({ 'content-length': header })).toBe(length);
});

test.each([
  ['bytes 0-9/10', { start: 0, end: 9, total: 10 }],
  ['bytes 12-34/100', { start: 12, end: 34, total: 100 }],
  ['bytes 5-5/6', { start: 5, end: 5, total: 6 }],
  ['bytes 6-5/10', undefined],
  ['bytes 0-10/10', undefined],
  ['bytes 0-9/*', undefined],
  ['bytes */10', undefined],
  ['bytes a-9/10', undefined],
  ['xbytes 0-9/10', undefined],
  ['bytes 0-9/10x', undefined],
  ['bytes 0-9/1a', undefined],
  ['bytes 0-a/10', undefined],
  [undefined, undefined],
])('a range of %j is %j', (header, range) => {
  expect(contentRangeOf({ 'content-range': header })).toEqual(range);
});
