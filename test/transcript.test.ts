// A transcript holds what is printed to the letter, and gives way only where it says so.
import { describe, expect, test } from 'vitest';
import { replay } from './transcript.ts';

const printed = (shown: string, command = "printf 'one\\ntwo\\nthree\\n'"): string =>
  `Prose.\n\n$ ${command}\n${shown}\n`;

const differs = async (text: string): Promise<boolean> =>
  (await replay(text)).differences.shown !== '';

describe('agrees', () => {
  test.each([
    ['every line', '  one\n  two\n  three'],
    ['some text within a line', '  o…\n  t…o\n  three'],
    ['any lines', '  one\n  …'],
    ['any lines in the middle', '  one\n  …\n  three'],
    ['no line at all behind the last', '  one\n  two\n  three\n  …'],
  ])('with %s', async (_, shown) => {
    const text = printed(shown);
    expect(await replay(text)).toMatchObject({ text, differences: { shown: '' } });
  });

  test('with a file that is given, what goes to standard error, and an exit code', async () => {
    const text = `given a.txt
  first

  last

$ cat a.txt b.txt   # exit code 1
  first

  last
! cat: b.txt: …
`;
    expect(await replay(text)).toMatchObject({ text, differences: { shown: '' } });
  });
});

describe('differs', () => {
  test.each([
    ['a line that is printed and not shown', '  one\n  three'],
    ['a line that is shown and not printed', '  one\n  two\n  and a half\n  three'],
    ['another text', '  one\n  zwei\n  three'],
    ['another order', '  two\n  one\n  three'],
    ['a text behind the one that is left out', '  o…x\n  two\n  three'],
    ['nothing shown', ''],
  ])('by %s', async (_, shown) => {
    const { text, differences } = await replay(printed(shown));
    expect(differences.shown).not.toBe('');
    expect(text).toBe(printed('  one\n  two\n  three'));
  });

  test('by the stream and by the exit code', async () => {
    expect(await differs(printed('  one', 'echo one >&2'))).toBe(true);
    expect(await differs(printed('! one', 'echo one >&2'))).toBe(false);
    const { text } = await replay(printed('  one', 'echo one; exit 3'));
    expect(text).toBe(printed('  one', 'echo one; exit 3   # exit code 3'));
  });
});

test('what is left out stays so where it still fits', async () => {
  const { text } = await replay(printed('  o…\n  zwei\n  …', "printf 'one\\ntwo\\nthree\\n'"));
  expect(text).toBe(printed('  o…\n  two\n  three'));
});

test('what differs from run to run has a name, by which it can be typed again', async () => {
  const id = '123e4567-e89b-12d3-a456-426614174000';
  const { text } = await replay(`$ echo ${id} $(date -u +%F)\n\n$ echo is <project-1>\n`);
  expect(text).toBe(
    `$ echo ${id} $(date -u +%F)\n  <project-1> YYYY-MM-DD\n\n$ echo is <project-1>\n  is <project-1>\n`,
  );
});

describe('at the service', () => {
  const story = (bill: string, requests: string): string => `given a service
  faults: { faults: [{ fault: job-error, on: ai-meme-generator, code: no_source_face, count: 1 }] }

given pipeline.yaml
  pipeline: memes
  items: { values: [{ key: one }, { key: two }] }
  limits: { items: 1 }
  steps:
    picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }

bill
  nothing

$ shotlist run pipeline.yaml > printed.txt   # exit code 1
! …

bill
  ${bill}

elsewhere GET /v1/account
  200

requests
  ${requests}

requests
  nothing
`;
  const bill = 'memes picture:one  10 - 10\n  memes picture:two  10';
  const requests =
    '1 × GET /v1/account\n  … × GET /v1/image-projects/:id\n  2 × POST /v1/ai-meme-generator';

  test('what it charged and paid back, and which requests came from commands since they were last shown', async () => {
    const text = story(bill, requests);
    expect(await replay(text)).toMatchObject({ text, differences: { shown: '' } });
  });

  test.each([
    ['another charge', story(bill.replace(' - 10', ''), requests)],
    ['a charge that is not shown', story('memes picture:one  10 - 10', requests)],
    ['another number of requests', story(bill, requests.replace('2 × POST', '3 × POST'))],
  ])('differs by %s', async (_, text) => {
    expect((await replay(text)).text).toBe(story(bill, requests));
  });
});
