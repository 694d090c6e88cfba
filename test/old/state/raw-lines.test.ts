// The lines of a file as they stand there: bytes that are no text are told, and no line fills the memory.
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RawLine } from '../../../src/base/raw-line.ts';
import { memoryStore } from '../../../src/model/job-store.ts';
import { linkProblem, loadState } from '../../../src/state/load-state.ts';
import { rawLines } from '../../../src/state/raw-lines.ts';
import { temporaryFolder } from '../../files/places.ts';

const place = (): string => join(temporaryFolder(), 'p.state.jsonl');
const whole = { wellFormed: true, terminated: true };
const end = { wellFormed: true, terminated: false };
const half = Buffer.from('ä').subarray(0, 1);

test.each<readonly [string, readonly (string | Buffer)[], readonly RawLine[]]>([
  ['no bytes', [], []],
  [
    'whole lines',
    ['a\nä\n'],
    [
      { text: 'a', ...whole },
      { text: 'ä', ...whole },
    ],
  ],
  [
    'an empty line first',
    ['\na\n'],
    [
      { text: '', ...whole },
      { text: 'a', ...whole },
    ],
  ],
  [
    'a last line without its end',
    ['a\nä'],
    [
      { text: 'a', ...whole },
      { text: 'ä', ...end },
    ],
  ],
  [
    'a last line that ends in a character',
    ['\ufeffx', half],
    [{ text: '\ufeffx', ...end, wellFormed: false, midCharacter: true }],
  ],
  [
    'other bytes before such an end',
    [Buffer.from([0xff]), 'x', half],
    [{ text: '\ufffdx\ufffd', ...end, wellFormed: false }],
  ],
  [
    'a whole line that ends in a character',
    ['x', half, '\n'],
    [{ text: 'x\ufffd', ...whole, wellFormed: false }],
  ],
])('a file of %s', async (_, parts, lines) => {
  const file = place();
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))));
  expect(await rawLines(file)).toStrictEqual({ ok: true, value: lines });
});

test('lines that stand across the pieces in which a file is read are whole', async () => {
  const file = place();
  const texts = [100_000, 300_000, 0, 700_000].map((length) => 'x'.repeat(length));
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  const read = await rawLines(file);
  expect(read.ok && read.value.map(({ text }) => text.length)).toEqual([
    100_000, 300_000, 0, 700_000,
  ]);
});

test('a line that is too long is told with its number, and what to do', async () => {
  const file = place();
  writeFileSync(file, 'a\n');
  truncateSync(file, 2 + (1 << 26) + 1);
  const error = `${file}:2: it is longer than 64 MiB, and no line of a state file is that long`;
  expect(await rawLines(file)).toEqual({
    ok: false,
    error: `${error}: restore it from git or a backup`,
  });
});

test('a file that cannot be read is told', async () => {
  const file = place();
  expect(await rawLines(file)).toEqual({ ok: false, error: `${file} does not exist` });
});

test('a link is never followed to a state file', async () => {
  const [file, real] = [place(), place()];
  writeFileSync(real, '');
  symlinkSync(real, file);
  const error = `${file} is a link, and shotlist never follows a link to a state file: name the file itself with --state ${real}`;
  expect(linkProblem(file)).toBe(error);
  expect(await loadState(file, memoryStore())).toEqual({ ok: false, error });
});

test('a link that leads nowhere, or in a circle, is told', () => {
  const [nowhere, circle] = [place(), place()];
  symlinkSync(`${nowhere}.gone`, nowhere);
  symlinkSync(circle, circle);
  expect(linkProblem(nowhere)).toBe(`${nowhere} is a link to a file that does not exist`);
  expect(linkProblem(circle)).toContain('and the file that it leads to is a link that leads back');
});
