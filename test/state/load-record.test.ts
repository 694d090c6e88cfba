import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadRecord } from '../../src/state/load-record.ts';
import { temporaryFolder } from '../files/places.ts';
import { expectGolden } from '../golden.ts';
import { makePipe } from '../small-disk.ts';
import {
  created,
  fingerprint,
  header,
  intended,
  load,
  runLine,
  textOf,
  wholeText,
} from './records.ts';

const [a, b, c] = [created('a'), intended('b'), created('c')];
const head = textOf(header);
const whole = wholeText(header, runLine, a, b, c);
const torn = textOf(c).slice(0, -40);
const accented = textOf({ ...a, tasks: ['picture:é'] });
const marked = `<<<<<<< HEAD\n${textOf(a)}||||||| base\n=======\n${textOf(c)}>>>>>>> b\n`;
const other = textOf({ ...header, service: 'https://other.example' });
const cutCharacter = Buffer.concat([
  Buffer.from(head),
  Buffer.from(accented).subarray(0, Buffer.from(accented).indexOf(0xc3) + 1),
]);

const later = '2027-01-01T00:00:00.000Z';
const outdated = {
  ...{ task: 'picture:a', at: '2025-01-01T00:00:00.000Z', run: 'r', ending: 'failed' as const },
  fault: { code: 'x', message: 'a "b"' },
};

const cases: readonly (readonly [what: string, content: string | Buffer])[] = [
  ['a whole record', whole],
  ['no line feed at the end', whole.trimEnd()],
  ['lines in another order', head + textOf(c, b, a)],
  ['a run behind the jobs', head + textOf(a, runLine)],
  ['runs in another order', head + textOf({ ...runLine, run: 's' }, runLine)],
  ['a task that a job has outdated', head + textOf(outdated, a)],
  ['a task that no job has outdated', head + textOf({ ...outdated, at: later }, a)],
  ['characters beyond ASCII', head + accented],
  ['an escape that is written', head + textOf({ ...a, tasks: ['a\u202e"'] })],
  ['a line twice', head + textOf(a, a)],
  ['the header twice', head + head + textOf(a)],
  ['an older line and a newer one', head + textOf(intended('a'), a)],
  ['a byte order mark', `\ufeff${whole}`],
  ['carriage returns', whole.replaceAll('\n', '\r\n')],
  ['blank lines', whole.replaceAll('\n', '\n\n')],
  ['spaces in the line of a job', head + textOf(a).replaceAll('":', '": ')],
  ['spaces before the marks of a job', head + textOf(a).replaceAll('",', '" ,')],
  ['characters that are escaped', `${head}${textOf(a).replaceAll('picture', 'pict\\u0075re')}`],
  ['conflict markers', head + marked],
  ['conflict markers with carriage returns', (head + marked).replaceAll('\n', '\r\n')],
  ['a torn last line', head + textOf(a) + torn],
  ['a last line that ends in the middle of a character', cutCharacter],
  ['a torn line in the middle', `${head}${torn}\n${textOf(a)}`],
  [
    'a line that ends in the middle of a character',
    Buffer.concat([cutCharacter, Buffer.from(`\n${textOf(a)}`)]),
  ],
  ['an empty file', ''],
  ['a blank file', '\n\n'],
  ['zeros only', '\0'.repeat(100)],
  ['zeros behind the lines', `${whole}${'\0'.repeat(100)}`],
  ['zeros in a torn line', `${head}${torn}\0\0`],
  ['no header', textOf(a)],
  ['a torn header', head.slice(0, 20)],
  ['no state file', 'hello\nthere\n'],
  ['one word', 'hello'],
  ['no object', `${head}[1]\n`],
  ['another object', `${head}{"hello":1}\n`],
  ['an unknown field', `${head}${textOf(a).replace('"kind"', '"colour":1,"kind"')}`],
  ['a wrong value', `${head}${textOf(a).replace('"reserve":5', '"reserve":-5')}`],
  ['a quotation mark that is missing', `${head}${textOf(a).replace('"at":', '"at:')}`],
  ['half a line, which closes', `${head}${textOf(a).slice(0, 90)}"]}\n`],
  ['the end of a line', `${head}${textOf(a).slice(90)}`],
  ['a header of another record', head + textOf(a) + other],
  ['an older format', head.replace('4', '3') + textOf(a)],
  ['a newer format', head.replace('4', '5')],
  ['a newer format in the middle', head + head.replace('4', '5')],
  ['UTF-16', Buffer.from(whole, 'utf16le')],
  ['Latin-1', Buffer.from(head + accented, 'latin1')],
];

test('what is said of each kind of damage', async () => {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  const rows: string[] = [];
  for (const [what, content] of cases) {
    writeFileSync(file, content);
    const loaded = await loadRecord(file);
    if (loaded.ok) {
      const rewrite = [...loaded.value.ledger.texts()].map((line) => `${line}\n`).join('');
      expect(loaded.value.isClean, what).toBe(Buffer.from(content).equals(Buffer.from(rewrite)));
    }
    const jobs = loaded.ok ? [...loaded.value.ledger.jobs()].length : 0;
    const said = loaded.ok
      ? [loaded.value.isClean ? 'clean' : 'not clean', `jobs ${jobs}`, ...loaded.value.warnings]
      : ['refused', loaded.error];
    rows.push(`${what}: ${said.join(' | ').replaceAll(file, '<file>')}`);
  }
  writeFileSync(file, whole);
  truncateSync(file, 70_000_000);
  const loaded = await loadRecord(file);
  rows.push(`a line beyond all measure: ${loaded.ok ? '' : loaded.error.replace(file, '<file>')}`);
  expectGolden('damaged-lines.txt', `${rows.join('\n')}\n`);
});

describe('a file', () => {
  test('that is not there has nothing, and takes the given header', async () => {
    const { ledger, isClean, version } = await load(join(temporaryFolder(), 'p.state.jsonl'));
    expect([...ledger.texts()]).toEqual([textOf(header).trimEnd()]);
    expect({ isClean, version }).toEqual({ isClean: false, version: undefined });
  });

  test('that is a link, a folder or a named pipe is refused', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'p.state.jsonl');
    writeFileSync(join(folder, 'real'), whole);
    const makers = [() => symlinkSync('real', file), () => mkdirSync(file), () => makePipe(file)];
    for (const make of makers) {
      make();
      const loaded = await loadRecord(file);
      expect(loaded.ok).toBe(false);
      if (!loaded.ok && make === makers[0]) expect(loaded.error).toContain('--state');
      rmSync(file, { recursive: true });
    }
  });

  test('may have more bytes than are read at once', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const jobs = Array.from({ length: 4000 }, (_, index) => created(`job ${index} é`));
    writeFileSync(file, wholeText(header, ...jobs));
    const { ledger, isClean } = await load(file);
    expect({ isClean, ...ledger.totals() }).toEqual({
      isClean: true,
      charged: 20_000,
      reserved: 0,
    });
  });
});

describe('another copy', () => {
  const copy = (...lines: readonly string[]) => ({
    name: 'HEAD',
    lines: (async function* () {
      yield lines;
    })(),
  });
  const linesOf = (text: string): readonly string[] => text.split('\n');
  const fileWith = (content: string): string => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    writeFileSync(file, content);
    return file;
  };

  test('that knows the same leaves the file clean; one that knows more joins it', async () => {
    const file = fileWith(wholeText(header, intended('a')));
    const same = await load(file, { others: [copy(...linesOf(head + textOf(intended('a'))))] });
    expect(same).toMatchObject({ isClean: true, warnings: [] });
    const more = await load(file, { others: [copy(...linesOf(head + textOf(a, c)))] });
    expect(more).toMatchObject({ isClean: false, isNews: true, warnings: [] });
    expect(more.ledger.job(fingerprint('a'))?.attempts[0]?.state).toBe('created');
    expect(more.ledger.totals()).toEqual({ charged: 10, reserved: 0 });
  });

  test('that is damaged, or of another record, is left out with a warning', async () => {
    const file = fileWith(whole);
    for (const lines of [['hello', torn], linesOf(other + textOf(created('d')))]) {
      const { isClean, warnings, ledger } = await load(file, { others: [copy(...lines)] });
      expect({ isClean, warned: warnings.length }).toEqual({ isClean: true, warned: 1 });
      expect(ledger.job(fingerprint('d'))).toBeUndefined();
    }
  });
});
