// A result that nobody fetches or uses is paid for: a warning, unless the step says that it is meant.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import { marked, photo, pipelineOf, problemsOf, stepOf, swap, withSteps } from './check.ts';

const clip = (more = ''): string =>
  `v: { uses: text-to-video, with: { end_seconds: 5, style: { prompt: x } }${more} }`;
const enlarge =
  'big: { uses: video-to-video, with: { start_seconds: 0, end_seconds: 5, style: { art_style: Anime, prompt_type: default, version: default }, assets: { video_source: file, video_file_path: "${{ steps.v.url }}" } } }';

function warned(text: string): readonly string[] {
  const result = validate('p.yaml', text);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join('; '));
  return result.value.warnings.map(({ message }) => message);
}

const nothing = 'no step downloads its result';

describe('a tool step whose result nobody downloads', () => {
  test('is a warning at its name, with both cures', () => {
    const { text, span } = marked(withSteps(clip().replace('v:', '«v»:')));
    const result = validate('p.yaml', text);
    expect(result).toMatchObject({
      ok: true,
      value: {
        warnings: [
          {
            severity: 'warning',
            span,
            message: expect.stringContaining(`step "v": ${nothing}`),
            hint: expect.stringMatching(/add a download step.*keep: remote/),
          },
        ],
      },
    });
  });

  test.each([
    ['is deleted unread', [clip(), 'd: { uses: delete, with: { of: v, discard: true } }']],
    ['is only waited for', [clip(), 'a: { uses: upload, with: { file: a.png }, needs: [v] }']],
  ])('is a warning when it %s', (_, steps) => {
    expect(warned(withSteps(...steps))).toEqual([expect.stringContaining(nothing)]);
  });

  test.each([
    ['is downloaded', [clip(), 's: { uses: download, with: { of: v, to: a.mp4 } }']],
    [
      'is used by a step that is downloaded',
      [clip(), enlarge, 's: { uses: download, with: { of: big, to: a.mp4 } }'],
    ],
    ['says that it is meant', [clip(', keep: remote')]],
    ['is never done', [clip(', if: false')]],
  ])('is none when it %s', (_, steps) => {
    expect(warned(withSteps(...steps))).toEqual([]);
  });

  test('is told of the last step of a chain alone', () => {
    const found = warned(withSteps(clip(), enlarge));
    expect(found).toEqual([expect.stringContaining('step "big"')]);
  });
});

describe('keep: remote', () => {
  test('comes out as the step’s', () => {
    const pipeline = pipelineOf(withSteps(clip(', keep: remote'), photo));
    expect(stepOf(pipeline, 'v').keepRemote).toBe(true);
    expect(stepOf(pipeline, 'photo').keepRemote).toBe(false);
  });

  test('is an error on a step that pays for nothing', () => {
    const { text, span } = marked(
      withSteps('photo: { uses: upload, with: { file: a.png }, «keep»: remote }', swap),
    );
    expect(problemsOf(text)).toMatchObject([
      { span, message: 'step "photo": keep: is for tool steps, not for upload' },
    ]);
  });

  test('is the only place to keep a result', () => {
    expect(problemsOf(withSteps(clip(', keep: local')))).toMatchObject([
      { message: expect.stringContaining('keep must be remote') },
    ]);
  });
});
