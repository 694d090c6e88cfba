// Failures by cause.
import { describe, expect, test } from 'vitest';
import { failureGroups } from '../../src/report/page/report-builder.ts';

const failed = (item: number, key: string, why: string, code?: string) => ({
  ...{ step: 3, item, key, why, code },
});

describe('failures', () => {
  test('with one cause are one group with a remedy, the largest first', () => {
    const groups = failureGroups([
      failed(0, 'cat.png', 'cat.png is empty'),
      failed(1, 'a.png', 'No face was found.', 'no_source_face'),
      failed(2, 'b.png', 'No face was found.', 'no_source_face'),
      failed(3, 'b.png', 'No face was found.', 'no_source_face'),
      failed(4, 'dog.png', 'dog.png is empty'),
    ]);
    expect(groups).toEqual([
      {
        ...{ step: 3, why: 'No face was found.', code: 'no_source_face' },
        ...{ advice: 'use a picture that shows a face', items: [1, 2, 3] },
      },
      { step: 3, why: '… is empty', items: [0, 4] },
    ]);
  });

  test('of different steps, codes or sentences are different causes', () => {
    const groups = failureGroups([
      failed(0, 'a.png', 'no', 'refused'),
      failed(1, 'b.png', 'no', 'forbidden'),
      failed(2, 'c.png', 'never', 'refused'),
      { ...failed(3, 'd.png', 'no', 'refused'), step: 4 },
    ]);
    expect(groups).toHaveLength(4);
  });
});
