// The inputs of requests: how their addresses are asked for, and what is done when the storage of the service has lost one.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

/** An item is one photo. */
const photo = `pipeline: photos
items: { values: [{ key: a.png }] }
steps:
  up: { uses: upload, with: { file: "\${{ item.key }}" } }
  paint: { uses: ai-image-editor, timeout: 30m, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: ["\${{ steps.up.file_path }}"] }, style: { prompt: blue } } }
`;

const countOf = (world: World, call: string): number =>
  world.requests.filter((one) => one.split(' ')[0] === call).length;

test('a file that the storage has lost is uploaded again, and what a fan-in leaves out is not', async () => {
  const world = new World(
    `pipeline: wall
items: { values: [{ key: a }, { key: b }] }
steps:
  up: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  wall: { uses: ai-image-editor, on_missing: skip, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.up.all.map(u, u.file_path) }}" }, style: { prompt: a wall } } }
`,
    { 'a.png': 'a' },
  );
  let lost = 1;
  world.service.fails = ({ call }) => {
    if (call !== 'create' || lost === 0) return undefined;
    lost -= 1;
    return { reason: 'missing-asset', message: 'there is no such file' };
  };
  const { endings } = await world.run();
  expect(endings).toEqual({ 'up:a': 'done', 'up:b': 'failed', wall: 'done' });
  expect([countOf(world, 'put'), countOf(world, 'create')]).toEqual([2, 2]);
});

test('a file that the storage loses each time is uploaded once more, and then the task fails', async () => {
  const world = new World(photo, { 'a.png': 'a' });
  world.service.fails = ({ call }) =>
    call === 'create' ? { reason: 'missing-asset', message: 'there is no such file' } : undefined;
  const { ends } = await world.run();
  expect(ends.get('paint:a.png')).toMatchObject({
    ending: 'failed',
    why: expect.stringContaining('supplied again'),
  });
  expect([countOf(world, 'put'), countOf(world, 'create')]).toEqual([2, 2]);
});

test('a file that the storage has lost before faces are looked for in it is uploaded again', async () => {
  const world = new World(
    `pipeline: faces
items: { values: [{ key: a }] }
steps:
  up: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.up.file_path }}" } }
`,
    { 'a.png': 'a' },
  );
  let lost = 1;
  world.service.fails = ({ call }) => {
    if (call !== 'detect' || lost === 0) return undefined;
    lost -= 1;
    return { reason: 'missing-asset', message: 'there is no such file' };
  };
  const { endings } = await world.run();
  expect(endings).toEqual({ 'up:a': 'done', 'faces:a': 'done' });
  expect(countOf(world, 'put')).toBe(2);
});

test('what a list leaves out is not read at the service, also where its address is looked at', async () => {
  const world = new World(`pipeline: wall
items: { values: [{ key: a }, { key: b }, { key: c }] }
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  wall: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.paint.all.map(one, one.url).take(2) }}" }, style: { prompt: a wall } } }
`);
  expect((await world.run({ only: ['paint'] })).outcome).toBe('done');
  const before = world.requests.length;
  expect((await world.run()).endings).toMatchObject({ wall: 'done' });
  const looks = world.requests.slice(before).filter((one) => one.startsWith('look paint'));
  expect(new Set(looks)).toEqual(new Set(['look paint:a', 'look paint:b']));
});

test('faces that an earlier run has found are read again at once, and not looked for', async () => {
  const world = new World(
    `pipeline: faces
items: { values: [{ key: a }] }
steps:
  up: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.up.file_path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { face_swap_mode: individual-faces, target_file_path: "\${{ steps.up.file_path }}", face_mappings: "\${{ steps.faces.faces.map(f, {'original_face': f.path, 'new_face': steps.up.file_path}) }}" } } }
`,
    { 'a.png': 'faces=1' },
  );
  await world.run({ only: ['faces'] });
  const asked = world.service.calls.length;
  expect((await world.run()).outcome).toBe('done');
  const calls = world.service.calls.slice(asked, asked + 3);
  expect(calls.map(({ call }) => call)).toEqual(['account', 'faces', 'create']);
  const [first = 0, , last = 0] = calls.map(({ at }) => at);
  expect(last - first).toBeLessThan(100);
});

test('a list of which some are skipped is paid for only if the step says so', async () => {
  const wall = (more = ''): string => `pipeline: wall
items: { values: [{ key: a }, { key: b }] }
steps:
  paint: { uses: ai-image-generator, if: item.index == 0, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  wall: { uses: ai-image-editor, ${more}with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.paint.all.map(one, one.url) }}" }, style: { prompt: a wall } } }
`;
  const world = new World(wall());
  expect((await world.run()).endings).toMatchObject({ 'paint:b': 'skipped', wall: 'blocked' });
  expect(Object.keys(world.bill)).toEqual(['paint:a']);
  world.edit(wall('on_missing: skip, '));
  expect((await world.run()).endings).toMatchObject({ 'paint:b': 'skipped', wall: 'done' });
});

test('an address that ends within a minute is not sent', async () => {
  const paint = (prompt: string): string =>
    `{ uses: ai-image-generator, timeout: 48h, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: ${prompt} } } }`;
  const world = new World(`pipeline: late
steps:
  quick: ${paint('a')}
  slow: ${paint('b')}
  both: { uses: head-swap, with: { assets: { head_file_path: "\${{ steps.quick.url }}", body_file_path: "\${{ steps.slow.url }}" } } }
`);
  world.service.renderMs = ({ task }) => (task === 'slow' ? 86_400_000 - 30_000 : 2000);
  expect((await world.run()).outcome).toBe('done');
  const at = world.requests.indexOf('create both');
  expect(world.requests.slice(at - 2, at)).toEqual(['look slow', 'look quick']);
});

test('an address is no value that a condition could ask about, in a plan and in a run', async () => {
  const world = new World(`pipeline: asks
steps:
  one: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: a } } }
  two: { uses: ai-image-upscaler, if: size(steps.one.url) > 3, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ steps.one.url }}" } } }
`);
  expect((await world.run()).endings['two']).toBe('failed');
  expect(Object.keys(world.bill)).toEqual(['one']);
});

test('a delete does not wait for another use of its project that waits for the delete', async () => {
  const paint =
    '{ uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: a } } }';
  const world = new World(`pipeline: twins
items: { values: [{ key: a }] }
steps:
  one: ${paint}
  two: ${paint}
  save: { uses: download, with: { of: one, to: a.png } }
  tidy: { uses: delete, with: { of: one } }
  again: { uses: download, needs: [tidy], with: { of: two, to: b.png } }
`);
  const { endings } = await world.run();
  expect([endings['tidy'], endings['again']]).toEqual(['done', 'done']);
  expect([world.outputs, countOf(world, 'create')]).toEqual([['a.png', 'b.png'], 1]);
});

test('a free request that is refused for the moment is sent again after a pause', async () => {
  const world = new World(photo, { 'a.png': 'a' });
  let tries = 0;
  world.service.fails = ({ call }) => {
    if (call !== 'addresses') return undefined;
    tries += 1;
    return tries <= 3 ? { reason: 'throttled', message: 'too many requests' } : undefined;
  };
  expect((await world.run()).outcome).toBe('done');
  const at = world.service.calls.filter(({ call }) => call === 'addresses').map((one) => one.at);
  const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(pauses).toHaveLength(3);
  for (const pause of pauses) expect(pause).toBeGreaterThan(50);
});
