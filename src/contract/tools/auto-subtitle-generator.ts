// auto-subtitle-generator: adds the speech in a clip as subtitles (facts.md, Body fields of every creation endpoint).
import { fieldOf, type JsonObject } from '../../base/json.ts';
import { choice, endSeconds, group, number, startSeconds, text, videoAsset } from '../fields.ts';
import { at24fps, fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, type Rule, type RuleBreach } from '../rules.ts';
import { clipPath, eachFile, partOfClip } from '../starter.ts';
import { listedTool } from '../tool.ts';

/** models.md, Other tools: subtitles need a template, or a font and positions. */
const subtitlesHaveALook: Rule = {
  says: 'style needs template, or custom_config with font, horizontal_position and vertical_position.',
  check: lookBreaches,
};

export const autoSubtitleGenerator = listedTool({
  name: 'auto-subtitle-generator',
  title: 'Add subtitles to a clip',
  record: 'video',
  type: 'AUTO_SUBTITLE',
  medianSeconds: 45,
  description: 'Transcribes the speech in a clip and adds it as subtitles.',
  required: ['assets', 'end_seconds', 'start_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    assets: group('The clip.', ['video_file_path'], {
      video_file_path: { ...videoAsset, description: 'The clip to subtitle.' },
    }),
    style: group(
      'The look of the subtitles: a template, custom settings with a font and positions, or both.',
      [],
      {
        template: choice('A ready-made look.', 'cinematic', 'highlight', 'karaoke', 'minimalist'),
        custom_config: group('Settings that override the template.', [], {
          font: text('Name of the font.'),
          font_size: number('Size of the font.'),
          font_style: text('Style of the font.'),
          text_color: text('Color of the text.'),
          highlighted_text_color: text('Color of the word that is being spoken.'),
          stroke_color: text('Color of the outline.'),
          stroke_width: number('Width of the outline.'),
          horizontal_position: text('Horizontal position of the text.'),
          vertical_position: text('Vertical position of the text.'),
        }),
      },
    ),
  },
  rules: [endsAfterStart, subtitlesHaveALook],
  price: { kind: 'frames', credits: 4.8 / at24fps },
  priceExamples: [fiveSeconds()],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_file_path: 'asset:video' },
      style: { template: 'karaoke' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_file_path: 'asset:video' },
      style: {
        custom_config: {
          font: 'Noto Sans',
          font_size: 24,
          horizontal_position: 'center',
          vertical_position: 'bottom',
        },
      },
    },
  ],
  starter: eachFile(
    'video',
    `${partOfClip}
style: { template: cinematic } # or highlight, karaoke, minimalist
assets: { video_file_path: "${clipPath}" }`,
  ),
});

function lookBreaches(body: JsonObject): readonly RuleBreach[] {
  if (fieldOf(body, 'style.template') !== undefined) return [];
  const needed = ['font', 'horizontal_position', 'vertical_position'];
  const missing = needed.filter(
    (field) => fieldOf(body, `style.custom_config.${field}`) === undefined,
  );
  if (missing.length === 0) return [];
  return [
    {
      field: 'style',
      message: `style needs template, or custom_config with ${needed.join(', ')}: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
    },
  ];
}
