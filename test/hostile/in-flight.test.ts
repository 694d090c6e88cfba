// One malformed answer among many creations in flight costs that one creation its answer, and nobody else anything.
import { expect } from 'vitest';
import { bill, photoRig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { frontOf } from './front.ts';

longTest(
  'of sixteen creations in flight, one is answered with content-length: -5, and only that one is in doubt',
  async () => {
    const local = await service({ slots: 16, tier: 'business' });
    const front = await frontOf(local, {
      ...{ at: 'creation', who: 'one', withheld: false, gather: 16 },
      operation: ({ response }) =>
        void response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}'),
    });
    const rig = await photoRig(16);
    const { summary } = await rig.run(front.service);
    expect(front.met()).toBe(1);
    expect(summary).toMatchObject({
      outcome: 'doubt',
      items: { done: 15 },
      tasks: { doubt: 1, failed: 0, pending: 0 },
    });
    expect(rig.files('out')).toHaveLength(15);
    front.tame();
    const again = await rig.run(front.service);
    expect(again.summary).toMatchObject({ outcome: 'doubt', items: { done: 15 } });
    expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 16 }, () => 10));
  },
);
