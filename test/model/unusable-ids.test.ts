// Ids that no request can carry, and figures that no project costs, are in no line: a line with one is damage that is named.
import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/model/record/line.ts';
import { complete, created, folded, intent, run, supplied, textsOf } from './lines.ts';

/** The line of a job that is paid for and done, with a change. */
function changed(from: string, to: string): string {
  const line = textsOf(folded([run(), intent(), created(), complete()])).at(-1) ?? '';
  expect(parseLine(line)).toMatchObject({ ok: true });
  expect(line).toContain(from);
  return line.replaceAll(from, to);
}

describe('an id that cannot be used', () => {
  const unusable = ['p\ud800', '..', '.', 'p\u0000', 'p'.repeat(201), ''];

  test.each(unusable)('(%j) is no project', (project) => {
    expect(parseLine(changed('"p-a"', JSON.stringify(project)))).toMatchObject({
      ok: false,
      error: expect.stringContaining('/attempts/0/project'),
    });
  });

  test.each(unusable)('(%j) is no result', (id) => {
    const [, , line = ''] = textsOf(folded([run(), supplied()]));
    const result = line.replace('"file_path":"x"', `"id":${JSON.stringify(id)}`);
    expect(parseLine(result.replace(JSON.stringify(id), '"usable"'))).toMatchObject({ ok: true });
    expect(parseLine(result)).toMatchObject({
      ok: false,
      error: expect.stringContaining('/supplied/result/id'),
    });
  });
});

test.each(['null', '-1', '0.5', '1e999', '10000000000000', '"10"'])(
  'a charge of %s is damage',
  (credits) => {
    expect(parseLine(changed('"credits":10', `"credits":${credits}`))).toMatchObject({
      ok: false,
      error: expect.stringContaining('/attempts/0/charge/credits'),
    });
  },
);
