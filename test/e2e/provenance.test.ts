// With provenance: true, each output has a file beside it that says where it comes from.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { loadPipeline, prune } from '../../src/index.ts';
import { envOf, photo, photoPipeline, photoRig, type Rig, service } from '../rig.ts';
import { canMount, smallDisk } from '../small-disk.ts';

const telling = photoPipeline.replace('output: out', 'output: out\nprovenance: true');
const untidy = telling.replace(/ {2}tidy:.*\n/, '');

const one = 'out/p1.png.json';

function schema(): unknown {
  const file = new URL('../../schemas/provenance.schema.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const warnings = (events: readonly { type: string; message?: string }[]): readonly string[] =>
  events.flatMap(({ type, message }) => (type === 'warning' && message ? [message] : []));

test('a run writes a file beside each output, which fits the schema and names no machine', async () => {
  const local = await service();
  const rig = await photoRig(2, telling);
  await rig.run(local);
  expect(rig.files('out')).toEqual(['p1.png', 'p1.png.json', 'p2.png', 'p2.png.json']);
  const text = rig.read(one);
  const ajv = new Ajv2020({ strict: true });
  const accepts = ajv.compile(Object(schema()));
  expect(accepts(JSON.parse(text)), JSON.stringify(accepts.errors)).toBe(true);
  expect(JSON.parse(text)).toMatchObject({
    ...{ pipeline: 'photos', item: 'p1.png', task: 'save:p1.png', uses: 'face-swap-photo' },
    ...{ credits: 10, rehearsal: false, output: { file: 'p1.png', index: 0 } },
    inputs: expect.arrayContaining([
      expect.objectContaining({ uses: 'upload', file: 'photos/p1.png' }),
    ]),
  });
  for (const secret of [rig.folder, local.key, local.address, '://'])
    expect(text.replace(/"\$schema".*/, '')).not.toContain(secret);
});

test('the file is the same to the byte when it is written again, and is not touched otherwise', async () => {
  const local = await service();
  const rig = await photoRig(2, telling);
  await rig.run(local);
  const [before, other] = [rig.read(one), statSync(rig.path('out/p2.png.json')).mtimeMs];
  rmSync(rig.path(one));
  const told = await rig.run(local);
  expect(told.summary.credits.charged).toBe(0);
  expect(rig.read(one)).toBe(before);
  expect(statSync(rig.path('out/p2.png.json')).mtimeMs).toBe(other);
  expect(warnings(told.events)).toEqual([]);
});

test('an output with new content gets a new file', async () => {
  const local = await service();
  const rig = await photoRig(1, telling);
  await rig.run(local);
  const before = rig.read(one);
  // Not later than the output, whatever the clock of the disk is.
  utimesSync(rig.path(one), 1, 1);
  rig.write('photos/p1.png', await photo(7));
  await rig.run(local);
  expect(JSON.parse(rig.read(one)).fingerprint).not.toBe(JSON.parse(before).fingerprint);
});

describe('what is not ours', () => {
  test('is left alone, with a warning', async () => {
    const local = await service();
    const rig = await photoRig(2, telling);
    rig.write(one, '{"mine":true}');
    mkdirSync(rig.path('out/p2.png.json'));
    const { summary, events } = await rig.run(local);
    expect(summary.outcome).toBe('done');
    expect(rig.read(one)).toBe('{"mine":true}');
    expect(warnings(events).join()).toMatch(/out\/p1\.png\.json .*left as it is.* 1 more/);
  });

  test('another output of this name wins', async () => {
    const local = await service();
    const twice = `${untidy}  too: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png.json" } }\n`;
    const rig = await photoRig(1, twice);
    await rig.run(local);
    await rig.run(local);
    expect(readFileSync(rig.path(one))).toEqual(readFileSync(rig.path('out/p1.png')));
    expect(existsSync(rig.path('out/p1.png.json.json'))).toBe(true);
  });
});

test('prune removes the file with its output, and leaves a foreign one', async () => {
  const local = await service();
  const rig = await photoRig(3, untidy);
  rig.write('out/p2.png.json', '{"mine":true}');
  await rig.run(local);
  rmSync(rig.path('photos/p1.png'));
  rmSync(rig.path('photos/p2.png'));
  await prune(await loadPipeline(rig.file), { env: envOf(local) });
  expect(rig.files('out')).toEqual(['p2.png.json', 'p3.png', 'p3.png.json']);
});

test.skipIf(!canMount)('a disk that is full costs only the files, and says so', async () => {
  const local = await service();
  const rig = await photoRig(1, telling);
  const disk = smallDisk(1 << 20);
  const output = `${disk.folder}/out`;
  await rig.run(local, { output });
  rmSync(`${output}/p1.png.json`);
  disk.fill();
  const { summary, events } = await rig.run(local, { output });
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
  expect(warnings(events).join()).toMatch(/p1\.png\.json .*the disk is full.*the next run/);
});

test('without provenance: true nothing is written', async () => {
  const rig: Rig = await photoRig(1);
  await rig.run(await service());
  expect(rig.files('out')).toEqual(['p1.png']);
});
