// Codes SL3xx: expressions.
import type { Explanation, Lines } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';

const detect =
  '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }';

/** An upload for each photo, if the condition holds. */
const when = (condition: string): Lines => [
  'pipeline: portraits',
  'items: { glob: "photos/*.jpg" }',
  'steps:',
  `  photo: { uses: upload, if: '${condition}', with: { file: "\${{ item.path }}" } }`,
];

/** A pipeline of one value, and a step with this name in its request. */
const named = (value: string, expression: string): Lines => [
  'pipeline: portraits',
  `items: { values: [${value}] }`,
  'steps:',
  photo,
  `  cut: { uses: image-background-remover, with: { name: "\${{ ${expression} }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }`,
  '  save: { uses: download, with: { of: cut, to: "${{ item.key }}.png" } }',
];
const files = { 'photo.jpg': 'a photo' };

/** A film that is longer, the smaller the number is. */
const inverse = (number: number): Lines => [
  'pipeline: dawn',
  `items: { values: [{ key: a, of: ${number} }] }`,
  'steps:',
  '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: "${{ 1.0 / double(item.of) }}", style: { prompt: dawn } } }',
];

export const expressionCodes = {
  SL301: {
    title: 'The syntax of an expression is wrong.',
    meaning:
      'Expressions are CEL. Texts are in quotation marks, both sides of a comparison are complete, and every bracket is closed.',
    wrong: when('size(item.stem > 3'),
    right: when('size(item.stem) > 3'),
  },
  SL302: {
    title: 'An expression has no end.',
    meaning: 'An expression begins with `${{` and ends with `}}`. Add the missing `}}`.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('photo.jpg', '"${{ run.date .jpg"')],
    right: ['pipeline: portraits', 'steps:', photo.replace('photo.jpg', '"${{ run.date }}.jpg"')],
  },
  SL303: {
    title: 'An expression is empty.',
    meaning: 'Write an expression between `${{` and `}}`, or remove both.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('photo.jpg', '"${{ }}.jpg"')],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL304: {
    title: 'The function does not exist.',
    meaning: 'docs/expressions.md lists the functions. Check the spelling.',
    wrong: when('item.stem.startWith("a")'),
    right: when('item.stem.startsWith("a")'),
  },
  SL305: {
    title: 'An operator or a function does not work with these types.',
    meaning:
      'CEL does not convert values by itself. Convert one of them with `string()`, `int()` or `double()`.',
    wrong: when('"3" + 1 == item.stem'),
    right: when('"3" + string(1) == item.stem'),
  },
  SL306: {
    title: 'A pattern is not valid.',
    meaning: 'matches() uses RE2 patterns, without look-around and back-references.',
    wrong: when('item.stem.matches("(a|b")'),
    right: when('item.stem.matches("(a|b)")'),
  },
  SL307: {
    title: 'An expression is too large or nested too deeply.',
    meaning:
      'An expression has at most 10,000 parts and 100 levels. Compute the value elsewhere, and give it to the pipeline as an input or as a field of the items.',
    wrong: when(`${'('.repeat(101)}true${')'.repeat(101)}`),
    right: when('true'),
  },
  SL308: {
    title: 'An expression takes too long, or creates a value that is too large.',
    meaning:
      'An evaluation takes at most 100,000 steps, and a value has at most 1,000,000 characters and elements. Loops in loops grow fast.',
    found: 'plan',
    wrong: {
      pipeline: named(
        '{ key: a, n: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }',
        'string(size(item.n.map(a, item.n.map(b, item.n.map(c, item.n.map(d, item.n.map(e, e)))))))',
      ),
      files,
    },
    right: {
      pipeline: named('{ key: a, n: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }', 'string(size(item.n))'),
      files,
    },
  },
  SL309: {
    title: 'A value has no such field or entry.',
    meaning:
      'The expression is correct, but one of its values lacks the field, or the list is shorter. Ask first, with `has(item.title)` or `size(item.names) > 1`, or give every item the field.',
    found: 'plan',
    wrong: { pipeline: named('{ key: a, names: [Anna] }', 'item.names[1]'), files },
    right: {
      pipeline: named(
        '{ key: a, names: [Anna] }',
        "size(item.names) > 1 ? item.names[1] : 'nobody'",
      ),
      files,
    },
  },
  SL310: {
    title: 'A list or an object cannot be part of a text.',
    meaning:
      'Only texts, numbers, true and false can stand inside a text. Choose an entry of the list, or join it.',
    found: 'plan',
    wrong: {
      pipeline: named('{ key: a, names: [Anna, Ben] }', "item.names }} and ${{ 'others'"),
      files,
    },
    right: {
      pipeline: named('{ key: a, names: [Anna, Ben] }', "item.names[0] }} and ${{ 'others'"),
      files,
    },
  },
  SL311: {
    title: 'A condition is neither true nor false.',
    meaning: 'Compare the value: `size(item.stem) > 0` instead of `size(item.stem)`.',
    found: 'plan',
    wrong: { pipeline: when('item.index'), files: { 'photos/anna.jpg': 'a photo' } },
    right: { pipeline: when('item.index > 0'), files: { 'photos/anna.jpg': 'a photo' } },
  },
  SL312: {
    title: 'JSON cannot represent the result of an expression.',
    meaning:
      'The service receives JSON, which has no infinity, and no times and types of CEL. Convert the value, for example with string().',
    found: 'plan',
    wrong: inverse(0),
    right: inverse(0.25),
  },
  SL313: {
    title: 'An expression fails for these values.',
    meaning:
      'The expression is correct, but cannot be evaluated with one of the values: for example, int() of a text that is not a number, or a division by zero.',
    found: 'plan',
    wrong: { pipeline: named('{ key: a, age: old }', 'string(int(item.age) + 1)'), files },
    right: { pipeline: named('{ key: a, age: "29" }', 'string(int(item.age) + 1)'), files },
  },
  SL314: {
    title: 'An expression has a type that its place does not take.',
    meaning:
      'The types of names and of outputs are known before a run, so shotlist compares them with the field, and `for_each` with a list. Convert the value, or choose a part of it.',
    wrong: [
      'pipeline: dawn',
      'inputs: { mood: { type: string, default: calm } }',
      'steps:',
      '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: "${{ inputs.mood }}", style: { prompt: dawn } } }',
    ],
    right: [
      'pipeline: dawn',
      'inputs: { seconds: { type: number, default: 3 } }',
      'steps:',
      '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: "${{ inputs.seconds }}", style: { prompt: dawn } } }',
    ],
  },
  SL315: {
    title: 'A value of this type has no such field.',
    meaning:
      'A text and a number have no fields, an object has those of its type, and a list has entries: `[0]` is the first of them, and map() reads a field of all.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo,
      detect,
      '  cut: { uses: image-background-remover, keep: remote, with: { assets: { image_file_path: "${{ steps.faces.faces.path }}" } } }',
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      detect,
      '  cut: { uses: image-background-remover, keep: remote, with: { assets: { image_file_path: "${{ steps.faces.faces[0].path }}" } } }',
    ],
  },
} as const satisfies Readonly<Record<`SL3${string}`, Explanation>>;
