// text-to-video: a video from a prompt (facts.md, Body fields of every creation endpoint).
import { choice, generation, group, qualityMode, text } from '../fields.ts';
import { generatedVideoExamples } from '../price-rule.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';
import { fitsVideoModel, videoModelChoice } from '../video-models.ts';

export const textToVideo = listedTool({
  name: 'text-to-video',
  title: 'Make a video from a prompt',
  record: 'video',
  type: 'TEXT_TO_VIDEO',
  medianSeconds: 51,
  description: 'Makes a video from a prompt.',
  required: ['end_seconds', 'style'],
  fields: {
    ...generation,
    aspect_ratio: choice('Aspect ratio of the output.', '16:9', '1:1', '9:16'),
    orientation: choice('Older name of aspect_ratio.', 'landscape', 'portrait', 'square'),
    style: group('The content.', ['prompt'], {
      prompt: text('A description of the video: up to 2000 characters.', {
        minLength: 1,
        maxLength: 2000,
      }),
      quality_mode: qualityMode,
    }),
  },
  models: videoModelChoice,
  rules: [fitsVideoModel],
  price: { kind: 'model-seconds', unpriced: ['style.quality_mode', 'style.high_quality'] },
  priceExamples: generatedVideoExamples,
  examples: [
    {
      end_seconds: 3,
      model: 'ltx-2.3',
      resolution: '480p',
      aspect_ratio: '16:9',
      style: { prompt: 'a dog runs along a beach' },
    },
  ],
  starter: eachPrompt(
    `model: ltx-2.3 # the model, the resolution and the seconds decide the price
resolution: 480p
aspect_ratio: "16:9"
end_seconds: 3 # the length of the video
style: { prompt: "${itemPrompt}" }`,
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
    ['tram', 'a yellow tram climbs a steep street in the rain'],
  ),
});
