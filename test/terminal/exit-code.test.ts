// The exit codes are a contract with scripts.
import { expect, test } from 'vitest';
import { problem } from '../../src/language/load/refusal.ts';
import { exitCodes, problemCode, withExitCode } from '../../src/terminal/exit-code.ts';

test('every outcome has its own exit code, and only "done" has 0', () => {
  expect(exitCodes).toEqual({
    done: 0,
    failed: 1,
    budget: 3,
    doubt: 4,
    unauthorized: 5,
    waiting: 6,
    interrupted: 130,
  });
});

test.each([
  ['input', 2],
  ['locked', 2],
  ['system', 1],
  ['unreachable', 1],
] as const)('a problem of %s exits with %i', (reason, code) => {
  expect(problemCode({ ...problem('it is so'), reason })).toBe(code);
});

test('only the last event of a run carries an exit code', () => {
  const warning = { type: 'warning', message: 'it is so' } as const;
  expect(withExitCode(warning)).toEqual(warning);
});
