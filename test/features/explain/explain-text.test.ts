// What `shotlist explain` prints.
import { expect, test } from 'vitest';
import { explanations } from '../../../src/contract/codes/all.ts';
import { codesText, explanationText } from '../../../src/features/explain/explain-text.ts';

test('the list has every code with its title', () => {
  const lines = codesText().split('\n');
  for (const [code, { title }] of explanations) expect(lines).toContain(`  ${code}  ${title}`);
});

test.each([...explanations])(
  '%s fits the terminal, and lets no control character reach it',
  (code, entry) => {
    const text = explanationText(code, entry, 60);
    const [title, , ...lines] = text.split('\n');
    expect(title).toBe(`${code}: ${entry.title}`);
    const prose = lines.slice(0, lines.indexOf(''));
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(60);
    expect(prose.join(' ')).toBe(entry.meaning);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  },
);

test('says what an example needs besides its file', () => {
  const shown = (code: string): string => {
    const entry = explanations.get(code);
    if (entry === undefined) throw new Error(`there is no ${code}`);
    return explanationText(code, entry);
  };
  expect(shown('SL001')).toContain('Wrong: saved as Latin-1');
  expect(shown('SL505')).toContain('for shotlist plan --items carl.jpg');
  expect(shown('SL508')).toContain('Wrong: beside photo.jpg, empty; for shotlist plan\n');
  expect(shown('SL601')).toContain('This is a warning: the command continues.');
});

test.each([...explanations])('%s never shows one text as wrong and right', (code, entry) => {
  const parts = explanationText(code, entry).split(/\n(?:Wrong|Right)\b/);
  const [, wrong, right] = parts;
  expect(parts).toHaveLength(3);
  const bodyOf = (text = ''): string =>
    text
      .replace(/^ \(.*\)/, '')
      .replace(/^:/, '')
      .trim();
  expect(bodyOf(wrong)).not.toBe(bodyOf(right));
});
