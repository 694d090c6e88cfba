// ai-voice-cloner: speaks a text in the voice of a recording (facts.md, Body fields of every creation endpoint).
import { audioAsset, group, spoken } from '../fields.ts';
import { speechExamples } from '../price-rule.ts';
import { eachFile, soundPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiVoiceCloner = listedTool({
  name: 'ai-voice-cloner',
  title: 'Speak a text in a cloned voice',
  record: 'audio',
  type: 'VOICE_CLONER',
  medianSeconds: 21,
  description: 'Speaks a text in the voice of a recording. At most 0.1 credits per character.',
  required: ['assets', 'style'],
  fields: {
    assets: group('The recording.', ['audio_file_path'], {
      audio_file_path: { ...audioAsset, description: 'A recording of the voice.' },
    }),
    style: group('The text.', ['prompt'], { prompt: spoken }),
  },
  price: { kind: 'characters', field: 'style.prompt', credits: 0.1 },
  priceExamples: speechExamples,
  examples: [
    { assets: { audio_file_path: 'asset:audio' }, style: { prompt: 'Hello, how are you?' } },
  ],
  starter: eachFile(
    'audio',
    `style: { prompt: "Hello, how are you?" } # the text that the voice speaks
assets: { audio_file_path: "${soundPath}" }`,
  ),
});
