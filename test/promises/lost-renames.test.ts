// Promises 1 and 2 on a disk that loses what was not synced: the name that a rename gave, the content of a new file. The state file comes
// into being by a rename and is compacted by one; a result is put in its place by one.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startService } from '../../src/service/start.ts';
import { cutAt, PowerCut } from '../e2e/power-cut.ts';
import { bill, photo, photoPipeline, photoRig, plainly } from '../rig.ts';
import { lossyDisk } from './lossy-disk.ts';

const step = process.env['EVERY'] === '1' ? 1 : 4;
const pipeline = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');

test.each([
  ['the first run', false],
  ['a run whose state file an earlier one has compacted', true],
])(
  'the power is cut at a line of %s, and the receipts are lost too: nothing is paid twice, and no paid result is lost',
  async (_, isSecond) => {
    const disk = await lossyDisk();
    let ends = false;
    // Every fourth line; EVERY=1 tries all of them.
    for (let line = 1; !ends; line += step) {
      const local = await startService(plainly);
      const rig = await photoRig(1, pipeline);
      disk.watch(rig.folder);
      try {
        if (isSecond) expect((await rig.run(local)).summary.outcome).toBe('done');
        rig.write('photos/p2.png', await photo(2));
        const power = cutAt(line, 'after', rig.path('photos.state.jsonl'));
        const death = await rig.run(local, {}, power).catch((error: unknown) => error);
        ends = !(death instanceof PowerCut);
        disk.cut();
        rmSync(process.env['SHOTLIST_RECEIPTS'] ?? '', { recursive: true, force: true });

        const { summary } = await rig.run(local);
        const where = `cut after line ${line}`;
        for (const [name, credits] of bill(local.ledger()))
          expect(credits, `${where}: ${name}`).toBe(10);
        const { doubt } = summary.tasks;
        expect(summary.outcome, where).toBe(doubt > 0 ? 'doubt' : 'done');
        expect(rig.files('out').length + doubt, where).toBe(2);
      } finally {
        await local.close();
      }
    }
  },
);
