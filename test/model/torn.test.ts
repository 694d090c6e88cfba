// What may be dropped at the end of a journal: the beginning of the next event, and nothing else.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mostCredits } from '../../src/contract/api/bounds.ts';
import { type EventLine, lineText, type NewEvent } from '../../src/model/line.ts';
import { isTorn } from '../../src/model/torn.ts';
import { partOf } from '../sweep.ts';
import { intent, job, journals, numbered, run } from './lines.ts';

const torn = (text: string, after: number): boolean =>
  isTorn({ text, wellFormed: true, terminated: false }, 3, after);

/** Texts and results as a service may send them: any characters, any JSON. */
const wild: fc.Arbitrary<NewEvent> = fc.oneof(
  fc.record({
    event: fc.constant('settled' as const),
    job: fc.constant(job('a')),
    status: fc.constantFrom('complete' as const, 'error' as const),
    credits: fc.nat(mostCredits),
    result: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
    error: fc.record({ code: fc.string(), message: fc.string({ unit: 'binary' }) }),
  }),
  fc.record({
    event: fc.constant('intent' as const),
    job: fc.constant(job('b')),
    task: fc.string({ unit: 'grapheme', minLength: 1 }),
    kind: fc.constant('face-swap-photo'),
    attempt: fc.integer({ min: 1 }),
    name: fc.string({ unit: 'binary' }),
    reserve: fc.nat(mostCredits),
    measure: fc.record({
      of: fc.string(),
      amount: fc.double({ min: 1e-9, noNaN: true, noDefaultInfinity: true }),
    }),
  }),
);

describe('the beginning of an event', () => {
  const cutAnywhere = (line: EventLine, text: string): void => {
    for (let cut = 1; cut < text.length; cut++) {
      const start = text.slice(0, cut);
      // A surrogate by itself is no character: on disk it would be bytes that are not text.
      if (!start.isWellFormed()) continue;
      expect(torn(start, line.seq - 1), start).toBe(true);
    }
    expect(torn(text, line.seq - 1)).toBe(false);
  };
  const everyCut = (events: readonly EventLine[]): void => {
    for (const line of events) cutAnywhere(line, lineText(line));
  };

  test('is known wherever the event was cut, and the whole of it is not one', () => {
    fc.assert(
      fc.property(journals, (events) => everyCut(numbered(events).slice(-3))),
      { seed: 21, numRuns: partOf(60) },
    );
  });

  test('is known whatever the texts and the results of the service hold', () => {
    fc.assert(
      fc.property(wild, (event) => everyCut(numbered([run(), event]))),
      { seed: 22, numRuns: partOf(80) },
    );
  });

  test('is known with characters that are written as escapes, half of a pair among them', () => {
    const name = 'a\u202eb\u009bc\u007f\u{e0041}\u2028\ud800d\u200b😀\\u202e"\n';
    const about = { job: job('a'), task: name, kind: 'face-swap-photo', attempt: 1 };
    const events = numbered([run(), { event: 'intent', ...about, name, reserve: 10 }]);
    const line = events[1];
    expect(line === undefined ? '' : lineText(line)).toMatch(/^[\x20-\x7e😀]+$/u);
    everyCut(events);
  });
});

test('the beginning of the first event of a compacted file may be any, and behind a header alone only that of a run', () => {
  const [begun = '', sent = ''] = [run(), intent()].map((event) =>
    JSON.stringify({ seq: 1, ...event }).slice(0, -1),
  );
  const behind = (number: number) => (text: string) =>
    isTorn({ text, wellFormed: true, terminated: false }, number, 0);
  expect([begun, sent].map(behind(3))).toEqual([true, true]);
  expect([begun, sent].map(behind(2))).toEqual([true, false]);
});

describe('no beginning of an event', () => {
  const start = '{"seq":8,"event":"';
  test.each([
    '',
    '\0',
    ' {"seq":8',
    '{ "seq":8',
    '{"event":"run"',
    '{"seq":9,',
    '{"seq":08',
    '{"foo',
    '[',
    `${start}doubt","why":"a\tb`,
    `${start}doubt","why":"\0\0\0`,
    `${start}conjured"}`,
  ])('is %j', (text) => {
    expect(torn(text, 7)).toBe(false);
  });
});
