// JSON Lines tables: what a row is, what is refused, and where.
import { describe, expect, test } from 'vitest';
import { jsonl, problemsOf, rowsOf, tableOf } from './open.ts';

describe('rows', () => {
  test('are the objects of the lines, with their own types', async () => {
    const table = tableOf(
      await jsonl('\ufeff{"name":"Ann","age":7,"vip":true}\r\n\n{"name":"Bob","tags":["a"]}\n'),
    );
    expect(table.columns).toEqual(['name', 'age', 'vip', 'tags']);
    expect(rowsOf(table)).toEqual([
      { name: 'Ann', age: 7, vip: true },
      { name: 'Bob', tags: ['a'] },
    ]);
  });

  test('keep every digit of a long number', async () => {
    const ids = '{"id":1585841080431321089,"n":[1.5,9007199254740993],"m":9007199254740991}\n';
    expect(rowsOf(tableOf(await jsonl(ids)))).toEqual([
      { id: '1585841080431321089', n: [1.5, '9007199254740993'], m: 9007199254740991 },
    ]);
  });

  test('have places: a value, or the whole line', async () => {
    const table = tableOf(await jsonl('{"a":1}\n{"name":"Ann", "photo":"ann.jpg"}\n'));
    expect(table.cell(1, ['photo'])).toMatchObject({
      span: { line: 2, column: 24, endColumn: 33 },
      excerpt: { firstLine: 1, text: '{"a":1}\n{"name":"Ann", "photo":"ann.jpg"}' },
    });
    expect(table.cell(0, ['photo']).span).toMatchObject({ line: 1, column: 1, endColumn: 8 });
  });
});

describe('what is refused, and where', () => {
  test('a line that is no object', async () => {
    const problems = problemsOf(await jsonl('{"a":1}\n[1]\n{"a":1,}\n"x"\n'));
    expect(problems).toEqual([
      '2:1 the line is not a JSON object',
      expect.stringMatching(/^3:8 the line is not valid JSON: /),
      '4:1 the line is not a JSON object',
    ]);
  });

  test('an empty file, and one that is not UTF-8', async () => {
    expect(problemsOf(await jsonl('\n'))).toEqual([
      'the table is empty: it needs a JSON object in each line',
    ]);
    expect(problemsOf(await jsonl(Buffer.from('{"a":"\xfc"}', 'latin1')))).toEqual([
      '1:7 the table is not UTF-8 text: 0xFC, at byte 6, is not part of a character',
    ]);
  });

  test('a line that is longer than a megabyte', async () => {
    const opened = await jsonl(`{"a":1}\n{"a":"${'x'.repeat(1_200_000)}"}`);
    expect(problemsOf(opened)).toEqual(['2:1 a line is longer than 1 MB']);
  });
});
