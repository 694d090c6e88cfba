// Reading a state file: a torn end is cut, a whole last line is kept, anything else that is wrong stops everything.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/model/job-store.ts';
import { JournalFile } from '../../../src/state/journal-file.ts';
import { loadState } from '../../../src/state/load-state.ts';
import { temporaryFolder } from '../../files/places.ts';
import { complete, created, intent, jobAfter, numbered, run } from '../../model/lines.ts';
import { header, linesIn, load, paid, text, written } from '../../tables/state-file.ts';

describe('a torn end', () => {
  test('is cut off with a warning that names the line, wherever it was torn', async () => {
    const whole = text(await written());
    const last = linesIn(await written()).at(-1) ?? '';
    for (let cut = 1; cut < last.length; cut++) {
      const file = join(temporaryFolder(), 'p.state.jsonl');
      writeFileSync(file, whole.slice(0, -1 - cut));
      const loaded = await load(file);
      expect(loaded.warnings).toEqual([
        expect.stringContaining(`${file}:${paid.length + 1}: the last line was cut off`),
      ]);
      expect(loaded.ledger.seq).toBe(paid.length - 1);
    }
  });

  test('is gone from the file once the next event is written', async () => {
    const file = await written();
    const whole = text(file);
    appendFileSync(file, '{"seq":8,"event":"crea');
    const journal = new JournalFile(file, header, await load(file));
    expect(text(file)).not.toBe(whole);
    const [next] = numbered([...paid, created('c', 5)]).slice(-1);
    journal.append(JSON.stringify(next));
    await journal.close();
    expect(text(file)).toBe(`${whole}${JSON.stringify(next)}\n`);
  });

  test('in the middle of a character is cut off too', async () => {
    const file = await written();
    const whole = text(file);
    const torn = Buffer.from('{"seq":8,"event":"failed","task":"swap:ä').subarray(0, -1);
    appendFileSync(file, torn);
    expect(await load(file)).toMatchObject({
      wholeBytes: Buffer.byteLength(whole),
      warnings: [expect.any(String)],
    });
  });
});

describe('a whole last line without its line feed', () => {
  test('is kept, and the next one stands on its own line', async () => {
    const file = await written();
    writeFileSync(file, text(file).slice(0, -1));
    const loaded = await load(file);
    expect(loaded).toMatchObject({ unterminated: true, warnings: [] });
    expect(loaded.ledger.seq).toBe(paid.length);
    const journal = new JournalFile(file, header, loaded);
    const [next] = numbered([...paid, created('c', 5)]).slice(-1);
    journal.append(JSON.stringify(next));
    await journal.close();
    expect((await load(file)).ledger.seq).toBe(paid.length + 1);
  });

  test('is an error where it is not torn but wrong', async () => {
    const file = await written();
    appendFileSync(file, '{"seq":8,"event":"creatd","at":"x"}');
    const before = text(file);
    expect(await loadState(file, memoryStore())).toEqual({
      ok: false,
      error: expect.stringContaining(`${file}:9:`),
    });
    expect(text(file)).toBe(before);
  });
});

describe('any other bad line', () => {
  const spoil = (index: number, change: (line: string) => string) => async () => {
    const file = await written();
    const lines = linesIn(file).map((line, at) => (at === index ? change(line) : line));
    writeFileSync(file, `${lines.join('\n')}\n`);
    return { file, line: index + 1 };
  };

  test.each([
    ['is no JSON', spoil(3, (line) => line.slice(0, -2)), 'it is not JSON'],
    ['is empty', spoil(3, () => ''), 'it is not JSON'],
    [
      'is missing',
      spoil(3, () => '{"seq":4,"event":"ended","at":"x"}'),
      'lines are missing or doubled',
    ],
    ['stands twice', spoil(3, (line) => `${line}\n${line}`), undefined],
    [
      'has an unknown field',
      spoil(3, (line) => line.replace('{', '{"extra":1,')),
      'must NOT have additional properties',
    ],
    [
      'is an illegal move',
      spoil(3, (line) =>
        line
          .replace('"created"', '"deleted"')
          .replace(/"project":"[^"]*","credits":12/, '"task":"t"'),
      ),
      'deleted cannot follow intended',
    ],
    ['is a second header', spoil(3, () => JSON.stringify(header)), 'a second header'],
    [
      'is no header at the beginning',
      spoil(0, () => '{"seq":1,"event":"ended","at":"x"}'),
      'this is not a state file',
    ],
    ['is the end, whole and wrong', spoil(7, () => '{"seq":7,'), 'it is not JSON'],
  ])(
    'that %s is an error that names file and line, and the file stays as it is',
    async (_, make, why) => {
      const { file, line } = await make();
      const before = text(file);
      const loaded = await loadState(file, memoryStore());
      expect(loaded.ok).toBe(false);
      const error = loaded.ok ? '' : loaded.error;
      expect(error).toContain(`${file}:${why === undefined ? line + 1 : line}: `);
      expect(error).toContain(why ?? 'lines are missing or doubled');
      expect(text(file)).toBe(before);
    },
  );

  test('that is the header of a newer format asks for an upgrade, and the file stays as it is', async () => {
    const file = await written();
    writeFileSync(file, text(file).replace('"shotlist":3', '"shotlist":4,"new":[]'));
    const before = text(file);
    expect(await loadState(file, memoryStore())).toEqual({
      ok: false,
      error: `${file}:1: a newer shotlist wrote it, in format 4; this version reads format 3: upgrade shotlist`,
    });
    expect(text(file)).toBe(before);
  });

  test.each(['1.5', '"3"', 'null'])(
    'that is a header with the format %s is an error',
    async (version) => {
      const file = await written();
      writeFileSync(file, text(file).replace('"shotlist":3', `"shotlist":${version}`));
      expect(await loadState(file, memoryStore())).toEqual({
        ok: false,
        error: expect.stringContaining(`${file}:1: /shotlist must be`),
      });
    },
  );

  test('in a file that is no file is an error too', async () => {
    const folder = temporaryFolder();
    expect(await loadState(folder, memoryStore())).toEqual({
      ok: false,
      error: `${folder} is a folder, not a regular file`,
    });
  });

  test('is none where there is no file', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    expect(await load(file)).toMatchObject({ header: undefined, warnings: [] });
  });

  const first = '{"shotlist":3,"pipeline":"p","service":"rehearsal"}';
  const job = JSON.stringify(jobAfter(intent(), created(), complete()));
  const past = '{"run":1,"at":"2026-08-05T10:00:00.000Z","charged":10,"refunded":0}';
  const event = JSON.stringify({ seq: 1, ...run(2), at: '2026-08-05T10:00:00.000Z' });
  test.each([
    ['is empty', '', '1: the file is empty'],
    ['is nothing but zeros', Buffer.alloc(4096), '1: 4096 zero bytes, left by a power failure'],
    ['ends with zeros', `${first}\n${event}\n${'\0'.repeat(100)}`, '3: 100 zero bytes'],
    ['ends in the middle of its header', first.slice(0, 12), '1: it is not JSON'],
    [
      'ends with a line of another event than the next',
      `${first}\n{"seq":2,"ev`,
      '2: it is not JSON',
    ],
    ['ends with the beginning of no event', `${first}\n{"seq":1,"event":"rug`, '2: it is not JSON'],
    ['ends with the beginning of other JSON', `${first}\n{"foo`, '2: it is not JSON'],
    [
      'is another JSON file',
      '{\n  "name": "x"\n}\n',
      '1: it is not JSON: the state file is damaged, or',
    ],
    [
      'is another JSON document',
      '{"name":"x"}\n',
      '1: it is not a line of a state file: the state file is damaged',
    ],
    ['is UTF-16', Buffer.from(`\ufeff${first}\n`, 'utf16le'), '1: '],
    ['holds a merge', `${first}\n<<<<<<< HEAD\n`, '2: it is a conflict marker of git: a merge'],
    ['has lost its line feeds', `${first}${past}${job}`, '1: it is not JSON'],
    [
      'ends in the middle of a compacted line',
      `${first}\n${job.slice(0, 90)}`,
      '2: it is not JSON',
    ],
    [
      'has bytes that are no text',
      Buffer.from([...Buffer.from(`${first}\n`), 0xff, 10]),
      '2: it has bytes',
    ],
    ['has two lines for a job', `${first}\n${job}\n${job}\n`, '3: a second line for the job'],
    ['has two lines for a run', `${first}\n${past}\n${past}\n`, '3: a second line for run 1'],
    ['has the past behind events', `${first}\n${event}\n${job}\n`, '3: a job line follows'],
  ])('when it %s, and the file stays as it is', async (_, content, words) => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    writeFileSync(file, content);
    const loaded = await loadState(file, memoryStore());
    expect(loaded).toEqual({ ok: false, error: expect.stringContaining(`p.state.jsonl:${words}`) });
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });
});
