// What a run is asked to do: patterns that cannot be matched are refused in a sentence.
import { describe, expect, test } from 'vitest';
import type { ChoiceOptions } from '../../src/workspace/choice.ts';
import { loadPipeline } from '../../src/workspace/load.ts';
import { plan } from '../../src/workspace/plan.ts';
import { renderProblem } from '../../src/workspace/problem.ts';
import { photoPipeline, Rig } from '../rig.ts';

async function said(choice: ChoiceOptions, pipeline = photoPipeline): Promise<string> {
  const rig = new Rig(pipeline);
  rig.write('photos/a.png', 'x');
  rig.write('actor.png', 'x');
  const loaded = await loadPipeline(rig.file);
  if (!loaded.ok) throw new Error(renderProblem(loaded.error));
  const planned = await plan(loaded.value, { ...choice, rehearse: true, env: {} });
  return planned.ok ? 'planned' : renderProblem(planned.error);
}

const long = 'a'.repeat(70_000);

describe('a pattern', () => {
  test.each<readonly [string, ChoiceOptions]>([
    ['--items', { items: { only: '' } }],
    ['--exclude', { exclude: [''] }],
    ['--exclude, after a good one', { exclude: ['*.jpg', ''] }],
  ])('that is empty is refused: %s', async (_, choice) => {
    expect(await said(choice)).toContain('an empty pattern matches no item: write a glob');
  });

  test.each<readonly [string, ChoiceOptions]>([
    ['--items', { items: { only: long } }],
    ['--exclude', { exclude: [long] }],
  ])('that is too long is refused without being shown whole: %s', async (_, choice) => {
    const text = await said(choice);
    expect(text).toContain('a pattern of 70000 characters ("aaa');
    expect(text).toContain('at most 65536 are possible');
    expect(text.length).toBeLessThan(400);
  });

  test('of the pipeline that is too long is refused with its place', async () => {
    const text = await said({}, photoPipeline.replace('photos/**/*.png', `photos/${long}`));
    expect(text).toContain('error: items.glob: a pattern of 70007 characters');
  });

  test('that fits is taken', async () => {
    expect(await said({ items: { only: '*.png' } })).toBe('planned');
  });
});
