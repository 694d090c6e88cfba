// The parameters of a request as lines for people.
import { expect, test } from 'vitest';
import { parametersOf } from '../../src/report/page/report-builder.ts';

const fingerprint = 'a'.repeat(64);
const stepOf = (known: string): string | undefined => (known === fingerprint ? 'faces' : undefined);

test('each value has a line with its path; the name of the project has none', () => {
  const body = {
    name: 'swap:a #1',
    style: { prompt: 'a boat', seeds: [1, 2] },
    fast: true,
    audio: null,
  };
  expect(parametersOf(body, stepOf)).toEqual([
    { name: 'style.prompt', value: 'a boat' },
    { name: 'style.seeds[0]', value: '1' },
    { name: 'style.seeds[1]', value: '2' },
    { name: 'fast', value: 'true' },
    { name: 'audio', value: 'null' },
  ]);
});

test('what another step made has the name of the step', () => {
  const body = {
    known: `shotlist:${fingerprint}/faces[0].path`,
    gone: `shotlist:${'b'.repeat(64)}/url`,
  };
  expect(parametersOf(body, stepOf)).toEqual([
    { name: 'known', value: 'faces → faces[0].path' },
    { name: 'gone', value: 'an earlier step → url' },
  ]);
});

test('a value says nothing about the machine, and a long one is cut', () => {
  const [path, long] = parametersOf(
    { path: '/home/me/photos/a.jpg', long: 'x'.repeat(700) },
    stepOf,
  );
  expect(path?.value).toBe('a.jpg');
  expect(long?.value).toHaveLength(600);
  expect(parametersOf({ many: Array.from({ length: 99 }, String) }, stepOf)).toHaveLength(40);
});
