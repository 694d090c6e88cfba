// What each plan of the service would refuse, before the account's plan is known.
import { expect, test } from 'vitest';
import { tiers } from '../../src/contract/api/tier.ts';
import { PlanFindings } from '../../src/core/plan-findings.ts';
import { pipelineOf } from '../tables/plan-world.ts';

const { steps } = pipelineOf(`pipeline: p
steps:
  photo: { uses: upload, with: { file: a.png } }
  one: { uses: ai-image-upscaler, with: { scale_factor: 4, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  two: { uses: ai-image-upscaler, with: { scale_factor: 2, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
`);

test('a step is refused on the plans that lack what it asks for, with the first finding of each', () => {
  const findings = new PlanFindings();
  for (const step of steps) {
    findings.look(step, { scale_factor: step.name === 'two' ? 2 : 4 });
    findings.look(step, { scale_factor: 4, resolution: '4k' });
  }
  expect(Object.fromEntries(tiers.map((tier) => [tier, [...findings.refusedOn(tier)]]))).toEqual({
    free: [
      ['one', { field: 'scale_factor', message: expect.stringContaining('scale_factor 4') }],
      ['two', { field: expect.any(String), message: expect.any(String) }],
    ],
    ...{ creator: [], pro: [], business: [] },
  });
});

test('what a plan offers is not found', () => {
  const findings = new PlanFindings();
  for (const step of steps) findings.look(step, {});
  expect(findings.refusedOn('free').size).toBe(0);
});
