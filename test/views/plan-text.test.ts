// A plan as text: what would be done, what it costs, and what a person should look at.
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/plan.ts';
import type { PaidSource } from '../../src/plan/remembered.ts';
import { planText } from '../../src/views/plan-text.ts';
import { paidByOthersText } from '../../src/views/receipts-text.ts';
import { control, wild } from './wild.ts';

const plan: Plan = {
  items: 2,
  rows: [
    { step: 'photo', kind: 'upload', tasks: { begin: 1, reuse: 1 }, credits: 0, unpriced: 0 },
    {
      step: 'swap',
      kind: 'face-swap-photo',
      tasks: { begin: 1, maybe: 1 },
      credits: 20,
      unpriced: 0,
    },
  ],
  credits: 20,
  uncounted: 0,
  unpriced: 0,
  unpricedWhy: [],
  files: { changed: 0, elsewhere: 0, stored: 0 },
  badItems: 0,
  notes: [],
  noted: 0,
};

describe('a plan', () => {
  test('says for each step what would be done, what is reused and what it costs', () => {
    expect(planText(plan)).toBe(
      [
        '2 items:',
        '  ↑  photo  upload           1  to upload',
        '  =  photo                   1  reused',
        '  +  swap   face-swap-photo  1  to create  20 credits  ~ 4 s each',
        '  +  swap                    1  perhaps',
        'At most 20 credits.',
        '"perhaps" depends on the results of earlier steps; the credits are included.',
      ].join('\n'),
    );
  });

  const days = { first: '2026-11-20', last: '2026-11-20' };
  const main = { by: 'branch', name: 'main', creations: 9, ...days } as const;
  const shop = { by: 'pipeline', name: 'pipelines/shop.yaml', creations: 3, ...days } as const;
  const lost = { by: 'this-state', creations: 2, ...days } as const;
  const other = { by: 'state', name: '~/old.state.jsonl', creations: 2, ...days } as const;
  test.each([
    [
      [main, shop],
      '12 paid already: 9 in branch main on 20 Nov, 3 by pipelines/shop.yaml; nothing to pay for them.',
    ],
    [
      [{ ...lost, creations: 1 }],
      '1 paid already in an earlier version of this state file on 20 Nov; nothing to pay for it.',
    ],
    [
      [main, shop, lost, other],
      '16 paid already: 9 in branch main on 20 Nov, 3 by pipelines/shop.yaml, 2 in an earlier version of this state file on 20 Nov, and 2 more; nothing to pay for them.',
    ],
    [
      [{ ...main, first: '2025-12-30', last: '2026-01-02' }],
      '9 paid already in branch main from 30 Dec 2025 to 2 Jan; nothing to pay for them.',
    ],
    [
      [{ ...other, first: '2026-11-18' }],
      '2 paid already in the state file ~/old.state.jsonl from 18 to 20 Nov; nothing to pay for them.',
    ],
    [
      [{ ...shop, name: 'a\u001b[2J\nb.yaml' }],
      '3 paid already by a\\u{1b}[2J\\nb.yaml; nothing to pay for them.',
    ],
  ])(
    'names who has paid for what the state file does not know: %#',
    (sources: readonly PaidSource[], line) => {
      const creations = sources.reduce((sum, one) => sum + one.creations, 0);
      const paidAlready = { creations, credits: 120, sources, at: '2026-11-24T00:00:00.000Z' };
      expect(planText({ ...plan, paidAlready }).split('\n')).toContain(line);
    },
  );

  test.each([
    [
      1,
      '1 request was paid by another account of this service, whose projects this account cannot see: it is bought',
    ],
    [
      3,
      '3 requests were paid by another account of this service, whose projects this account cannot see: they are bought',
    ],
  ])('says which %i requests another account has paid for', (requests, text) => {
    expect(paidByOthersText(requests)).toBe(text);
  });

  test('that costs nothing says so', () => {
    const free: Plan = {
      ...plan,
      rows: [
        { step: 'swap', kind: 'face-swap-photo', tasks: { reuse: 2 }, credits: 0, unpriced: 0 },
      ],
      credits: 0,
    };
    expect(planText(free)).toContain('Nothing to pay.');
    expect(planText(free)).toContain('=  swap  face-swap-photo  2  reused');
  });

  test('never takes a price that is not known as nothing', () => {
    const text = planText({
      ...plan,
      rows: [
        { step: 'act', kind: 'character-replace', tasks: { begin: 3 }, credits: 0, unpriced: 3 },
      ],
      credits: 0,
      unpriced: 3,
      unpricedWhy: ['act (character-replace): the rate is not published'],
    });
    expect(text).toContain('3 of unknown price');
    expect(text).toContain('No price is known for 3 tasks.');
    expect(text).toContain('unknown price: act (character-replace): the rate is not published');
    expect(text).not.toContain('Nothing to pay');
  });

  test.each([
    ['doubt', 'IN DOUBT: swap:a: why so'],
    ['lost', 'LOST: swap:a: why so'],
    ['keep', 'kept: swap:a: why so'],
    ['problem', 'CANNOT RUN: swap:a: why so'],
  ] as const)('names the task that is on %s, and why', (action, expected) => {
    expect(planText({ ...plan, notes: [{ task: 'swap:a', action, why: 'why so' }] })).toContain(
      expected,
    );
  });

  test('shows twenty notes, and says how many more there are', () => {
    const note = { task: 'photo:a', action: 'problem', why: 'why so' } as const;
    const text = planText({ ...plan, badItems: 300, notes: Array(100).fill(note), noted: 300 });
    expect(text.match(/CANNOT RUN/g)).toHaveLength(20);
    expect(text).toContain('and 280 more; --json lists the first hundred');
    expect(text).toContain(
      '300 items cannot run. A run buys nothing for them; the other items continue.',
    );
  });

  test('leaves what keeps a run from beginning to the diagnostics, which have places', () => {
    const note = { task: 'photo:a', action: 'problem', why: 'why so' } as const;
    const text = planText({ ...plan, badItems: 1, notes: [note], noted: 1 }, ['photo:a: why so']);
    expect(text).not.toContain('CANNOT RUN');
  });

  test('says how many credits are held for tasks in doubt', () => {
    const row = { step: 'swap', kind: 'face-swap-photo', credits: 0, unpriced: 0 };
    const text = planText({ ...plan, rows: [{ ...row, tasks: { doubt: 2 }, held: 20 }] });
    expect(text).toContain('!  swap  face-swap-photo  2  IN DOUBT  20 credits held');
  });

  test('lets no control character reach the terminal', () => {
    const text = planText({
      ...plan,
      unpricedWhy: [`act: no price is published for model "${wild}"`],
      notes: [{ task: `swap:${wild}`, action: 'doubt', why: wild }],
    });
    expect(text).not.toMatch(control);
    expect(text.split('\n')).toHaveLength(9);
  });
});
