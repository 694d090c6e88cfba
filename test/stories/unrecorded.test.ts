// The service has created a project, and the disk does not take the line that says so: the person hears of the project.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = `pipeline: paint
items: { values: [{ key: a }] }
output: out
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: a door } } }
  save: { uses: download, with: { of: paint, to: "\${{ item.key }}" } }
`;

test('a project that the disk did not take is named, and the name settles the doubt of the next run', async () => {
  const world = new World(pipeline, {});
  world.syncMs = (lines) => {
    if (!lines.some((line) => line.includes('"state":"created"'))) return 1;
    throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  };
  const warnings: string[] = [];
  const run = world.run({
    onEvent: (event) => {
      if (event.type === 'warning') warnings.push(event.message);
    },
  });
  await expect(run).rejects.toThrow('input/output error');
  const { id, name } = world.service.projectOf('paint');
  expect(world.state).not.toContain(id);
  const named = warnings.filter((message) => message.includes(id));
  expect(named).toHaveLength(1);
  expect(named[0]).toContain(name);

  world.syncMs = () => 1;
  world.loseReceipts();
  expect((await world.run()).outcome).toBe('doubt');
  await world.resolve(name, { how: 'project', project: id });
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['a']);
  expect(world.requests.filter((request) => request.startsWith('create '))).toHaveLength(1);
});

test('once the disk takes no line, the run ends, and what it has paid for is left to the next one', async () => {
  const two = pipeline
    .replace('{ key: a }', '{ key: a }, { key: b }')
    .replace('a door', '"a ${{ item.key }}"');
  const world = new World(two);
  world.service.renderMs = () => 60_000;
  world.syncMs = (lines) => {
    if (!lines.some((line) => line.includes('"state":"created"') && line.includes('paint:b')))
      return 1;
    throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  };
  await expect(world.run()).rejects.toThrow('input/output error');
  expect(world.requests.filter((request) => request.startsWith('look'))).toEqual([]);
});
