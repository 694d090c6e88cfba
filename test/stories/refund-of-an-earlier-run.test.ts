// A run leaves a project rendering, and the next one learns of its refund: the credits go back to the run that paid them.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = (more = '', steps = ''): string => `pipeline: p
${more}
items: { values: [{ key: a }, { key: b }, { key: c }] }
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
${steps}
`;
const swap = `  swap: { uses: head-swap, with: { assets: { head_file_path: "\${{ steps.photo.file_path }}", body_file_path: "\${{ steps.photo.file_path }}" } } }`;
const minute = 60_000;
/** A run for another due time does not continue the first one, which left a project rendering. */
const [first, second] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];

/** The project of a is paid by a first run, still renders when the next one begins, and will be given back. */
async function leftToFail(): Promise<World> {
  const world = new World(pipeline(), { 'a.png': 'rose', 'b.png': 'tulip', 'c.png': 'iris' });
  world.service.fate = ({ task }) =>
    task === 'colour:a' ? { ms: minute, error: 'no_source_face' } : undefined;
  await world.tick({ due: first, items: { keys: new Set(['a']) } });
  expect(world.bill).toEqual({ 'colour:a': 10 });
  return world;
}

test('it lowers neither what this run was charged nor what counts against its budget', async () => {
  const world = await leftToFail();
  const told = await world.run({ due: second, budget: 10 });
  expect(told.endings['colour:a']).toBe('failed');
  const charged = told.events.flatMap((event) => (event.type === 'charged' ? event.credits : []));
  expect(charged).toEqual([10]);
  expect(told.outcome).toBe('budget');
  expect(world.bill).toEqual({ 'colour:a': 0, 'colour:b': 10 });
});

test('it makes up for nothing that this run lost', async () => {
  const world = await leftToFail();
  world.edit(pipeline('max_credits_lost: 5', swap));
  const told = await world.run({ due: second });
  expect(told.summary?.stoppedBy).toBe('failures');
  expect(world.bill).toEqual({ 'colour:a': 0, 'swap:a': 10 });
});

test('it gives the credits back to the day and the run that paid them', async () => {
  const world = await leftToFail();
  world.edit(pipeline('budget: { per_day: 10 }'));
  world.clock.pass(24 * 60 * minute);
  await world.run({ due: second });
  expect(world.bill).toEqual({ 'colour:a': 0, 'colour:b': 10 });
});
