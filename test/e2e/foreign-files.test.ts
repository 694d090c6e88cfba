// Results and files that shotlist did not make: code and settings are never a result's place, and any other file is replaced
// only after a yes.
import { expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const pipeline = (to: string): string => `pipeline: paint
output: .
steps:
  photo: { uses: upload, with: { file: photos/a.png } }
  paint:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: paint, to: "${to}" } }
`;

async function world(to: string) {
  const rig = new Rig(pipeline(to));
  rig.write('photos/a.png', await photo(1));
  const local = await service();
  const charges = (): number => local.ledger().filter(({ kind }) => kind === 'charge').length;
  const shotlist = (...args: readonly string[]) => rig.command(args, envOf(local));
  return { rig, charges, shotlist };
}

// Every such name: test/language/reserved-name.test.ts.
test.each(['package.json', '.github/workflows/ci.yml'])(
  '%s is no place for a result, and nothing is bought',
  async (to) => {
    const { rig, charges, shotlist } = await world(to);
    rig.write(to, Buffer.from('mine'));
    const ran = await shotlist('run', 'pipeline.yaml', '--replace-files');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('a name of code or of settings of a tool');
    expect(rig.read(to)).toBe('mine');
    expect(charges()).toBe(0);
  },
);

test('a file that shotlist did not make is replaced only after a yes, and then kept', async () => {
  const { rig, charges, shotlist } = await world('logo.png');
  rig.write('logo.png', Buffer.from('mine'));
  const planned = await shotlist('plan', 'pipeline.yaml');
  expect(planned.stderr).toContain('logo.png is there already, and shotlist did not make it');
  const refused = await shotlist('run', 'pipeline.yaml', '--yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('replace it with run --replace-files');
  expect(rig.read('logo.png')).toBe('mine');
  expect(charges()).toBe(0);

  expect((await shotlist('run', 'pipeline.yaml', '--replace-files')).code).toBe(0);
  expect(rig.read('logo.png')).not.toBe('mine');
  const kept = rig.files('.shotlist/kept').map((name) => rig.read(`.shotlist/kept/${name}`));
  expect(kept).toEqual(['mine']);

  // A result of its own is replaced without a word, whatever has become of its record.
  await shotlist('forget', 'pipeline.yaml', 'paint');
  rig.write('photos/a.png', await photo(2));
  expect((await shotlist('run', 'pipeline.yaml')).code).toBe(0);
});

test('a name that only the run finds out waits for a yes, and is paid once', async () => {
  const { rig, charges, shotlist } = await world('logo.${{ result.ext }}');
  rig.write('logo.png', Buffer.from('mine'));
  const left = await shotlist('run', 'pipeline.yaml');
  expect(left.code).toBe(1);
  expect(left.stdout + left.stderr).toContain('replace it with run --replace-files');
  expect(rig.read('logo.png')).toBe('mine');
  expect((await shotlist('run', 'pipeline.yaml', '--replace-files')).code).toBe(0);
  expect(rig.read('logo.png')).not.toBe('mine');
  expect(charges()).toBe(1);
});
