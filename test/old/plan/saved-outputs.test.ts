// What later steps see of a download: the files that it saved, and no others.
import { expect, test } from 'vitest';
import { savedOutputs } from '../../../src/run/item-run.ts';
import { hash, jobLine, outputLine } from '../../tables/plan-world.ts';

test('a download has its own files, in their order, with the first by itself', () => {
  const job = jobLine('complete', {
    outputs: [
      outputLine('other:a', 'out/x.png', 'another'),
      outputLine('save:a', 'out/a-1.png', 'one', 0),
      outputLine('save:a', 'out/a-2.png', 'second', 1),
    ],
  });
  expect(savedOutputs(job, 'save:a')).toEqual({
    ...{ paths: ['out/a-1.png', 'out/a-2.png'], bytes: 9 },
    ...{ path: 'out/a-1.png', sha256: hash('one') },
  });
});

test.each([jobLine('complete'), jobLine('complete', { outputs: [] })])(
  'a download without files has none',
  (job) => {
    expect(savedOutputs(job, 'save:a')).toEqual({ paths: [], bytes: 0 });
  },
);
