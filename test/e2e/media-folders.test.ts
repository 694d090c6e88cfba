// Folders of photos that the user of the command may not read all of.
import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canBeNobody, nobody } from '../nobody.ts';
import { ended, photoPipeline, photoRig } from '../rig.ts';

test.skipIf(!canBeNobody)(
  'a folder that may not be read is named in a warning; without other photos it is the reason (needs a checkout that nobody may read)',
  { tags: 'long' },
  async () => {
    const rig = await photoRig(1);
    rig.write('photos/private/p2.png', rig.read('actor.png'));
    chmodSync(rig.path('photos/private'), 0);
    chmodSync(rig.folder, 0o777);
    const words =
      'photos/private is not searched: the folder cannot be read or written (permission denied)';
    const some = await ended(rig.start(['plan', 'pipeline.yaml'], {}, nobody));
    expect(some.stderr).toContain(`warning: ${words}`);
    expect(some.stdout).toContain('1 item:');
    expect(some.code).toBe(0);
    rig.write('pipeline.yaml', photoPipeline.replace('**/*.png', '**/p2.png'));
    const none = await ended(rig.start(['plan', 'pipeline.yaml'], {}, nobody));
    expect(none.stderr).toContain('finds no file');
    expect(none.stderr).toContain(words);
    expect(none.code).toBe(2);
  },
);
