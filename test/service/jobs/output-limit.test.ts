// How large outputs may be: models.md, Plans.
import { expect, test } from 'vitest';
import { tiers } from '../../../src/contract/api/tier.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { outputLimit } from '../../../src/service/jobs/jobs.ts';

const limits = (name: string, of: 'most' | 'longest'): readonly number[] => {
  const tool = toolNamed(name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tiers.map((tier) => outputLimit(tool, tier)[of]);
};

test.each([
  ['face-swap-photo', [576, 1024, 1472, 4096]],
  ['face-swap', [576, 1024, 1472, 4096]],
  ['head-swap', [576, 1024, 1472, 4096]],
  ['ai-headshot-generator', [576, 1024, 1344, 1344]],
  ['ai-clothes-changer', [576, 1024, 1472, 1472]],
  ['video-to-video', [576, 1024, 1472, 1472]],
  ['animation', [576, 1024, 1472, 1472]],
])(
  '%s, which has no named resolutions, bounds its longer side by the plan: %j',
  (name, longest) => {
    expect(limits(name, 'longest')).toEqual(longest);
  },
);

test('a talking photo has at most 720p on every plan', () => {
  expect(limits('ai-talking-photo', 'most')).toEqual([576, 720, 720, 720]);
});

test.each(['text-to-video', 'ai-image-generator', 'character-replace'])(
  '%s, which has named resolutions, is the same on all paid plans',
  (name) => {
    expect(limits(name, 'longest')).toEqual(tiers.map(() => Number.POSITIVE_INFINITY));
    expect(new Set(limits(name, 'most').slice(1)).size).toBe(1);
    expect(limits(name, 'most')[0]).toBe(576);
  },
);
