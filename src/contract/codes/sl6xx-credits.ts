// Codes SL6xx: credits and the account.
import type { Explanation } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const cut =
  '  cut: { uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }';
const film = (resolution: string): string =>
  `  film: { uses: text-to-video, with: { model: ltx-2.3, resolution: ${resolution}, end_seconds: 3, style: { prompt: dawn } } }`;
const save = (of: string, extension: string): string =>
  `  save: { uses: download, with: { of: ${of}, to: ${of}.${extension} } }`;
const act = (estimate: string): string =>
  `  act: { uses: character-replace, ${estimate}with: { end_seconds: 5, assets: { video_file_path: "\${{ steps.clip.file_path }}", image_file_path: "\${{ steps.photo.file_path }}" } } }`;
const files = { 'photo.jpg': 'a photo', 'clip.mp4': 'a clip' };
const clip = '  clip: { uses: upload, with: { file: clip.mp4 } }';

export const moneyCodes = {
  SL601: {
    title: 'No step saves a paid result.',
    meaning:
      'The tool step is paid for, and its result stays at the service, where it expires. Add a download step, or set keep: remote on the step to say that this is meant.',
    warning: true,
    wrong: ['pipeline: portraits', 'steps:', photo, cut],
    right: ['pipeline: portraits', 'steps:', photo, cut, save('cut', 'png')],
  },
  SL602: {
    title: 'The price of a step is not known.',
    meaning:
      'A budget holds only if every price is known, and a rehearsal shows what a real run costs. Set an upper bound on the step: `estimate: <credits>`.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: star', 'steps:', photo, clip, act(''), save('act', 'mp4')],
      files,
    },
    right: {
      pipeline: [
        'pipeline: star',
        'steps:',
        photo,
        clip,
        act('estimate: 150, '),
        save('act', 'mp4'),
      ],
      files,
    },
  },
  SL603: {
    title: 'The plan of the account does not include a value.',
    meaning:
      'The service would refuse the request, because the subscription plan of your account lacks the model, the resolution or the option. Change the value, or the plan.',
    found: 'plan',
    wrong: ['pipeline: dawn', 'steps:', film('1080p'), save('film', 'mp4')],
    right: ['pipeline: dawn', 'steps:', film('480p'), save('film', 'mp4')],
  },
} as const satisfies Readonly<Record<`SL6${string}`, Explanation>>;
