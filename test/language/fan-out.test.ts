// Which steps run once for each element of a list, which gather, and what is refused, with its place.
import { describe, expect, test } from 'vitest';
import { marked, pipelineOf, problemsOf, stepOf } from './check.ts';

const img =
  'img: { uses: ai-image-generator, with: { image_count: 4, model: flux-schnell, style: { prompt: a lighthouse } } }';
const up =
  'up: { for_each: "${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, assets: { image_file_path: "${{ each.url }}" } } }';
const save = 'save: { uses: download, with: { of: up, to: "up-${{ each.index }}.png" } }';
const photo = 'photo: { uses: upload, with: { file: "${{ item.path }}" } }';
const group = (list: string, more = ''): string =>
  `group: { ${more}uses: ai-image-editor, with: { assets: { image_file_paths: "\${{ ${list} }}" }, style: { prompt: at one table } } }`;
const all = 'steps.photo.all.map(p, p.file_path)';

const one = (...steps: readonly string[]): string =>
  ['pipeline: p', 'steps:', ...steps.map((step) => `  ${step}`), ''].join('\n');
const many = (...steps: readonly string[]): string =>
  [
    'pipeline: p',
    'items: { glob: "*.png" }',
    'steps:',
    ...steps.map((step) => `  ${step}`),
    '',
  ].join('\n');

describe('a fan-out', () => {
  test('has its step and the steps that follow it', () => {
    const pipeline = pipelineOf(
      one(
        img,
        up,
        save,
        'tidy: { uses: delete, with: { of: up } }',
        'drop: { uses: delete, with: { of: img, discard: true } }',
      ),
    );
    const fans = pipeline.steps.map(({ name, fan }) => [name, fan?.step]);
    expect(Object.fromEntries(fans)).toEqual({
      ...{ img: undefined, up: 'up', save: 'up', tidy: 'up', drop: undefined },
    });
    expect(stepOf(pipeline, 'up').uses).toEqual(['img']);
    expect(stepOf(pipeline, 'drop').after).toContain('up');
  });

  test('is followed by a step that reads each, whose request needs the list', () => {
    const pipeline = pipelineOf(
      one(
        img,
        up,
        'mix: { uses: ai-image-editor, with: { assets: { image_file_paths: ["${{ each.url }}", "${{ steps.up.url }}"] }, style: { prompt: both } } }',
        'drop: { uses: delete, with: { of: img, discard: true } }',
      ),
    );
    expect(stepOf(pipeline, 'mix').fan?.step).toBe('up');
    expect(stepOf(pipeline, 'mix').uses).toEqual(['up', 'img']);
    expect(stepOf(pipeline, 'drop').after).toContain('mix');
  });

  test('may be over a list of constants, of an item, and over a fan-in', () => {
    const clip = (list: string): string =>
      `clip: { for_each: ${list}, uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: "\${{ each.value }}" } } }`;
    expect(problemsOf(one(clip('[dawn, dusk]')))).toEqual([]);
    expect(stepOf(pipelineOf(many(clip('"${{ [item.stem, item.name] }}"'))), 'clip').shared).toBe(
      false,
    );
    const over = stepOf(
      pipelineOf(many(photo, clip('"${{ steps.photo.all.map(p, p.file_path) }}"'))),
      'clip',
    );
    expect([over.shared, over.fan?.gathers]).toEqual([true, ['photo']]);
  });
});

describe('a fan-in', () => {
  test('makes one shared step of many', () => {
    const step = stepOf(pipelineOf(many(photo, group(all, 'on_missing: skip, '))), 'group');
    expect(step).toMatchObject({
      shared: true,
      gathers: ['photo'],
      onMissing: 'skip',
      uses: ['photo'],
    });
  });

  test('of the elements of an item is a step of the item', () => {
    const cut =
      'cut: { for_each: [one, two], uses: image-background-remover, with: { name: "${{ each.value }}", assets: { image_file_path: "${{ steps.photo.file_path }}" } } }';
    const sheet = stepOf(
      pipelineOf(many(photo, cut, group('steps.cut.all.map(c, c.url)'))),
      'group',
    );
    expect([sheet.shared, sheet.fan, sheet.onMissing]).toEqual([false, undefined, 'fail']);
  });
});

const nested =
  'again: { «for_each»: "${{ steps.up.downloads }}", uses: photo-colorizer, with: { assets: { image_file_path: "${{ each.url }}" } } }';
const colour = (name: string, url: string, more = ''): string =>
  `${name}: { ${more}uses: photo-colorizer, with: { assets: { image_file_path: "\${{ ${url} }}" } } }`;
const cut = colour('cut', 'steps.photo.file_path');

test.each([
  [
    'each without a fan-out',
    one(img, colour('c', '«each.url»')),
    'there is no each',
    'add for_each',
  ],
  [
    'each in its own list',
    one(colour('c', 'each.value', 'for_each: ["${{ «each.index» }}"], ')),
    'there is no each',
    'add for_each',
  ],
  [
    'a wrong field of each',
    one(img, up.replace('each.url', '«each.ulr»')),
    'each has no "ulr"',
    'did you mean "url"?',
  ],
  [
    'a nested fan-out',
    one(img, up, nested),
    'step "again" has a for_each inside the fan-out of "up", and fan-outs cannot be nested',
    'remove for_each',
  ],
  [
    'a list that is a text',
    one(colour('c', 'each.value', 'for_each: «img»  , ')),
    'for_each is a text',
    'steps.img.downloads',
  ],
  [
    'for_each of a download',
    one(
      img,
      'save: { «for_each»: [1], uses: download, with: { of: img, to: "${{ each.index }}.png" } }',
    ),
    'for_each is not for download',
    'remove for_each',
  ],
  [
    'a download of one file for all',
    one(img, up, 'save: { uses: download, with: { of: up, to: «up.png» } }'),
    'every element would write the same file',
    '${{ each.index }}',
  ],
  [
    'a download of what is outside',
    one(img, up, 'save: { uses: download, with: { of: «img», to: "${{ steps.up.id }}.png" } }'),
    '"img" is not part of it',
    'refer to no element',
  ],
  [
    'two fan-outs at once',
    one(
      img,
      up,
      up.replace('up:', 'more:'),
      `«mix»: { uses: head-swap, with: { assets: { head_file_path: "\${{ steps.up.url }}", body_file_path: "\${{ steps.more.url }}" } } }`,
    ),
    'follows two fan-outs, of "up" and of "more"',
    'all elements',
  ],
  [
    'an item that follows a shared fan-out',
    many(
      img,
      up,
      `«mix»: { uses: head-swap, with: { name: "\${{ item.stem }}", assets: { head_file_path: "\${{ steps.up.url }}", body_file_path: "\${{ steps.up.url }}" } } }`,
    ),
    'runs for each item, and follows the fan-out of "up"',
    'steps.<name>.all',
  ],
  [
    'all of what runs once',
    one(img, group('«steps.img.all».map(i, i.url)')),
    '"img" runs only once',
    'write steps.img.<output>',
  ],
  [
    'all in a step of an item',
    many(photo, group(`«steps.photo.all».map(p, p.file_path + item.stem)`)),
    'runs for each item, and reads "photo" of all items',
    'refers to no item',
  ],
  [
    'all and one of the same',
    one(img, up, group('[steps.up.url] + «steps.up.all».map(u, u.url)')),
    'follows its fan-out element by element',
    'one of the two',
  ],
  [
    'on_missing without all',
    one(img, colour('c', 'steps.img.url', '«on_missing»: skip, ')),
    'on_missing is for a step that reads',
    'remove on_missing',
  ],
  [
    'a delete for each item before the fan-in',
    many(
      photo,
      cut,
      'save: { uses: download, with: { of: cut, to: "${{ item.stem }}.png" } }',
      group('steps.cut.all.map(c, c.url)'),
      '«tidy»: { uses: delete, with: { of: cut } }',
    ),
    'which waits for every item to finish',
    'remove this step: group needs',
  ],
  [
    'a misspelled for_each, alone',
    one(img, up.replace('for_each', '«foreach»')),
    'unknown key "foreach"',
    'did you mean "for_each"?',
  ],
  [
    'a step that follows a misspelled one, alone',
    one(img, up, 'save: { uses: download, with: { of: «upp», to: "${{ each.index }}.png" } }'),
    'there is no step "upp"',
    'did you mean "up"?',
  ],
  [
    'a list over one result',
    one(img, up.replace('steps.img.downloads', '«steps.img.url»')),
    'for_each must be a list, and the expression is a string',
    'write steps.img.downloads',
  ],
])('%s is refused, with its place and what to do', (_what, text, message, hint) => {
  const { text: file, span } = marked(text);
  const [problem, ...others] = problemsOf(file);
  expect(others).toEqual([]);
  expect(problem?.message).toContain(message);
  expect(problem?.hint).toContain(hint);
  expect(problem?.span).toMatchObject({ line: span.line, column: span.column });
});
