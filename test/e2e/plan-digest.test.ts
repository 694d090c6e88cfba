// `plan --json` and `run --plan <digest>`: the run buys what was shown, or nothing.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const pipeline = `pipeline: paint
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  paint:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: paint, to: "\${{ item.name }}" } }
  gone: { uses: delete, with: { of: paint } }
`;

async function world() {
  const rig = new Rig(pipeline);
  for (const [index, name] of ['a', 'b'].entries())
    rig.write(`photos/${name}.png`, await photo(index + 1));
  const local = await service();
  const shotlist = (...args: readonly string[]) => rig.command(args, envOf(local));
  const digest = async (...flags: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await shotlist('plan', 'pipeline.yaml', '--json', ...flags);
    expect(stderr).toBe('');
    return JSON.parse(stdout).digest;
  };
  const run = async (plan: string, ...flags: readonly string[]): Promise<number | null> =>
    (await shotlist('run', 'pipeline.yaml', '--plan', plan, ...flags)).code;
  const charges = (): number => local.ledger().filter(({ kind }) => kind === 'charge').length;
  return { rig, local, shotlist, digest, run, charges };
}

test('a run with the digest of a plan buys what the plan said, and the same digest still holds for what is left and when all is done', async () => {
  const { rig, digest, run, shotlist, charges } = await world();
  const both = await digest();
  expect(both).toMatch(/^\d{8}T\d{9}Z-2-20-[0-9a-f]{32}$/);
  expect((await shotlist('run', 'pipeline.yaml', '--items', 'a.png')).code).toBe(0);
  expect(charges()).toBe(1);
  expect(await run(both)).toBe(0);
  expect(await run(both)).toBe(0);
  expect(charges()).toBe(2);
  expect(rig.files('out')).toEqual(['a.png', 'b.png']);
  // What was done before the plan is no part of it.
  rig.write('photos/c.png', await photo(3));
  const third = await digest();
  expect(third).toContain('Z-1-10-');
  expect(await run(third)).toBe(0);
  expect(charges()).toBe(3);
});

test('a digest is refused where the plan would buy something else or another service would, or was never one; nothing is bought', async () => {
  const { rig, digest, run, shotlist, charges } = await world();
  const both = await digest();
  for (const [file, before] of [
    ['photos/b.png', await photo(2)],
    ['photos/c.png', undefined],
  ] as const) {
    rig.write(file, await photo(9));
    expect(await run(both)).toBe(2);
    if (before === undefined) rmSync(rig.path(file));
    else rig.write(file, before);
  }
  expect(await run(both, '--items', 'a.png')).toBe(2);
  expect(await run(both, '--rehearse')).toBe(2);
  expect(await run('20261129')).toBe(2);
  expect(charges()).toBe(0);
  // A download costs nothing.
  rig.write('pipeline.yaml', pipeline.replace('item.name }}', 'item.name }}.png'));
  expect(await run(both)).toBe(0);
  expect(charges()).toBe(2);
  // A project that is to be deleted is a part of the plan.
  rig.write('pipeline.yaml', pipeline.replace(/ {2}gone.*/, ''));
  rig.write('photos/d.png', await photo(4));
  expect((await shotlist('run', 'pipeline.yaml')).code).toBe(0);
  const nothing = await digest();
  rig.write('pipeline.yaml', pipeline);
  expect(await run(nothing)).toBe(2);
  expect(await run(await digest())).toBe(0);
});

test('a run buys nothing if its creations cost more than the plan said', async () => {
  const { digest, run, shotlist, charges } = await world();
  const [since, creations, credits, hash] = (await digest()).split('-');
  expect(credits).toBe('20');
  const cheaper = [since, creations, '19', hash].join('-');
  expect(await run(cheaper)).toBe(2);
  // What was bought since the plan counts.
  await shotlist('run', 'pipeline.yaml', '--items', 'a.png');
  expect(await run(cheaper)).toBe(2);
  expect(charges()).toBe(1);
});
