// Codes SL0xx: the file as text and as YAML.
import type { Explanation } from './explanation.ts';

const photo = '  photo: { uses: upload, with: { file: photo.jpg } }';

const merging = '  photo: { uses: upload, with: { ';
const mug = (prompt: string): readonly string[] => [
  '  film:',
  '    uses: text-to-video',
  '    with:',
  '      end_seconds: 3',
  '      model: ltx-2.3',
  '      resolution: 480p',
  '      style:',
  `        prompt: ${prompt}`,
];
const saved = '  save: { uses: download, with: { of: film, to: mug.mp4 } }';

export const yamlCodes = {
  SL001: {
    title: 'The file is not UTF-8 text.',
    meaning:
      'Pipeline files and tables of items are UTF-8. In another encoding, a letter such as é would reach the service as a wrong character, and be paid for. Save the file as UTF-8 in your editor.',
    wrong: {
      pipeline: ['pipeline: portraits', 'description: our café', 'steps:', photo],
      saved: 'latin1',
    },
    right: ['pipeline: portraits', 'description: our café', 'steps:', photo],
  },
  SL002: {
    title: 'The file contains a control character.',
    meaning:
      'YAML allows no control characters but tabs and line ends. They come from terminals and from copied text, and are invisible. Remove the character. If a value really needs it, write an escape in double quotes.',
    wrong: ['pipeline: portraits', 'description: "a bell: \u0007"', 'steps:', photo],
    right: ['pipeline: portraits', 'description: "a bell: \\u0007"', 'steps:', photo],
  },
  SL003: {
    title: 'The lines end with carriage returns only.',
    meaning:
      'Some old editors end lines with a carriage return (CR). YAML then reads the whole file as one line. Save the file with line feeds (LF) or with both (CRLF).',
    wrong: { pipeline: ['pipeline: portraits', 'steps:', photo], saved: 'cr' },
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL004: {
    title: 'The file contains no pipeline.',
    meaning:
      'The file is empty, or has only comments. A pipeline needs at least a name and a step.',
    wrong: ['# My first pipeline'],
    right: ['# My first pipeline', 'pipeline: portraits', 'steps:', photo],
  },
  SL005: {
    title: 'The file contains an unfinished git merge.',
    meaning:
      'git could not combine two versions of the file, and marked the lines that differ. Keep the correct lines, and remove the marks.',
    wrong: [
      'pipeline: portraits',
      '<<<<<<< HEAD',
      'budget: { credits: 100 }',
      '=======',
      'budget: { credits: 200 }',
      '>>>>>>> more-money',
      'steps:',
      photo,
    ],
    right: ['pipeline: portraits', 'budget: { credits: 200 }', 'steps:', photo],
  },
  SL006: {
    title: 'The file contains several YAML documents.',
    meaning:
      'A line with `---` begins another YAML document, and a pipeline is one document. Remove the line, or move the second pipeline to a file of its own.',
    wrong: ['pipeline: portraits', 'steps:', photo, '---', 'pipeline: clips', 'steps:', photo],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL007: {
    title: 'The indentation does not match the lines above.',
    meaning:
      'In YAML, indentation says what belongs together. Indent all keys of one object by the same number of spaces.',
    wrong: ['pipeline: portraits', 'steps:', '    photo:', '      uses: upload', '   cut: {}'],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL008: {
    title: 'A line is indented with a tab.',
    meaning: 'YAML allows only spaces at the beginning of a line. Replace the tab with spaces.',
    wrong: ['pipeline: portraits', 'steps:', `\t${photo.trim()}`],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL009: {
    title: 'A bracket is not closed, or closes nothing.',
    meaning:
      'Each { needs a }, and each [ a ]. Close the bracket, indent the lines that belong inside, or remove the bracket that is too much.',
    wrong: ['pipeline: portraits', 'steps:', '  photo: { uses: upload', 'output: out'],
    right: ['pipeline: portraits', 'steps:', photo, 'output: out'],
  },
  SL010: {
    title: 'A value begins with a character that has a meaning in YAML.',
    meaning:
      'A plain value cannot begin with characters such as `@` and `%`. Put the value in quotation marks.',
    wrong: ['pipeline: portraits', 'description: @home', 'steps:', photo],
    right: ['pipeline: portraits', 'description: "@home"', 'steps:', photo],
  },
  SL011: {
    title: 'A line has a second colon followed by a space.',
    meaning:
      'YAML reads a colon followed by a space as the end of a key, and a line has only one key. Put a text that contains one in quotation marks, or begin a new line.',
    wrong: ['pipeline: portraits', 'description: Friday: cats', 'steps:', photo],
    right: ['pipeline: portraits', 'description: "Friday: cats"', 'steps:', photo],
  },
  SL012: {
    title: 'YAML cannot read an expression without quotation marks.',
    meaning:
      'Inside `{ }` and `[ ]`, the braces of an expression end the object, and anywhere, a colon followed by a space ends a key. Put the expression in quotation marks.',
    wrong: [
      'pipeline: portraits',
      'items: { glob: "photos/*.jpg" }',
      'steps:',
      '  photo: { uses: upload, with: { file: ${{ item.path }} } }',
    ],
    right: [
      'pipeline: portraits',
      'items: { glob: "photos/*.jpg" }',
      'steps:',
      '  photo: { uses: upload, with: { file: "${{ item.path }}" } }',
    ],
  },
  SL013: {
    title: 'A key appears twice.',
    meaning:
      'An object has each key once; YAML would silently ignore one of the two. Remove or rename one.',
    wrong: ['pipeline: portraits', 'steps:', photo, photo],
    right: ['pipeline: portraits', 'steps:', photo, photo.replace('photo:', 'second:')],
  },
  SL014: {
    title: 'The YAML is nested too deeply.',
    meaning:
      'A pipeline needs only a few levels. More than a hundred usually means that brackets are not closed.',
    wrong: ['pipeline: portraits', `steps: ${'['.repeat(101)}${']'.repeat(101)}`],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL015: {
    title: 'An alias has no anchor.',
    meaning:
      'An alias, `*name`, repeats the value that an anchor, `&name`, marks earlier in the file. Check the spelling of both, and the order.',
    wrong: ['pipeline: portraits', 'steps:', '  photo: *upload'],
    right: [
      'pipeline: portraits',
      'steps:',
      photo.replace('{ uses', '&upload { uses'),
      '  again: *upload',
    ],
  },
  SL016: {
    title: 'An alias makes a value contain itself.',
    meaning: 'The value of an anchor, `&name`, cannot contain its own alias, `*name`.',
    wrong: ['pipeline: portraits', 'steps: &all', photo, '  more: *all'],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL017: {
    title: 'The aliases or merge keys expand to too many values.',
    meaning:
      'Aliases of lists of aliases grow fast, up to more values than fit into memory. Write the values out, or use fewer aliases of aliases.',
    wrong: [
      'pipeline: portraits',
      'items:',
      '  values:',
      '    - &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]',
      '    - &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
      '    - &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
      '    - &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
      'steps:',
      photo,
    ],
    right: ['pipeline: portraits', 'items: { values: [1, 2, 3] }', 'steps:', photo],
  },
  SL018: {
    title: 'JSON cannot represent a value.',
    meaning:
      'The service receives JSON, which has no infinity, no dates and no binary data. Write the value as a text or as a number.',
    wrong: ['pipeline: portraits', 'items: { values: [.inf] }', 'steps:', photo],
    right: ['pipeline: portraits', 'items: { values: [1000000] }', 'steps:', photo],
  },
  SL019: {
    title: 'A text contains half a character.',
    meaning:
      'Some characters, such as emoji, consist of two escapes in JSON, and only one of the two is there. Write the character itself, or as one escape.',
    wrong: ['pipeline: portraits', 'description: "\\ud83d smile"', 'steps:', photo],
    right: ['pipeline: portraits', 'description: "\\U0001F600 smile"', 'steps:', photo],
  },
  SL020: {
    title: 'The file is not valid YAML.',
    meaning:
      'The message is the one of the YAML parser. Look at the marked place, and at the line before.',
    wrong: ['pipeline: portraits', 'description: &a &b cats', 'steps:', photo],
    right: ['pipeline: portraits', 'steps:', photo],
  },
  SL021: {
    title: 'A text in quotation marks has no end.',
    meaning:
      'A text that begins with a quotation mark ends at the next one of the same kind. Add the mark. Inside single quotation marks, write an apostrophe twice.',
    wrong: ['pipeline: portraits', 'description: "Cats', 'steps:', photo],
    right: ['pipeline: portraits', 'description: "Cats"', 'steps:', photo],
  },
  SL022: {
    title: 'An escape in a text does not exist.',
    meaning:
      'In double quotation marks, a backslash begins an escape such as `\\n`. Write `\\\\` for a backslash, or use single quotation marks.',
    wrong: ['pipeline: portraits', 'description: "a\\cat"', 'steps:', photo],
    right: ['pipeline: portraits', "description: 'a\\cat'", 'steps:', photo],
  },
  SL023: {
    title: 'More text follows a closing quotation mark.',
    meaning:
      'A value in quotation marks ends at the closing mark. Put the whole value in quotation marks. Inside single quotation marks, write an apostrophe twice.',
    wrong: ['pipeline: portraits', "description: 'Anna's cats'", 'steps:', photo],
    right: ['pipeline: portraits', "description: 'Anna''s cats'", 'steps:', photo],
  },
  SL024: {
    title: 'A line is not a key with a value.',
    meaning:
      'Write a key, a colon, a space and the value: `name: value`. A list entry, `- value`, cannot stand between keys.',
    wrong: ['pipeline: portraits', 'output:out', 'steps:', photo],
    right: ['pipeline: portraits', 'output: out', 'steps:', photo],
  },
  SL025: {
    title: 'A merge key takes something that is not an object.',
    meaning:
      'A merge key, `<<: *name`, adds the keys of another object. Its anchor, `&name`, must be at an object, or at each of a list of objects.',
    wrong: ['pipeline: portraits', 'x-file: &file photo.jpg', 'steps:', `${merging}<<: *file } }`],
    right: [
      'pipeline: portraits',
      'x-file: &file { file: photo.jpg }',
      'steps:',
      `${merging}<<: *file } }`,
    ],
  },
  SL027: {
    title: 'An entry inside brackets is not followed by a comma.',
    meaning:
      'Inside `{ }` and `[ ]`, a comma ends each entry. A value that contains a comma needs quotation marks, or a line of its own.',
    wrong: [
      'pipeline: portraits',
      'items: { glob: "*.jpg", when: pad(item.bytes, "5") == "00123" }',
      'steps:',
      photo,
    ],
    right: [
      'pipeline: portraits',
      'items:',
      '  glob: "*.jpg"',
      '  when: pad(item.bytes, 5) == "00123"',
      'steps:',
      photo,
    ],
  },
  SL028: {
    title: 'A text ends before a #.',
    meaning:
      'In a text without quotation marks, YAML takes a space and a `#` for the beginning of a comment, so only the words before it are sent and paid for. Put the whole text in quotation marks. If it is a comment, write it on a line of its own.',
    warning: true,
    wrong: ['pipeline: mugs', 'steps:', ...mug('a mug that says #1 in the world'), saved],
    right: ['pipeline: mugs', 'steps:', ...mug('"a mug that says #1 in the world"'), saved],
  },
} as const satisfies Readonly<Record<`SL0${string}`, Explanation>>;
