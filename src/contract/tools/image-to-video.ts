// image-to-video: a video that starts with a picture (facts.md, Body fields of every creation endpoint).
import { clipSize, flag, generation, group, imageAsset, qualityMode, text } from '../fields.ts';
import { generatedVideoExamples } from '../price-rule.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';
import { fitsVideoModel, videoModelChoice } from '../video-models.ts';

export const imageToVideo = listedTool({
  name: 'image-to-video',
  title: 'Make a video from a picture',
  record: 'video',
  type: 'IMAGE_TO_VIDEO',
  medianSeconds: 74,
  description: 'Makes a video that starts with one picture and may end with another.',
  required: ['assets', 'end_seconds'],
  fields: {
    ...generation,
    ...clipSize,
    assets: group('The pictures.', ['image_file_path'], {
      image_file_path: { ...imageAsset, description: 'The first frame.' },
      end_image_file_path: { ...imageAsset, description: 'The last frame.' },
    }),
    style: group('The content.', [], {
      prompt: text('A description of the motion.'),
      high_quality: flag('Older setting for the quality; see resolution.'),
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
      assets: { image_file_path: 'asset:image' },
      style: { prompt: 'the camera pulls back' },
    },
  ],
  starter: eachFile(
    'image',
    `model: ltx-2.3 # the model, the resolution and the seconds decide the price
resolution: 480p
end_seconds: 3 # the length of the video
style: { prompt: the camera pulls back slowly }
assets: { image_file_path: "${photoPath}" }`,
  ),
});
