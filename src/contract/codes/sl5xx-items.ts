// Codes SL5xx: items, inputs and files.
import type { Explanation, Lines } from './explanation.ts';

const items = 'items: { glob: "photos/*.jpg" }';
const photo = '  photo: { uses: upload, with: { file: "${{ item.path }}" } }';
const cut =
  '  cut: { uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }';
const anna = { 'photos/anna.jpg': 'a photo' };
/** A rehearsal writes to a folder of its own, so nothing is in its way. */
const hosted = { SHOTLIST_API_KEY: 'key', SHOTLIST_BASE_URL: 'http://127.0.0.1:9' };
const both = { ...anna, 'photos/ben.jpg': 'another photo' };

/** Cuts out each photo, and saves it there. */
const saved = (to: string, ...more: readonly string[]): Lines => [
  'pipeline: portraits',
  items,
  ...more,
  'steps:',
  photo,
  cut,
  `  save: { uses: download, with: { of: cut, to: "${to}" } }`,
];
/** Cuts out one photo, and saves it under the same name. */
const retouched = (output: string): Lines => [
  'pipeline: portraits',
  `output: ${output}`,
  'steps:',
  '  photo: { uses: upload, with: { file: photos/anna.png } }',
  cut,
  '  save: { uses: download, with: { of: cut, to: anna.png } }',
];
const upload = (file: string): Lines => [
  'pipeline: portraits',
  'steps:',
  `  photo: { uses: upload, with: { file: ${file} } }`,
];
const frame = (input: string): Lines => [
  'pipeline: portraits',
  `inputs: { frame: ${input} }`,
  'steps:',
  '  photo: { uses: upload, with: { file: "${{ inputs.frame }}.jpg" } }',
];

export const itemCodes = {
  SL501: {
    title: 'The glob finds no file.',
    meaning:
      'Globs are relative to the pipeline file. The message says what the folder contains instead, and which glob would find it.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', 'items: { glob: "foto/*.jpg" }', 'steps:', photo],
      files: anna,
    },
    right: { pipeline: ['pipeline: portraits', items, 'steps:', photo], files: anna },
  },
  SL502: {
    title: 'Two items have the same key.',
    meaning:
      'The key names an item in tasks and in the state file, so each item needs a key of its own.',
    found: 'plan',
    wrong: {
      pipeline: [
        'pipeline: portraits',
        'items: { values: [{ key: a, path: photos/anna.jpg }, { key: a, path: photos/ben.jpg }] }',
        'steps:',
        photo,
      ],
      files: both,
    },
    right: {
      pipeline: [
        'pipeline: portraits',
        'items: { values: [{ key: a, path: photos/anna.jpg }, { key: b, path: photos/ben.jpg }] }',
        'steps:',
        photo,
      ],
      files: both,
    },
  },
  SL503: {
    title: 'The items include the output folder.',
    meaning:
      'The next run would take its own results for items, and pay for them. Use a narrower glob, or another output folder.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', 'items: { glob: "**/*.jpg" }', 'steps:', photo],
      files: { ...anna, 'out/portraits/anna.jpg': 'a result' },
      env: hosted,
    },
    right: {
      pipeline: ['pipeline: portraits', items, 'steps:', photo],
      files: { ...anna, 'out/portraits/anna.jpg': 'a result' },
    },
  },
  SL504: {
    title: '`shotlist watch` needs a glob.',
    meaning: 'watch runs a pipeline for files that arrive, and only items.glob finds files.',
    found: 'watch',
    wrong: {
      pipeline: [
        'pipeline: portraits',
        'items: { values: [{ path: photos/anna.jpg }] }',
        'steps:',
        photo,
      ],
    },
    right: { pipeline: ['pipeline: portraits', items, 'steps:', photo], files: anna },
  },
  SL505: {
    title: 'The options of the command leave no item.',
    meaning:
      '--items, --exclude and --limit choose among the items by their keys. The message shows what keys look like.',
    found: 'plan',
    wrong: {
      pipeline: ['pipeline: portraits', items, 'steps:', photo],
      files: anna,
      items: 'carl.jpg',
    },
    right: {
      pipeline: ['pipeline: portraits', items, 'steps:', photo],
      files: anna,
      items: 'anna.jpg',
    },
  },
  SL506: {
    title: 'The service takes no file of this type.',
    meaning: 'The extension of a file says what it is. Convert the file, or use a narrower glob.',
    found: 'plan',
    wrong: { pipeline: upload('notes.txt'), files: { 'notes.txt': 'a note' } },
    right: { pipeline: upload('photo.jpg'), files: { 'photo.jpg': 'a photo' } },
  },
  SL507: {
    title: 'A file does not exist, or cannot be read.',
    meaning: 'Paths are relative to the pipeline file, and case matters on most systems.',
    found: 'plan',
    wrong: { pipeline: upload('anna.jpg'), files: anna },
    right: { pipeline: upload('photos/anna.jpg'), files: anna },
  },
  SL508: {
    title: 'A file is empty.',
    meaning: 'The service refuses empty files. Often, a copy or a download was cut off.',
    found: 'plan',
    wrong: { pipeline: upload('photo.jpg'), files: { 'photo.jpg': '' } },
    right: { pipeline: upload('photo.jpg'), files: { 'photo.jpg': 'a photo' } },
  },
  SL509: {
    title: 'A download cannot be saved under this path.',
    meaning:
      'to: is a path below the output folder. It cannot leave the folder, and its names must work on every system: no backslash, no control characters, no reserved names.',
    found: 'plan',
    wrong: { pipeline: saved('../${{ item.stem }}.png'), files: anna },
    right: { pipeline: saved('${{ item.stem }}.png'), files: anna },
  },
  SL510: {
    title: 'Two tasks would write the same file.',
    meaning:
      'The second file would replace the first one, which is paid for. Names that differ only in case, or in how an accent is composed, are one file on many disks, so they are refused on every system. Put something into to: that differs between the items, such as item.stem.',
    found: 'plan',
    wrong: { pipeline: saved('photo.png'), files: both },
    right: { pipeline: saved('${{ item.stem }}.png'), files: both },
  },
  SL511: {
    title: 'A download would overwrite a file that the pipeline reads.',
    meaning: 'The input would be lost. Choose another output folder, or another to:.',
    found: 'plan',
    wrong: { pipeline: retouched('photos'), files: { 'photos/anna.png': 'a photo' }, env: hosted },
    right: {
      pipeline: retouched('portraits'),
      files: { 'photos/anna.png': 'a photo' },
      env: hosted,
    },
  },
  SL512: {
    title: 'An input has no value.',
    meaning: 'The input has no default. Set it with --input, or give it a default.',
    wrong: frame('{ type: string }'),
    right: { pipeline: frame('{ type: string }'), inputs: { frame: 'gold' } },
  },
  SL513: {
    title: 'The value of an input has the wrong type.',
    meaning:
      'The value of --input, or the default in the file, does not fit the type of the input.',
    wrong: { pipeline: frame('{ type: number, default: 1 }'), inputs: { frame: 'gold' } },
    right: { pipeline: frame('{ type: number, default: 1 }'), inputs: { frame: '2' } },
  },
  SL514: {
    title: 'An environment variable is not set.',
    meaning: 'The pipeline lists the variable under env:. Set it before you call shotlist.',
    wrong: { pipeline: ['pipeline: portraits', 'env: [YEAR]', ...upload('photo.jpg').slice(1)] },
    right: {
      pipeline: ['pipeline: portraits', 'env: [YEAR]', ...upload('photo.jpg').slice(1)],
      env: { YEAR: '2026' },
    },
  },
} as const satisfies Readonly<Record<`SL5${string}`, Explanation>>;
