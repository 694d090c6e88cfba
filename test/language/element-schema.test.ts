// The types of `steps.<name>.all` and of `each`: a use that no value can satisfy is an error before anything runs.
import { describe, expect, test } from 'vitest';
import { marked, problemsOf } from './check.ts';

const pipeline = (...steps: readonly string[]): string => `pipeline: p
items: { glob: "*.jpg" }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  img: { uses: ai-image-generator, keep: remote, with: { image_count: 4, model: flux-schnell, style: { prompt: "\${{ item.stem }}" } } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
${steps.map((step) => `  ${step}\n`).join('')}`;

const gathering = (paths: string): string =>
  `s: { uses: ai-image-editor, keep: remote, with: { style: { prompt: x }, assets: { image_file_paths: '\${{ ${paths} }}' } } }`;
const eachOf = (list: string, prompt: string): string =>
  `s: { for_each: ${list}, uses: ai-image-generator, keep: remote, with: { image_count: 1, style: { prompt: '\${{ ${prompt} }}' } } }`;
const downloads = "'${{ steps.img.downloads }}'";

describe('a wrong use is an error at its place', () => {
  test.each([
    [
      gathering('steps.photo.all.map(p, p.«path»)'),
      'in the expression: p has no "path"',
      'known: file_path',
    ],
    [
      gathering('steps.photo.all.«file_path»'),
      'in the expression: steps.photo.all is a list, which has no "file_path"',
      'write steps.photo.all[0].file_path for the first, or steps.photo.all.map(x, x.file_path) for all',
    ],
    [
      gathering('«steps.photo.all»'),
      'step "s": assets.image_file_paths must be a list of strings, and the expression is a list',
      'take a field of each entry, for example .map(x, x.file_path)',
    ],
    [
      eachOf(downloads, '«each.value»'),
      'step "s": style.prompt must be a string, and the expression is an object',
      'choose a field of it, such as .url',
    ],
    [
      eachOf('\'${{ steps.faces.faces.filter(f, f.path != "") }}\'', 'each.value.«pth»'),
      'in the expression: each.value has no "pth"',
      'did you mean "path"?',
    ],
    [
      eachOf('[1, 2]', '«each.value»'),
      'step "s": style.prompt must be a string, and the expression is an int',
      'convert it with string()',
    ],
    [
      eachOf('[{ size: 1, look: oil }, { size: 2.5, look: ink }]', '«each.size + each.look»'),
      'in the expression: "+" does not work between a number and a string',
      'convert one with string(), int() or double()',
    ],
    [
      eachOf('[dawn, dusk]', '«each.index»'),
      'step "s": style.prompt must be a string, and the expression is an int',
      'convert it with string()',
    ],
    [
      eachOf("'${{ «item.stem» }}'", 'each.value'),
      'step "s": for_each must be a list, and the expression is a string',
      'write it in brackets: ["${{ … }}"]',
    ],
    [
      eachOf("'${{ steps.img.downloads.«urls» }}'", 'each.value'),
      'in the expression: steps.img.downloads is a list, which has no "urls"',
      expect.stringContaining('steps.img.downloads[0].url for the first'),
    ],
  ])('%s', (step, message, hint) => {
    const { text, span } = marked(pipeline(step));
    const found = problemsOf(text);
    expect(found.map((problem) => problem.message)).toEqual([message]);
    expect(found[0]).toMatchObject({ severity: 'error', span });
    expect(found[0]?.hint).toEqual(hint);
  });

  test('a path on this machine is no asset, through a list either', () => {
    const step =
      's: { for_each: ["${{ item.path }}"], uses: photo-colorizer, keep: remote, with: { assets: { image_file_path: "${{ each.value }}" } } }';
    expect(problemsOf(pipeline(step))).toMatchObject([
      { message: expect.stringContaining('is a path on this machine') },
    ]);
  });
});

describe('a use that some value satisfies is fine', () => {
  test.each([
    gathering('steps.photo.all.map(p, p.file_path).take(9)'),
    gathering('steps.img.all.map(i, i.downloads[0].url)'),
    eachOf(downloads, 'each.url + string(each.index)'),
    eachOf('["${{ item.stem }}", night]', 'each.value'),
    eachOf('[dawn, 2]', 'each.value'),
    eachOf('[{ look: oil }, { look: 2 }]', 'each.look'),
    eachOf('\'${{ item.stem.split("-") }}\'', 'each.value'),
    eachOf("'${{ dyn(item.stem) }}'", 'each.value'),
  ])('%s', (step) => {
    expect(problemsOf(pipeline(step))).toEqual([]);
  });
});
