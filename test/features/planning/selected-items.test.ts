// What a run is asked to do: patterns that cannot be matched are refused in a sentence.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/features/plan/plan.ts';
import type { SelectionOptions } from '../../../src/features/planning/selected-items.ts';
import { loadPipeline } from '../../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../../src/language/load/refusal.ts';
import { photoPipeline, Rig } from '../../rig.ts';

async function said(choice: SelectionOptions, pipeline = photoPipeline): Promise<string> {
  const rig = new Rig(pipeline);
  rig.write('photos/a.png', 'x');
  rig.write('actor.png', 'x');
  const loaded = await loadPipeline(rig.file);
  const planned = await resultOf(() => plan(loaded, { ...choice, rehearse: true, env: {} }));
  return planned.ok ? 'planned' : renderProblem(planned.error);
}

const long = 'a'.repeat(70_000);

describe('a pattern', () => {
  test.each<readonly [string, string, SelectionOptions]>([
    ['--items', '--items', { items: { only: '' } }],
    ['--exclude', '--exclude', { exclude: [''] }],
    ['--exclude, after a good one', '--exclude', { exclude: ['*.jpg', ''] }],
  ])('that is empty is refused: %s', async (_, option, choice) => {
    const text = await said(choice);
    expect(text).toContain(`${option}: the pattern is empty, so it matches nothing`);
    expect(text).toContain('write a glob of item keys');
  });

  test.each<readonly [string, SelectionOptions]>([
    ['--items', { items: { only: long } }],
    ['--exclude', { exclude: [long] }],
  ])('that is too long is refused without being shown whole: %s', async (option, choice) => {
    const text = await said(choice);
    expect(text).toContain(`${option}: the pattern "aaa`);
    expect(text).toContain('has 70000 characters; at most 65536 are allowed');
    expect(text.length).toBeLessThan(400);
  });

  test('of the pipeline that is too long is refused with its place', async () => {
    const text = await said({}, photoPipeline.replace('photos/**/*.png', `photos/${long}`));
    expect(text).toContain('error SL106: items.glob: the pattern "photos/aaa');
    expect(text).toContain('has 70007 characters; at most 65536 are allowed');
  });

  test('that fits is taken', async () => {
    expect(await said({ items: { only: '*.png' } })).toBe('planned');
  });
});
