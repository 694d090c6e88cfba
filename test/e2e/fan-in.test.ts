// Many items, one step: it is paid for once, with all of them, in their order.
import { expect, test } from 'vitest';
import { bill, envOf, photo, Rig, service, type Told } from '../rig.ts';

const group = (more = ''): string => `pipeline: p
output: out
items: { glob: "photos/*.png" }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  group:
    uses: ai-image-editor
${more}    with:
      { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.photo.all.map(p, p.file_path).take(9) }}" }, style: { prompt: at one table } }
  save: { uses: download, with: { of: group, to: group.png } }
`;

async function rigOf(count: number, text = group()): Promise<Rig> {
  const rig = new Rig(text);
  for (let number = 1; number <= count; number++)
    rig.write(`photos/${number}.png`, await photo(number));
  return rig;
}

const endingsOf = ({ events }: Told): Readonly<Record<string, string>> =>
  Object.fromEntries(
    events.flatMap((event) =>
      event.type === 'task' ? [[event.task, `${event.ending} ${event.why ?? ''}`.trim()]] : [],
    ),
  );

test('a group picture is bought once for all items, and again only if they change', async () => {
  const rig = await rigOf(3);
  const local = await service();
  await rig.run(local);
  expect([...bill(local.ledger())]).toEqual([['p group', 50]]);
  const again = await rig.run(local);
  expect(again.summary.tasks).toMatchObject({ done: 0, reused: 5 });
  rig.write('photos/4.png', await photo(4));
  const { stdout } = await rig.command(['plan', rig.file], envOf(local));
  expect(stdout).toMatch(/group +ai-image-editor +1 +to create +50 credits/);
  const more = await rig.run(local);
  expect(endingsOf(more)).toMatchObject({ 'photo:4.png': 'done', group: 'done', save: 'done' });
  expect([...bill(local.ledger())]).toEqual([['p group', 100]]);
});

test('a run with only some of the items leaves the group alone, and the plan says so', async () => {
  const rig = await rigOf(3, group('    on_missing: skip\n'));
  const local = await service();
  const why = 'needs photo of every item, and this run has only some';
  const { stdout } = await rig.command(['plan', rig.file, '--limit', '2'], envOf(local));
  expect(stdout).toContain(`excluded: group: ${why}`);
  const told = await rig.run(local, { items: { limit: 2 } });
  expect(endingsOf(told)).toMatchObject({ group: `excluded ${why}` });
  expect(bill(local.ledger()).size).toBe(0);
});

test('an item that cannot run blocks the group, unless the step leaves it out', async () => {
  const rig = await rigOf(3);
  rig.write('photos/2.png', '');
  const local = await service();
  const blocked = await rig.run(local);
  const why = 'photo:2.png has failed, and on_missing is fail';
  expect(endingsOf(blocked)).toMatchObject({
    group: `blocked ${why}`,
    save: 'blocked waits for group',
  });
  expect(bill(local.ledger()).size).toBe(0);
  rig.write('pipeline.yaml', group('    on_missing: skip\n'));
  const skipped = await rig.run(local);
  expect(endingsOf(skipped)).toMatchObject({ group: 'done', save: 'done' });
  expect([...bill(local.ledger())]).toEqual([['p group', 50]]);
});

test('a group of items of which none has a result is skipped', async () => {
  const text = group().replace('{ uses: upload, with', '{ uses: upload, if: "false", with');
  const rig = await rigOf(2, text.replace('"false"', 'item.stem == "none"'));
  const local = await service();
  const told = await rig.run(local);
  expect(endingsOf(told)).toMatchObject({ group: 'skipped there is no result of photo' });
});

test('the elements of an item make one sheet of it', async () => {
  const rig = new Rig(`pipeline: p
output: out
items: { values: [{ key: cat }, { key: dog }] }
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  sheet: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.up.all.map(u, u.url) }}" }, style: { prompt: a sheet } } }
  save: { uses: download, with: { of: sheet, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: up, discard: true } }
`);
  const local = await service();
  await rig.run(local);
  expect(rig.files('out')).toEqual(['cat.png', 'dog.png']);
  const names = [...bill(local.ledger()).keys()].sort();
  expect(names.filter((name) => name.endsWith('cat') || name.includes('cat['))).toEqual([
    ...['p img:cat', 'p sheet:cat', 'p up:cat[0]', 'p up:cat[1]'],
  ]);
  const again = await rig.run(local);
  expect(again.summary.tasks).toMatchObject({ done: 0, reused: 14 });
});

test('a step that leaves out what is missing waits for an item whose fan-out is in doubt', async () => {
  const rig = new Rig(`pipeline: p
output: out
limits: { items: 1 }
items: { values: [{ key: cat }, { key: dog }] }
steps:
  img: { uses: ai-image-generator, for_each: [x], keep: remote, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  own: { uses: ai-image-generator, needs: [img], keep: remote, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }} again" } } }
  sheet: { uses: ai-image-editor, on_missing: skip, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.own.all.map(u, u.url) }}" }, style: { prompt: a sheet } } }
  save: { uses: download, with: { of: sheet, to: sheet.png } }
`);
  // Of the creations cat, cat again, dog, dog again: the answer to the third is lost.
  const lost = {
    fault: 'reset',
    on: 'POST /v1/ai-image-generator',
    when: 'after',
    skip: 2,
  } as const;
  const local = await service({ faults: { faults: [{ ...lost, count: 1 }] } });
  const why = 'blocked waits for own:dog';
  expect(endingsOf(await rig.run(local))).toMatchObject({
    'own:dog': expect.any(String),
    sheet: why,
  });
  expect(endingsOf(await rig.run(local))).toMatchObject({ sheet: why });
  expect(bill(local.ledger()).has('p sheet')).toBe(false);
});
