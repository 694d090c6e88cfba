// What is typed becomes a value, or an error that says what to write instead.
import { Command, InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import {
  duration,
  listenAddress,
  portNumber,
  positiveInteger,
  positiveNumber,
  wholeNumber,
  withInputs,
  withPaths,
  withSelection,
} from '../../../src/runner/cli/options.ts';

describe('a number', () => {
  test.each([
    ['--limit', positiveInteger, ['-1', '0', '1.5', 'abc', '', '1e3', '9'.repeat(20)]],
    ['--budget', wholeNumber, ['-1', '1.5', 'abc', '', '9'.repeat(20)]],
    ['--port', portNumber, ['-1', '65536', 'abc', '1.5']],
    ['--listen', listenAddress, ['-1', '65536', 'host:', 'host']],
    ['a speed', positiveNumber, ['0', '-1', 'abc', 'Infinity', 'NaN']],
    ['--expiring', duration, ['-1', '6', '6 hours', 'abc']],
  ] as const)('for %s that is wrong names what to write', (_, read, wrong) => {
    for (const text of wrong) {
      expect(() => read(text), text).toThrow(InvalidArgumentError);
      expect(() => read(text), text).toThrow(/^Write a /);
    }
  });

  test('that is right is taken', () => {
    expect([positiveInteger('20'), wholeNumber('0'), portNumber('0')]).toEqual([20, 0, 0]);
  });
});

const command = (): Command =>
  withSelection(withPaths(withInputs(new Command('run').exitOverride()))).configureOutput({
    writeErr: () => undefined,
  });
const typed = (...args: readonly string[]): Record<string, unknown> =>
  command()
    .parse([...args], { from: 'user' })
    .opts();

describe('an option', () => {
  test('that may be repeated is a list, and absent where it was not used', () => {
    expect(typed('--only', 'a', '--only', 'b', '--input', 'x=1', '--input', 'y=2')).toEqual({
      only: ['a', 'b'],
      input: { x: '1', y: '2' },
    });
    expect(typed()).toEqual({});
  });

  test('has no default in its help that no person would write', () => {
    expect(command().helpInformation()).not.toMatch(/\(default:\s+[[{]/);
  });

  test('of another service is no rehearsal', () => {
    expect(() => typed('--rehearse', '--service', 'https://x.example')).toThrow(
      /'--service <address>' cannot be used with option '--rehearse'/,
    );
  });
});
