// Errors of the operating system: which a person can fix, which the next file would have, too, and which are bugs.
import { describe, expect, test } from 'vitest';
import { isMachineProblem, isSystemProblem, systemReason } from '../../src/base/system-error.ts';

const failure = (code: string, syscall?: string): Error =>
  Object.assign(new Error(`${code}: failed`), {
    code,
    ...(syscall === undefined ? {} : { syscall }),
  });

describe('a drive that is gone', () => {
  test.each([
    ['ENOTCONN', 'open'],
    ['ENOTCONN', 'stat'],
    ['ESTALE', 'write'],
    ['Unknown system error -116', 'write'],
    ['Unknown system error -123', 'mkdir'],
    ['ENODEV', 'open'],
    ['EHOSTDOWN', 'lstat'],
    ['ESHUTDOWN', 'fsync'],
    ['EREMOTEIO', 'rename'],
    ['EBUSY', 'rename'],
    ['UNKNOWN', 'write'],
    ['EIO', 'write'],
    ['EROFS', 'open'],
    ['ENOSPC', 'write'],
    ['EDQUOT', 'write'],
  ])('%s in %s stops the run, and is no bug', (code, call) => {
    const error = failure(code, call);
    expect(isSystemProblem(error)).toBe(true);
    expect(isMachineProblem(error, 'writing')).toBe(true);
    expect(systemReason(error)).not.toContain('failed:');
  });
});

test.each([
  ['EINVAL', 'open'],
  ['EILSEQ', 'open'],
  ['EFBIG', 'write'],
  ['ENAMETOOLONG', 'open'],
])('%s concerns one file', (code, call) => {
  expect(isSystemProblem(failure(code, call))).toBe(true);
  expect(isMachineProblem(failure(code, call), 'writing')).toBe(false);
});

test.each([
  ['EBADF', 'write'],
  ['ERR_INVALID_ARG_TYPE', undefined],
  ['ENOTCONN', 'shutdown'],
  ['EBUSY', undefined],
  ['ECONNRESET', 'read'],
])('%s in %s is no problem of a drive', (code, call) => {
  expect(isSystemProblem(failure(code, call))).toBe(false);
  expect(isMachineProblem(failure(code, call), 'writing')).toBe(false);
});
