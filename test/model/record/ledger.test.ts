import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { creditsOf, stateAfter } from '../../../src/model/record/job.ts';
import { joinedMark } from '../../../src/model/record/join.ts';
import { Ledger } from '../../../src/model/record/ledger.ts';
import {
  type Attempt,
  type Job,
  lineText,
  type MarkLine,
  parseLine,
} from '../../../src/model/record/line.ts';
import { created, fingerprint, header, intended, time } from '../../state/records.ts';

/** More than the ledger keeps as objects. */
const many = 10_000;

describe('the sums of many jobs that change', () => {
  const ledger = Ledger.of([header]);
  const at = (index: number): string => new Date(Date.parse(time) + index * 1000).toISOString();
  const jobs: Job[] = [];
  let random = 7;
  const below = (most: number): number => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (random >>> 8) % most;
  };
  for (let index = 0; index < many; index++) {
    const one = intended(`job ${index}`);
    const attempts = one.attempts.map(
      (attempt): Attempt => ({
        ...attempt,
        ...{ run: `r${index % 3}`, at: at(index), measure: { of: 'meme', amount: 2 } },
        ...(index % 5 === 0 ? { adopted: true as const } : {}),
      }),
    );
    jobs.push({ ...one, attempts });
  }
  for (const job of jobs) ledger.join(job);
  for (let index = 0; index < 3 * many; index++) {
    const job = jobs[below(many)];
    const known = job && ledger.job(job.job);
    const attempt = known?.attempts[0];
    if (known === undefined || attempt === undefined) continue;
    const charge = { credits: below(9), read: at(index) };
    const { job: of } = known;
    const move =
      attempt.state === 'intended'
        ? { is: 'created' as const, job: of, attempt: attempt.name, project: 'x', charge }
        : { is: 'charged' as const, job: of, attempt: attempt.name, charge };
    if (move.is === 'created' || !attempt.adopted)
      ledger.put(stateAfter(known, move, 'r', at(index)));
  }
  const own = [...ledger.own()];
  const sumOf = (attempts: readonly Attempt[]): number =>
    attempts.reduce((sum, attempt) => sum + creditsOf(attempt), 0);

  test('are those of their attempts', () => {
    const charged = (attempts: readonly Attempt[]) =>
      sumOf(attempts.filter(({ charge }) => charge !== undefined));
    expect(own.length).toBe(many * 0.8);
    const rest = sumOf(own) - charged(own);
    expect(ledger.totals()).toEqual({ charged: charged(own), reserved: rest });
    const ofRun = own.filter(({ run }) => run === 'r1');
    expect(ledger.totals('r1').charged).toBe(charged(ofRun));
    const [from, until] = [Date.parse(at(600)), Date.parse(at(6000))];
    const between = own.filter((one) => one.at >= at(600) && one.at < at(6000));
    expect(ledger.since(from, until)).toBe(sumOf(between));
    const units = own.flatMap(({ charge }) => (charge ? [charge.credits / 2] : []));
    expect(ledger.dearest({ of: 'meme', amount: 1 })).toBe(Math.max(...units));
  });

  test('and the texts of the jobs are what became of them', () => {
    const again = Ledger.of(
      [...ledger.texts()].flatMap((text) => {
        const line = parseLine(text);
        return line.ok ? [line.value] : [];
      }),
    );
    expect([...again.texts()]).toEqual([...ledger.texts()]);
    expect(again.totals()).toEqual(ledger.totals());
  });
});

test('the dearest charge falls when its refund is read', () => {
  const [job] = [created('a')];
  const attempts = job.attempts.map(
    (one): Attempt => ({ ...one, measure: { of: 'm', amount: 1 } }),
  );
  const ledger = Ledger.of([{ ...job, attempts }]);
  const known = ledger.job(job.job);
  expect(ledger.dearest({ of: 'm', amount: 1 })).toBe(5);
  const charge = { credits: 1, read: '2026-01-02T00:00:00.000Z' };
  const move = { is: 'charged', job: job.job, attempt: 'a', charge } as const;
  ledger.put(stateAfter(known, move, 'r', time));
  expect(ledger.dearest({ of: 'm', amount: 1 })).toBe(1);
});

test('a line is held word for word, also after it has changed', () => {
  const ledger = Ledger.of([intended('a')]);
  expect(ledger.holds(lineText(intended('a')))).toBe(true);
  ledger.put(created('a'));
  expect(ledger.holds(lineText(intended('a')))).toBe(false);
  expect(ledger.holds(lineText(created('a')))).toBe(true);
  expect(ledger.holds(lineText(created('b')))).toBe(false);
});

test('a task line that a job has outdated is no news', () => {
  const fault = { code: 'x', message: 'x' };
  const ended = { task: 'picture:a', at: time, run: 'r', ending: 'failed' as const, fault };
  const ledger = Ledger.of([created('a')]);
  expect(ledger.join({ ...ended, at: '2025-01-01T00:00:00.000Z' })).toBe(false);
  expect(ledger.join({ ...ended, at: '2026-06-01T00:00:00.000Z' })).toBe(true);
});

describe('a mark', () => {
  const lost = (creations: number, over?: string): MarkLine =>
    over === undefined
      ? { mark: 'lost', id: 'r', at: time, creations }
      : { mark: 'lost', id: 'r', at: time, over, creations };

  test('that a person took off stays off, until more is missing than they accepted', () => {
    expect(joinedMark(lost(3, time), lost(3)).over).toBe(time);
    expect(joinedMark(lost(2), lost(3, time)).over).toBe(time);
    expect(joinedMark(lost(3, time), lost(5)).over).toBeUndefined();
    expect(joinedMark(lost(5, time), lost(3, time)).creations).toBe(5);
  });

  test('of a record that is away stays off, until another coordinator begins, or has bought more', () => {
    const away = (epoch: number, creations: number, over?: string): MarkLine => ({
      ...{ mark: 'away', id: 'r', at: time, epoch, creations },
      ...(over === undefined ? {} : { over }),
    });
    expect(joinedMark(away(1, 9, time), away(1, 9)).over).toBe(time);
    expect(joinedMark(away(2, 5, time), away(1, 9))).toEqual(away(2, 5, time));
    expect(joinedMark(away(1, 9, time), away(2, 5))).toEqual(away(2, 5));
    expect(joinedMark(away(1, 9, time), away(1, 10))).toEqual(away(1, 10));
    const few = fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined });
    const times = fc.constantFrom(time, '2026-02-01T00:00:00.000Z');
    const marks = fc.record(
      {
        ...{ mark: fc.constant('away' as const), id: fc.constant('r'), at: times },
        ...{ epoch: few, creations: few, over: times },
      },
      { requiredKeys: ['mark', 'id', 'at'] },
    );
    fc.assert(
      fc.property(marks, marks, marks, (a, b, c) => {
        const all = joinedMark(joinedMark(a, b), c);
        expect(joinedMark(a, joinedMark(b, c))).toEqual(all);
        expect(joinedMark(c, joinedMark(b, a))).toEqual(all);
        expect(joinedMark(all, b)).toEqual(all);
      }),
    );
  });

  test('that is open again lets no creation be missing unnoticed', () => {
    const run = { run: 'r', at: time, creations: 5 };
    const missing = (...marks: readonly MarkLine[]) =>
      Ledger.of([run, ...marks])
        .missing()
        .map(({ creations }) => creations);
    expect(missing(lost(5, time))).toEqual([]);
    expect(missing(lost(3, time))).toEqual([2]);
    expect(missing(lost(3, time), lost(5))).toEqual([5]);
  });
});

test('a time that no calendar has, and a field of any name', () => {
  const job = created('a');
  const text = lineText(job);
  expect(parseLine(text.replaceAll('2026-01-01', '2026-99-01'))).toMatchObject({ ok: false });
  const attempts = job.attempts.map((one) => ({ ...one, fields: { toString: '1', a: '2' } }));
  const turned = job.attempts.map((one) => ({ ...one, fields: { a: '2', toString: '1' } }));
  expect(lineText({ ...job, attempts })).toBe(lineText({ ...job, attempts: turned }));
  const read = parseLine(lineText({ ...job, attempts }));
  expect(read).toMatchObject({ ok: true, value: { job: fingerprint('a'), attempts } });
});
