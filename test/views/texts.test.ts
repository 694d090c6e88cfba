// Sentences that a transcript cannot bring about, or only with much work: outages, payments of other branches and accounts.
// They stand in test/golden/texts.txt.
import { expect, test } from 'vitest';
import type { PaidSource } from '../../src/core/plan-table.ts';
import type { RunEvent } from '../../src/core/run-event.ts';
import type { Explanation } from '../../src/core/why.ts';
import { explanationText } from '../../src/features/plan/plan-text.ts';
import { orphansLine } from '../../src/features/prune/prune-text.ts';
import { planText } from '../../src/views/plan-text.ts';
import { runEventText } from '../../src/views/run-text.ts';
import { expectGolden } from '../golden.ts';
import { emptyPlan } from './wild.ts';

const waiting = {
  type: 'waiting',
  of: 'service',
  why: 'cannot be reached (ECONNREFUSED)',
  since: '2026-08-05T10:00:00.123Z',
  nextTryMs: 8_000,
  limitMs: 900_000,
  tries: 4,
} as const;
const listening = { type: 'listening', address: 'http://127.0.0.1:4000' } as const;

const events: readonly RunEvent[] = [
  waiting,
  { ...waiting, of: 'storage', at: 'https://files.example.com' },
  { ...waiting, of: 'creations', why: 'asks shotlist to slow down (429)' },
  { type: 'back', of: 'service', waitedMs: 34_000 },
  { ...listening, doubts: 0 },
  { ...listening, doubts: 2 },
  { type: 'item', item: 'a.png', ok: true, changed: true, of: 7 },
  { type: 'item', item: 'a.png', ok: false, changed: true, of: 7 },
];

const days = { first: '2026-11-20', last: '2026-11-20' };
const main = { by: 'branch', name: 'main', creations: 9, ...days } as const;
const shop = { by: 'pipeline', name: 'pipelines/shop.yaml', creations: 3, ...days } as const;
const other = { by: 'state', name: '~/old.state.jsonl', creations: 2, ...days } as const;
const sources: readonly (readonly PaidSource[])[] = [
  [main, shop],
  [main, shop, { ...shop, name: 'b.yaml' }, other],
  [{ ...main, first: '2025-12-30', last: '2026-01-02' }],
  [{ ...other, first: '2026-11-18' }],
];

const paidAlready = (of: readonly PaidSource[]): string => {
  const creations = of.reduce((sum, one) => sum + one.creations, 0);
  const known = { creations, credits: 120, sources: of, at: '2026-11-24T00:00:00.000Z' };
  const [, line = ''] = planText({ ...emptyPlan, paidAlready: known })
    .split('\n')
    .slice(-2);
  return line;
};

const earlier = { by: 'branch', name: 'main', at: '2026-11-20T10:00:00.000Z' } as const;
const paid = { ...earlier, project: 'p1', credits: 10 };
const explanations: readonly Explanation[] = [
  { follows: 'adopted' } as const,
  { follows: 'copied', files: ['~/b/one.png'] } as const,
  { follows: 'copied', files: [] } as const,
  { follows: 'lost' } as const,
  { follows: 'doubt' } as const,
].map((facts) => ({
  task: 'swap:a',
  action: 'attach',
  why: 'new content',
  paid: { ...paid, ...facts },
}));

test('are as they were', () => {
  const counts = { files: 12, bytes: 34_000_000, kept: 3, keptBytes: 1_200_000, projects: 2 };
  const texts = [
    ...events.map((event) => runEventText(event, 120) ?? ''),
    ...sources.map(paidAlready),
    ...explanations.map(explanationText),
    orphansLine(counts, 'shotlist prune photo.yaml') ?? '',
  ];
  expect(texts).not.toContain('');
  expectGolden('texts.txt', `${texts.join('\n')}\n`);
});
