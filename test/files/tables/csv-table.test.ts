// CSV tables: what a row is, what is refused, and where.
import { describe, expect, test } from 'vitest';
import { csv, problemsOf, rowsOf, tableOf } from './open.ts';

describe('rows', () => {
  test('are texts by column, so that a postal code keeps its zero', async () => {
    const table = tableOf(await csv('name,zip,tel\nAnn,01234,+49 30 1\n'));
    expect(table.columns).toEqual(['name', 'zip', 'tel']);
    expect(rowsOf(table)).toEqual([{ name: 'Ann', zip: '01234', tel: '+49 30 1' }]);
  });

  test('may have a byte order mark, CRLF, quoted commas, quotation marks and line ends', async () => {
    const table = tableOf(
      await csv('\ufeffname , text\r\nAnn,"a ""big"", day\r\nfor all"\r\nBob,5" wide\r\n'),
    );
    expect(rowsOf(table)).toEqual([
      { name: 'Ann', text: 'a "big", day\nfor all' },
      { name: 'Bob', text: '5" wide' },
    ]);
  });

  test('without a value in any column are left out, as spreadsheet programs write them', async () => {
    const table = tableOf(await csv('a,b\n\n1,2\n,\n  ,\n3,4'));
    expect(rowsOf(table)).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
    expect(table.cell(1, ['b']).span).toMatchObject({ line: 6, column: 3 });
    expect(table.emptyRows).toEqual({ count: 3, lines: [2, 4, 5] });
  });

  test('that are empty are counted, with the lines of the first, but not blank lines at the end', async () => {
    const table = tableOf(await csv(`\na,b\n"1\n1",2\n\n,\n5,6\n${',\n'.repeat(500)}\n\n`));
    expect(table.count).toBe(2);
    expect(table.emptyRows).toEqual({ count: 502, lines: [5, 6, 8] });
    const none = tableOf(await csv('a,b\n1,2\n\n \n'));
    expect(none.emptyRows).toEqual({ count: 0, lines: [] });
  });

  test('are the same with all line ends that git writes, also inside a cell', async () => {
    const text = 'a,b\nx,"1\n2\n\n3"\n"y\nz",4\n';
    const rows = rowsOf(tableOf(await csv(text)));
    expect(rows).toEqual([
      { a: 'x', b: '1\n2\n\n3' },
      { a: 'y\nz', b: '4' },
    ]);
    expect(rowsOf(tableOf(await csv(text.replaceAll('\n', '\r\n'))))).toEqual(rows);
  });

  test('may have empty columns, at the end of some rows only, as spreadsheet programs write them', async () => {
    const table = tableOf(await csv('a,,b,,\r\n1,,2,,\r\n3, ,4\r\n5,,6,,,,\r\n'));
    expect(table.columns).toEqual(['a', 'b']);
    expect(rowsOf(table)).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
    ]);
    expect(table.cell(1, ['b']).span).toMatchObject({ line: 3, column: 5 });
  });

  test.each([
    [',', 'sep=,\r\na,b\r\n1,2\r\n'],
    [',', '\ufeffsep=,\na,b\n1,2\n'],
    [';', 'SEP=;\na;b\n1;2\n'],
    ['\t', '"sep=\t"\na\tb\n1\t2\n'],
  ])('come after the line that names the separator %j for Excel', async (delimiter, text) => {
    const table = tableOf(await csv(text, { delimiter }));
    expect(rowsOf(table)).toEqual([{ a: '1', b: '2' }]);
    expect(table.emptyRows.count).toBe(0);
    expect(table.cell(0, ['b']).span).toMatchObject({ line: 3, column: 3 });
  });

  test('have numbers and booleans where types: says so, and null where nothing is written', async () => {
    const types = { n: 'number', b: 'boolean', s: 'string' } as const;
    const table = tableOf(await csv('n,b,s\n-1.5e2,TRUE,\n,,x\n 7 ,false,1', { types }));
    expect(rowsOf(table)).toEqual([
      { n: -150, b: true, s: '' },
      { n: null, b: null, s: 'x' },
      { n: 7, b: false, s: '1' },
    ]);
  });

  test('are the same however the file is read: many rows, long ones, any order', async () => {
    const text = 'ü'.repeat(70_000);
    const lines = Array.from(
      { length: 3000 },
      (_, n) => `k${n},"line ${n}\n${n % 900 === 0 ? text : ''}"`,
    );
    const table = tableOf(await csv(`key,text\n${lines.join('\n')}`));
    expect(table.count).toBe(3000);
    for (const index of [2999, 0, 900, 256, 255, 1800]) {
      expect(table.row(index)).toEqual({
        key: `k${index}`,
        text: `line ${index}\n${index % 900 === 0 ? text : ''}`,
      });
      expect(table.cell(index, ['key']).span.line).toBe(2 + 2 * index);
    }
  });

  test('stay on the disk if the table is large', async () => {
    const long = 'x'.repeat(1000);
    const lines = Array.from({ length: 9000 }, (_, n) => `k${n},${long}`);
    const table = tableOf(await csv(`key,text\n${lines.join('\n')}\n`));
    expect(table.row(8999)).toEqual({ key: 'k8999', text: long });
    expect(table.row(3)).toEqual({ key: 'k3', text: long });
    expect(table.cell(8999, ['text'])).toMatchObject({
      span: { line: 9001, column: 7 },
      excerpt: { firstLine: 9000, text: expect.stringMatching(/^k8998,x+\nk8999,x+/) },
    });
  });
});

describe('a place', () => {
  test('has the line and the column of the value, and the lines around it', async () => {
    const table = tableOf(await csv('name,text,photo\nAnn,"two\nlines",ann.jpg\nBob,b,bob.jpg\n'));
    expect(table.cell(0, ['photo'])).toEqual({
      span: { line: 3, column: 8, endLine: 3, endColumn: 15 },
      excerpt: { firstLine: 2, text: 'Ann,"two\nlines",ann.jpg\nBob,b,bob.jpg' },
    });
    expect(table.cell(0, ['text']).span).toEqual({
      ...{ line: 2, column: 5, endLine: 3, endColumn: 7 },
    });
    expect(table.cell(1, ['nothing']).span).toMatchObject({ line: 4, column: 1 });
  });
});

describe('what is refused, and where', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['a name twice', 'a,b,a\n1,2,3', ['1:5 the header has the column "a" twice: also at 1:1']],
    [
      'values without a name',
      'a,,c\n1,,3\n1,2,3\n1,5,3',
      ['3:3 column 2 has a value, but no name in the header'],
    ],
    [
      'a value after the last column',
      'a,,\nx,,,y\n',
      ['2:5 the row has 4 values, but the header has 1 columns'],
    ],
    [
      'another separator in the first line',
      'sep=;\r\na;b\r\n1;2\r\n',
      ['1:1 the first line, sep=;, says that the table uses semicolons between values'],
    ],
    [
      'too many and too few values, in all rows',
      'a,b\n1,2,3\n1,2\n"x\ny"\n',
      [
        '2:5 the row has 3 values, but the header has 2 columns',
        '4:1 the row has 1 value, but the header has 2 columns',
      ],
    ],
    [
      'a quotation mark that is never closed',
      'a,b\n1,"open\n2,3\n',
      ['2:3 the quotation mark that opens this value is never closed'],
    ],
    [
      'text after a closing quotation mark',
      'a,b\n1,"x" y\n',
      ['2:3 after the closing quotation mark of a value comes more text'],
    ],
    [
      'semicolons',
      'a;b\n1;2\n',
      ['1:1 the header has one column: the table seems to use semicolons between values'],
    ],
    ['an empty file', '', ['the table is empty: it needs a header and rows']],
    ['lines that end with CR', 'a,b\r1,2\r', ['the lines end with CR alone']],
  ])('%s', async (_, content, problems) => {
    const opened = await csv(content);
    expect(problemsOf(opened)).toEqual(problems);
  });

  test('a number with more digits than a number keeps', async () => {
    const opened = await csv('n\n9007199254740993\n12\n', { types: { n: 'number' } });
    expect(problemsOf(opened)).toEqual([
      '2:1 n: 9007199254740993 has more digits than a number keeps',
    ]);
  });

  test('a value of another type', async () => {
    const opened = await csv('n,b\n1,yes\none,true\n', { types: { n: 'number', b: 'boolean' } });
    expect(problemsOf(opened)).toEqual([
      '2:3 b: "yes" is neither true nor false',
      '3:1 n: "one" is not a number',
    ]);
  });

  test.each([
    [
      'Latin-1',
      Buffer.from('name\nM\xfcller\n', 'latin1'),
      '2:2 the table is not UTF-8 text: 0xFC, at byte 6, is not part of a character',
    ],
    [
      'UTF-16',
      Buffer.from('\ufeffname\nAnn\n', 'utf16le'),
      'the table is not UTF-8 but UTF-16, or no text at all',
    ],
  ])('%s', async (_, content, problem) => {
    expect(problemsOf(await csv(content))).toEqual([problem]);
  });

  test('more problems than anybody reads are cut off', async () => {
    const opened = await csv(`a,b\n${'1\n'.repeat(500)}`);
    expect(problemsOf(opened)).toHaveLength(100);
  });

  test('a row that is longer than a megabyte', async () => {
    const open = await csv(`a,b\n1,"${'x\n'.repeat(1_500_000)}`);
    expect(problemsOf(open)).toEqual([
      '2:3 the quotation mark that opens this value is never closed',
    ]);
    for (const length of [1_200_000, 3_000_000])
      expect(problemsOf(await csv(`a,b\n1,${'x'.repeat(length)}\n2,3\n`))).toEqual([
        expect.stringMatching(/^(2:\d+ )?a row is longer than 1 MB$/),
      ]);
    expect((await csv(`a,b\n1,${'x'.repeat(990_000)}\n2,3\n`)).ok).toBe(true);
  });
});
