// Schema fields shared by the tools that generate pictures, videos and speech.
import { endSeconds } from './fields.ts';
import { choice, flag, openList, text } from './request-schema.ts';

export const imageResolution = choice('Output resolution.', '640px', '1k', '2k', '4k', 'auto');

export const videoLength = { ...endSeconds, description: 'The length of the video, in seconds.' };

/** Shared by text-to-video and image-to-video: facts.md prices both by the same table. */
export const generation = {
  end_seconds: { ...videoLength, minimum: 1, maximum: 60 },
  audio: flag('Whether the video has sound; some models charge more for it.'),
  model: openList(
    'The model that generates the video. `default` changes over time.',
    'default',
    'ltx-2.3',
    'wan-2.2',
    'kling-2.6',
    'kling-3.0',
    'veo3.1-lite',
    'veo3.1',
    'seedance-1.5',
    'seedance-2.0-mini',
    'seedance-2.0',
    'seedance-2.5',
    'sora-2',
    'minimax-h3',
    'kling-2.5',
    'kling-2.5-audio',
    'veo3.1-audio',
    'ltx-2',
    'kling-1.6',
    'seedance',
  ),
  resolution: choice(
    'Output resolution. Not every model supports every resolution.',
    '480p',
    '720p',
    '1080p',
    '4k',
  ),
};

export const qualityMode = choice(
  'Older setting for the quality; see resolution.',
  'quick',
  'studio',
);

/**
 * interface.md, Limits: 1000 characters for everybody. Free plans may allow less; the service
 * decides.
 */
export const spoken = text('The text to speak: 1 to 1000 characters.', {
  minLength: 1,
  maxLength: 1000,
});
