// Codes SL1xx: the keys of a pipeline file and their values.
import type { Explanation } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';
const cut =
  '  cut: { uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }';
const save = '  save: { uses: download, with: { of: cut, to: photo.png } }';

export const structureCodes = {
  SL100: {
    title: 'The file is not an object with keys.',
    meaning:
      'A pipeline file consists of keys such as pipeline: and steps:. A list or a single text is something else.',
    wrong: ['- pipeline: portraits'],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL101: {
    title: 'A key is unknown at this place.',
    meaning:
      'shotlist refuses unknown keys, because a misspelled key would silently have no effect. Correct the spelling, move the key to where it belongs, or remove it. If the service has a newer field that shotlist does not know, extra: of the step sends it unchecked.',
    wrong: ['pipeline: portraits', 'ouput: renders', 'steps:', photo],
    right: ['pipeline: portraits', 'output: renders', 'steps:', photo],
  },
  SL102: {
    title: 'A required key is missing.',
    meaning: 'Add the key. `shotlist tools <kind>` lists the fields of a step kind.',
    wrong: ['pipeline: portraits', 'steps:', '  photo: { uses: upload, with: {} }'],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL103: {
    title: 'A value has the wrong type.',
    meaning:
      'The message says which type the key takes. A number in quotation marks is a text, and `yes` and `no` are texts, too: write `true` or `false`.',
    wrong: ['pipeline: portraits', 'limits: { items: "8" }', 'steps:', photo],
    right: ['pipeline: portraits', 'limits: { items: 8 }', 'steps:', photo],
  },
  SL104: {
    title: 'A value is not in the list of allowed values.',
    meaning: 'The message lists the values that the key takes.',
    wrong: ['pipeline: portraits', 'on_failure: halt', 'steps:', photo],
    right: ['pipeline: portraits', 'on_failure: stop', 'steps:', photo],
  },
  SL105: {
    title: 'A number is out of range.',
    meaning: 'The message says which numbers the key takes.',
    wrong: ['pipeline: portraits', 'budget: { credits: -1 }', 'steps:', photo],
    right: ['pipeline: portraits', 'budget: { credits: 100 }', 'steps:', photo],
  },
  SL106: {
    title: 'A text or a list has the wrong length.',
    meaning:
      'The message says how many characters or entries the key takes. Many keys cannot be empty.',
    wrong: ['pipeline: portraits', 'steps: {}'],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL107: {
    title: 'A text does not have the form that its key needs.',
    meaning:
      'Names, durations, shares and addresses have a form, which the message describes. For example, a duration is a number with a unit: 90s, 10m or 1h.',
    wrong: ['pipeline: portraits', 'limits: { outage: 10 minutes }', 'steps:', photo],
    right: ['pipeline: portraits', 'limits: { outage: 10m }', 'steps:', photo],
  },
  SL108: {
    title: 'A step or a list of a matrix has a name that it cannot have.',
    meaning:
      'The name has at most 100 letters, digits, `_` and `-`, and begins with a letter or `_`, so that expressions can contain it.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('photo:', '1st photo:')],
    right: ['pipeline: portraits', 'steps:', photo.replace('photo:', 'first-photo:')],
  },
  SL109: {
    title: 'Exactly one of several keys must be set.',
    meaning:
      'The keys exclude each other: items come from one source, and a hook is a command or a webhook. Keep one.',
    wrong: [
      'pipeline: portraits',
      'items: { glob: "photos/*.jpg", values: [a.jpg] }',
      'steps:',
      photo,
    ],
    right: ['pipeline: portraits', 'items: { glob: "photos/*.jpg" }', 'steps:', photo],
  },
  SL110: {
    title: 'The step kind does not exist.',
    meaning: '`shotlist tools` lists the step kinds.',
    wrong: ['pipeline: portraits', 'steps:', photo.replace('upload', 'uplaod')],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL111: {
    title: 'A step of this kind does not have this field.',
    meaning:
      'keep: is for tool steps, because only a tool makes a result. extra: is for tool steps and face-detect, because only they send a request with fields. Remove the field.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      '  photo: { uses: upload, keep: remote, with: { file: photo.jpg } }',
    ],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL112: {
    title: 'A field that shotlist knows is under extra:.',
    meaning:
      'extra: is for fields that shotlist does not know and cannot check. Move the field to with:, where it is checked.',
    wrong: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut.replace(' } } }', ' } }, extra: { name: portrait } }'),
      save,
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut.replace('with: { ', 'with: { name: portrait, '),
      save,
    ],
  },
  SL113: {
    title: 'Fields under extra: cannot be merged into an expression.',
    meaning:
      'extra: adds fields to an object under with:, and shotlist must see that object in the file. Write the object with its keys instead of as one expression.',
    wrong: [
      'pipeline: portraits',
      'items: { values: [{ key: a, assets: {} }] }',
      'steps:',
      '  cut: { uses: image-background-remover, with: { assets: "${{ item.assets }}" }, extra: { assets: { mask: none } } }',
      save,
    ],
    right: [
      'pipeline: portraits',
      'steps:',
      photo,
      cut.replace(' } } }', ' } }, extra: { assets: { mask: none } } }'),
      save,
    ],
  },
  SL114: {
    title: 'Two settings answer the same question.',
    meaning:
      '`on_failure: stop` stops at the first failure, so `max_failures` would have no effect. Remove one of them.',
    wrong: ['pipeline: portraits', 'on_failure: stop', 'max_failures: 3', 'steps:', photo],
    right: ['pipeline: portraits', 'max_failures: 3', 'steps:', photo],
  },
  SL115: {
    title: 'A cron expression is not valid, or never due.',
    meaning:
      'A cron expression has five fields: minute, hour, day of the month, month and day of the week. Quote it, because `*` has a meaning in YAML.',
    wrong: ['pipeline: portraits', 'schedule: { cron: "0 25 * * *" }', 'steps:', photo],
    right: ['pipeline: portraits', 'schedule: { cron: "0 23 * * *" }', 'steps:', photo],
  },
  SL116: {
    title: 'The time zone does not exist.',
    meaning: 'Write an IANA name such as Europe/Berlin, or UTC.',
    wrong: [
      'pipeline: portraits',
      'schedule: { cron: "0 7 * * *", time_zone: Berlin }',
      'steps:',
      photo,
    ],
    right: [
      'pipeline: portraits',
      'schedule: { cron: "0 7 * * *", time_zone: Europe/Berlin }',
      'steps:',
      photo,
    ],
  },
  SL117: {
    title: 'An expression is in a place where shotlist evaluates none.',
    meaning:
      'Expressions belong under with:, extra: and if: of a step. A hook reads its values from standard input, and a store is the same for every run.',
    wrong: [
      'pipeline: portraits',
      'on_finish: { command: [notify, "${{ run.date }}"] }',
      'steps:',
      photo,
    ],
    right: ['pipeline: portraits', 'on_finish: { command: [notify] }', 'steps:', photo],
  },
  SL118: {
    title: 'A path, or an argument of a hook, contains a null character.',
    meaning:
      'No file system has such a path, and no program can receive such an argument. Remove the character.',
    wrong: ['pipeline: portraits', 'on_finish: { command: [notify, "a\\0b"] }', 'steps:', photo],
    right: ['pipeline: portraits', 'on_finish: { command: [notify, "a b"] }', 'steps:', photo],
  },
  SL119: {
    title: 'The address of a webhook is not valid.',
    meaning: 'Write the whole address: https://host/path.',
    wrong: ['pipeline: portraits', 'on_finish: { webhook: "https://" }', 'steps:', photo],
    right: [
      'pipeline: portraits',
      'on_finish: { webhook: "https://hooks.example/photos" }',
      'steps:',
      photo,
    ],
  },
  SL120: {
    title: 'The address of a store is not valid.',
    meaning:
      'A store is a folder, relative to the pipeline file, or a bucket: s3://bucket/prefix. The name of a bucket has 3 to 63 lower-case letters, digits, hyphens and dots.',
    wrong: ['pipeline: portraits', 'outputs: { store: "s3://My_Bucket" }', 'steps:', photo],
    right: ['pipeline: portraits', 'outputs: { store: "s3://my-bucket/shots" }', 'steps:', photo],
  },
  SL121: {
    title: 'A path begins with "~".',
    meaning:
      'Only a shell expands "~"; shotlist would make a folder of that name. Write the whole path, or one relative to the pipeline file.',
    wrong: ['pipeline: portraits', 'output: ~/portraits', 'steps:', photo],
    right: ['pipeline: portraits', 'output: ../portraits', 'steps:', photo],
  },
} as const satisfies Readonly<Record<`SL1${string}`, Explanation>>;
