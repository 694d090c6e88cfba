// Rows: jobs that have much in common are written in few bytes, and read back as they were.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validatorOf } from '../../src/base/schema.ts';
import { type JobLine, lineText, parseLine, stateSchema } from '../../src/model/line.ts';
import { jobOf, RowReader, RowWriter } from '../../src/model/rows.ts';
import { partOf } from '../sweep.ts';
import { job } from './lines.ts';
import { photoJobs } from './photo-jobs.ts';

const textsOf = (lines: readonly JobLine[]): readonly string[] => {
  const rows = new RowWriter();
  return lines.flatMap((line) => rows.text(line).split('\n'));
};

/** The jobs of a file, each as the text of its line. */
function readBack(texts: readonly string[]): readonly string[] {
  const rows = new RowReader();
  return texts.flatMap((text) => {
    const row = rows.read(text);
    if (row?.ok && row.value.is === 'template') return [];
    const line = row === undefined ? parseLine(text) : jobOf(row);
    if (!line.ok) throw new Error(line.error);
    return [lineText(line.value.line)];
  });
}

const isRow = (text: string): boolean => text.startsWith('[');

test('a photo that is uploaded, searched, swapped, saved and deleted takes at most 500 bytes', () => {
  const lines = Array.from({ length: 2_000 }, (_, number) => photoJobs(number)).flat();
  const texts = textsOf(lines.toSorted((a, b) => (`${a.tasks[0]}` < `${b.tasks[0]}` ? -1 : 1)));
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  expect(bytes / 2_000).toBeLessThan(500);
  expect(texts.filter(isRow)).toHaveLength(3 * (2_000 - 32));
});

test('the first lines are written in full, and then a template comes before its rows', () => {
  const lines = Array.from({ length: 34 }, (_, number) => photoJobs(number)[2]);
  const texts = textsOf(lines);
  expect(texts.slice(0, 32)).toEqual(lines.slice(0, 32).map(lineText));
  expect(texts[32]).toMatch(/^\{"template":"[0-9a-f]{6}","columns":\["item","job","at"/);
  expect(texts.slice(33).every(isRow)).toBe(true);
  expect(texts).toHaveLength(35);
});

test('what is different in one job is different in its row alone', () => {
  const lines = Array.from({ length: 100 }, (_, number) => photoJobs(number)[2]);
  const dearer = lines.with(70, { ...photoJobs(70)[2], credits: 23 });
  const [before, after] = [textsOf(lines), textsOf(dearer)];
  expect(after.filter((text, index) => text !== before[index])).toHaveLength(1);
});

test('paths whose rest is of chance are rows too, a little later', () => {
  const lines = Array.from({ length: 100 }, (_, number): JobLine => {
    const [, , swap] = photoJobs(number);
    const path = (swap.outputs?.[0]?.path ?? '').replace(
      '.png',
      `-${job(`${number}`).slice(0, 9)}.png`,
    );
    return { ...swap, outputs: (swap.outputs ?? []).map((output) => ({ ...output, path })) };
  });
  const texts = textsOf(lines);
  expect(texts.filter(isRow)).toHaveLength(36);
  expect(readBack(texts)).toEqual(lines.map(lineText));
});

describe('what stays a line', () => {
  const [, , swap] = photoJobs(1);
  test.each<readonly [string, Partial<JobLine>]>([
    ['a job without an item', { tasks: ['swap'] }],
    ['an earlier attempt that cost credits', { past: [{ name: 'x', credits: 1 }] }],
    ['another take', { take: { of: job('a'), number: 2 } }],
    ['a first take of which another was picked', { picked: { take: 2, at: swap.at } }],
    ['a kind with braces', { error: { code: 'x', message: 'no {item} here' } }],
  ])('%s', (_, more) => {
    const lines = Array.from({ length: 100 }, () => ({ ...swap, ...more }));
    expect(textsOf(lines).filter(isRow)).toEqual([]);
  });
});

/** Texts that look like what a template is made of. */
const text = fc.oneof(
  fc.constantFrom(
    'p1.jpg',
    '{item}',
    '{',
    '}',
    'a{at}',
    'p1',
    '2026-08-05T10:00:00.000Z',
    '#',
    'x#',
  ),
  fc.constantFrom('2026-08-05T10:00:00Z', '2026-02-31T10:00:00.000Z', '😀.png', '\ud800', '"\\\n'),
  fc.string(),
);
const number = fc.oneof(fc.constantFrom(0, 1, 10, 512), fc.nat(), fc.double({ noNaN: true }));
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const output = fc.record({
  ...{ task: text.map((item) => `save:${item}`), index: fc.nat(3), path: text, bytes: fc.nat() },
  ...{ sha256: text.map(job), duration: some(fc.constantFrom(0.5, 12.25)) },
});
const jobLine = fc.record({
  job: text.map(job),
  kind: fc.constantFrom('upload', 'face-swap-photo'),
  state: fc.constantFrom('supplied', 'complete', 'deleted'),
  tasks: fc.array(
    text.map((item) => `swap:${item}`),
    { minLength: 1, maxLength: 2 },
  ),
  attempt: fc.nat(3),
  at: text,
  name: some(text),
  reserve: some(fc.nat(100)),
  project: some(text),
  credits: some(fc.nat(100)),
  expires: some(text),
  result: some(fc.dictionary(text, fc.oneof(text, number, fc.array(text), fc.jsonValue()))),
  outputs: some(fc.array(output, { maxLength: 2 })),
});

test('whatever a job is, its row reads back as its line', () => {
  const known = validatorOf(stateSchema);
  fc.assert(
    fc.property(jobLine, fc.nat(1_000), (value, salt) => {
      const plain: JobLine = JSON.parse(JSON.stringify(value));
      const lines = Array.from({ length: 70 }, (_, index) => ({
        ...plain,
        job: job(`${salt} ${index}`),
        // A project's id must be usable, and everything else may be odd.
        ...(plain.project === undefined ? {} : { project: `p${index}`, kind: 'face-swap-photo' }),
        ...(plain.result === undefined
          ? {}
          : { result: { ...plain.result, id: 'd', file_path: 'f' } }),
      }));
      const texts = textsOf(lines);
      expect(readBack(texts)).toEqual(lines.map(lineText));
      for (const line of texts) expect(known(JSON.parse(line))).toBe(true);
    }),
    { numRuns: partOf(150) },
  );
});

describe('a row is refused', () => {
  const texts = textsOf(Array.from({ length: 34 }, (_, index) => photoJobs(index)[2]));
  const [template = '', row = ''] = texts.slice(32);
  const reading = (...lines: readonly string[]): unknown => {
    const rows = new RowReader();
    const [last] = lines.map((line) => rows.read(line)).slice(-1);
    if (last === undefined || (last.ok && last.value.is === 'template')) return last;
    const line = jobOf(last);
    return line.ok ? line.value.type : line.error;
  };
  const values: readonly unknown[] = JSON.parse(row);
  const changed = (index: number, value: unknown): string =>
    JSON.stringify(values.with(index, value));

  test('but not as it was written', () => expect(reading(template, row)).toBe('job'));

  test.each<readonly [string, readonly string[], string]>([
    ['without its template', [row], 'it is a row of a template that the file does not have'],
    [
      'below a template that was edited',
      [template.replace('"attempt":1', '"attempt":2'), row],
      'it is a row of a template that the file does not have',
    ],
    ['with a value less', [template, JSON.stringify(values.slice(0, -1))], 'more or fewer values'],
    ['with a value more', [template, JSON.stringify([...values, 1])], 'more or fewer values'],
    ['with half a fingerprint', [template, changed(2, 'x'.repeat(42))], 'cannot use'],
    [
      'with a fingerprint of other digits',
      [template, changed(2, `${'x'.repeat(42)}x`)],
      'cannot use',
    ],
    ['with a list as its item', [template, changed(1, ['p'])], 'cannot use'],
    ['with credits that are no number', [template, changed(5, 'ten')], '/reserve must be integer'],
    ['with half of its text', [template, row.slice(0, 50)], 'it is not JSON'],
  ])('%s', (_, lines, why) => {
    expect(reading(...lines)).toContain(why);
  });

  test.each([
    ['edited', template.replace('"attempt":1', '"attempt":2'), 'the line was edited'],
    ['without its name', template.replace(/"template":"\w+"/, '"template":"x"'), 'not a template'],
  ])('and so is a template that was %s', (_, line, why) => {
    expect(new RowReader().read(line)).toMatchObject({
      ok: false,
      error: expect.stringContaining(why),
    });
  });
});
