// Types in expressions: a use that no value can satisfy is an error before anything runs, at its
// place and with a remedy; a use that some value can satisfy is none.
import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/contract/kinds.ts';
import { marked, problemsOf } from './check.ts';

/** A pipeline with an image and a video of every item, and a step of its own. */
const pipeline = (step: string): string => `pipeline: p
inputs:
  n: { type: number, default: 2 }
  title: { type: string, default: a }
  actor: { type: file, default: a.png }
  loud: { type: boolean, default: true }
env: [USER]
items: { glob: "*.jpg" }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  actor: { uses: upload, with: { file: "\${{ inputs.actor }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  img: { uses: ai-image-generator, keep: remote, with: { image_count: 4, model: flux-schnell, style: { prompt: x } } }
  clip: { uses: text-to-video, keep: remote, with: { end_seconds: 5, model: ltx-2.3, style: { prompt: x } } }
  voice: { uses: ai-voice-generator, keep: remote, with: { style: { voice_name: Morgan Freeman, prompt: x } } }
  img-file: { uses: download, with: { of: img, to: "\${{ item.stem }}/" } }
  ${step}
`;

const prompt = (expression: string): string =>
  `s: { uses: ai-image-generator, keep: remote, with: { image_count: 1, style: { prompt: '\${{ ${expression} }}' } } }`;
const count = (expression: string): string =>
  `s: { uses: ai-image-generator, keep: remote, with: { image_count: '\${{ ${expression} }}', style: { prompt: x } } }`;
const when = (condition: string): string =>
  `s: { uses: ai-image-generator, keep: remote, if: '${condition}', with: { image_count: 1, style: { prompt: x } } }`;
const edit = (paths: string): string =>
  `s: { uses: ai-image-editor, keep: remote, with: { style: { prompt: x }, assets: { image_file_paths: '\${{ ${paths} }}' } } }`;

/** The only problem, at the marked place. */
function only(step: string) {
  const { text, span } = marked(pipeline(step));
  const found = problemsOf(text);
  expect(found.map(({ message }) => message)).toHaveLength(1);
  expect(found[0]).toMatchObject({ severity: 'error', span });
  return found[0];
}

describe('a wrong use of an output', () => {
  test.each([
    [
      prompt('«steps.photo.filepath»'),
      'step "photo" (upload) has no output "filepath"',
      'did you mean "file_path"?',
    ],
    [
      prompt('steps.img.downloads.«url»'),
      'in the expression: steps.img.downloads is a list, which has no "url"',
      'write steps.img.downloads[0].url for the first, or steps.img.downloads.map(x, x.url) for all',
    ],
    [
      prompt('steps.faces.faces[0].«pth»'),
      'in the expression: steps.faces.faces[0] has no "pth"',
      'did you mean "path"?',
    ],
    [
      edit('steps.faces.faces.map(f, f.«file»)'),
      'in the expression: f has no "file"',
      'known: path, url',
    ],
    [
      prompt('steps.photo.file_path.«name»'),
      'in the expression: steps.photo.file_path is a string, which has no "name"',
      'write steps.photo.file_path alone',
    ],
    [
      prompt('«size(steps.photo.file_path) + "x"»'),
      'in the expression: "+" does not work between an int and a string',
      'convert one with string(), int() or double()',
    ],
    [
      prompt('«steps["img-file"].bytes + "x"»'),
      'in the expression: "+" does not work between an int and a string',
      'convert one with string(), int() or double()',
    ],
    [
      edit('«steps.photo.file_path».map(p, p)'),
      'in the expression: map(), filter(), all() and exists() need a list, not a string',
      'write the value in brackets: [value]',
    ],
    [
      prompt('«steps.voice.width»'),
      'step "voice" (ai-voice-generator) has no output "width"',
      expect.stringContaining('outputs: url'),
    ],
    [
      count('«steps.voice.duration»'),
      'step "voice" (ai-voice-generator) has no output "duration", because the service does not report how long a sound is',
      'download it, and read the length of the file: add <name>: { uses: download, with: { of: voice, to: … } }, and write steps["<name>"].duration',
    ],
  ])('%s', (step, message, hint) => {
    const found = only(step);
    expect(found?.message).toBe(message);
    expect(found?.hint).toEqual(hint);
  });
});

describe('a wrong use of an input, an item or the run', () => {
  test.each([
    [prompt('«inputs.n + "x"»'), '"+" does not work between a number and a string'],
    [prompt('«inputs.loud + "x"»'), '"+" does not work between a bool and a string'],
    [prompt('«item.index + "x"»'), '"+" does not work between an int and a string'],
    [prompt('«run.date + 1»'), '"+" does not work between a string and an int'],
    [prompt('«slug(item.index)»'), 'slug() does not work with (int)'],
    [when('«inputs.n && true»'), '"&&" and "||" need true or false on both sides, not a number'],
    [
      when('inputs.title ? true : false').replace('inputs.title', '«inputs.title»'),
      'the condition before "?" must be true or false, not a string',
    ],
    [prompt('«startsWith(item.name, "a")»'), 'startsWith() does not work with (any, string)'],
  ])('%s', (step, said) => {
    expect(only(step)?.message).toContain(said);
  });

  test('says how a function is written', () => {
    expect(only(prompt('«slug(item.index)»'))?.hint).toBe('write slug(string): string');
    expect(only(prompt('«startsWith(item.name, "a")»'))?.hint).toBe(
      'write the value first: value.startsWith(…)',
    );
    expect(only(prompt('«item.name.slug()»'))?.hint).toBe('write the value inside: slug(value)');
  });

  test('says the name here of a function that people know from elsewhere', () => {
    expect(only(prompt('«item.name.upper()»'))).toMatchObject({
      message: 'in the expression: there is no function "upper"',
      hint: 'did you mean upperAscii(), as in "de".upperAscii()?',
    });
  });
});

describe('a value that does not fit its field', () => {
  test.each([
    [
      count('«inputs.title»'),
      'step "s": image_count must be a whole number, and the expression is a string',
      'convert it with double() or int()',
    ],
    [
      prompt('«item.index»'),
      'step "s": style.prompt must be a string, and the expression is an int',
      'convert it with string()',
    ],
    [
      prompt('«steps.img.downloads»'),
      'step "s": style.prompt must be a string, and the expression is a list',
      'choose one member with [0], or make one text of all with .join(", ") or json()',
    ],
    [
      prompt('«steps.img.downloads[0]»'),
      'step "s": style.prompt must be a string, and the expression is an object',
      'choose a field of it, such as .url',
    ],
    [
      edit('«steps.photo.file_path»'),
      'step "s": assets.image_file_paths must be a list of strings, and the expression is a string',
      'write it in brackets: ["${{ … }}"]',
    ],
    [
      edit('«[1, 2]»'),
      'step "s": assets.image_file_paths must be a list of strings, and the expression is a list',
      'convert its entries, for example with .map(x, string(x))',
    ],
    [
      prompt('a').replace('${{ a }}', 'faces: ${{ «steps.faces.faces» }}'),
      'a list cannot be part of a text',
      'choose one member with [0], or make one text of all with .join(", ") or json()',
    ],
  ])('%s', (step, message, hint) => {
    const found = only(step);
    expect(found?.message).toBe(message);
    expect(found?.hint).toBe(hint);
  });

  test.each([
    ['«size(steps.faces.faces)»', 'an int', 'compare it, for example size(steps.faces.faces) > 0'],
    ['«steps.faces.faces»', 'a list', 'ask for its size: size(steps.faces.faces) > 0'],
    ['«inputs.title»', 'a string', 'compare it, for example inputs.title != ""'],
    ['«inputs.n»', 'a number', 'compare it, for example inputs.n > 0'],
  ])('if: %s', (condition, what, hint) => {
    expect(only(when(condition))).toMatchObject({
      message: `step "s": if: must be true or false, and the expression is ${what}`,
      hint,
    });
  });
});

describe('a path on this machine', () => {
  const colour = (path: string): string =>
    `s: { uses: photo-colorizer, keep: remote, with: { assets: { image_file_path: '\${{ ${path} }}' } } }`;

  test.each(['item.path', 'steps["img-file"].path'])('is no asset: %s', (path) => {
    expect(only(colour(`«${path}»`))).toMatchObject({
      message:
        'step "s": assets.image_file_path is a path on this machine, which is neither an upload nor a direct URL',
      hint: 'add an upload step for the file and refer to it: ${{ steps.<name>.file_path }}',
    });
  });

  test.each(['steps.photo.file_path', 'steps.img.url', '"https://x.example/" + item.path'])(
    'is not %s',
    (path) => {
      expect(problemsOf(pipeline(colour(path)))).toEqual([]);
    },
  );
});

describe('a right use', () => {
  test.each([
    count('inputs.n'),
    count('inputs.n * 2'),
    count('int(inputs.title)'),
    prompt('inputs.loud ? inputs.title : string(inputs.n)'),
    prompt('steps.img.downloads[0].url'),
    prompt('steps["img-file"].path + run.date + env.USER'),
    prompt('default(steps.img.name, item.stem)'),
    prompt('has(steps.clip.width) ? "x" : "y"'),
    prompt('json(steps.img.downloads)'),
    prompt('pad(item.index, 3) + slug(item.stem)'),
    edit('steps.img.downloads.map(d, d.url).take(2)'),
    edit('[steps.photo.file_path] + steps.img.downloads.map(d, d.url)'),
    edit('[]'),
    when('steps.faces.faces.exists(f, f.path.endsWith("0-0.png"))'),
    when('steps.img.width > 0 && steps.clip.fps >= 24'),
    when('steps.clip.duration > 2.5 || steps.clip.duration == 2'),
    when('inputs.n in [1, 2, 3]'),
    when('inputs.n == 2.5'),
    when('inputs.n * 2 > 3'),
    when('inputs.n * 2.0 > 3.0'),
    when('steps.clip.download != null'),
    when('inputs.loud'),
    // Both values are possible; the field decides when the value is known.
    count('inputs.loud ? inputs.n : inputs.title'),
    // A whole root has the fields of its values.
    prompt('json(item)'),
    when('"path" in item'),
  ])('%s is none', (step) => {
    expect(problemsOf(pipeline(step))).toEqual([]);
  });

  test('of a value of any type: the fields of values', () => {
    const text = `pipeline: p
items: { values: [{ a: x }, { a: 2 }] }
steps:
  s: { uses: ai-image-generator, keep: remote, if: item.a, with: { image_count: "\${{ item.a + 1 }}", style: { prompt: "\${{ item.a + 'x' }}" } } }
`;
    expect(problemsOf(text)).toEqual([]);
  });

  test('of a path: to: takes a number', () => {
    expect(
      problemsOf(pipeline('s: { uses: download, with: { of: clip, to: "${{ item.index }}" } }')),
    ).toEqual([]);
  });
});

test('a number that must be whole here and a fraction there is an error', () => {
  expect(only(when('inputs.n * 2 > 3 && «inputs.n * 2.5» > 3.0'))?.message).toContain(
    '"*" does not work between',
  );
});

test('the catalogue has a type for each output', () => {
  for (const { name, outputs, outputTypes } of kinds)
    expect(Object.keys(outputTypes), name).toEqual(Object.keys(outputs));
});
