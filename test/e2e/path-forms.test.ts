// The main job where a deployment answers to one form of the paths, or to both. Latency is random, so that the answers
// to the first requests come back in every order.
import { describe, expect, test } from 'vitest';
import { pathForms } from '../../src/contract/api/routes.ts';
import { photoPipeline, photoRig, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';

/** `TIMES=20` is the whole proof; `npm test` takes a small one. */
const times = Number(process.env['TIMES'] ?? 1);
const photos = 10;

// EVERY=1 tries each form; the one that answers to both comes last.
describe.each(sampleOf(pathForms, 3, pathForms.indexOf('both')))(
  'where a service answers to %s paths',
  (paths) => {
    const pipeline = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 6 }');

    test(`the main job is done, ${times} times of ${times}, and each photo is paid once`, async () => {
      const rig = await photoRig(photos, pipeline);
      for (let seed = 1; seed <= times; seed++) {
        const local = await service({
          ...{ paths, seed, slots: 6 },
          faults: { faults: [{ fault: 'latency', for: '0ms', up_to: '8ms' }] },
        });
        const state = rig.path(`${seed}.state.jsonl`);
        const { summary } = await rig.run(local, { state, output: rig.path(`out-${seed}`) });
        expect(summary, `seed ${seed}`).toMatchObject({
          outcome: 'done',
          items: { done: photos },
          credits: { charged: photos * 10 },
        });
        expect(local.ledger().filter(({ kind }) => kind === 'charge')).toHaveLength(photos);
        const unknown = local.requests()['unknown'] ?? 0;
        expect(unknown, `seed ${seed}`).toBe(paths === 'long' ? 1 : 0);
        await local.close();
      }
    });
  },
);
