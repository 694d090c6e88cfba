// ai-talking-photo: a portrait speaks an audio file (facts.md, Body fields of every creation endpoint).
import { fieldOf, type JsonObject } from '../../base/json.ts';
import {
  audioAsset,
  choice,
  endSeconds,
  group,
  imageAsset,
  integer,
  number,
  startSeconds,
  text,
} from '../fields.ts';
import { fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, type Rule, type RuleBreach, secondsIn } from '../rules.ts';
import { eachFile, photoPath, voiceInput } from '../starter.ts';
import { listedTool } from '../tool.ts';

/**
 * The longest talking photo: 180 seconds realistic, 45 prompted (models.md, Other tools), 60 in any
 * other mode (interface.md, Limits).
 */
const talksAtMost: Rule = {
  says: 'The clip lasts at most 180 seconds with style.generation_mode realistic, 45 with prompted, and 60 with any other mode.',
  check: talkBreaches,
};

export const aiTalkingPhoto = listedTool({
  name: 'ai-talking-photo',
  title: 'Make a photo talk',
  record: 'video',
  type: 'TALKING_PHOTO',
  medianSeconds: 174,
  description:
    'Animates a portrait so that it speaks an audio file: up to 180 seconds realistic, 45 prompted.',
  required: ['assets', 'end_seconds', 'start_seconds'],
  fields: {
    start_seconds: { ...startSeconds, description: 'Where the audio starts, in seconds.' },
    end_seconds: { ...endSeconds, description: 'Where the audio ends, in seconds.' },
    max_resolution: integer('Upper bound of the output size, in pixels.'),
    assets: group('The portrait and its voice.', ['audio_file_path', 'image_file_path'], {
      image_file_path: { ...imageAsset, description: 'The portrait.' },
      audio_file_path: { ...audioAsset, description: 'The speech.' },
    }),
    style: group('The motion.', [], {
      generation_mode: choice(
        'The kind of motion. Decides the price.',
        'expressive',
        'pro',
        'prompted',
        'realistic',
        'stable',
        'standard',
      ),
      intensity: number('The strength of the motion.'),
      prompt: text('A description of the motion.'),
    }),
  },
  rules: [endsAfterStart, talksAtMost],
  sizeLimit: { most: 720 },
  price: {
    kind: 'seconds',
    table: { field: 'style.generation_mode', credits: { prompted: 20, realistic: 48 } },
  },
  priceExamples: ['prompted', 'realistic', 'pro'].map((mode) =>
    fiveSeconds(`, ${mode}`, { style: { generation_mode: mode } }),
  ),
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { image_file_path: 'asset:image', audio_file_path: 'asset:audio' },
      style: { generation_mode: 'realistic' },
    },
  ],
  starter: eachFile(
    'image',
    `start_seconds: 0 # the part of the speech that the photo says
end_seconds: 3
style: { generation_mode: realistic }
assets:
  image_file_path: ${photoPath}
  audio_file_path: \${{ steps.voice.file_path }}`,
    voiceInput,
  ),
});

function talkBreaches(body: JsonObject): readonly RuleBreach[] {
  const mode = fieldOf(body, 'style.generation_mode');
  const most = mode === 'realistic' ? 180 : mode === 'prompted' ? 45 : 60;
  const length = secondsIn(body);
  if (length === undefined || length <= most) return [];
  const others = mode === 'realistic' ? '' : ', or 180 with style.generation_mode realistic';
  return [
    {
      field: 'end_seconds',
      message: `the clip lasts ${length} seconds; the service accepts at most ${most}${others}`,
    },
  ];
}
