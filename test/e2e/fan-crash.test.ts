// Promises 1 and 2 for fan-outs and fan-ins: wherever a run is cut, each element is charged at most once, and the gathering
// step once, with all of them.
import { expect, test } from 'vitest';
import type { RunInternals } from '../../src/features/run/run.ts';
import { startService } from '../../src/service/start.ts';
import { bill, plainly, Rig, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { cutAt, PowerCut } from './power-cut.ts';

const pipeline = `pipeline: p
output: out
items: { values: [{ key: cat }, { key: dog }] }
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ item.key }}-\${{ each.index }}.png" } }
  tidy: { uses: delete, with: { of: up } }
  wall: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.img.all.map(i, i.url) }}" }, style: { prompt: a wall } } }
  save-wall: { uses: download, with: { of: wall, to: wall.png } }
`;

const prices = { img: 10, up: 25, wall: 50 };
const priceOf = (name: string): number =>
  Object.entries(prices).find(([step]) => name.startsWith(`p ${step}`))?.[1] ?? 0;

async function countLines(): Promise<number> {
  let lines = 0;
  const count: RunInternals = {
    lines: (file) => ({
      append(text) {
        lines += 1;
        file.append(text);
      },
      sync: () => file.sync(),
    }),
  };
  await new Rig(pipeline).run(await service(), {}, count);
  return lines;
}

test.each(sampleOf(['before', 'after'] as const, 2))(
  'the power is cut %s a line of the journal: resumed, and nothing is charged twice',
  async (when) => {
    const all = await countLines();
    expect(all).toBeGreaterThan(25);
    const lines = Array.from({ length: all - 1 }, (_, index) => index + 1);
    for (const line of sampleOf(lines, 20, when === 'before' ? 3 : 13)) {
      const local = await startService({ ...plainly, tier: 'business' });
      const rig = new Rig(pipeline);
      try {
        const cut = cutAt(line, when, rig.path('p.state.jsonl'));
        const death = await rig.run(local, {}, cut).catch((error: unknown) => error);
        expect(death).toBeInstanceOf(PowerCut);
        cut.restore();
        const { summary } = await rig.run(local);
        const where = `cut ${when} line ${line}`;
        for (const [name, credits] of bill(local.ledger()))
          expect(credits, `${where}: ${name}`).toBe(priceOf(name));
        expect(summary.outcome, where).toBe(summary.tasks.doubt > 0 ? 'doubt' : 'done');
        if (summary.tasks.doubt === 0) expect(rig.files('out'), where).toHaveLength(5);
      } finally {
        await local.close();
      }
    }
  },
);
