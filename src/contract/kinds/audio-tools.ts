// The two voice tools (facts.md, Body fields of every creation endpoint).
import { audioAsset } from './fields.ts';
import type { Tool } from './kind.ts';
import { voices } from './known-values.ts';
import { group, listedTool, openList, text } from './listed-tool.ts';

// interface.md, Limits: 1000 characters for everybody. Free plans may allow less; the service
// decides.
const spoken = text('The text to speak: 1 to 1000 characters.', { minLength: 1, maxLength: 1000 });

const aiVoiceCloner = listedTool({
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
  examples: [
    { assets: { audio_file_path: 'asset:audio' }, style: { prompt: 'Hello, how are you?' } },
  ],
});

const aiVoiceGenerator = listedTool({
  name: 'ai-voice-generator',
  title: 'Speak a text in a stock voice',
  record: 'audio',
  type: 'VOICE_GENERATOR',
  medianSeconds: 21,
  description: 'Speaks a text in one of the service’s voices. At most 0.1 credits per character.',
  required: ['style'],
  fields: {
    style: group('The text and the voice.', ['prompt', 'voice_name'], {
      prompt: spoken,
      voice_name: openList('The voice.', ...voices),
    }),
  },
  examples: [{ style: { prompt: 'Hello, how are you?', voice_name: 'Morgan Freeman' } }],
});

export const audioTools: readonly Tool[] = [aiVoiceCloner, aiVoiceGenerator];
