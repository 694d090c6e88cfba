// What a plan knows about the elements of a fan-out, and what its tasks are called and worth.
import { describe, expect, test } from 'vitest';
import { World } from '../../tables/plan-world.ts';

const image = (count: string): string =>
  `img: { uses: ai-image-generator, with: { image_count: ${count}, model: flux-schnell, resolution: 640px, style: { prompt: a tram } } }`;
const up = (list: string): string =>
  `up: { for_each: ${list}, uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }`;
const downloads = '"${{ steps.img.downloads }}"';
const save = 'save: { uses: download, with: { of: up, to: "${{ each.index }}.png" } }';

const world = (...steps: readonly string[]): World =>
  new World(['pipeline: p', 'steps:', ...steps.map((step) => `  ${step}`), ''].join('\n'));

const times = (of: World, task: string): unknown => of.planned(task).times;

describe('a fan-out over a generator', () => {
  test('has as many elements as its request says, before it has run', () => {
    const actions = world(image('3'), up(downloads), save).actions();
    expect(actions).toEqual({
      img: 'begin',
      ...{ 'up[0]': 'begin', 'up[1]': 'begin', 'up[2]': 'begin' },
      ...{ 'save[0]': 'begin', 'save[1]': 'begin', 'save[2]': 'begin' },
    });
  });

  test('names each by its content: the request of the generator, and the index', () => {
    const one = world(image('3'), up(downloads));
    const other = world(image('4'), up(downloads));
    const fingerprints = ['up[0]', 'up[1]', 'up[2]'].map((task) => one.planned(task).fingerprint);
    expect(new Set(fingerprints).size).toBe(3);
    const again = world(image('3'), up(downloads));
    expect(['up[0]', 'up[1]', 'up[2]'].map((task) => again.planned(task).fingerprint)).toEqual(
      fingerprints,
    );
    expect(other.planned('up[0]').fingerprint).not.toBe(fingerprints[0]);
  });
});

const photo = 'photo: { uses: upload, with: { file: a.png } }';
const faces =
  'faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }';
const head = (list: string): string =>
  `head: { for_each: "\${{ ${list} }}", uses: ai-headshot-generator, with: { assets: { image_file_path: "\${{ each.path }}" } } }`;

function photoWorld(...steps: readonly string[]): World {
  const made = world(photo, faces, ...steps);
  made.disk.inputs.set('a.png', 'rose');
  return made;
}

describe('a fan-out over what only a run finds', () => {
  test('is one task for all elements, with a bound if there is one', () => {
    expect(photoWorld(head('steps.faces.faces')).actions()).toMatchObject({ head: 'maybe' });
    expect(times(photoWorld(head('steps.faces.faces')), 'head')).toEqual({ least: 0, open: true });
    const bound = photoWorld(head('steps.faces.faces.take(2)'));
    expect(times(bound, 'head')).toEqual({ least: 0, most: 2, open: true });
    const count = photoWorld(image('"${{ 1 + size(steps.faces.faces) }}"'), up(downloads));
    expect(times(count, 'up')).toEqual({ least: 0, most: 16, open: true });
  });

  test('has its elements once they are found, and none if there are none', () => {
    const found = photoWorld(head('steps.faces.faces'));
    found.supplied('photo', 'upload', { file_path: 'x' });
    found.supplied('faces', 'face-detect', { id: 'f', faces: [{ path: 'a' }, { path: 'b' }] });
    expect(found.actions()).toMatchObject({ 'head[0]': 'begin', 'head[1]': 'begin' });
    expect(times(found, 'head[1]')).toEqual({ least: 2, most: 2, open: false });
    const none = photoWorld(head('steps.faces.faces'));
    none.supplied('photo', 'upload', { file_path: 'x' });
    none.supplied('faces', 'face-detect', { id: 'f', faces: [] });
    expect(Object.keys(none.actions())).toEqual(['photo', 'faces']);
  });

  test('is not taken for empty by an expression that tolerates a missing output', () => {
    const list = 'has(steps.faces.faces) ? steps.faces.faces : []';
    expect(photoWorld(head(list)).actions()).toMatchObject({ head: 'maybe' });
  });
});

test('a fan-out whose list cannot be known ends as its source does', () => {
  const skipped = photoWorld(
    image('2').replace('with:', "if: run.date == 'never', with:"),
    up(downloads),
    save,
  );
  expect(skipped.actions()).toMatchObject({ img: 'skipped', up: 'skipped', save: 'skipped' });
  const wrong = photoWorld(head('dyn([1, 2])').replace('each.path', 'each.value.path'));
  expect(wrong.planned('head[0]').action).toBe('problem');
  const many = photoWorld(
    up('"${{ dyn([[1, 2], [3]])[0][0] }}"').replace('each.url', 'each.value'),
  );
  expect(many.planned('up').why).toContain('for_each must be a list, not 1');
});
