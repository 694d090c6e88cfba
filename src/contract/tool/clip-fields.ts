// Schema fields shared by the tools that take a clip as input.
import { videoAsset } from './fields.ts';
import { choice, number, text } from './request-schema.ts';

/** Fields of `assets` that say where the clip comes from. */
export const clipSource = {
  video_source: choice(
    '`file` requires video_file_path; `youtube` requires youtube_url.',
    'file',
    'youtube',
  ),
  video_file_path: { ...videoAsset, description: 'The clip, if video_source is file.' },
  youtube_url: text('The address of the clip, if video_source is youtube.', { minLength: 1 }),
};

/**
 * interface.md, Versioning: no longer required for face-swap, image-to-video, lip-sync,
 * video-to-video.
 */
export const clipSize = {
  height: number(
    'Output height in pixels. No longer needed: the output size follows the input and the plan.',
  ),
  width: number(
    'Output width in pixels. No longer needed: the output size follows the input and the plan.',
  ),
};
