// Takes: `reroll` pays for another one on purpose, once; `pick` chooses, and only then does anything downstream run again.
import { expect, test } from 'vitest';
import { loadPipeline } from '../../src/runner/operations/pipeline/load.ts';
import { renderProblem } from '../../src/runner/operations/pipeline/problem.ts';
import { planReroll, rerollWith } from '../../src/runner/operations/reroll.ts';
import type { LocalService } from '../../src/service/start.ts';
import { bill, envOf, photoRig, type Rig, service } from '../rig.ts';

const pace = { backoffMs: 1, speedFactor: 100 };

async function reroll(rig: Rig, to: LocalService, ...names: string[]) {
  const loaded = await loadPipeline(rig.file);
  if (!loaded.ok) throw new Error(renderProblem(loaded.error));
  const rerolled = await rerollWith(loaded.value, names, { env: envOf(to) }, pace);
  if (!rerolled.ok) throw new Error(renderProblem(rerolled.error));
  return rerolled.value;
}

test('another take is paid for once, and saved beside the result', async () => {
  const [rig, to] = [await photoRig(1), await service()];
  await rig.run(to);
  const key = rig.files('out')[0];
  console.log(rig.files('out'), rig.files('photos'));
  const rerolled = await reroll(rig, to, `swap:${rig.files('photos')[0]}`);
  console.log(JSON.stringify(rerolled, null, 1), rig.files('out'), [...bill(to.ledger())]);
  console.log(rig.read('photos.state.jsonl'));
  expect(key).toBeDefined();
  void planReroll;
});
