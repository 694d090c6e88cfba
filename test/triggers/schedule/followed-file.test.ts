// The files that make up a pipeline, as a long-lived command sees them.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FollowedFile } from '../../../src/triggers/schedule/followed-file.ts';
import { Rig } from '../../rig.ts';

const fragment = 'steps: { up: { uses: upload, with: { file: a.png } } }\n';
const including = (file: string): string =>
  `pipeline: p\ninclude: [{ file: ${file}, as: f }]\nsteps: { own: { uses: upload, with: { file: b.png } } }\n`;

test('a change of an included file is a change, also when the file comes, goes, or becomes wrong', async () => {
  const rig = new Rig(including('one.yaml'));
  rig.write('one.yaml', fragment);
  const followed = new FollowedFile(rig.file);
  const load = async (): Promise<boolean> => {
    const { loaded, appearance } = await followed.load({});
    expect(followed.appearance).toBe(appearance);
    return loaded.ok;
  };
  const changes = (change: () => void): boolean => {
    const before = followed.appearance;
    change();
    return followed.appearance !== before;
  };
  expect(await load()).toBe(true);
  expect(changes(() => rig.write('one.yaml', `${fragment}# more\n`))).toBe(true);
  expect(await load()).toBe(true);
  expect(changes(() => rmSync(rig.path('one.yaml')))).toBe(true);
  expect(await load()).toBe(false);
  expect(changes(() => rig.write('one.yaml', 'steps: ['))).toBe(true);
  expect(await load()).toBe(false);
  rig.write('two.yaml', fragment);
  expect(changes(() => rig.write('pipeline.yaml', including('two.yaml')))).toBe(true);
  expect(await load()).toBe(true);
  expect(changes(() => rig.write('one.yaml', fragment))).toBe(false);
  expect(changes(() => rig.write('two.yaml', `${fragment}# more\n`))).toBe(true);
});
