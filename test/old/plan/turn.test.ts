// Whose turn it is: one rule, asked by the plan with what it foresees and by a run with what has happened.
import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/plan/ending.ts';
import { saversOf, turnOf } from '../../../src/plan/turn.ts';
import { pipelineOf } from '../../tables/plan-world.ts';

const phases =
  (known: Readonly<Record<string, Phase>>) =>
  (step: string): Phase =>
    known[step] ?? 'done';

describe('a step that waits for several', () => {
  const step = { after: ['a', 'b', 'c'], uses: ['a', 'b'] };

  test('starts when all of them are done', () => {
    expect(turnOf(step, phases({}))).toBe('start');
  });

  test.each(['waiting', 'started'] as const)('is not asked while one is %s', (phase) => {
    expect(turnOf(step, phases({ a: 'failed', c: phase }))).toBeUndefined();
  });

  test.each(['failed', 'doubt', 'blocked', 'pending'] as const)(
    'is blocked where one is %s, whatever the others are and in whichever order they stand',
    (phase) => {
      for (const order of [
        { a: phase, b: 'skipped', c: 'excluded' },
        { a: 'excluded', b: 'skipped', c: phase },
      ] as const) {
        const why = `waits for ${order.a === phase ? 'a' : 'c'}`;
        expect(turnOf(step, phases(order))).toEqual({ ending: 'blocked', why });
      }
    },
  );

  test('is skipped rather than excluded', () => {
    expect(turnOf(step, phases({ a: 'excluded', b: 'skipped' }))).toEqual({
      ending: 'skipped',
      why: 'b is skipped',
    });
  });

  test('is excluded where one of them is, and names the first', () => {
    expect(turnOf(step, phases({ b: 'excluded', c: 'excluded' }))).toEqual({
      ...{ ending: 'excluded', why: 'b is excluded' },
    });
  });

  test('is not skipped for a step whose outputs it does not use', () => {
    expect(turnOf(step, phases({ c: 'skipped' }))).toBe('start');
  });
});

describe('what must be saved before a delete', () => {
  const savers = (text: string): readonly string[] => {
    const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  again: { uses: download, with: { of: swap, to: "\${{ item.key }}-2.png" } }
${text}`);
    const tidy = steps.find(({ name }) => name === 'tidy');
    if (tidy === undefined) throw new Error('there is no tidy');
    return saversOf(tidy, steps).map(({ name }) => name);
  };

  test('are all downloads of its step', () => {
    expect(savers('  tidy: { uses: delete, with: { of: swap } }')).toEqual(['save', 'again']);
  });

  test('is nothing where the result is thrown away on purpose', () => {
    expect(savers('  tidy: { uses: delete, with: { of: swap, discard: true } }')).toEqual([]);
  });

  test('are not those of another project, or of steps that do not run beside it', () => {
    const { steps } = pipelineOf(`pipeline: p
items: { values: [{ key: a }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.actor.file_path }}" } } }
  other: { uses: photo-colorizer, with: { name: x, assets: { image_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  more: { uses: download, with: { of: swap, to: shared.png } }
  third: { uses: download, with: { of: other, to: other.png } }
  tidy: { uses: delete, with: { of: swap } }
`);
    const tidy = steps.find(({ name }) => name === 'tidy');
    const save = steps.find(({ name }) => name === 'save');
    if (tidy === undefined || save === undefined) throw new Error('there is no tidy');
    expect(saversOf(tidy, steps).map(({ name }) => name)).toEqual(['more']);
    expect(saversOf(save, steps)).toEqual([]);
  });

  test('is nothing for other steps', () => {
    expect(savers('  tidy: { uses: upload, with: { file: a.png } }')).toEqual([]);
  });
});
