// A drive that locks for one host only: of two hosts that run at once, one stops.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bill, photoRig, service } from '../rig.ts';
import { atLine } from './at-line.ts';

test('a run whose live file another host replaces sends nothing more, and leaves nothing in doubt', async () => {
  const local = await service();
  const rig = await photoRig(2);
  const live = rig.path('.shotlist/photos.state.jsonl.live.json');
  const first = await rig.run(
    local,
    {},
    atLine('intent', () => {
      const own: object = JSON.parse(readFileSync(live, 'utf8'));
      writeFileSync(live, JSON.stringify({ ...own, boot: 'of another host' }));
    }),
  );
  expect(first.summary).toMatchObject({ stoppedBy: 'machine', tasks: { doubt: 0 } });
  expect(bill(local.ledger()).size).toBe(0);
  rmSync(live);
  const second = await rig.run(local);
  expect(second.summary).toMatchObject({ outcome: 'done', tasks: { doubt: 0 } });
  expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
});
