// The names of values that only a run has: test/golden/names.txt. A name may change once, on purpose, never by accident:
// whoever has paid would pay again.
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { isKnown, type Maker, type Named, Ref, Taken, textOf } from '../../src/core/names.ts';
import { compileNames, memberOf, type Names } from '../../src/core/naming.ts';
import { toCel } from '../../src/language/expression.ts';
import { compileTemplate, type TemplateError } from '../../src/language/template.ts';
import { expectGolden } from '../golden.ts';
import { maker } from './makers.ts';

const item = {
  n: 0,
  text: 'rose',
  nothing: '',
  missing: '#N/A',
  list: ['a', 'b'],
  cell: 'shotlist:photo/file_path',
};

const names: Names = {
  item: toCel(item),
  inputs: toCel({ n: 5, half: 0.5 }),
  env: {},
  run: toCel({ date: '2026-11-28' }),
  steps: {
    photo: maker('photo', 'upload'),
    other: maker('other', 'upload'),
    faces: maker('faces', 'face-detect'),
    pair: maker('pair', 'ai-image-generator', 2),
    clip: maker('clip', 'ai-image-generator'),
    every: [maker('one', 'upload'), maker('two', 'upload')],
  },
};

function named(template: Json, more: Partial<Names> = {}): Named | TemplateError {
  const errors: TemplateError[] = [];
  const compiled = compileTemplate(template, ['with'], errors);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${error.text}: ${error.message}`);
  const result = compileNames(compiled)({ ...names, ...more });
  return result.ok ? result.value : result.error;
}

const isError = (value: Named | TemplateError): value is TemplateError =>
  typeof value === 'object' && value !== null && 'code' in value && 'start' in value;

function nameOf(template: Json, more: Partial<Names> = {}): string {
  const value = named(template, more);
  return isError(value)
    ? `${value.code} ${value.start}-${value.end}`
    : textOf(value, new Set<Maker>());
}

/** Templates with the same name, by what they show. No two groups have the same name. */
const groups: Readonly<Record<string, readonly Json[]>> = {
  'an output': [
    '${{ steps.photo.file_path }}',
    '${{ steps["photo"].file_path }}',
    '${{ [steps.photo.file_path][inputs.half - inputs.half] }}',
  ],
  'the same of another task': ['${{ steps.other.file_path }}'],
  'the first file has three names': [
    '${{ steps.clip.url }}',
    '${{ steps.clip.download.url }}',
    '${{ steps.clip.downloads[0].url }}',
  ],
  'a file by a known index': [
    '${{ steps.pair.downloads[1].url }}',
    '${{ steps.pair.downloads[item.n + 1].url }}',
    '${{ steps.pair.downloads.map(d, d.url)[1] }}',
  ],
  'a key that could be a path': ['${{ steps.clip["a/b"] }}'],
  'its path': ['${{ steps.clip.a.b }}'],
  'a cell that looks like a token': ['${{ item.cell }}'],
  'a text': ['a ${{ steps.photo.file_path }}', '${{ "a " + steps.photo.file_path }}'],
  'a text in which a known part is an input': [
    'rose ${{ steps.photo.file_path }} rose${{ inputs.n }}',
    '${{ item.text }} ${{ steps.photo.file_path }} rose${{ inputs.n }}',
    '${{ item.text + " " + steps.photo.file_path + " " + ("rose" + string(inputs.n)) }}',
    '${{ ("rose" + " ") + (steps.photo.file_path + (" rose" + "5")) }}',
  ],
  'a text of two outputs': ['${{ steps.clip.width }}${{ steps.clip.height }}'],
  'their sum': ['${{ steps.clip.width + steps.clip.height }}'],
  'a text that ends with this sum': [
    '${{ steps.clip.width + steps.clip.height }}a',
    '${{ (steps.clip.width + steps.clip.height) + "a" }}',
  ],
  'a text of three': ['${{ steps.clip.width }}${{ steps.clip.height }}a'],
  'a text of one output': ['${{ item.nothing }}${{ steps.photo.file_path }}'],
  'a list of outputs': [
    '${{ steps.every.all.map(p, p.file_path) }}',
    '${{ steps.every.all.map(photo, photo.file_path).take(9) }}',
    '${{ [steps.every.all[0].file_path] + [steps.every.all[1].file_path] }}',
    '${{ steps.every.all.map(p, true, p.file_path) }}',
    '${{ steps.every.all.map(p, {"path": p.file_path, "n": 1}).map(p, p.path) }}',
    ['${{ steps.every.all[0].file_path }}', '${{ steps.every.all[1].file_path }}'],
  ],
  'files, as many as the request asks for': [
    '${{ steps.pair.downloads.map(d, d.url) }}',
    '${{ [steps.pair.url, steps.pair.downloads[1].url] }}',
  ],
  'a number of them that only a run knows': ['${{ size(steps.pair.downloads) }}'],
  'files, as many as there are': [
    '${{ steps.clip.downloads.map(d, d.url) }}',
    '${{steps . clip.downloads.map( download , download["url"] )}}',
  ],
  'another field of these': ['${{ steps.clip.downloads.map(d, d.expires_at) }}'],
  'each with all': ['${{ steps.faces.faces.map(f, steps.faces.faces.map(g, f.path)) }}'],
  'all with each': ['${{ steps.faces.faces.map(f, steps.faces.faces.map(f, f.path)) }}'],
  'the first of a list': [
    '${{ steps.faces.faces.take(2) }}',
    '${{ steps.faces.faces.slice(0, 2) }}',
    '${{ steps.faces.faces.take(3).take(2) }}',
    '${{ steps.faces.faces.take(2).take(3) }}',
    '${{ steps.faces.faces.take(item.n + 2) }}',
  ],
  'more of them': ['${{ steps.faces.faces.take(3) }}'],
  'not from the first': ['${{ steps.faces.faces.slice(1, 2) }}'],
  'a face': [
    '${{ steps.faces.faces[0].path }}',
    '${{ steps.faces.faces.take(2)[0].path }}',
    '${{ steps.faces.faces.take(3).map(f, f.path)[0] }}',
    '${{ steps.faces.faces.map(f, {"of": f}).take(4)[0].of.path }}',
    '${{ item.list.map(x, steps.faces.faces[0].path)[1] }}',
    '${{ cel.bind(face, steps.faces.faces[0], face.path) }}',
    '${{ item.text == "rose" ? steps.faces.faces[0].path : steps.photo.file_path }}',
    '${{ item.text != "rose" ? item.nobody : steps.faces.faces[0].path }}',
    '${{ default(item.nobody, steps.faces.faces[0].path) }}',
    '${{ {"a": steps.faces.faces[0].path, "b": steps.photo.file_path}.a }}',
  ],
  'the third': ['${{ steps.faces.faces[2] }}'],
  'the third of two': ['${{ steps.faces.faces.take(2)[2] }}'],
  'a face that may be missing': ['${{ default(steps.faces.faces[0].path, "") }}'],
  'a known part of what may be missing': [
    '${{ default({"k": "x", "path": steps.faces.faces[0].path}.k, "") }}',
  ],
  'whether there is one': ['${{ has(steps.clip.width) }}'],
  'the number of faces': ['${{ size(steps.faces.faces) }}', '${{ steps.faces.faces.size() }}'],
  'a comparison': [
    '${{ size(steps.faces.faces) > 1 }}',
    '${{ 1 < size(steps.faces.faces) }}',
    '${{ item.text == "rose" && size(steps.faces.faces) > 1 }}',
    '${{ item.text == "tulip" || size(steps.faces.faces) > 1 }}',
    '${{ size(steps.faces.faces) > 0 + 1 }}',
  ],
  'another comparison': ['${{ size(steps.faces.faces) >= 1 }}'],
  'false whatever there is': [
    '${{ size(steps.faces.faces) > 1 && item.text == "tulip" }}',
    '${{ item.list.exists(x, x == "a" && item.text == "tulip") && has(steps.photo.file_path) }}',
    '${{ steps.every.all.exists(p, item.text == "tulip") }}',
    '${{ [{"a": steps.photo.file_path}].all(p, has(p.b)) }}',
    '${{ [[steps.photo.file_path]].all(p, has(p.a)) }}',
  ],
  'true whatever there is': [
    '${{ steps.every.all.size() == 2 }}',
    '${{ [{"a": steps.photo.file_path}].all(p, has(p.a)) }}',
    '${{ [1, 2].exists(x, x == 2 || steps.clip.width > x) }}',
    '${{ !([1, 2].all(x, x == 1 && steps.clip.width > x)) }}',
  ],
  'a condition of each': ['${{ [1, 2].exists(x, steps.clip.width > x) }}'],
  'exactly one': ['${{ [1, 2].exists_one(x, steps.clip.width > x) }}'],
  'a condition of all': ['${{ steps.faces.faces.all(f, has(f.url)) }}'],
  'some of a list': [
    '${{ steps.every.all.filter(p, p.file_path != steps.photo.file_path) }}',
    '${{ steps.every.all.filter(q, q.file_path != steps.photo.file_path) }}',
  ],
  'an int': ['${{ steps.clip.width / 2 }}', '${{ steps.clip.width / (1 + 1) }}'],
  'a double': [
    '${{ double(steps.clip.width) / 2.0 }}',
    '${{ double(steps.clip.width) / double(1 + 1) }}',
  ],
  'text functions of a photo': ['${{ size(steps.photo.file_path) }}'],
  'of another': ['${{ size(steps.other.file_path) }}'],
  'a part of a photo’s': ['${{ steps.photo.file_path.substring(5, 9) }}'],
  'a part of the other’s': ['${{ steps.other.file_path.substring(5, 9) }}'],
  'a pattern': ['${{ steps.photo.file_path.matches("^a") }}'],
  numbers: [
    '${{ math.least(steps.clip.width, 640) }}',
    '${{ math.least(steps.clip.width, inputs.n * 128) }}',
  ],
  times: ['${{ timestamp(steps.clip.created_at) < timestamp("2026-01-01T00:00:00.120Z") }}'],
  'other times': [
    '${{ timestamp(steps.clip.created_at) < timestamp("2026-01-01T00:00:00.121Z") }}',
  ],
  'a type': ['${{ type(steps.clip.width) == int }}'],
  'an object': [
    { b: '${{ steps.photo.file_path }}', a: 1 },
    { a: '${{ 1.0 }}', b: '${{ steps.photo.file_path }}' },
    '${{ {"b": steps.photo.file_path, "a": 1} }}',
  ],
  'an object without the keys that no object has': [
    '${{ {"constructor": steps.photo.file_path, "a": steps.other.file_path} }}',
    '${{ {"a": steps.other.file_path} }}',
  ],
  'an object with a key that only a run knows': ['${{ {steps.photo.file_path: 1} }}'],
  'a key that begins like a token’s': [{ '§op': 'size', args: ['${{ steps.photo.file_path }}'] }],
};

/** Of the second photo's list of faces. */
const each = (element: Named, index: number | '?' = 1): Partial<Names> => ({
  each: { element, index },
});
const face = new Ref(maker('faces', 'face-detect'), 'faces/1');

const ofElements: readonly (readonly [template: string, each: Partial<Names>])[] = [
  ['${{ each.value }}', each(face)],
  ['${{ each.path }}', each(face)],
  ['${{ each.index + 1 }}', each(face)],
  ['${{ each }}', each(face)],
  ['${{ each.index }}', each(new Ref(maker('faces', 'face-detect'), 'faces/?'), '?')],
  ['${{ each.value + "!" }}', each('rose')],
  ['${{ each.name + string(each.index) }}', each({ name: 'rose' })],
  ['${{ each.name + each.photo }}', each({ name: 'rose', photo: face })],
  ['${{ each.value.name }}', each({ name: 'rose', photo: face })],
  ['${{ [each].map(e, [e.name, e.photo, e.index]) }}', each({ name: 'rose', photo: face })],
];

/** What no run could compute either. */
const errors: readonly Json[] = [
  '${{ item.nobody + steps.photo.file_path }}',
  '${{ steps.nobody.url }}',
  '${{ steps.pair.downloads[2].url }}',
  '${{ [steps.photo.file_path][1] }}',
  '${{ {"a": steps.photo.file_path}.b }}',
  '${{ [steps.photo.file_path].take(-1) }}',
  '${{ [steps.photo.file_path].slice(0, 2) }}',
  '${{ item.text ? steps.photo.file_path : "" }}',
  '${{ ["a"].filter(x, x + steps.nobody.url == x) }}',
  '${{ item.text.map(x, steps.photo.file_path + x) }}',
  '${{ steps.every.all.filter(p, item.n) }}',
  '${{ item.list.map(x, x + 1).map(y, steps.photo.file_path + y) }}',
  'a ${{ item.list }} ${{ steps.photo.file_path }}',
  'a ${{ [steps.photo.file_path] }}',
  '${{ steps.photo.file_path }} ${{ item.missing }}',
  { a: '${{ steps.photo.file_path }}', b: ['${{ item.nobody }}'] },
];

const line = (template: Json, name: string): string =>
  `${typeof template === 'string' ? template : JSON.stringify(template)}\n    ${name}\n`;

test('names', () => {
  const same = Object.entries(groups).map(([what, [first = null, ...others]]) => {
    const name = nameOf(first);
    for (const other of others) expect(nameOf(other), String(other)).toBe(name);
    return `## ${what}\n${name}\n${[first, ...others].map((one) => `    ${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')}`;
  });
  const distinct = new Set(Object.values(groups).map(([first = null]) => nameOf(first)));
  expect(distinct.size).toBe(same.length);
  expectGolden(
    'names.txt',
    [
      ...same,
      '## elements\n',
      ...ofElements.map(([template, more]) => line(template, nameOf(template, more))),
      '## errors, with their places\n',
      ...errors.map((template) => line(template, nameOf(template))),
    ].join(''),
  );
});

describe('a member of a list', () => {
  const memberOfList = (template: Json, index: number | '?'): string => {
    const list = named(template);
    return isError(list) ? list.code : textOf(memberOf(list, index), new Set<Maker>());
  };
  const paths = '${{ steps.faces.faces.take(5).map(f, {"original_face": f.path}) }}';

  test('has the same name in a shorter list', () => {
    const shorter = '${{ steps.faces.faces.take(3).map(f, {"original_face": f.path}) }}';
    for (const index of [0, 1, 2, '?'] as const)
      expect(memberOfList(paths, index)).toBe(memberOfList(shorter, index));
    expect(memberOfList(paths, 0)).toBe('{"original_face":"shotlist:faces/faces/0/path"}');
  });

  test('is the member itself if the list is known', () => {
    expect(memberOfList('${{ steps.every.all.map(p, p.file_path) }}', 1)).toBe(
      nameOf('${{ steps.every.all[1].file_path }}'),
    );
    expect(memberOfList('${{ item.list }}', 1)).toBe('"b"');
  });

  test('of a computed list is named by the list', () => {
    const list = '${{ steps.faces.faces.filter(f, has(f.url)) }}';
    expect(memberOfList(list, 0)).not.toBe(memberOfList(list, 1));
  });
});

test('what has nothing open in it is known', () => {
  expect([named('${{ item }}'), named({ a: ['${{ 1 + 1 }}'] })].map(known)).toEqual([true, true]);
  const open = ['${{ steps.photo.file_path }}', { a: ['${{ steps.photo.file_path }}'] }];
  expect(open.map((one) => known(named(one)))).toEqual([false, false]);
});

const known = (value: Named | TemplateError): boolean => !isError(value) && isKnown(value);

test('a list that only a run knows says how many there can be', () => {
  const list = named('${{ steps.faces.faces.take(3) }}');
  expect(list).toBeInstanceOf(Taken);
  expect(list instanceof Taken && list.most).toBe(3);
});

test('the makers of all outputs that a value depends on are told', () => {
  const reads = new Set<Maker>();
  const value = named({
    a: '${{ steps.photo.file_path }}',
    b: ['${{ item.text == "rose" ? [steps.other.file_path] : [steps.clip.url] }}'],
    c: '${{ steps.every.all.filter(p, p.file_path == steps.pair.url) }}',
  });
  expect(isError(value)).toBe(false);
  if (!isError(value)) textOf(value, reads);
  const fingerprints = [...reads].map(({ fingerprint }) => fingerprint);
  expect(fingerprints.toSorted()).toEqual(['one', 'other', 'pair', 'photo', 'two']);
});

describe('the budget holds for names', () => {
  test.each([
    [
      'steps',
      `steps.every.all.map(p, ${'size([1,2,3,4,5,6,7,8,9,10].map(a, '.repeat(6)}p${'))'.repeat(6)})`,
    ],
    ['names', `${'steps.every.all.map(a, '.repeat(17)}a${')[0]'.repeat(17)}`],
    ['size of trees', bound(30, (x) => `${x} + ${x}`)],
    ['size of lists', bound(30, (x) => `[${x}, ${x}]`)],
    ['length of lists', bound(30, (x) => `${x} + ${x}`, '[steps.photo.file_path]')],
    ['length of texts', bound(30, (x) => `${x} + ${x}`, '"rose" + steps.photo.file_path')],
    ['known texts', bound(30, (x) => `${x} + ${x}`, '[steps.photo.file_path, "rose"][1]')],
    [
      'swallowed errors',
      `${'[1,2,3,4,5,6,7,8,9,10].exists(a, '.repeat(6)}steps.photo.file_path == string(a)${')'.repeat(6)} || true`,
    ],
  ])('%s', (_, text) => {
    expect(nameOf(`\${{ ${text} }}`)).toMatch(/^SL308 /);
  });

  test('and names can be written', () => {
    const deep = (length: number): string => `\${{ steps.clip.width${' - 1'.repeat(length)} }}`;
    expect(nameOf(deep(400))).toContain('clip/width"');
    expect(nameOf(deep(600))).toMatch(/^SL307 /);
  });
});

/** Each variable is made of the one before it. */
function bound(
  depth: number,
  next: (before: string) => string,
  first = 'steps.photo.file_path',
): string {
  let text = `x${depth}`;
  for (let at = depth; at > 0; at--) text = `cel.bind(x${at}, ${next(`x${at - 1}`)}, ${text})`;
  return `cel.bind(x0, ${first}, ${text})`;
}
