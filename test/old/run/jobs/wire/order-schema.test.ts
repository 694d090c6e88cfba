// Orders and outcomes of real runs arrive unchanged, and what is damaged on the way is refused.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptanceOf } from '../../../../../src/base/acceptance.ts';
import { asJson, isObject, type Json } from '../../../../../src/base/json.ts';
import { readIssuedOrder } from '../../../../../src/distributed/order-guard.ts';
import type { JobOutcome } from '../../../../../src/run/jobs/job.ts';
import {
  orderSchemas,
  outcomeSchemas,
  readOrder,
  readOutcome,
} from '../../../../../src/run/jobs/wire-schemas.ts';
import { damages, type Loose } from './damage.ts';
import { recorded } from './recorded-orders.ts';
import type { Wire } from './wired.ts';

const looseOrder: Loose = {
  optional: new Set([
    'stored',
    'detection',
    'take',
    'saveTo',
    'otherwise',
    'downloads',
    'onlyStored',
    'onDisk',
  ]),
  free: new Set(['body', 'result']),
};
const looseOutcome: Loose = {
  optional: new Set(['diagnostic', 'code', 'again', 'rest', 'stops']),
  free: new Set(['live']),
};

let recording: Promise<Wire> | undefined;
/** Recorded in the first test that needs it: the rig ends with a test. */
const crossed = (): Promise<Wire> => {
  recording ??= recorded();
  return recording;
};

/** One of each shape. */
function shapes<T extends object>(values: readonly T[], by: keyof T): readonly Json[] {
  const one = new Map(values.map((value) => [`${value[by]} ${Object.keys(value).sort()}`, value]));
  return [...one.values()].map((value) => asJson(value));
}
const orders = async (): Promise<readonly Json[]> =>
  shapes(
    (await crossed()).orders.map(({ read }) => read),
    'operation',
  );

describe('an order', () => {
  test('of every operation arrives as it was sent', async () => {
    const wire = await crossed();
    expect(wire.operations()).toEqual(Object.keys(orderSchemas).sort());
    for (const { sent, read } of wire.orders) {
      expect(read).toStrictEqual(sent);
      if (read.operation === 'settle') throw new Error('it never leaves the coordinator');
      expect(acceptanceOf(orderSchemas[read.operation])(read)).toBe(true);
    }
  });

  test('with a part that is missing, unknown or of another type is refused', async () => {
    for (const order of await orders())
      for (const { how, value } of damages(order, looseOrder)) {
        const read = readOrder(value);
        expect(read, `${JSON.stringify(order)}: ${how}`).toEqual({
          ok: false,
          error: expect.any(String),
        });
      }
  });

  test('is refused for a path or an id that could mean something else', async () => {
    const all = await orders();
    const bad = ['', 'a\0b', 'a\nb', '\u0085', 'a\ud800', 'x'.repeat(4_097)];
    const changed = (names: readonly string[], to: string) =>
      all.flatMap((order) => placesOf(order, names).map((change) => change(to)));
    const paths = ['path', 'to', 'saveTo'];
    for (const to of bad)
      for (const order of changed(paths, to)) expect(readOrder(order).ok, to).toBe(false);
    for (const to of [...bad, '.', '..'])
      for (const order of changed(['project', 'detection'], to))
        expect(readOrder(order).ok, to).toBe(false);
    for (const order of changed(paths, 'Photos (2)/é 日本 😀.png'))
      expect(readOrder(order).ok).toBe(true);
  });

  test('can be any JSON, and nothing is thrown', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !readOrder(value).ok));
    expect(readOrder({ operation: 'constructor' })).toEqual({
      ok: false,
      error: 'there is no operation "constructor"',
    });
  });

  test('is issued with the term of its coordinator', async () => {
    const wire = await crossed();
    const [order] = wire.orders.map(({ read }) => read);
    const issued = { order, epoch: 2, seen: 0 };
    expect(readIssuedOrder(issued)).toEqual({ ok: true, value: issued });
    const parked = { ...issued, seenMs: 3 };
    expect(readIssuedOrder(parked)).toEqual({ ok: true, value: parked });
    const free = new Set(['order']);
    for (const { how, value } of damages(asJson(parked), { optional: new Set(['seenMs']), free }))
      expect(readIssuedOrder(value).ok, how).toBe(false);
    const wrong = readIssuedOrder({ ...issued, order: { ...order, attempts: 0 } });
    expect(wrong).toEqual({ ok: false, error: '/attempts must be >= 1' });
  });
});

/** Outcomes of every kind; most of them only a run in trouble has. */
const rare: readonly JobOutcome[] = [
  { is: 'done', live: { file_path: 'a' } },
  {
    ...{ is: 'ended', ending: 'failed', why: 'the picture is too small' },
    ...{ diagnostic: 'SL012', code: 'rejected', again: false, stops: 'step' },
  },
  {
    ...{ is: 'ended', ending: 'rendering', why: '' },
    rest: { project: 'p1', credits: 10, since: 1.5, timeoutMs: 600_000, seenMs: 2, pauseMs: 12.5 },
  },
  {
    is: 'read',
    unreadable: [
      { place: { in: 'input', path: 'photos/a.png' }, why: 'cannot be read' },
      { place: { in: 'kept', digest: '0'.repeat(64), extension: '.png' }, why: 'is a folder' },
      { place: { in: 'kept', digest: '0'.repeat(64), extension: '' }, why: 'is a folder' },
    ],
  },
  { is: 'withheld', why: 'the budget does not cover it' },
  { is: 'resupply', why: 'storage no longer has photos/a.png' },
  { is: 'bug', bug: { code: '0123abcd', what: 'Error: odd', stack: 'Error: odd\n  at x' } },
];

describe('an outcome', () => {
  test('arrives as it was sent', async () => {
    const wire = await crossed();
    const kinds = new Set(wire.outcomes.map(({ sent }) => sent.is));
    expect([...kinds].sort()).toEqual(expect.arrayContaining(['done', 'ended', 'read']));
    for (const { sent, read } of wire.outcomes) {
      expect(read).toEqual(sent);
      expect(acceptanceOf(outcomeSchemas[read.is])(read)).toBe(true);
    }
    for (const outcome of rare) {
      const read = readOutcome(JSON.parse(JSON.stringify(outcome)));
      expect(read).toEqual({ ok: true, value: outcome });
      expect(acceptanceOf(outcomeSchemas[outcome.is])(outcome)).toBe(true);
    }
    expect(new Set(rare.map((outcome) => outcome.is))).toEqual(
      new Set(Object.keys(outcomeSchemas)),
    );
  });

  test('with a part that is missing, unknown or of another type is refused', async () => {
    const wire = await crossed();
    for (const outcome of shapes([...rare, ...wire.outcomes.map(({ read }) => read)], 'is'))
      for (const { how, value } of damages(outcome, looseOutcome))
        expect(readOutcome(value).ok, `${JSON.stringify(outcome)}: ${how}`).toBe(false);
  });
});

type Change = (to: string) => Json;

/** Ways to change one of the fields with these names, wherever they are. */
function placesOf(value: Json, names: readonly string[]): readonly Change[] {
  if (Array.isArray(value))
    return value.flatMap((entry: Json, index) =>
      placesOf(entry, names).map(
        (change): Change =>
          (to) =>
            value.with(index, change(to)),
      ),
    );
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]): readonly Change[] => {
    if (looseOrder.free.has(name)) return [];
    if (names.includes(name) && typeof part === 'string')
      return [(to) => ({ ...value, [name]: to })];
    return placesOf(part, names).map(
      (change): Change =>
        (to) => ({ ...value, [name]: change(to) }),
    );
  });
}
