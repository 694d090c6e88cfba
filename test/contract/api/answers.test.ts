// What is believed of an answer: ids and addresses must be usable, and an absurd figure is as if it were not told.
import { describe, expect, test } from 'vitest';
import {
  readAcceptedCreation,
  readAccount,
  readFaceDetection,
  readProject,
  readUploadAddresses,
} from '../../../src/contract/api/answers.ts';
import { mostCredits } from '../../../src/contract/api/bounds.ts';

const expires = '2026-08-06T10:00:00Z';
const record = {
  id: 'p1',
  status: 'complete',
  downloads: [{ url: 'https://cdn.example/1.png?sig=1', expires_at: expires }],
  credits_charged: 10,
};

const badIds = [
  ['empty', ''],
  ['a lone surrogate', 'p\ud800'],
  ['one dot', '.'],
  ['two dots', '..'],
  ['a line feed', 'p\n1'],
  ['an escape', 'p\u001b[2J'],
  ['a C1 character', 'p\u009b'],
  ['201 characters', 'p'.repeat(201)],
  ['a number', 7],
  ['null', null],
] as const;

describe('an id that cannot be used', () => {
  test.each(badIds)('(%s) makes no project, creation, detection', (_, id) => {
    expect(readProject({ ...record, id })).toMatchObject({ ok: false });
    expect(readAcceptedCreation({ id, credits_charged: 10 })).toMatchObject({ ok: false });
    expect(readFaceDetection({ id, status: 'complete', faces: [] })).toMatchObject({ ok: false });
  });

  test('is told in words', () => {
    expect(readAcceptedCreation({ id: '..' })).toEqual({
      ok: false,
      error: '/id is not a usable id: it contains control or half characters, or is "." or ".."',
    });
  });
});

test.each(['p', '...', '.p', 'a/../b', 'p?x#y', 'p p', '%2e%2e', '😀', 'p'.repeat(200)])(
  'the id %j can be used',
  (id) => {
    expect(readProject({ ...record, id })).toMatchObject({ ok: true, value: { id } });
    expect(readAcceptedCreation({ id })).toMatchObject({ ok: true, value: { id } });
  },
);

const absurd = [
  ['negative', -1],
  ['infinite', Number.POSITIVE_INFINITY],
  ['beyond every price', mostCredits + 1],
  ['ten million million', 10_000_000_000_000],
  ['a text', '10'],
  ['a list', [10]],
  ['an object', { credits: 10 }],
  ['a boolean', true],
] as const;

describe('a charge that is absurd', () => {
  test.each(absurd)('(%s) is not told: the project is known all the same', (_, charge) => {
    expect(readAcceptedCreation({ id: 'p1', credits_charged: charge })).toEqual({
      ok: true,
      value: { id: 'p1', credits: undefined },
    });
    const { credits_charged: _c, ...rest } = record;
    expect(readProject({ ...record, credits_charged: charge })).toEqual({ ok: true, value: rest });
  });

  test('leaves the word to a field of another name', () => {
    expect(readAcceptedCreation({ id: 'p1', credits_charged: -5, frame_cost: 12 })).toEqual({
      ok: true,
      value: { id: 'p1', credits: 12 },
    });
  });

  test.each([0, 1, mostCredits])('is not %i', (charge) => {
    expect(readAcceptedCreation({ id: 'p1', credits_charged: charge })).toMatchObject({
      value: { credits: charge },
    });
  });
});

describe('a field of a record that need not be there', () => {
  test.each([
    ['width', Number.POSITIVE_INFINITY],
    ['height', 1.5],
    ['height', -2],
    ['fps', Number.NEGATIVE_INFINITY],
    ['start_seconds', 1e300],
    ['end_seconds', 'soon'],
    ['image_count', 1e15],
    ['total_frame_cost', -1],
    ['type', 'T\u001b'],
    ['type', 'T'.repeat(101)],
    ['created_at', 'yesterday'],
    ['created_at', '2026-08-05T10:00:00Z (\u001b[2J)'],
    ['completed_at', 12],
    ['enabled', 'no'],
    ['name', 12],
    ['download', 'https://cdn.example/1.png'],
    ['error', 'it broke'],
  ])('%s: %j is left out, and the result can be fetched', (field, value) => {
    expect(readProject({ ...record, [field]: value })).toEqual({ ok: true, value: record });
  });

  test('stays when shotlist does not know it, and a name of Object.prototype is only a name', () => {
    const given = JSON.parse('{"mood":"blue","__proto__":{"status":"error"},"constructor":7}');
    const read = readProject({ ...record, ...given });
    expect(read).toMatchObject({ ok: true, value: { mood: 'blue', status: 'complete' } });
  });
});

describe('downloads', () => {
  test.each([
    ['no time', {}],
    ['a time that cannot be read', { expires_at: 'tomorrow' }],
    ['a time that is no text', { expires_at: 7 }],
    ['a time of 10,000 characters', { expires_at: `${expires}${' '.repeat(10_000)}` }],
  ])('with %s can be fetched', (_, time) => {
    const url = 'https://cdn.example/1.png';
    expect(readProject({ ...record, downloads: [{ url, ...time }] })).toMatchObject({
      ok: true,
      value: { downloads: [{ url, expires_at: '' }] },
    });
  });

  test.each([
    ['no address', [{ expires_at: expires }]],
    ['an address that is no text', [{ url: 7, expires_at: expires }]],
    ['an address of 10,000 characters', [{ url: 'u'.repeat(10_000), expires_at: expires }]],
    ['1,001 entries', Array(1001).fill(record.downloads[0])],
    ['no list', 'https://cdn.example/1.png'],
  ])('with %s are no record', (_, downloads) => {
    expect(readProject({ ...record, downloads })).toMatchObject({ ok: false });
  });
});

describe('the reason of a failure', () => {
  const failed = (error: unknown): unknown => {
    const read = readProject({ id: 'p1', status: 'error', downloads: [], error });
    if (!read.ok) throw new Error(read.error);
    return read.value.error;
  };

  test('is capped: the code at 100 characters, the message at 2,000', () => {
    const long = 'x'.repeat(20_000_000);
    expect(failed({ code: long, message: long })).toEqual({
      code: 'x'.repeat(100),
      message: 'x'.repeat(2000),
    });
  });

  test('loses queries, users and bearer tokens, in the code too', () => {
    const text = 'GET https://u:p@cdn.example/1.png?sig=abc#x with Bearer sk-123 failed';
    const scrubbed = 'GET https://cdn.example/1.png with Bearer … failed';
    expect(failed({ code: text, message: text })).toEqual({ code: scrubbed, message: scrubbed });
  });

  test('is looked for a limited time only, whatever it holds', () => {
    expect(failed({ code: 'c', message: 'http://'.repeat(1_000_000) })).toMatchObject({
      code: 'c',
    });
  });

  test.each([
    [
      { code: '\u001b[2Jx', message: 'a' },
      { code: '\\u{1b}[2Jx', message: 'a' },
    ],
    [
      { code: 5, message: 'a' },
      { code: 'unknown', message: 'a' },
    ],
    [{ code: 'c' }, { code: 'c', message: 'the service gives no reason' }],
    [null, null],
    [{}, undefined],
    [[], undefined],
  ])('of %j is %j', (error, read) => {
    expect(failed(error)).toEqual(read);
  });
});

describe('a path of an upload or a face', () => {
  test.each([
    ['a lone surrogate', 'api-assets/\udfff.png'],
    ['a control character', 'api-assets/\u0007.png'],
    ['2,001 characters', 'p'.repeat(2001)],
    ['a signature', 'https://cdn.example/1.png?X-Amz-Signature=abc'],
    ['a password', 'https://user:password@cdn.example/1.png'],
  ])('with %s is refused', (_, path) => {
    const upload = { upload_url: 'https://cdn.example/put', file_path: path };
    expect(readUploadAddresses({ items: [upload] })).toMatchObject({ ok: false });
    const detection = { id: 'f1', status: 'complete', faces: [{ path }] };
    expect(readFaceDetection(detection)).toMatchObject({ ok: false });
  });

  test('is taken with an address of its face that is none', () => {
    const detection = {
      id: 'f1',
      status: 'complete',
      faces: [{ path: 'api-assets/1.png', url: 7 }],
    };
    expect(readFaceDetection({ ...detection, credits_charged: -3 })).toEqual({
      ok: true,
      value: { ...detection, faces: [{ path: 'api-assets/1.png' }] },
    });
  });

  test('is taken with a time that is none', () => {
    const upload = { upload_url: 'https://cdn.example/put?sig=1', file_path: 'api-assets/1.png' };
    expect(readUploadAddresses({ items: [{ ...upload, expires_at: 7 }] })).toEqual({
      ok: true,
      value: { items: [upload] },
    });
  });

  test('is one of at most 1,000 faces', () => {
    const detection = { id: 'f1', status: 'complete', faces: Array(1001).fill({ path: 'p' }) };
    expect(readFaceDetection(detection)).toMatchObject({ ok: false });
  });
});

describe('a balance', () => {
  test.each([-1, 0.5, Number.POSITIVE_INFINITY, 1e300])('of %d is not told', (credits) => {
    expect(readAccount({ credits, tier: 'pro' })).toEqual({ ok: true, value: undefined });
  });

  test.each([
    ['no object', 7],
    ['no balance', {}],
    ['a text', { credits: '10' }],
  ])('that is %s is not the service speaking', (_, account) => {
    expect(readAccount(account)).toMatchObject({ ok: false });
  });

  test('is told with the plan, unless that is no word', () => {
    expect(readAccount({ credits: 10, tier: 'pro' })).toMatchObject({
      value: { credits: 10, tier: 'pro' },
    });
    expect(readAccount({ credits: 10, tier: 7 })).toEqual({ ok: true, value: { credits: 10 } });
  });
});
