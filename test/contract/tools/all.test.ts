// The catalogue against its sources: interface.md's endpoints, facts.md's fields and ranges.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/base/json.ts';
import { type Schema, validatorOf } from '../../../src/base/schema.ts';
import { breachesOf, type Tool } from '../../../src/contract/tool.ts';
import { recordOf, toolNamed, tools } from '../../../src/contract/tools/all.ts';
import { endpoints, required, requiredGroups, types } from './published.ts';

function tool(name: string): Tool {
  const found = toolNamed(name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

function example(name: string, index = 0): JsonObject {
  const found = tool(name).examples[index];
  if (found === undefined) throw new Error(`${name} has no example ${index}`);
  return found;
}

/** A copy with the value at a dotted path replaced; undefined removes it. */
function changed(value: Json, path: string, to: Json | undefined): JsonObject {
  const after = edit(value, path.split('.'), to);
  if (!isObject(after)) throw new Error('a body is an object');
  return after;
}

function edit(value: Json, [key = '', ...rest]: readonly string[], to: Json | undefined): Json {
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? edit(item, rest, to) : item));
  const object = isObject(value) ? value : {};
  const { [key]: inner, ...others } = object;
  const next = rest.length === 0 ? to : edit(inner ?? {}, rest, to);
  return next === undefined ? others : { ...others, [key]: next };
}

/** The field at a dotted path of a value; a number is a place in a list. */
function at(value: Json | undefined, path: string): Json | undefined {
  let found = value;
  for (const key of path.split('.')) {
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isObject(found) ? found[key] : undefined;
  }
  return found;
}

const accepts = (name: string, body: Json): boolean => validatorOf(tool(name).request)(body);
const breaches = (name: string, body: JsonObject): readonly string[] =>
  breachesOf(tool(name), body).map(({ field }) => field);
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** Every field of a schema, with its dotted path. */
function* fieldsOf(schema: Schema, path = ''): Generator<readonly [string, Schema]> {
  const { properties, items } = schema;
  if (isSchema(items)) yield* fieldsOf(items, `${path}.0`);
  if (!isSchema(properties)) return;
  for (const [key, field] of Object.entries(properties)) {
    if (!isSchema(field)) continue;
    const here = path === '' ? key : `${path}.${key}`;
    yield [here, field];
    yield* fieldsOf(field, here);
  }
}

/** The paths of all required fields that have no fields of their own. */
function* requiredLeaves(schema: Schema): Generator<string> {
  for (const [path, field] of fieldsOf(schema)) {
    if (isSchema(field['properties'])) continue;
    const cut = path.lastIndexOf('.');
    const owner = cut < 0 ? schema : ownerOf(schema, path.slice(0, cut));
    const names: unknown = owner?.['required'];
    if (Array.isArray(names) && names.includes(path.slice(cut + 1))) yield path;
  }
}

function ownerOf(schema: Schema, path: string): Schema | undefined {
  if (!path.endsWith('.0')) return [...fieldsOf(schema)].find(([name]) => name === path)?.[1];
  const items = ownerOf(schema, path.slice(0, -2))?.['items'];
  return isSchema(items) ? items : undefined;
}

describe('the catalogue', () => {
  test('has the 27 creation endpoints of interface.md and no other', () => {
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(endpoints).sort());
    expect(tools).toHaveLength(27);
  });

  test.each(Object.entries(endpoints))('knows the published median of %s: %s', (name, median) => {
    const [, minutes = '0', seconds = '0'] = /^(?:(\d+)m )?(\d+)s$/.exec(median) ?? [];
    expect(tool(name).medianSeconds).toBe(Number(minutes) * 60 + Number(seconds));
  });

  test.each(['video', 'image', 'audio'] as const)('gives each %s tool its own type', (record) => {
    const published = (types[record] ?? '').split(' ').sort();
    const ours = tools.filter((one) => one.record === record).map(({ type }) => type);
    expect(ours.sort()).toEqual(published);
  });

  test('is contractual only where interface.md gives the body in full', () => {
    const contractual = tools.filter((one) => one.contractual).map(({ name }) => name);
    expect(contractual).toEqual(['character-replace', 'face-swap-photo']);
  });

  test('finds a tool by its name and nothing by another', () => {
    for (const one of tools) expect(toolNamed(one.name)).toBe(one);
    expect(toolNamed('constructor')).toBeUndefined();
  });
});

describe.each(tools)('$name', (one) => {
  test('has examples that its own schema takes and that break no rule', () => {
    const validate = validatorOf(one.request);
    expect(one.examples.length).toBeGreaterThan(0);
    for (const body of one.examples) {
      expect(validate(body) ? [] : validate.errors).toEqual([]);
      expect(breachesOf(one, body)).toEqual([]);
    }
  });

  test('requires what facts.md requires and nothing else', () => {
    expect([...requiredLeaves(one.request)].sort()).toEqual(
      (required[one.name] ?? '').split(' ').sort(),
    );
  });

  test('requires a group of fields exactly where one of its fields is required', () => {
    const groups = [...fieldsOf(one.request)].filter(([, field]) => isSchema(field['properties']));
    for (const [group] of groups.filter(([path]) => !path.includes('.'))) {
      const leaves = (required[one.name] ?? '').split(' ').filter((path) => !path.includes('.0.'));
      const needed =
        leaves.some((path) => path.startsWith(`${group}.`)) ||
        (requiredGroups[one.name] ?? []).includes(group);
      expect(Array.from(Object(one.request['required'])).includes(group), group).toBe(needed);
    }
  });

  test('refuses an example without a required field', () => {
    for (const path of (required[one.name] ?? '').split(' ')) {
      const body = one.examples.find((candidate) => at(candidate, path) !== undefined);
      expect(body, `an example with ${path}`).toBeDefined();
      expect(accepts(one.name, changed(body ?? {}, path, undefined)), path).toBe(false);
    }
  });

  test('says of every field what it is', () => {
    for (const [path, field] of fieldsOf(one.request)) {
      if (one.contractual && field['type'] === 'object') continue;
      expect(field['description'], path).toEqual(expect.stringMatching(/\S{2,}/));
    }
  });

  test('takes a name that is cosmetic, and has a title', () => {
    const fields = new Map(fieldsOf(one.request));
    expect(fields.get('name')?.['x-cosmetic']).toBe(true);
    expect(one.request['title']).toBe(`${one.name} request`);
  });

  test('marks each field that names a file with its medium, and no other field', () => {
    for (const [path, field] of fieldsOf(one.request)) {
      const medium = /(image|video|audio)_file_path$/.exec(path)?.[1];
      if (medium !== undefined) expect(field['x-asset'], path).toBe(medium);
      if (field['x-asset'] !== undefined) expect(path).toMatch(/^assets\./);
    }
  });

  test('has examples whose files stand in fields of that medium', () => {
    for (const body of one.examples)
      for (const [path, field] of fieldsOf(one.request)) {
        const value = at(body, path);
        const files = Array.isArray(value) ? value : [value];
        const items = field['items'];
        const medium = field['x-asset'] ?? (isSchema(items) ? items['x-asset'] : undefined);
        for (const file of files)
          if (typeof file === 'string' && medium !== undefined)
            expect(file).toBe(`asset:${medium}`);
      }
  });

  test(`${one.contractual ? 'refuses' : 'lets through'} a field that it does not know`, () => {
    for (const body of one.examples)
      for (const path of ['brand_new', 'assets.brand_new', 'style.brand_new']) {
        const group = path.includes('.') ? body[path.slice(0, path.indexOf('.'))] : body;
        if (group === undefined) continue;
        expect(accepts(one.name, changed(body, path, 1)), path).toBe(!one.contractual);
      }
  });
});

describe('ranges', () => {
  const cases: readonly (readonly [string, string, Json, boolean])[] = [
    ['face-swap', 'start_seconds', -0.5, false],
    ['face-swap', 'end_seconds', 0.05, false],
    ['text-to-video', 'end_seconds', 1, true],
    ['text-to-video', 'end_seconds', 0.9, false],
    ['text-to-video', 'end_seconds', 60, true],
    ['text-to-video', 'end_seconds', 61, false],
    ['image-to-video', 'end_seconds', 0.9, false],
    ['image-to-video', 'end_seconds', 61, false],
    ['text-to-video', 'style.prompt', '', false],
    ['text-to-video', 'style.prompt', 'p'.repeat(2000), true],
    ['text-to-video', 'style.prompt', 'p'.repeat(2001), false],
    ['ai-gif-generator', 'style.prompt', '', false],
    ['ai-gif-generator', 'style.prompt', 'p'.repeat(500), true],
    ['ai-gif-generator', 'style.prompt', 'p'.repeat(501), false],
    ['ai-meme-generator', 'style.topic', '', false],
    ['ai-meme-generator', 'style.topic', 'p'.repeat(200), true],
    ['ai-meme-generator', 'style.topic', 'p'.repeat(201), false],
    ['ai-meme-generator', 'style.searchWeb', true, true],
    ['ai-meme-generator', 'style.searchWeb', 'yes', false],
    ['ai-image-generator', 'style.prompt', '', false],
    ['ai-image-editor', 'style.prompt', '', false],
    ['ai-video-editor', 'style.prompt', '', false],
    ['ai-voice-generator', 'style.prompt', '', false],
    ['ai-voice-cloner', 'style.prompt', '', false],
    ['head-swap', 'max_resolution', 1024, true],
    ['head-swap', 'max_resolution', 1024.5, false],
    ['ai-talking-photo', 'max_resolution', 720.5, false],
    ['animation', 'fps', 1, true],
    ['animation', 'fps', 0.5, false],
    ['animation', 'width', 64, true],
    ['animation', 'width', 63, false],
    ['animation', 'height', 64.5, false],
    ['animation', 'style.transition_speed', 10, true],
    ['animation', 'style.transition_speed', 0, false],
    ['animation', 'style.transition_speed', 11, false],
    ['animation', 'style.transition_speed', 5.5, false],
    ['ai-image-upscaler', 'scale_factor', 4, true],
    ['ai-image-upscaler', 'scale_factor', 3, false],
    ['video-to-video', 'style.prompt', null, true],
    ['video-to-video', 'style.prompt', 5, false],
    ['ai-image-editor', 'image_count', 9, true],
    ['ai-image-editor', 'image_count', 2, false],
    ['ai-image-generator', 'image_count', 16, true],
    ['ai-image-generator', 'image_count', 17, false],
    ['ai-image-generator', 'model', 'a model of next year', true],
    ['text-to-video', 'resolution', '640px', false],
    ['text-to-video', 'model', 'a model of next year', true],
    ['video-to-video', 'height', 63, false],
    ['video-to-video', 'height', 64, true],
    ['video-to-video', 'width', 63, false],
    ['video-to-video', 'style.model', 'dreamshaper', false],
    ['video-to-video', 'style.art_style', 'a style of next year', true],
    ['ai-face-editor', 'style.mouth_smile', 100, true],
    ['ai-face-editor', 'style.mouth_smile', -105, false],
    ['ai-face-editor', 'style.mouth_smile', 105, false],
    ['ai-face-editor', 'style.mouth_smile', 7, false],
    ['ai-image-generator', 'image_count', 0, false],
    ['ai-image-generator', 'image_count', 1.5, false],
    ['ai-image-editor', 'style.prompt', 'p'.repeat(15_000), true],
    ['ai-image-editor', 'style.prompt', 'p'.repeat(15_001), false],
    ['ai-image-editor', 'assets.image_file_paths', Array(10).fill('asset:image'), true],
    ['ai-image-editor', 'assets.image_file_paths', Array(11).fill('asset:image'), false],
    ['ai-voice-generator', 'style.prompt', 'p'.repeat(1000), true],
    ['ai-voice-generator', 'style.prompt', 'p'.repeat(1001), false],
    ['ai-voice-cloner', 'style.prompt', 'p'.repeat(1001), false],
    ['lip-sync', 'style.generation_mode', 'turbo', false],
    ['lip-sync', 'max_fps_limit', 1, true],
    ['lip-sync', 'max_fps_limit', 0.9, false],
    ['ai-gif-generator', 'output_format', 'apng', false],
    ['photo-colorizer', 'assets.image_file_path', '', false],
    ['photo-colorizer', 'name', null, false],
  ];
  test.each(cases)('%s with %s %j: taken is %s', (name, path, value, taken) => {
    expect(accepts(name, changed(example(name), path, value))).toBe(taken);
  });

  test('a face-editor slider takes exactly -100 to 100 in steps of 5', () => {
    fc.assert(
      fc.property(fc.integer({ min: -150, max: 150 }), (turn) => {
        const body = changed(example('ai-face-editor'), 'style.head_yaw', turn);
        expect(accepts('ai-face-editor', body)).toBe(Math.abs(turn) <= 100 && turn % 5 === 0);
      }),
    );
  });
});

describe('rules between fields', () => {
  const clips = tools.filter((one) => {
    const fields = new Map(fieldsOf(one.request));
    return fields.has('start_seconds') && fields.has('end_seconds');
  });
  test.each(clips)('$name: a clip ends after it starts', ({ name }) => {
    const body = changed(changed(example(name), 'start_seconds', 2), 'end_seconds', 2);
    expect(breaches(name, body)).toEqual(['end_seconds']);
  });

  test('eight tools take a part of a timeline', () => {
    expect(clips).toHaveLength(8);
  });

  const sources = ['face-swap', 'lip-sync', 'video-to-video'];
  test.each(sources)('%s: video_source file needs video_file_path', (name) => {
    const body = changed(example(name), 'assets.video_file_path', undefined);
    expect(breaches(name, body)).toEqual(['assets.video_file_path']);
  });
  test.each(sources)('%s: video_source youtube needs youtube_url', (name) => {
    const body = changed(example(name), 'assets.video_source', 'youtube');
    expect(breaches(name, body)).toEqual(['assets.youtube_url']);
    expect(breaches(name, changed(body, 'assets.youtube_url', 'https://youtu.be/x'))).toEqual([]);
  });

  test('animation: its audio_source needs the audio that it names, and none needs nothing', () => {
    const withSource = (source: string) =>
      changed(example('animation'), 'assets.audio_source', source);
    expect(breaches('animation', withSource('none'))).toEqual([]);
    expect(breaches('animation', withSource('file'))).toEqual(['assets.audio_file_path']);
    expect(breaches('animation', withSource('youtube'))).toEqual(['assets.youtube_url']);
  });

  test('face-swap: an all-faces swap needs the face, an individual one the mappings', () => {
    const all = changed(example('face-swap'), 'assets.image_file_path', undefined);
    expect(breaches('face-swap', all)).toEqual(['assets.image_file_path']);
    const individual = changed(example('face-swap', 1), 'assets.face_mappings', []);
    expect(breaches('face-swap', individual)).toEqual(['assets.face_mappings']);
  });

  test.each([
    ['realistic', 180],
    ['prompted', 45],
    ['pro', 60],
    [undefined, 60],
  ])('ai-talking-photo: a clip lasts so long, wherever it starts: %s, %i s', (mode, most) => {
    const talk = changed(example('ai-talking-photo'), 'style.generation_mode', mode);
    const until = (start: number, end: number) =>
      changed(changed(talk, 'start_seconds', start), 'end_seconds', end);
    expect(breaches('ai-talking-photo', until(10, 10 + most))).toEqual([]);
    expect(breaches('ai-talking-photo', until(4.4, 4.4 + most))).toEqual([]);
    expect(breaches('ai-talking-photo', until(0, most + 0.5))).toEqual(['end_seconds']);
  });

  test('animation: a custom prompt, a custom style and lyrics need their text or audio', () => {
    const [silent, sung] = [example('animation'), example('animation', 1)];
    expect(breaches('animation', changed(silent, 'style.prompt', undefined))).toEqual([
      'style.prompt',
    ]);
    expect(breaches('animation', changed(silent, 'style.art_style', 'Custom'))).toEqual([
      'style.art_style_custom',
    ]);
    expect(breaches('animation', changed(sung, 'assets.audio_source', 'none'))).toEqual([
      'assets.audio_source',
    ]);
  });

  test('auto-subtitle-generator: a template, or a font and positions', () => {
    const custom = example('auto-subtitle-generator', 1);
    expect(breaches('auto-subtitle-generator', changed(custom, 'style', {}))).toEqual(['style']);
    for (const field of ['font', 'horizontal_position', 'vertical_position']) {
      const without = changed(custom, `style.custom_config.${field}`, undefined);
      expect(breaches('auto-subtitle-generator', without), field).toEqual(['style']);
      expect(
        breaches('auto-subtitle-generator', changed(without, 'style.template', 'karaoke')),
      ).toEqual([]);
    }
  });

  test('ai-image-editor: at least one image', () => {
    expect(breaches('ai-image-editor', changed(example('ai-image-editor'), 'assets', {}))).toEqual([
      'assets',
    ]);
  });

  test.each(['face-swap', 'face-swap-photo'])('%s: at most 5 faces are mapped', (name) => {
    const mapping = { original_face: 'asset:image', new_face: 'asset:image' };
    const mapped = (count: number) =>
      changed(example(name, 1), 'assets.face_mappings', Array(count).fill(mapping));
    expect(accepts(name, mapped(5))).toBe(true);
    expect(accepts(name, mapped(6))).toBe(false);
  });
});

test('a name that no tool has is a bug, not a guess at its records', () => {
  expect(recordOf('face-swap')).toBe('video');
  expect(() => recordOf('face-detect')).toThrow('bug: "face-detect" is not a tool');
});
