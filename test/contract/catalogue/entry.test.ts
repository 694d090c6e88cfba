// The catalogue: what it says of prices, fields and plans, and where it got it from.
import { describe, expect, test } from 'vitest';
import { catalogue, type Entry, entryOf } from '../../../src/contract/catalogue/entry.ts';
import { fieldsOf, takenBy } from '../../../src/contract/catalogue/field.ts';
import { kinds } from '../../../src/contract/kinds.ts';
import { beyondPlan } from '../../../src/contract/plan-rules.ts';
import { toolNamed, tools } from '../../../src/contract/tools/all.ts';

const entries: ReadonlyMap<string, Entry> = new Map(
  kinds.map((kind) => [kind.name, entryOf(kind)]),
);

function entry(name: string): Entry {
  const found = entries.get(name);
  if (found === undefined) throw new Error(`no entry ${name}`);
  return found;
}

test('every kind is in one group', () => {
  const grouped = [...catalogue().values()].flat().map(({ name }) => name);
  expect(grouped.sort()).toEqual(kinds.map(({ name }) => name).sort());
  expect([...catalogue()].map(([group, all]) => [group, all.length])).toEqual([
    ['Files and faces', 4],
    ['Make images', 4],
    ['Change images', 10],
    ['Make videos', 5],
    ['Change videos', 6],
    ['Speech', 2],
  ]);
});

describe('prices', () => {
  // facts.md and models.md, by second at 24 frames a second where the list is by frame.
  test.each([
    ['upload', 'free'],
    ['face-swap-photo', '10'],
    ['ai-qr-code-generator', '0'],
    ['body-swap', '100'],
    ['ai-image-upscaler', '25–200'],
    ['ai-voice-generator', '0.1/character'],
    ['ai-image-generator', '5–150/image'],
    ['ai-image-editor', '5–150/image'],
    ['animation', '1/frame'],
    ['auto-subtitle-generator', '0.2/frame'],
    ['lip-sync', '1–2/frame'],
    ['video-to-video', '2/frame'],
    ['audio-to-video', '24–72/second'],
    ['ai-talking-photo', '20–48/second'],
    ['text-to-video', '24–576/second'],
    ['character-replace', 'not published'],
  ])('of %s, in short: %s', (name, short) => {
    expect(entry(name).price.short).toBe(short);
  });

  test('have a rule, and an example for each tool that has a published price', () => {
    for (const { name, price } of tools) {
      const { rule, examples } = entry(name).price;
      expect(rule, name).toMatch(/^[A-Z0-9].*\.$/);
      expect(examples.length, name).toBeGreaterThan(0);
      const unpublished = price.kind === 'unpublished';
      expect(examples[0]?.credits === undefined, name).toBe(unpublished);
    }
  });

  test('of video by the frame are estimates', () => {
    expect(entry('face-swap').price.examples).toEqual([{ of: '5 s', credits: 150, exact: false }]);
    expect(entry('head-swap').price.examples).toEqual([
      { of: 'a picture', credits: 10, exact: true },
    ]);
  });
});

describe('fields', () => {
  const taken = (kind: string, path: string): string | undefined => {
    const field = entry(kind).fields.find((one) => one.path === path);
    return field === undefined ? undefined : takenBy(field);
  };

  test.each([
    ['text-to-video', 'end_seconds', 'number, 1 to 60'],
    ['lip-sync', 'max_fps_limit', 'number, 1 or more'],
    ['ai-face-editor', 'style.mouth_smile', 'number, -100 to 100 in steps of 5'],
    ['ai-image-editor', 'style.prompt', 'string, 1 to 15,000 characters'],
    ['ai-image-editor', 'assets.image_file_paths', 'list of image files, up to 10 entries'],
    ['face-swap', 'assets.face_mappings[].new_face', 'image file'],
    ['video-to-video', 'style.prompt', 'string or null'],
    ['download', 'to', 'string, not empty'],
    ['delete', 'discard', 'boolean'],
  ])('%s: %s takes %s', (kind, path, text) => {
    expect(taken(kind, path)).toBe(text);
  });

  test('have the defaults of the interface', () => {
    const defaults = Object.fromEntries(
      entry('character-replace').fields.flatMap((field) =>
        field.default === undefined ? [] : [[field.path, field.default]],
      ),
    );
    expect(defaults).toEqual({
      start_seconds: 0,
      resolution: '480p',
      'style.selection_mode': 'auto',
    });
  });

  test('are all there, the required ones first, and the name last', () => {
    const paths = entry('ai-image-upscaler').fields.map(({ path }) => path);
    expect(paths).toEqual([
      'scale_factor',
      'assets',
      'assets.image_file_path',
      'style',
      'style.mode',
      'style.enhancement',
      'style.prompt',
      'name',
    ]);
    expect(fieldsOf({ type: 'string' })).toEqual([]);
  });
});

describe('plans', () => {
  test.each([
    ['text-to-video', ['resolution: 480p only', 'model: ltx-2.3, wan-2.2, seedance-1.5']],
    ['ai-image-upscaler', ['scale_factor: 2 only']],
    ['lip-sync', ['style.generation_mode: lite and standard']],
    ['body-swap', ['resolution: 640px only']],
    ['ai-headshot-generator', ['576 (free), 1024 (creator), 1344 (pro), 1344 (business)']],
    ['ai-talking-photo', ['at most 720 pixels']],
  ])('of %s', (name, words) => {
    const text = entry(name).plans.join('\n');
    for (const part of words) expect(text).toContain(part);
  });

  test.each([
    ['ai-image-editor', 'flux-2-klein, qwen-edit'],
    ['ai-image-generator', 'flux-schnell, flux-2-klein, z-image-turbo'],
  ])('the free models of %s are those that it can use', (name, models) => {
    const tool = toolNamed(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const [breach] = beyondPlan(tool, { model: 'nano-banana' }, 'free');
    expect(breach?.message).toBe(
      `the model nano-banana is not available on the free plan, which has ${models}`,
    );
    expect(entry(name).plans).toContain(`On the free plan, model: ${models}.`);
  });
});

test('an example names its files by the fields that take them', () => {
  const { text, files } = entry('ai-clothes-changer').example;
  expect(files).toEqual([
    { path: 'media/person.jpg', media: 'image' },
    { path: 'media/garment.jpg', media: 'image' },
  ]);
  expect(text).toContain('person_file_path: ${{ steps.person.file_path }}');
});
