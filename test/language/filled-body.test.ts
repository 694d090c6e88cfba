// A body whose expressions are filled in is held to what holds for one that is written out.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/contract/kinds.ts';
import { assetErrors, bodyErrors, type Checked } from '../../src/language/body.ts';

function checked(name: string, extra: Checked['extra'] = []): Checked {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return { kind, extra };
}

const clip = checked('text-to-video');
const swap = checked('face-swap-photo');

describe('a filled body', () => {
  test.each<readonly [string, Checked, JsonObject, readonly object[]]>([
    ['that is right', clip, { end_seconds: 5, style: { prompt: 'x' } }, []],
    [
      'with a value of the wrong type',
      clip,
      { end_seconds: 5, style: { prompt: 3 } },
      [{ path: ['style', 'prompt'], message: 'style.prompt must be a string, not 3' }],
    ],
    [
      'with a field that is missing',
      clip,
      { end_seconds: 5, style: {} },
      [{ path: ['style'], message: 'style needs "prompt"' }],
    ],
    [
      'with an unknown field',
      clip,
      { end_seconds: 5, style: { prompt: 'x' }, resolutoin: '720p' },
      [
        {
          path: ['resolutoin'],
          message: 'text-to-video: unknown key "resolutoin"',
          hint: 'did you mean "resolution"?',
        },
      ],
    ],
    [
      'with a broken rule',
      checked('character-replace'),
      {
        start_seconds: 5,
        end_seconds: 2,
        assets: { video_file_path: 'api-assets/a.mp4', image_file_path: 'api-assets/a.png' },
      },
      [
        {
          path: ['end_seconds'],
          message: 'end_seconds (2) must be greater than start_seconds (5)',
        },
      ],
    ],
    [
      'with a wrong member of a list',
      swap,
      {
        assets: {
          target_file_path: 'api-assets/a.png',
          face_mappings: [{ original_face: 'api-assets/f.png' }],
        },
      },
      [
        {
          path: ['assets', 'face_mappings', 0],
          message: 'assets.face_mappings[0] needs "new_face"',
        },
      ],
    ],
  ])('%s', (_, step, body, expected) => {
    expect(bodyErrors(step, body)).toMatchObject(expected);
    expect(bodyErrors(step, body)).toHaveLength(expected.length);
  });

  test('may hold what extra: adds, and nothing beside it', () => {
    const body = { end_seconds: 5, style: { prompt: 'x', glow: { by: 1 }, blur: 2 }, seed: 1 };
    expect(
      bodyErrors(checked('text-to-video', [['seed'], ['style', 'glow'], ['style', 'blur']]), body),
    ).toEqual([]);
    expect(bodyErrors(checked('text-to-video', [['seed'], ['style', 'glow']]), body)).toMatchObject(
      [{ path: ['style', 'blur'] }],
    );
  });

  test('of every example of every tool is right', () => {
    for (const kind of kinds)
      for (const example of kind.tool?.examples ?? [])
        expect([kind.name, bodyErrors({ kind, extra: [] }, example)]).toEqual([kind.name, []]);
  });
});

describe('an asset field of a filled body', () => {
  test.each([
    ['photos/a.png', 1],
    ['', 1],
    ['https://example.com/page', 1],
    ['api-assets/x/a.png', 0],
    ['https://example.com/a.png', 0],
    [`shotlist:${'0'.repeat(64)}/file_path`, 0],
  ])('%s: %i', (value, count) => {
    const body = { assets: { target_file_path: value, source_file_path: 'api-assets/b.png' } };
    const found = assetErrors(swap, body);
    expect(found).toHaveLength(count);
    if (count > 0) expect(found[0]?.path).toEqual(['assets', 'target_file_path']);
  });
});
