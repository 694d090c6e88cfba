// Codes SL516 to SL532: where items come from: tables, matrices, keys and conditions.
import type { Example, Explanation, Lines } from './explanation.ts';

const portraits = (items: string, file = '${{ item.path }}'): Lines => [
  'pipeline: portraits',
  `items: ${items}`,
  'steps:',
  `  photo: { uses: upload, with: { file: "${file}" } }`,
];
const table = (text: string, items = '{ csv: people.csv }', name = 'people.csv'): Example => ({
  pipeline: portraits(items, '${{ item.photo }}'),
  files: { [name]: text },
});
const people = 'name,photo\nAnn,ann.jpg\nBen,ben.jpg\n';
const objects = '{"name": "Ann", "photo": "ann.jpg"}\n{"name": "Ben", "photo": "ben.jpg"}\n';
const jsonl = '{ jsonl: people.jsonl }';
const styles = (more: string, values = 'oil, ink'): Lines => [
  'pipeline: styles',
  `items: { matrix: { style: [${values}]${more} } }`,
  'steps:',
  '  film: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "a harbour, ${{ matrix.style }}" } } }',
];
const many = Array.from({ length: 101 }, (_, index) => index).join(', ');

export const sourceCodes = {
  SL516: {
    title: 'A table has no rows.',
    meaning:
      'A CSV file begins with the names of its columns, and has a row for each item. A JSON Lines file has an object in each line.',
    wrong: table('name,photo\n'),
    right: table(people),
  },
  SL517: {
    title: 'A table seems to have another separator.',
    meaning:
      'The header is a single column that contains semicolons, tabs or vertical bars. Spreadsheet programs write semicolons in some countries. Set `delimiter:` of items.',
    wrong: table('name;photo\nAnn;ann.jpg\n'),
    right: table('name;photo\nAnn;ann.jpg\n', '{ csv: people.csv, delimiter: ";" }'),
  },
  SL518: {
    title: 'A column of a table has values and no name, or the name of another column.',
    meaning:
      'Expressions use columns by their names, so each column with values needs one of its own in the first line.',
    wrong: table('name,photo,name\nAnn,ann.jpg,Miller\n'),
    right: table('name,photo,surname\nAnn,ann.jpg,Miller\n'),
  },
  SL519: {
    title: 'A row of a table has too many or too few values.',
    meaning:
      'Each row has one value for each column of the header. A value that contains the separator must be in quotation marks.',
    wrong: table('name,photo\nAnn, the tall one,ann.jpg\n'),
    right: table('name,photo\n"Ann, the tall one",ann.jpg\n'),
  },
  SL520: {
    title: 'The quotation marks of a table do not match.',
    meaning:
      'A value that begins with a quotation mark ends at the next one. Inside the value, a quotation mark is written twice.',
    wrong: table('name,photo\n"Ann" the tall one,ann.jpg\n'),
    right: table('name,photo\n"""Ann"" the tall one",ann.jpg\n'),
  },
  SL521: {
    title: 'A value of a table does not have the type of its column.',
    meaning:
      '`types:` of items says which columns are numbers, or true and false. All other columns are texts.',
    wrong: table(
      'name,photo,age\nAnn,ann.jpg,old\n',
      '{ csv: people.csv, types: { age: number } }',
    ),
    right: table('name,photo,age\nAnn,ann.jpg,29\n', '{ csv: people.csv, types: { age: number } }'),
  },
  SL522: {
    title: 'A line of a JSON Lines file is not a JSON object.',
    meaning:
      'Each line is a whole object, with names and texts in double quotation marks. A list of objects over several lines is a JSON file: write each object on a line of its own, without commas after it.',
    wrong: table('{"name": "Ann", photo: "ann.jpg"}\n', jsonl, 'people.jsonl'),
    right: table(objects, jsonl, 'people.jsonl'),
  },
  SL523: {
    title: 'A row of a table is too long.',
    meaning:
      'A row has at most 1 MB. Usually, a quotation mark is not closed, so that the rest of the file looks like one value, or the file is no table.',
    wrong: table(`name,photo\n${'Ann '.repeat(251_000)},ann.jpg\n`),
    right: table(people),
  },
  SL524: {
    title: 'An item has no key.',
    meaning:
      'The field that `key:` names is empty, or is a list or an object. The key names the item in tasks and in the state file. Give it a value, or choose another field.',
    wrong: table('name,photo\n,ann.jpg\n', '{ csv: people.csv, key: name }'),
    right: table(people, '{ csv: people.csv, key: name }'),
  },
  SL525: {
    title: 'A list has a value twice.',
    meaning:
      'Two equal values of a matrix would be the same item, and a glob that is there twice finds the same files. Remove one of them.',
    wrong: styles('', 'oil, ink, oil'),
    right: styles(''),
  },
  SL526: {
    title: 'A matrix has too many combinations.',
    meaning:
      'A matrix has at most 10,000 combinations: the number of values of each list, multiplied. Each is an item, and is paid for.',
    wrong: styles(`, size: [${many}]`, many),
    right: styles(', size: [small, large]'),
  },
  SL527: {
    title: 'An entry of a matrix changes nothing.',
    meaning:
      'An entry of exclude leaves out the combinations with all of its values, so each value must be in the matrix. An entry of include adds at least one value.',
    wrong: styles(', exclude: [{ style: inc }]'),
    right: styles(', exclude: [{ style: ink }]'),
  },
  SL528: {
    title: 'A field of items does not belong to this kind of items.',
    meaning:
      '`delimiter:` and `types:` are for a CSV file. `key:` is for files, rows and values: the values of a matrix name its items themselves.',
    wrong: portraits('{ glob: "photos/*.jpg", delimiter: ";" }'),
    right: portraits('{ glob: "photos/*.jpg" }'),
  },
  SL529: {
    title: 'The key of the items is an expression.',
    meaning:
      '`key:` is the name of a field or of a column. Write the name alone, without item. and without `${{ }}`.',
    wrong: portraits('{ glob: "photos/*.jpg", key: item.stem }'),
    right: portraits('{ glob: "photos/*.jpg", key: stem }'),
  },
  SL530: {
    title: 'The condition of the items leaves out all of them.',
    meaning:
      '`when:` is false for every item, so there is nothing to do. Usually, a value is spelled differently, or has another type: in a CSV file, every value is a text unless `types:` says otherwise.',
    wrong: table(people, '{ csv: people.csv, when: item.name == "ann" }'),
    right: table(people, '{ csv: people.csv, when: item.name == "Ann" }'),
  },
  SL531: {
    title: 'A file is not the medium that its name says, or was cut off.',
    meaning:
      'The service refuses such a file, after it was uploaded and a step was paid for. Often, a page was saved under the name of a picture, or a copy was cut off. Replace the file. A file in a format that shotlist cannot read is not refused.',
    found: 'plan',
    wrong: {
      pipeline: [
        'pipeline: portraits',
        'steps:',
        '  photo: { uses: upload, with: { file: photo.jpg } }',
      ],
      files: { 'photo.jpg': '<!doctype html><title>Not found</title>' },
    },
    right: {
      pipeline: [
        'pipeline: portraits',
        'steps:',
        '  photo: { uses: upload, with: { file: photo.jpg } }',
      ],
      files: { 'photo.jpg': 'a photo' },
    },
  },
  SL532: {
    title: 'A number loses its form.',
    meaning:
      'YAML reads 007 as 7, 1.10 as 1.1, and keeps about 15 digits of a long number. Where the value becomes the key of an item, a text or the name of a file, it has that form. Put it in quotation marks.',
    warning: true,
    wrong: styles('', '007, "010"'),
    right: styles('', '"007", "010"'),
  },
} as const satisfies Readonly<Record<`SL5${string}`, Explanation>>;
