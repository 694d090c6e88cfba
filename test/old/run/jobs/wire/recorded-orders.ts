// Real runs, of which all orders and outcomes cross a wire: together they have every operation.
import { appendFileSync, rmSync } from 'node:fs';
import type { RunInternals } from '../../../../../src/features/run/run.ts';
import { rerolls } from '../../../../e2e/taken.ts';
import { photoPipeline, photoRig, service } from '../../../../rig.ts';
import { textAt } from '../../../../service/client.ts';
import { hub } from '../../../../service/receiver.ts';
import { nobody } from '../../../../service-api/server.ts';
import { Wire } from './wired.ts';

const stored = photoPipeline.replace('output: out\n', 'output: out\noutputs: { store: store }\n');
const kept = photoPipeline.replace(/ {2}tidy:.*\n/, '');
const colors = `  color: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  save2: { uses: download, with: { of: color, to: "colored/\${{ item.stem }}.png" } }
`;
const swaps = 'POST /v1/face-swap-photo';

/** The store comes later, and then a step that needs what only the store still has. */
async function stores(wire: Wire): Promise<void> {
  const [rig, local] = [await photoRig(2, kept), await service()];
  await rig.run(local, {}, wire.internals);
  rig.write('pipeline.yaml', stored);
  await rig.run(local, {}, wire.internals);
  rmSync(rig.path('out'), { recursive: true });
  rig.write('pipeline.yaml', stored + colors);
  await rig.run(local, {}, wire.internals);
}

/** The same content under another path, then another take of it. */
async function copiesAndTakes(wire: Wire): Promise<void> {
  const [rig, local] = [await photoRig(1), await service()];
  await rig.run(local, {}, wire.internals);
  rig.write(
    'pipeline.yaml',
    photoPipeline.replace('/${{ item.stem }}.png"', '/${{ item.stem }}-2.png"'),
  );
  await rig.run(local, {}, wire.internals);
  await rerolls(rig, local, ['swap:p1.png'], wire.internals);
}

class Crash extends Error {}

/** The run dies when a job is in this state. */
function dyingAt(state: string): RunInternals {
  let dead = false;
  return {
    lines: (file) => ({
      append(line) {
        file.append(line);
        dead ||= line.includes(`"state":"${state}"`);
      },
      async sync() {
        await file.sync();
        if (dead) throw new Crash();
      },
    }),
  };
}

async function resumes(wire: Wire): Promise<void> {
  const [rig, local] = [await photoRig(1), await service()];
  const died = await rig
    .run(local, {}, { ...wire.internals, ...dyingAt('created') })
    .catch((error: unknown) => error);
  if (!(died instanceof Crash)) throw new Error('the run did not die');
  await rig.run(local, {}, wire.internals);
}

/** An answer is lost; the next run listens to the events of the service. */
async function listens(wire: Wire): Promise<void> {
  const lost = { fault: 'reset', on: swaps, when: 'after' } as const;
  const local = await service({ eventBackoffMs: 20, faults: { faults: [lost] } });
  const url = await nobody();
  const secret = textAt(await hub(local.address, '/hub/webhooks', { url: `${url}/in` }), 'secret');
  const rig = await photoRig(1);
  await rig.run(local, {}, wire.internals);
  const listen = { host: '127.0.0.1', port: Number(new URL(url).port) };
  await rig.run(local, { listen, webhookSecret: secret }, wire.internals);
}

/** A project fails, the budget is too small for all photos, and one of them is too large to be read in passing. */
async function fails(wire: Wire): Promise<void> {
  const failing = {
    fault: 'job-error',
    on: 'face-swap-photo',
    code: 'unknown_error',
    count: 1,
  } as const;
  const local = await service({ faults: { faults: [failing] } });
  const rig = await photoRig(3);
  appendFileSync(rig.path('photos/p1.png'), Buffer.alloc(300_000));
  await rig.run(local, { budget: 15 }, wire.internals);
}

/** What crossed the wire in runs that have a store, a copy, a reroll, a resumed project, a doubt and a failure. */
export async function recorded(): Promise<Wire> {
  const wire = new Wire();
  await Promise.all([stores, copiesAndTakes, resumes, listens, fails].map((run) => run(wire)));
  return wire;
}
