// Which items the gallery shows.
import { describe, expect, test } from 'vitest';
import { filtered, noFilter } from '../../../src/report/browser/filter.ts';
import { item, reportOf } from './report-data.ts';

const file = { step: 1, medium: 'image' } as const;
const data = reportOf([
  item('Anna Smith', 'done', [{ step: 1, state: 'done', project: 'proj-7' }], {
    outputs: [{ ...file, name: 'anna.png', sha256: 'c0ffee' }],
  }),
  item('bob', 'failed', [{ step: 1, state: 'failed', why: 'no face was found' }]),
  item('carl', 'waiting', [
    { step: 0, state: 'done' },
    { step: 1, state: 'blocked' },
  ]),
]);

describe('the filter', () => {
  test.each([
    ['nothing', {}, [0, 1, 2]],
    ['a state', { state: 'failed' }, [1]],
    ['a step that did something', { step: 1 }, [0, 1]],
    ['another step', { step: 0 }, [2]],
    ['a name, in any case', { text: 'ANNA' }, [0]],
    ['words in any order', { text: ' smith  anna ' }, [0]],
    ['a hash', { text: 'c0ff' }, [0]],
    ['a project', { text: 'proj-7' }, [0]],
    ['a reason', { text: 'no face' }, [1]],
    ['a word that only another item has', { text: 'anna face' }, []],
    ['all at once', { state: 'done', step: 1, text: 'png' }, [0]],
  ] as const)('by %s', (_what, filter, numbers) => {
    expect(filtered(data, { ...noFilter, ...filter })).toEqual(numbers);
  });

  test('of a pipeline without items decides about the shared tasks', () => {
    const shared = reportOf([], { shared: item('', 'done', [{ step: 0, state: 'done' }]) });
    expect(filtered(shared, noFilter)).toEqual([-1]);
    expect(filtered(shared, { ...noFilter, state: 'failed' })).toEqual([]);
  });
});
