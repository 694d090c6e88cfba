// The fingerprint names a result by what determines it and nothing else: too wide, and people pay again;
// too narrow, and they get somebody else's picture.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { characterReplace } from '../../src/contract/tools/character-replace.ts';
import { faceSwapPhoto } from '../../src/contract/tools/face-swap-photo.ts';
import {
  essentialBody,
  type Fingerprint,
  fingerprintOf,
  token,
} from '../../src/model/fingerprint.ts';
import { some, stepIt, wishFor } from './make.ts';

/** The fingerprint of a character-replace step with these fields. */
function act(fields: string, item: JsonObject = {}): Fingerprint {
  const assets =
    'assets: { video_file_path: "${{ steps.clip.file_path }}", image_file_path: "${{ steps.photo.file_path }}" }';
  const wanted = wishFor(`{ uses: character-replace, with: { ${fields}, ${assets} } }`, item);
  if (wanted.operation !== 'create') throw new Error(`a ${wanted.operation}`);
  return wanted.fingerprint;
}

const plain = act('end_seconds: 5');

describe('a fingerprint is the same', () => {
  test.each([
    ['a name', 'end_seconds: 5, name: holiday'],
    ['a name of the item', 'end_seconds: 5, name: "${{ item.any }}"'],
    ['a default written out', 'end_seconds: 5, start_seconds: 0, resolution: 480p'],
    ['a number in other digits', 'end_seconds: 5.0'],
    ['a value that an expression gives', 'end_seconds: "${{ 2 + 3 }}"'],
    ['a default below a group that is left out', 'end_seconds: 5, style: { selection_mode: auto }'],
    ['an empty group', 'end_seconds: 5, style: {}'],
    [
      'points that are not looked at',
      'end_seconds: 5, style: { points: [{ position_x: 1, position_y: 2, time_seconds: 0 }] }',
    ],
  ])('with %s', (_, fields) => {
    expect(act(fields, { any: 1 })).toBe(plain);
  });

  test('for any order of keys', () => {
    const body = {
      end_seconds: 5,
      assets: { video_file_path: 'v', image_file_path: 'i' },
      style: { mode: 'animate', points: [] },
    };
    const entries = Object.entries(body);
    fc.assert(
      fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
        expect(fingerprintOf({ kind: 'x', body: Object.fromEntries(shuffled) })).toBe(
          fingerprintOf({ kind: 'x', body }),
        );
      }),
      { seed: 1 },
    );
  });

  test('whatever the step is called, however often it is tried and what it is thought to cost', () => {
    const body =
      '{ end_seconds: 5, assets: { video_file_path: "${{ steps.clip.file_path }}", image_file_path: "${{ steps.photo.file_path }}" } }';
    const wanted = wishFor(
      `{ uses: character-replace, with: ${body}, retry: { attempts: 9 }, timeout: 1h, estimate: 3, needs: [made], if: "true" }`,
    );
    expect(wanted).toMatchObject({ fingerprint: plain });
    expect(stepIt(`{ uses: character-replace, with: ${body} }`).name).toBe('it');
  });

  test('for the first take, said or not', () => {
    expect(fingerprintOf({ kind: 'x', take: 1 })).toBe(fingerprintOf({ kind: 'x' }));
  });

  test('across releases of shotlist: a known manifest has a known hash', () => {
    expect(fingerprintOf({ kind: 'upload' })).toBe(
      '4a80f18ecae9d20bc99dc8347e9dc2851604cdfd7c6d5b83d5a934cee79c9a1d',
    );
  });
});

describe('a fingerprint differs', () => {
  test.each([
    ['a parameter', 'end_seconds: 6'],
    ['a parameter that is not the default', 'end_seconds: 5, resolution: 720p'],
    ['a parameter that is given at all', 'end_seconds: 5, style: { mode: replace }'],
  ])('for %s', (_, fields) => {
    expect(act(fields)).not.toBe(plain);
  });

  test('for another tool with the same body', () => {
    const body = { assets: { target_file_path: 'x' } };
    expect(fingerprintOf({ kind: 'head-swap', body })).not.toBe(
      fingerprintOf({ kind: 'body-swap', body }),
    );
  });

  test('for other content', () => {
    expect(fingerprintOf({ kind: 'upload', content: some('a') })).not.toBe(
      fingerprintOf({ kind: 'upload', content: some('b') }),
    );
  });

  test('for another content of what it uses', () => {
    const one = fingerprintOf({ kind: 'x', body: { image: token(some('a'), 'file_path') } });
    expect(fingerprintOf({ kind: 'x', body: { image: token(some('b'), 'file_path') } })).not.toBe(
      one,
    );
  });

  test('for another output of what it uses', () => {
    const one = fingerprintOf({ kind: 'x', body: { image: token(some('a'), 'downloads/0/url') } });
    expect(
      fingerprintOf({ kind: 'x', body: { image: token(some('a'), 'downloads/1/url') } }),
    ).not.toBe(one);
  });

  test('for another take', () => {
    expect(fingerprintOf({ kind: 'x', take: 2 })).not.toBe(fingerprintOf({ kind: 'x' }));
    expect(fingerprintOf({ kind: 'x', take: 2 })).not.toBe(fingerprintOf({ kind: 'x', take: 3 }));
  });

  test('for another order of a list', () => {
    expect(fingerprintOf({ kind: 'x', body: { a: [1, 2] } })).not.toBe(
      fingerprintOf({ kind: 'x', body: { a: [2, 1] } }),
    );
  });
});

describe('the essential body', () => {
  test('has the defaults, has no name, and leaves the body as it was', () => {
    const body = {
      name: 'mine',
      end_seconds: 2,
      assets: { video_file_path: 'v', image_file_path: 'i' },
    };
    const essential = essentialBody(characterReplace.request, body);
    expect(essential).toMatchObject({
      end_seconds: 2,
      start_seconds: 0,
      resolution: '480p',
      assets: body.assets,
    });
    expect(essential).not.toHaveProperty('name');
    expect(body).toHaveProperty('name', 'mine');
    expect(body).not.toHaveProperty('resolution');
  });

  test('keeps a name that is not the project’s', () => {
    const body = { assets: { target_file_path: 'x', name: 'deep' } };
    expect(essentialBody(faceSwapPhoto.request, body)).toEqual(body);
  });
});
