// Every bench runs in its tiny form: its figures are numbers, and what it counts is exact. No time is asserted.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { benches } from '../../bench/benches.ts';
import { type Bench, column, defineBench, type Row, verdictsOn } from '../../bench/frame/bench.ts';
import { askedOf, flagsOf, tinyOptions } from '../../bench/frame/flags.ts';
import { root } from '../../bench/frame/result.ts';
import { resultsFile, resultsPage } from '../../bench/frame/results-page.ts';
import { tableOf } from '../../bench/frame/table.ts';

const read = (name: string): string => readFileSync(name, 'utf8');

async function rowsOf(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of bench.run(tinyOptions(bench))) rows.push(row);
  return rows;
}

const numbersIn = (row: Row): readonly number[] =>
  Object.values(row).flatMap((cell) => {
    if (typeof cell === 'object') return [cell.least, cell.median, cell.most];
    return typeof cell === 'number' ? [cell] : [];
  });

/** Columns that are counts, with their values in the tiny form. */
const counts: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {
  // Eight requests an item, two for the actor. Uploads of the runner share requests for addresses, as time has it.
  wire: { 'requests of the loop': [66], creations: [8] },
  memory: { items: [4, 8, 9] },
  again: { items: [3], requests: [0] },
  journal: { events: [70, 70, 70] },
  receipts: { count: [200, 20, 20, 20, 200, 1] },
  big: { MB: [2, 2] },
  live: { events: [3600] },
  report: { count: [0] },
  serve: { charges: [40, 40] },
};

/** They start many processes or a browser, or draw, as tests of the same parts do: `EVERY=1` tries them as well. */
const heavy = new Set([
  ...['again', 'answers', 'big', 'client', 'memory', 'report', 'serve', 'start', 'wire'],
]);
const every = process.env['EVERY'] === '1';
const tried = benches.filter(({ name }) => every || !heavy.has(name));

describe('the tiny form of', () => {
  for (const bench of tried) {
    const { name } = bench;
    test(name, { tags: name === 'report' ? ['chromium'] : [] }, async () => {
      const rows = await rowsOf(bench);
      expect(rows).not.toEqual([]);
      for (const row of rows) {
        const numbers = numbersIn(row);
        expect(numbers).not.toEqual([]);
        expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([]);
      }
      for (const [counted, values] of Object.entries(counts[name] ?? {}))
        expect({ [counted]: column(rows, counted) }).toEqual({ [counted]: values });
      for (const { figure } of verdictsOn(bench, rows)) expect(figure).not.toBeNaN();
      if (name === 'client')
        expect(rows.at(-1)).toMatchObject({ who: 'shotlist', create: 4, 'charges after kill': 4 });
    });
  }
});

describe('the frame', () => {
  const bench = defineBench({
    ...{ name: 'fake', description: 'Nothing.' },
    full: { items: 10, delayMs: 0, of: 'dist', local: true, pairs: 5 },
    tiny: { items: 1 },
    goals: [
      {
        ...{ what: 'items/s', bound: { atLeast: 7 }, obstacle: 'The wire.' },
        figure: () => ({ median: 6, least: 5, most: 9 }),
      },
      { what: 'ms', bound: { atMost: 7 }, obstacle: 'The disk.', figure: () => 7 },
      { what: 'MB', bound: { atMost: 7 }, obstacle: '', figure: () => undefined },
    ],
    async *run({ items }) {
      yield { items };
    },
  });

  test('reads options from flags, and writes them as flags', () => {
    const { options, json } = askedOf(bench, ['--delay-ms', '5', '--no-local', '--json']);
    expect(options).toEqual({ items: 10, delayMs: 5, of: 'dist', local: false, pairs: 5 });
    expect(json).toBe(true);
    expect(askedOf(bench, flagsOf(options)).options).toEqual(options);
    expect(askedOf(bench, ['--tiny', '--of=src']).options).toMatchObject({ items: 1, of: 'src' });
    expect(() => askedOf(bench, ['--items', 'many'])).toThrow('--items needs a number');
    expect(() => askedOf(bench, ['--itmes', '5'])).toThrow('--itmes');
  });

  test('judges each goal by the median, and leaves out what was not measured', () => {
    expect(verdictsOn(bench, [])).toMatchObject([
      { goal: 'items/s ≥ 7', reached: false, obstacle: 'The wire.' },
      { goal: 'ms ≤ 7', reached: true },
    ]);
  });

  test('shows rows as a Markdown table', () => {
    const rows: readonly Row[] = [
      { what: 'a', ms: 1.234 },
      { ms: { median: 0.5, least: 0.25, most: 123.4 } },
    ];
    expect(tableOf(rows)).toBe(
      [
        '| what | ms                 |\n',
        '| ---- | ------------------ |\n',
        '| a    | 1.23               |\n',
        '|      | 0.50 (0.25 to 123) |\n',
      ].join(''),
    );
  });

  test('RESULTS.md says what the kept results say: npm run bench -- results', () => {
    expect(read(resultsFile)).toBe(resultsPage(benches));
  });

  // It starts ten processes. A tree that was exported has no commits to compare with.
  const compares = every && existsSync(join(root, '.git'));
  test.runIf(compares)('compares two versions, which run in turn', () => {
    const main = `${root}/bench/main.ts`;
    const args = [main, 'live', '--tiny', '--compare', 'HEAD'];
    const table = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect(table).toMatch(/^\| figure +\| here +\| there +\| ratio +\|\n/);
    expect(table).toContain('| ms to fold ');
    // A count that is the same in both is no figure.
    expect(table).not.toContain('events');
  });
});
