// Codes SL9xx: fragments, profiles and defaults.
import type { Example, Explanation, Lines } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const pipeline: Lines = ['pipeline: portraits'];

/** A pipeline that includes a fragment with a step `photo`, and the fragment. */
const including = (
  entry: string,
  fragment: Lines = ['steps:', photo],
  steps: Lines = ['steps: {}'],
): Example => ({
  pipeline: [...pipeline, `include: [${entry}]`, ...steps],
  files: { 'common/photo.yaml': `${fragment.join('\n')}\n` },
});
const plain = '{ file: common/photo.yaml, as: my }';
const fragmentOf = (...inputs: Lines): Lines => [
  ...inputs,
  'steps:',
  '  photo: { uses: upload, with: { file: "${{ inputs.file }}" } }',
];
const fileInput = 'inputs: { file: { type: file } }';
const cut = (target: string): Lines => [
  'steps:',
  photo,
  `  cut: { uses: image-background-remover, keep: remote, with: { assets: { image_file_path: "\${{ ${target} }}" } } }`,
];
const ofPrompt = (expression: string): Lines => [
  'inputs: { style: { type: string } }',
  'steps:',
  `  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "\${{ ${expression} }}" } } }`,
];
const draft = (...steps: Lines): Lines => [
  ...pipeline,
  ...steps,
  'steps:',
  '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 720p, end_seconds: 3, style: { prompt: dawn } } }',
];

export const reuseCodes = {
  SL901: {
    title: 'The path of a fragment has a form that include does not take.',
    meaning:
      'A fragment is a file of the same repository. Its path is relative to the file that includes it, with `/` on every system, and contains no expression: the steps must be known before anything is evaluated.',
    wrong: including('{ file: https://example.com/photo.yaml, as: my }'),
    right: including(plain),
  },
  SL902: {
    title: 'A fragment cannot be read.',
    meaning:
      'The path is relative to the file that includes the fragment, and case matters on most systems. Check the spelling.',
    wrong: including('{ file: common/foto.yaml, as: my }'),
    right: including(plain),
  },
  SL903: {
    title: 'A fragment includes itself.',
    meaning:
      'The message shows the way from the pipeline file back to the fragment. Remove one of these includes.',
    wrong: including(plain, ['include: [{ file: photo.yaml, as: again }]', 'steps:', photo]),
    right: including(plain),
  },
  SL904: {
    title: 'The file includes too much.',
    meaning:
      'A pipeline includes at most 200 fragments with 10,000,000 characters in all, at most 8 in a row. For many similar steps, use a matrix or `for_each`.',
    wrong: {
      pipeline: [...pipeline, 'include: [{ file: a1.yaml, as: a }]', 'steps: {}'],
      files: Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [
          `a${index + 1}.yaml`,
          `include: [{ file: a${index + 2}.yaml, as: a }]\nsteps:\n${photo}\n`,
        ]),
      ),
    },
    right: including(plain),
  },
  SL905: {
    title: 'A file is not a fragment.',
    meaning:
      'A fragment has description, inputs, include and steps. Only the pipeline file says what may be spent, where results go, and what the items are.',
    wrong: including(plain, ['budget: { credits: 100 }', 'steps:', photo]),
    right: including(plain),
  },
  SL906: {
    title: 'A fragment has no input of this name.',
    meaning:
      'The values under with: of an include, and the expressions of a fragment, name inputs that the fragment declares. Check the spelling, or declare the input in the fragment.',
    wrong: including(
      '{ file: common/photo.yaml, as: my, with: { file: a.jpg, mood: calm } }',
      fragmentOf(fileInput),
    ),
    right: including(
      '{ file: common/photo.yaml, as: my, with: { file: a.jpg } }',
      fragmentOf(fileInput),
    ),
  },
  SL907: {
    title: 'An input of a fragment has no value.',
    meaning:
      'The input has no default, and with: of the include does not set it. Set it, or give it a default in the fragment.',
    wrong: including(plain, fragmentOf(fileInput)),
    right: including(plain, fragmentOf('inputs: { file: { type: file, default: photo.jpg } }')),
  },
  SL908: {
    title: 'The value of a fragment’s input has the wrong type.',
    meaning:
      'The fragment declares a type for each input. Change the value, or the type. A default is a plain value, without an expression.',
    wrong: including(
      '{ file: common/photo.yaml, as: my, with: { file: 7 } }',
      fragmentOf(fileInput),
    ),
    right: including(
      '{ file: common/photo.yaml, as: my, with: { file: "7.jpg" } }',
      fragmentOf(fileInput),
    ),
  },
  SL909: {
    title: 'A fragment has no step of this name.',
    meaning:
      'A fragment sees only its own steps and those that it includes. To use the output of a step of the pipeline, declare an input, and set it with with: of the include.',
    wrong: including(plain, cut('steps.foto.file_path')),
    right: including(plain, cut('steps.photo.file_path')),
  },
  SL910: {
    title: 'A text with an expression inside cannot be part of another expression.',
    meaning:
      'The fragment uses the input inside an expression, where only a value or a whole expression fits. Write the value as one expression.',
    wrong: including(
      '{ file: common/photo.yaml, as: my, with: { style: "number ${{ run.number }}" } }',
      ofPrompt("inputs.style + ', at dawn'"),
    ),
    right: including(
      '{ file: common/photo.yaml, as: my, with: { style: "${{ \'number \' + string(run.number) }}" } }',
      ofPrompt("inputs.style + ', at dawn'"),
    ),
  },
  SL911: {
    title: 'A step of a fragment gets a name that exists already.',
    meaning:
      'The steps of a fragment begin with the prefix that as: sets, and - after it. Choose another prefix for each include.',
    wrong: including(`${plain}, ${plain}`),
    right: including(`${plain}, { file: common/photo.yaml, as: other }`),
  },
  SL912: {
    title: 'The pipeline has no profile of this name.',
    meaning: '`--profile` chooses one of the profiles of the file. Check the spelling.',
    wrong: {
      pipeline: draft('profiles: { draft: { budget: { credits: 200 } } }'),
      profile: 'drafts',
    },
    right: {
      pipeline: draft('profiles: { draft: { budget: { credits: 200 } } }'),
      profile: 'draft',
    },
  },
  SL913: {
    title: 'A profile changes a step that does not exist.',
    meaning:
      'A profile changes the steps of the file and of its fragments, and adds none. Check the spelling. A step of a fragment has the prefix of its include.',
    wrong: draft('profiles: { draft: { with: { movie: { resolution: 480p } } } }'),
    right: draft('profiles: { draft: { with: { film: { resolution: 480p } } } }'),
  },
} as const satisfies Readonly<Record<`SL9${string}`, Explanation>>;
