// Codes SL2xx: the names in references, and the order of the steps.
import type { Explanation, Lines } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const faces =
  '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }';
const cut =
  '  cut: { uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }';
const save = '  save: { uses: download, with: { of: cut, to: photo.png } }';
const items = 'items: { glob: "photos/*.jpg" }';
const itemPhoto = '  photo: { uses: upload, with: { file: "${{ item.path }}" } }';

const styled = (source: string, name: string): Lines => [
  'pipeline: styles',
  `items: { ${source} }`,
  'steps:',
  `  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "a harbour, \${{ ${name} }}" } } }`,
];

export const nameCodes = {
  SL201: {
    title: 'There is no step of this name.',
    meaning:
      'References, of: and needs: name steps of this file. Check the spelling. A name with "-" needs brackets in an expression: `steps["first-photo"].file_path`.',
    wrong: ['pipeline: portraits', 'steps:', photo, faces.replace('photo.', 'foto.')],
    right: ['pipeline: portraits', 'steps:', photo, faces],
  },
  SL202: {
    title: 'The step has no output of this name.',
    meaning: '`shotlist tools <kind>` lists the outputs of a step kind.',
    wrong: ['pipeline: portraits', 'steps:', photo, faces.replace('file_path }}', 'path }}')],
    right: ['pipeline: portraits', 'steps:', photo, faces],
  },
  SL203: {
    title: 'A reference to a step names no output.',
    meaning:
      'A step is not a value, but its outputs are. Write the whole reference: `steps.<name>.<output>`.',
    wrong: ['pipeline: portraits', 'steps:', photo, faces.replace('.file_path }}', ' }}')],
    right: ['pipeline: portraits', 'steps:', photo, faces],
  },
  SL204: {
    title: 'The pipeline declares no input of this name.',
    meaning: 'Check the spelling, or declare the input under inputs:.',
    wrong: [
      'pipeline: portraits',
      'inputs: { actor: { type: file, default: actor.jpg } }',
      'steps:',
      '  actor: { uses: upload, with: { file: "${{ inputs.acter }}" } }',
    ],
    right: [
      'pipeline: portraits',
      'inputs: { actor: { type: file, default: actor.jpg } }',
      'steps:',
      '  actor: { uses: upload, with: { file: "${{ inputs.actor }}" } }',
    ],
  },
  SL205: {
    title: 'An environment variable is not listed under env:.',
    meaning:
      'A pipeline reads only the variables that it lists, so that everybody can see what it sends. Add the name to env:.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      '  photo: { uses: upload, with: { file: "${{ env.YEAR }}/photo.jpg" } }',
    ],
    right: {
      pipeline: [
        'pipeline: portraits',
        'env: [YEAR]',
        'steps:',
        '  photo: { uses: upload, with: { file: "${{ env.YEAR }}/photo.jpg" } }',
      ],
      env: { YEAR: '2026' },
    },
  },
  SL206: {
    title: 'The items have no field of this name.',
    meaning:
      'Files have the fields path, name, stem, ext, dir, bytes, sha256, width, height and duration. The rows of a table have its columns, and values have the fields that the pipeline gives them. All have key and index.',
    wrong: ['pipeline: portraits', items, 'steps:', itemPhoto.replace('path', 'file')],
    right: ['pipeline: portraits', items, 'steps:', itemPhoto],
  },
  SL207: {
    title: 'An expression uses item, and the pipeline has no items.',
    meaning: 'Add items:, or write the value itself.',
    wrong: ['pipeline: portraits', 'steps:', itemPhoto],
    right: ['pipeline: portraits', items, 'steps:', itemPhoto],
  },
  SL208: {
    title: 'An expression uses a field that run or result does not have.',
    meaning: 'The fields are run.date, run.due, run.number and result.ext.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('photo.jpg', '"${{ run.day }}.jpg"')],
    right: ['pipeline: portraits', 'steps:', photo.replace('photo.jpg', '"${{ run.date }}.jpg"')],
  },
  SL209: {
    title: 'An expression uses result outside of the path of a download.',
    meaning:
      'Only a download knows the extension of its file, so result.ext belongs in the to: of a download.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo.replace('photo.jpg', '"photo.${{ result.ext }}"'),
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut,
      save.replace('photo.png', '"photo.${{ result.ext }}"'),
    ],
  },
  SL210: {
    title: 'A step uses a step that never runs.',
    meaning:
      'The if: of the other step is always false, so it has no outputs. Change its if:, or remove the reference.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('upload,', 'upload, if: false,'), faces],
    right: ['pipeline: portraits', 'steps:', photo, faces],
  },
  SL211: {
    title: 'A download or a delete names a step that creates no project.',
    meaning:
      'Only tool steps create projects that a download can save and a delete can remove. Name a tool step.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut,
      save.replace('of: cut', 'of: photo'),
      save.replace('save:', 'keep:').replace('photo.png', 'cut.png'),
    ],
    right: ['pipeline: portraits', 'steps:', photo, cut, save],
  },
  SL212: {
    title: 'A delete would lose a paid result.',
    meaning:
      'No step downloads the result, so deleting its project would throw the result away. Add a download step, or set discard: true to say that nobody needs the result.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut.replace('with:', 'keep: remote, with:'),
      '  tidy: { uses: delete, with: { of: cut } }',
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut,
      save,
      '  tidy: { uses: delete, with: { of: cut } }',
    ],
  },
  SL213: {
    title: 'Steps wait for each other in a circle.',
    meaning:
      'Each step waits for the steps that it refers to or lists under needs:, and a delete waits for every other use of its step. Break the circle.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo.replace('with:', 'needs: [faces], with:'),
      faces,
    ],
    right: ['pipeline: portraits', 'steps:', photo, faces],
  },
  SL214: {
    title: 'A step of an item waits for all items to finish.',
    meaning:
      'Deletes of shared steps begin after the last item. A step of an item that waits for such a delete could never start. Remove the delete from its needs:.',
    wrong: [
      'pipeline: portraits',
      items,
      'steps:',
      '  film: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: dawn } } }',
      '  frames: { uses: download, with: { of: film, to: film.mp4 } }',
      '  scene: { uses: image-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, assets: { image_file_path: "${{ steps.film.url }}" }, style: { prompt: "${{ item.stem }}" } } }',
      '  saved: { uses: download, with: { of: scene, to: "${{ item.stem }}.mp4" } }',
      '  tidy: { uses: delete, with: { of: film } }',
      '  photo: { uses: upload, needs: [tidy], with: { file: "${{ item.path }}" } }',
    ],
    right: ['pipeline: portraits', items, 'steps:', itemPhoto],
  },
  SL215: {
    title: 'An expression uses a name that does not exist.',
    meaning:
      'A name in an expression begins with item, matrix, inputs, env, steps, each, run or result. A text needs quotation marks.',
    wrong: ['pipeline: portraits', items, 'steps:', itemPhoto.replace('item', 'itm')],
    right: ['pipeline: portraits', items, 'steps:', itemPhoto],
  },
  SL216: {
    title: 'An expression uses matrix, and the items have none.',
    meaning: 'Add a matrix to items, or use item for the fields of a file, a row or a value.',
    wrong: styled('glob: "photos/*.jpg"', 'matrix.style'),
    right: styled('matrix: { style: [oil, ink] }', 'matrix.style'),
  },
  SL217: {
    title: 'The matrix has no list of this name.',
    meaning:
      'matrix has the names of the lists in `matrix:` of items, and the names that its include entries add.',
    wrong: styled('matrix: { style: [oil, ink] }', 'matrix.stile'),
    right: styled('matrix: { style: [oil, ink] }', 'matrix.style'),
  },
  SL218: {
    title: 'The condition of the items uses a name that is not known yet.',
    meaning:
      '`when:` of items is decided before any step runs, so it can use only item, matrix, inputs and env. For a condition about outputs of steps, use if: of a step.',
    wrong: styled('matrix: { style: [oil, ink] }, when: run.number > 1', 'matrix.style'),
    right: styled('matrix: { style: [oil, ink] }, when: matrix.style != "ink"', 'matrix.style'),
  },
} as const satisfies Readonly<Record<`SL2${string}`, Explanation>>;
