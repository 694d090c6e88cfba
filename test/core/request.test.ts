// The canonical text of a request has what determines the result and nothing else. Without outputs in it, it is that of the
// essential body: for the examples of each tool, with each value written out, and with each as an expression.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { canonical, isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { type Schema, withDefaults, withoutIgnored } from '../../src/base/schema.ts';
import { kindNamed, type StepKind } from '../../src/contract/kinds.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type Maker, type Named, Ref } from '../../src/core/names.ts';
import { compileNames, type Names } from '../../src/core/naming.ts';
import {
  fieldDigests,
  fingerprintOfRequest,
  knownPart,
  requestText,
  withExpressions,
} from '../../src/core/request.ts';
import { knownBodyErrors } from '../../src/language/body.ts';
import { toCel } from '../../src/language/expression.ts';
import { compileTemplate } from '../../src/language/template.ts';
import { cosmeticFields } from '../../src/model/fingerprint.ts';
import { maker } from './makers.ts';

function kindOf(name: string): StepKind {
  const kind = kindNamed(name);
  if (kind === undefined) throw new Error(`there is no ${name}`);
  return kind;
}

/** The part of a request body that determines the result, found without its template. */
function essentialBody(schema: Schema, body: JsonObject): JsonObject {
  const complete = withoutIgnored(schema, withDefaults(schema, body));
  const cosmetic = cosmeticFields(schema);
  return Object.fromEntries(Object.entries(complete).filter(([key]) => !cosmetic.has(key)));
}

const stepOf = (kind: string, body: Json) => ({
  kind: kindOf(kind),
  extra: [],
  with: compileTemplate(body, ['steps', 's', 'with'], []),
});

const namesOf = (item: JsonObject): Names => ({
  item: toCel(item),
  inputs: {},
  env: {},
  run: {},
  steps: { photo: maker('p', 'upload'), clip: maker('c', 'text-to-video') },
});

/** Or the code of the error, and its text. */
function textOf(kind: string, body: Json, item: JsonObject = {}): string {
  const text = requestText(stepOf(kind, body), namesOf(item), new Set<Maker>());
  return text.ok ? text.value : `${text.error.code} ${text.error.text}`;
}

function bodyOf(kind: string, body: Json): Named {
  const named = compileNames(stepOf(kind, body).with)(namesOf({}));
  if (!named.ok) throw new Error(named.error.message);
  return named.value;
}

/** Each value that is neither a list nor an object as an expression; the values go to `fields`. */
function asExpressions(value: Json, fields: Record<string, Json>): Json {
  if (Array.isArray(value)) return value.map((entry) => asExpressions(entry, fields));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, asExpressions(entry, fields)]),
    );
  const name = `v${Object.keys(fields).length}`;
  fields[name] = value;
  return `\${{ item.${name} }}`;
}

const examples = tools.flatMap(({ name, request, examples: bodies }) =>
  bodies.map((body, at) => ({ what: `${name} ${at + 1}`, name, request, body })),
);

describe('the text without outputs', () => {
  test.each(examples)('$what', ({ name, request, body }) => {
    const fields: Record<string, Json> = {};
    const expressions = asExpressions(body, fields);
    const whole = Object.fromEntries(Object.keys(body).map((key) => [key, `\${{ item.${key} }}`]));
    const texts = [
      textOf(name, body),
      textOf(name, expressions, fields),
      textOf(name, whole, body),
    ];
    const expected = canonical(essentialBody(request, body));
    expect(texts).toEqual([expected, expected, expected]);
    expect(fingerprintOfRequest(name, expected)).toBe(
      digestOf({ kind: name, body: essentialBody(request, body) }),
    );
  });

  test('has the defaults, and not what is only for people', () => {
    const short = { style: { prompt: 'a "cat"\n' } };
    const text = textOf('ai-image-generator', { ...short, name: 'other' });
    expect(text).toBe(canonical(essentialBody(kindOf('ai-image-generator').with, short)));
    expect(text).not.toBe(textOf('ai-image-generator', { style: { prompt: 'a cat' } }));
  });

  test('of a later take is another request', () => {
    const body = { style: { prompt: 'cat' } };
    const text = textOf('ai-image-generator', body);
    const essential = essentialBody(kindOf('ai-image-generator').with, body);
    const kind = 'ai-image-generator';
    expect(fingerprintOfRequest(kind, text, 2)).toBe(digestOf({ kind, body: essential, take: 2 }));
    expect(fingerprintOfRequest(kind, text, 1)).toBe(fingerprintOfRequest(kind, text));
  });

  test('escapes what could be a token', () => {
    const body = { image_count: 1, style: { '§op': '+', args: ['shotlist:p/file_path'] } };
    const expected = '"style":{"args":["shotlist:shotlist:p/file_path"],"§§op":"+"';
    expect(textOf('ai-image-generator', body)).toContain(expected);
    const style = '${{ item.style }}';
    expect(textOf('ai-image-generator', { ...body, style }, body)).toContain(expected);
  });

  test.each([
    ['style', 'SL309 item.none'],
    ['name', 'SL309 item.none'],
  ])('is an error if an expression has no value: %s', (field, expected) => {
    const none = '${{ item.none }}';
    const body = { style: { prompt: 'p' }, [field]: field === 'style' ? { prompt: none } : none };
    expect(textOf('ai-image-generator', body)).toBe(expected);
  });

  test('fails at the first error of the file', () => {
    const body = { style: { prompt: '${{ item.b }}' }, image_count: '${{ item.a }}' };
    expect(textOf('ai-image-generator', body)).toBe('SL309 item.b');
  });
});

const editor = (more: JsonObject): JsonObject => ({
  assets: { image_file_paths: ['${{ steps.photo.file_path }}'] },
  style: { prompt: 'blue' },
  ...more,
});

describe('the text with outputs', () => {
  test('has tokens', () => {
    const text = textOf('ai-image-editor', editor({}));
    expect(text).toContain('"assets":{"image_file_paths":["shotlist:p/file_path"]}');
    const open = textOf('ai-image-editor', editor({ style: '${{ steps.clip.style }}' }));
    expect(open).toContain('"style":"shotlist:c/style"');
  });

  test('tells what makes them, except where nothing of it counts', () => {
    const reads = new Set<Maker>();
    requestText(
      stepOf('ai-image-editor', editor({ name: '${{ steps.clip.id }}' })),
      namesOf({}),
      reads,
    );
    expect([...reads].map(({ fingerprint }) => fingerprint)).toEqual(['p']);
  });

  const act = (mode: Json): string =>
    textOf('character-replace', {
      end_seconds: 5,
      assets: {
        video_file_path: '${{ steps.clip.url }}',
        image_file_path: '${{ steps.photo.file_path }}',
      },
      style: { selection_mode: mode, points: [{ x: 1, y: 2 }] },
    });

  test('has defaults beside what is open', () => {
    const body = {
      end_seconds: '${{ steps.clip.duration }}',
      style: { prompt: '${{ steps.clip.id }}' },
    };
    const text = textOf('character-replace', { ...body, name: 'mine' });
    expect(text).not.toContain('mine');
    expect(text).toContain(
      '"resolution":"480p","start_seconds":0,"style":{"prompt":"shotlist:c/id"',
    );
    expect(text).toContain(',"selection_mode":"auto"}');
    const open = textOf('character-replace', { ...body, style: '${{ steps.clip.style }}' });
    expect(open).toContain('"style":"shotlist:c/style"}');
  });

  test('leaves out what the service ignores, as far as it is known', () => {
    expect(act('point')).toContain('points');
    expect(act('largest')).not.toContain('points');
    expect(act('${{ steps.clip.status }}')).toContain('points');
    expect(act('${{ steps.clip.status }}')).toContain('"selection_mode":"shotlist:c/status"');
  });
});

describe('a template that many items share', () => {
  const clip = 'text-to-video';
  const body = editor({
    assets: {
      image_file_paths: '${{ [steps.photo.file_path] + steps.clip.downloads.map(d, d.url) }}',
    },
    style: { prompt: '${{ inputs.word }} ${{ steps.clip.url }}' },
    name: '${{ item.name }}',
  });
  const { env, run } = namesOf({});
  const inputs = [toCel({ word: 'red' }), toCel({ word: 'blue' })];
  const steps = {
    'of one item': { photo: maker('p', 'upload'), clip: maker('c', clip) },
    'of another': { photo: maker('q', 'upload'), clip: maker('d', clip) },
    'with the same for both steps': { photo: maker('p', 'upload'), clip: maker('p', clip) },
    'of a known number of results': { photo: maker('p', 'upload'), clip: maker('c', clip, 2) },
    'of another number': { photo: maker('p', 'upload'), clip: maker('c', clip, 3) },
    'of another kind': { photo: maker('p', 'upload'), clip: maker('c', 'upload') },
    'of many': { photo: maker('p', 'upload'), clip: [maker('c', clip), maker('d', clip)] },
    'of fewer steps': { photo: maker('p', 'upload') },
  };
  const all = Object.entries(steps).flatMap(([what, made]) =>
    inputs.map((given) => ({
      what,
      names: { item: toCel({ name: what }), env, run, inputs: given, steps: made },
    })),
  );

  test('has for each the text and the makers that it has alone', () => {
    const shared = stepOf('ai-image-editor', body);
    const named = (step: typeof shared, names: Names): unknown => {
      const reads = new Set<Maker>();
      const text = requestText(step, names, reads);
      return { text, reads: [...reads] };
    };
    for (const first of all)
      for (const { what, names } of [first, ...all]) {
        const alone = stepOf('ai-image-editor', body);
        expect(named(shared, names), what).toEqual(named(alone, names));
      }
  });
});

describe('the text of a schema', () => {
  const textBy = (schema: Schema, body: Json): string => {
    const step = {
      ...stepOf('ai-image-editor', body),
      kind: { ...kindOf('ai-image-editor'), with: schema },
    };
    const text = requestText(step, namesOf({ k: 'v' }), new Set<Maker>());
    return text.ok ? text.value : text.error.message;
  };

  test('with defaults in the objects of a list', () => {
    const items = { properties: { of: { default: 1 } } };
    const schema = { properties: { list: { items } } };
    expect(textBy(schema, { list: [{ a: '${{ item.k }}' }] })).toBe('{"list":[{"a":"v","of":1}]}');
  });

  test('with fields that are ignored', () => {
    const schema = { 'x-ignored': [{ field: 'a', unless: 'mode', is: 'v' }] };
    expect(textBy(schema, { a: 1, mode: '${{ item.k }}' })).toBe('{"a":1,"mode":"v"}');
    expect(textBy(schema, { a: 1, mode: 'other' })).toBe('{"mode":"other"}');
  });
});

describe('the known part of a body', () => {
  const body = editor({
    image_count: '${{ steps.clip.width }}',
    style: { prompt: 'a ${{ steps.clip.id }}', model: 'default' },
  });

  test('has no open fields', () => {
    expect(knownPart(bodyOf('ai-image-editor', body))).toEqual({
      assets: { image_file_paths: [null] },
      style: { model: 'default' },
    });
    expect(knownPart(new Ref(maker('p', 'upload'), 'file_path'))).toBe(undefined);
  });

  test('is checked with expressions in place of open fields', () => {
    const step = stepOf('ai-image-editor', body);
    const errorsOf = (named: Named): readonly string[] => {
      const shown = withExpressions(named);
      if (!isObject(shown)) throw new Error('not a body');
      return knownBodyErrors(step, shown).map(({ path }) => path.join('.'));
    };
    expect(
      errorsOf(bodyOf('ai-image-editor', editor({ image_count: '${{ steps.clip.width }}' }))),
    ).toEqual([]);
    expect(errorsOf(bodyOf('ai-image-editor', editor({ image_count: 'many' })))).toEqual([
      'image_count',
    ]);
  });
});

test('the digests of fields, two levels deep', () => {
  const before = fieldDigests(textOf('ai-image-editor', editor({})));
  const after = fieldDigests(textOf('ai-image-editor', editor({ style: { prompt: 'red' } })));
  const changed = Object.keys(after).filter((field) => after[field] !== before[field]);
  expect(changed).toEqual(['style.prompt']);
  expect(Object.keys(after)).toEqual(Object.keys(before));
  for (const digest of Object.values(after)) expect(digest).toMatch(/^[0-9a-f]{6}$/);
  expect(Object.keys(fieldDigests('{"a":{"args":[],"§op":"+"},"b":[],"c":{}}'))).toEqual([
    'a',
    'b',
    'c',
  ]);
});
