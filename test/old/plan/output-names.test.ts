// Files whose names say another format than their tool usually sends.
import { describe, expect, test } from 'vitest';
import { extensionMark } from '../../../src/language/result-name.ts';
import { OutputNames, sameFormat } from '../../../src/plan/output-names.ts';
import { pipelineOf } from '../../tables/plan-world.ts';

const photo = '  photo: { uses: upload, with: { file: a.png } }\n';
const tools = {
  image:
    'uses: photo-colorizer, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } }',
  video:
    'uses: character-replace, estimate: 9, with: { end_seconds: 2, assets: { video_file_path: "${{ steps.photo.file_path }}", image_file_path: "${{ steps.photo.file_path }}" } }',
  gif: 'uses: ai-gif-generator, with: { style: { prompt: x } }',
  webm: 'uses: ai-gif-generator, with: { style: { prompt: x }, output_format: webm }',
  open: 'uses: ai-gif-generator, with: { style: { prompt: x }, output_format: "${{ inputs.format }}" }',
};

function names(tool: keyof typeof tools) {
  const inputs = tool === 'open' ? 'inputs: { format: { type: string, default: gif } }\n' : '';
  const { steps } = pipelineOf(
    `pipeline: p\n${inputs}steps:\n${photo}  it: { ${tools[tool]} }\n  save: { uses: download, with: { of: it, to: a.png } }\n`,
  );
  const save = steps.find(({ name }) => name === 'save');
  if (save === undefined) throw new Error('there is no save');
  return { made: new OutputNames(steps), save };
}

/** What is said of one download to a place. */
function said(tool: keyof typeof tools, to: string): string | undefined {
  const { made, save } = names(tool);
  made.look(save, to);
  return made.warnings()[0];
}

describe('a name', () => {
  test.each<readonly [keyof typeof tools, string]>([
    ['image', 'a.png'],
    ['image', 'a.PNG'],
    ['image', 'a'],
    ['image', 'x.jpg/'],
    ['image', `a.${extensionMark}`],
    ['image', `a-${extensionMark}.jpg`],
    // No format that the service knows: it is a name like any other.
    ['image', 'a.backup'],
    ['video', 'a.mp4'],
    ['gif', 'a.gif'],
    ['webm', 'a.webm'],
    // Only the run knows which of the three formats it is.
    ['open', 'a.gif'],
    ['open', 'a.mp4'],
    ['open', 'a.webm'],
    ['open', 'a.backup'],
  ])('of what %s sends may be %j', (tool, to) => {
    expect(said(tool, to)).toBeUndefined();
  });

  test.each<readonly [keyof typeof tools, string, string]>([
    ['image', 'a.jpg', '1 file .jpg, but photo-colorizer usually sends PNG;'],
    ['image', 'a.mp4', '1 file .mp4, but photo-colorizer usually sends PNG;'],
    ['video', 'a.png', '1 file .png, but character-replace usually sends MP4;'],
    ['gif', 'a.mp4', '1 file .mp4, but ai-gif-generator usually sends GIF;'],
    ['webm', 'a.gif', '1 file .gif, but ai-gif-generator usually sends WEBM;'],
    ['open', 'a.mp3', '1 file .mp3, but ai-gif-generator usually sends GIF, MP4 or WEBM;'],
    ['open', 'a.webp', '1 file .webp, but ai-gif-generator usually sends GIF, MP4 or WEBM;'],
  ])('of what %s sends misleads as %j', (tool, to, why) => {
    expect(said(tool, to)).toContain(`step "save" names ${why}`);
  });

  test('that misleads is counted by its extension', () => {
    const { made, save } = names('image');
    for (const to of ['a.jpg', 'b.jpg', 'c.png', 'd.webp', 'e.jpg']) made.look(save, to);
    const warnings = made.warnings();
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toContain('names 3 files .jpg');
    expect(warnings[1]).toContain('names 1 file .webp');
  });

  test('of a step that downloads nothing known is not looked at', () => {
    const { made, save } = names('image');
    const { of: _, ...rest } = save;
    made.look(rest, 'a.jpg');
    expect(made.warnings()).toEqual([]);
  });
});

test('JPEG has two spellings, and is one format', () => {
  expect(sameFormat('jpeg', 'jpg')).toBe(true);
  expect(sameFormat('jpg', 'jpeg')).toBe(true);
  expect(sameFormat('jpg', 'png')).toBe(false);
});
