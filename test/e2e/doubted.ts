// A folder of photos of which the first is in doubt: the answer to its creation got lost.
import type { RunInternals } from '../../src/features/run/run.ts';
import type { LocalService } from '../../src/service/start.ts';
import { envOf, photoPipeline, photoRig, type Rig, service } from '../rig.ts';

export interface Doubted {
  readonly local: LocalService;
  readonly rig: Rig;
  readonly env: Readonly<Record<string, string>>;
  /** The name that was sent with the attempt. */
  readonly name: string;
}

/** One at a time, so that it is the first photo's creation that is lost. */
const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');

/** `after`: the project was made and charged, only the answer is lost. `before`: the service never took it. */
export async function doubted(
  when: 'before' | 'after',
  photos = 1,
  internals: (rig: Rig) => RunInternals = () => ({}),
): Promise<Doubted> {
  const lost = { fault: 'reset', on: 'POST /v1/face-swap-photo', when, count: 1 } as const;
  const local = await service({ faults: { faults: [lost] } });
  const rig = await photoRig(photos, oneByOne);
  const { summary } = await rig.run(local, {}, internals(rig));
  if (summary.outcome !== 'doubt') throw new Error(`nothing is in doubt: ${summary.outcome}`);
  const name = /"name":"(p1 #[^"]+)"/.exec(rig.read('photos.state.jsonl'))?.[1];
  if (name === undefined) throw new Error('the attempt has no name');
  return { local, rig, env: envOf(local), name };
}
