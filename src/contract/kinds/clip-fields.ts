// Pieces that the tools which take somebody’s clip share.
import { videoAsset } from './fields.ts';
import { choice, number, text } from './listed-tool.ts';

/** For `assets`: where the clip comes from. */
export const clipSource = {
  video_source: choice(
    '`file` needs video_file_path, `youtube` needs youtube_url.',
    'file',
    'youtube',
  ),
  video_file_path: { ...videoAsset, description: 'The clip’s video, with video_source file.' },
  youtube_url: text('The clip’s address, with video_source youtube.', { minLength: 1 }),
};

/**
 * interface.md, Versioning: no longer required for face-swap, image-to-video, lip-sync,
 * video-to-video.
 */
export const clipSize = {
  height: number('Pixels; no longer needed: the output size follows the input and the plan.'),
  width: number('Pixels; no longer needed: the output size follows the input and the plan.'),
};
