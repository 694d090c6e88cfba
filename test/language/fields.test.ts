// Fields under `with:` and `extra:`: a slip is an error at its place, and what is meant is sent.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import {
  clip,
  marked,
  photo,
  pipelineOf,
  problemsOf,
  replace,
  stepOf,
  swap,
  withSteps,
} from './check.ts';

const clipStep = (fields: string, more = ''): string =>
  `v: { uses: text-to-video, with: { end_seconds: 5, ${fields} }${more} }`;
const save = 'save: { uses: download, with: { of: v, to: out/ } }';

/** The only problem of a text in which its place is marked. */
function only(text: string) {
  const { text: plain, span } = marked(text);
  const found = problemsOf(plain);
  expect(found.map(({ message }) => message)).toHaveLength(1);
  expect(found[0]).toMatchObject({ severity: 'error', span });
  return found[0];
}

function warningsOf(text: string) {
  const result = validate('p.yaml', text);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.warnings;
}

describe('a misspelt field', () => {
  test('that is optional is an error', () => {
    expect(
      only(withSteps(clipStep('«resolutoin»: 720p, style: { prompt: x }'), save)),
    ).toMatchObject({
      message: 'step "v": unknown key "resolutoin"',
      hint: 'did you mean "resolution"?',
    });
  });

  test('inside of an object is an error', () => {
    expect(
      only(withSteps(photo, clip, replace('end_seconds: 2, style: { «moed»: replace }'))),
    ).toMatchObject({ hint: 'did you mean "mode"?' });
  });

  test('that is required is one error, which names both', () => {
    expect(only(withSteps(clipStep('style: { «promt»: x }'), save))).toMatchObject({
      message: 'step "v": style: unknown key "promt", and the required "prompt" is missing',
      hint: 'did you mean "prompt"?',
    });
  });

  test('beside the right one is said not to be missing', () => {
    expect(only(withSteps(clipStep('style: { prompt: x, «promt»: y }'), save))?.message).toBe(
      'step "v": style: unknown key "promt"',
    );
  });

  test('that stands in the wrong object is led to its own', () => {
    expect(only(withSteps(clipStep('style: { prompt: x, «resolution»: 720p }'), save))?.hint).toBe(
      '"resolution" belongs at with.resolution',
    );
  });

  test('that is like no other leads to the known ones, and only then to extra:', () => {
    const hint = only(withSteps(clipStep('«sparkle»: 3, style: { prompt: x }'), save))?.hint;
    expect(hint).toMatch(/^known keys: .*resolution/);
    expect(hint).toMatch(/; remove it; if the service has a newer field .* under extra:$/);
  });

  test('of the file is one error as well', () => {
    expect(only(`pipeline: p\n«step»:\n  ${photo}\n`)).toMatchObject({
      message: 'unknown key "step", and the required "steps" is missing',
    });
  });
});

describe('a value of an open list', () => {
  test('that looks like a known one is a warning', () => {
    const { text, span } = marked(
      withSteps(clipStep('model: «ltx-2.4», style: { prompt: x }'), save),
    );
    expect(warningsOf(text)).toMatchObject([
      { severity: 'warning', span, hint: expect.stringContaining('did you mean "ltx-2.3"?') },
    ]);
  });

  test.each(['ltx-2.3', 'something-new-of-next-year', '${{ "ltx-2.4" }}'])(
    '%s is none',
    (model) => {
      expect(
        warningsOf(withSteps(clipStep(`model: '${model}', style: { prompt: x }`), save)).filter(
          ({ hint }) => hint?.includes('did you mean'),
        ),
      ).toEqual([]);
    },
  );
});

describe('extra:', () => {
  const sent = (text: string, name: string) => {
    const step = stepOf(pipelineOf(text), name);
    return { with: step.with, extra: step.extra };
  };

  test('is merged into with:, as deep as both are objects', () => {
    const step = sent(
      withSteps(
        clipStep(
          'style: { prompt: x }',
          ', extra: { seed: 7, style: { glow: { by: "${{ 1 + 1 }}" } } }',
        ),
        save,
      ),
      'v',
    );
    expect(step.extra).toEqual([['seed'], ['style', 'glow']]);
    expect(step.with).toMatchObject({
      kind: 'object',
      fields: [
        ['end_seconds', { value: 5 }],
        [
          'style',
          {
            fields: [
              ['prompt', { value: 'x' }],
              [
                'glow',
                {
                  fields: [
                    [
                      'by',
                      { kind: 'expression', path: ['steps', 'v', 'extra', 'style', 'glow', 'by'] },
                    ],
                  ],
                },
              ],
            ],
          },
        ],
        ['seed', { value: 7 }],
      ],
    });
  });

  test('makes an object of its own where with: has none', () => {
    expect(
      sent(
        withSteps(
          photo,
          'f: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" }, extra: { assets: { hint: 1 } } }',
        ),
        'f',
      ).extra,
    ).toEqual([['assets']]);
  });

  test.each([
    [
      'a known field',
      withSteps(clipStep('style: { prompt: x }', ', extra: { «resolution»: 720p }'), save),
      'extra: resolution is a field of text-to-video',
      'put it under with:',
    ],
    [
      'a known field deep inside',
      withSteps(clipStep('style: { prompt: x }', ', extra: { style: { «prompt»: y } }'), save),
      'extra: style.prompt is a field of text-to-video',
      'put it under with:',
    ],
    [
      'a step that sends no request of its own',
      withSteps('a: { uses: upload, with: { file: a.png }, «extra»: { x: 1 } }'),
      'extra: is for tool steps and face-detect, not for upload',
      'remove extra:',
    ],
    [
      'fields of an object that is an expression',
      `pipeline: p\nitems: { values: [{ style: { prompt: x } }] }\n${withSteps(clipStep('style: "${{ item.style }}"', ', extra: { «style»: { glow: 1 } }'), save).replace('pipeline: p\n', '')}`,
      'extra: fields cannot be merged into style',
      'write with: style as an object',
    ],
    [
      'an expression that does not parse',
      withSteps(clipStep('style: { prompt: x }', ', extra: { x: "${{ «nobody» }}" }'), save),
      'there is no "nobody"',
      'names begin with item, matrix, inputs, env, steps, run, result, each; put a text in quotation marks',
    ],
  ])('with %s is an error at its place', (_, text, message, hint) => {
    const found = only(text);
    expect(found?.message).toContain(message);
    expect(found?.hint).toBe(hint);
  });

  test('may stand on a tool whose request is known in full', () => {
    const text = withSteps(
      photo,
      `${swap.slice(0, -2)}, extra: { assets: { blend: 0.5 } } }`,
      'save: { uses: download, with: { of: swap, to: a.png } }',
    );
    expect(sent(text, 'swap').extra).toEqual([['assets', 'blend']]);
  });
});
