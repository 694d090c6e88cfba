import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';

const step = 'steps: { a: { uses: upload, with: { file: a.png } } }';

/** Line, column and message of every error. */
function errors(hook: string): readonly string[] {
  const checked = validate('p.yaml', `pipeline: p\n${hook}\n${step}\n`);
  if (checked.ok) return [];
  return checked.error.map(({ span, message }) => `${span?.line}:${span?.column} ${message}`);
}

describe('a hook', () => {
  test('is a program with arguments, or an https address', () => {
    expect(errors('on_finish: { command: [./notify.sh, "--to", "a b"] }')).toEqual([]);
    expect(errors('on_doubt: { webhook: "https://hooks.example/x?y=1" }')).toEqual([]);
  });

  test.each([
    ['on_finish: { command: [a, "${{ run.date }}"] }', '2:27 a hook contains an expression'],
    ['on_doubt: { webhook: "https://x.example/${{ env.A }}" }', '2:22 a hook contains an expr'],
    ['on_doubt: { webhook: "https://a:b@x.example" }', '2:22 the address of the webhook contains'],
    ['on_doubt: { webhook: "https://" }', '2:22 the address of the webhook is not valid'],
    ['on_doubt: { webhook: "http://x.example" }', '2:22 '],
    ['on_doubt: { webhook: "https://x.example", command: [a] }', '2:11 '],
    ['on_finish: { command: notify.sh }', '2:23 '],
  ])('that is wrong is refused with its place: %s', (hook, expected) => {
    const [first = '', ...others] = errors(hook);
    expect(first.slice(0, expected.length)).toBe(expected);
    expect(others).toEqual([]);
  });
});
