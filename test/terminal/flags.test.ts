// What is typed becomes a value, or an error that says what to write instead.
import { Command, InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { optionOf } from '../../src/cli/commands.ts';
import { type Flag, pruneFlags, runFlags, serveFlags } from '../../src/terminal/flags.ts';

describe('a number', () => {
  test.each<readonly [Flag<unknown>, readonly string[], string, unknown]>([
    [runFlags.limit, ['-1', '0', '1.5', 'abc', '', '1e3', '9'.repeat(20)], '20', 20],
    [runFlags.budget, ['-1', '1.5', 'abc', '', '9'.repeat(20)], '0', 0],
    [runFlags.listen, ['-1', '65536', 'host:', 'host'], '0', { host: '127.0.0.1', port: 0 }],
    [runFlags.speed, ['0', '-1', 'abc', 'Infinity', 'NaN'], '60x', 60],
    [serveFlags.port, ['-1', '65536', 'abc', '1.5'], '0', 0],
    [pruneFlags.olderThan, ['-1', '6', '6 hours', 'abc'], '6h', 21_600_000],
  ])('for $term names what to write if it is wrong', (flag, wrong, right, value) => {
    for (const text of wrong) {
      expect(() => flag.read?.(text, undefined), text).toThrow(InvalidArgumentError);
      expect(() => flag.read?.(text, undefined), text).toThrow(/^Write /);
    }
    expect(flag.read?.(right, undefined)).toEqual(value);
  });
});

function command(): Command {
  const made = new Command('run').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const flag of Object.values(runFlags)) made.addOption(optionOf(flag));
  return made;
}
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
