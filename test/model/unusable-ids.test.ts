// State files of older versions may hold ids that no request can carry, and figures that no project costs: they are
// damage with a line, and what is proposed for them loads and loses no payment.
import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/model/line.ts';
import { isWhole, type Repair, repairOf } from '../../src/state/repair/proposal.ts';
import { at, intent, job, numbered, run } from './lines.ts';

const header = { shotlist: 3, pipeline: 'photos', service: 'rehearsal' };
const past = { run: 1, at, ended: at, charged: 10, refunded: 0 };
const paid = {
  ...{ job: job('a'), kind: 'face-swap-photo', state: 'complete', tasks: ['swap:a'], attempt: 1 },
  ...{ at, name: 'a #1', reserve: 10, credits: 10, result: { downloads: 1 } },
};

function repaired(...lines: readonly object[]): Repair {
  const raw = [header, ...lines].map((line) => ({
    text: JSON.stringify(line),
    wellFormed: true,
    terminated: true,
  }));
  return repairOf(raw, { pipeline: 'photos', service: 'rehearsal', kindOf: () => undefined });
}

const unusable = ['p\ud800', '..', '.', 'p\u0000', 'p'.repeat(201)];

describe('a project id that cannot be used', () => {
  test.each(unusable)('(%j) is no line of a state file any more', (project) => {
    expect(parseLine(JSON.stringify({ ...paid, project }))).toMatchObject({ ok: false });
    for (const event of ['created', 'amended'] as const)
      expect(
        parseLine(JSON.stringify({ seq: 1, event, at, job: job('a'), project, credits: 10 })),
      ).toMatchObject({ ok: false });
  });

  test.each(unusable)('(%j) of a finished job makes a doubt of it, with its credits', (project) => {
    const found = repaired(past, { ...paid, project });
    expect(isWhole(found)).toBe(false);
    expect(found.damages).toMatchObject([{ line: 3, kind: 'schema', job: job('a') }]);
    expect(found.ledger.job(job('a'))).toMatchObject({
      state: 'doubt',
      name: 'a #1',
      reserve: 10,
      tasks: ['swap:a'],
    });
    expect(found.ledger.job(job('a'))).not.toHaveProperty('project');
  });

  test.each(unusable)('(%j) in a journal makes a doubt of the attempt', (project) => {
    const made = { event: 'created', job: job('a'), project, credits: 25 };
    const [begun, sent] = numbered([run(), intent()]);
    if (begun === undefined || sent === undefined) throw new Error('no events');
    const found = repaired(begun, sent, { seq: 3, ...made, at });
    expect(found.damages).toMatchObject([{ line: 4, kind: 'schema', job: job('a') }]);
    expect(found.ledger.job(job('a'))).toMatchObject({ state: 'doubt', name: 'a #1', reserve: 25 });
  });

  test.each(unusable)(
    '(%j) of an earlier attempt is forgotten, and its credits are not',
    (project) => {
      const before = [{ name: 'a #0', project, credits: 7 }];
      const found = repaired(past, { ...paid, project: 'p2', past: before });
      expect(found.damages).toMatchObject([{ line: 3, kind: 'schema' }]);
      expect(found.ledger.job(job('a'))).toMatchObject({
        state: 'created',
        project: 'p2',
        past: [{ name: 'a #0', credits: 7 }],
      });
    },
  );
});

test('a detection whose id cannot be used is made again: it is free', () => {
  const result = { id: '..', faces: [] };
  const line = { ...paid, kind: 'face-detect', state: 'supplied', result };
  const { credits: _c, reserve: _r, name: _n, ...supplied } = line;
  expect(parseLine(JSON.stringify({ ...supplied, result: { id: 'f1' } }))).toMatchObject({
    ok: true,
  });
  const found = repaired(supplied);
  expect(found.damages).toMatchObject([{ line: 2, kind: 'schema' }]);
  expect(found.ledger.job(job('a'))).toBeUndefined();
});

test.each(['null', '-1', '0.5', '1e999', '10000000000000', '"10"'])(
  'a charge of %s is damage, and its project is read again',
  (credits) => {
    const line = JSON.stringify({ ...paid, project: 'p1' }).replace(
      '"credits":10',
      `"credits":${credits}`,
    );
    expect(parseLine(line)).toMatchObject({ ok: false });
    const raw = [JSON.stringify(header), JSON.stringify(past), line].map((text) => ({
      ...{ text, wellFormed: true, terminated: true },
    }));
    const given = { pipeline: 'photos', service: 'rehearsal', kindOf: () => undefined };
    const { damages, ledger } = repairOf(raw, given);
    expect(damages).toMatchObject([{ line: 3 }]);
    expect(ledger.job(job('a'))).toMatchObject({ state: 'created', project: 'p1' });
  },
);
