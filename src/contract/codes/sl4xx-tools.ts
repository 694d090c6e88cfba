// Codes SL4xx: the values that a step sends to a tool.
import type { Explanation } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const film = (fields: string, prompt = 'dawn'): string =>
  `  film: { uses: text-to-video, estimate: 500, with: { ${fields}, end_seconds: 3, style: { prompt: ${prompt} } } }`;
const save = '  save: { uses: download, with: { of: film, to: film.mp4 } }';

export const toolCodes = {
  SL401: {
    title: 'The values of a step do not fit together.',
    meaning:
      'Each value is allowed, but not with the others: for example, the model makes no sound, or one field needs another. The service would refuse the request. `shotlist tools <kind>` lists the models and their limits.',
    wrong: [
      'pipeline: dawn',
      'steps:',
      film('model: wan-2.2, audio: true, resolution: 480p'),
      save,
    ],
    right: [
      'pipeline: dawn',
      'steps:',
      film('model: ltx-2.3, audio: true, resolution: 480p'),
      save,
    ],
  },
  SL402: {
    title: 'A media field names a local file.',
    meaning:
      'The service cannot read your disk. Add an upload step for the file, and refer to the output of the step. A direct URL of a media file works, too.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      '  faces: { uses: face-detect, with: { target_file_path: photo.jpg } }',
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }',
    ],
  },
  SL403: {
    title: 'A value looks misspelled.',
    meaning:
      'The field takes any text, and this one is close to a known value. shotlist sends it unchanged. Correct the spelling, or ignore the warning if the value is new.',
    warning: true,
    wrong: [
      'pipeline: portraits',
      'steps:',
      '  voice: { uses: ai-voice-generator, with: { style: { voice_name: Morgan Freemann, prompt: Hello } } }',
      '  save: { uses: download, with: { of: voice, to: hello.mp3 } }',
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      '  voice: { uses: ai-voice-generator, with: { style: { voice_name: Morgan Freeman, prompt: Hello } } }',
      '  save: { uses: download, with: { of: voice, to: hello.mp3 } }',
    ],
  },
  SL404: {
    title: 'The model is unknown to shotlist.',
    meaning:
      'The model is not in the tables of this version, or its price and limits are not published. shotlist sends the name without a check. Check the spelling, and set estimate: on the step.',
    warning: true,
    wrong: ['pipeline: dawn', 'steps:', film('model: ltx-99, resolution: 480p'), save],
    right: ['pipeline: dawn', 'steps:', film('model: ltx-2.3, resolution: 480p'), save],
  },
  SL405: {
    title: 'A prompt says nothing.',
    meaning:
      'The prompt has only spaces, or what a spreadsheet or a program writes for a missing value: `#N/A`, `#REF!`, `nan`, `NULL`, `None`. The service would charge for a picture of nothing. Fill in the cell, or leave the row out.',
    wrong: ['pipeline: dawn', 'steps:', film('model: ltx-2.3, resolution: 480p', "' '"), save],
    right: ['pipeline: dawn', 'steps:', film('model: ltx-2.3, resolution: 480p'), save],
  },
} as const satisfies Readonly<Record<`SL4${string}`, Explanation>>;
