// The live view as lines: what stands where at which size, and that no name or reason leaves its line.
import { describe, expect, test } from 'vitest';
import { liveFacts } from '../../../src/views/live/live-facts.ts';
import { liveLines } from '../../../src/views/live/live-lines.ts';
import { lineWidth, textOf } from '../../../src/views/live/spans.ts';
import { control, wild } from '../wild.ts';
import { row, Watching } from './live-events.ts';

const small = { columns: 80, rows: 24 };

const shown = ({ view, now }: Watching, size = small): readonly string[] =>
  liveLines(liveFacts(view, now), size).map(textOf);

function middle(): Watching {
  const watching = new Watching(300, { budget: 5000 });
  for (let i = 0; i < 100; i += 1) watching.whole(`IMG_${i}.jpg`, 500);
  watching.whole('IMG_931.jpg', 500, 'failed', 'no_source_face: no face was found');
  watching.whole('IMG_977.jpg', 500, 'doubt', 'the answer was lost');
  watching.begin('photo', 'IMG_999.jpg');
  return watching;
}

test('in the middle of a run, the bar, the time, the items, the credits and the steps are there', () => {
  expect(shown(middle())).toEqual([
    'photos  ━━━━━━━━━━━━━━━━━━━━────────────────────────────────────────  102 of 300',
    '  time     0:51 · about 2 min left · 120 items a minute',
    '  items    100 done · 1 failed · 1 in doubt',
    '  credits  1,000 charged of 5,000 · at most 3,000 by the plan',
    '  photo    ✓ 102   ● 1   ○ 197',
    '  color    ✓ 100         ○ 198   ✗ 1   ? 1',
    '',
    '  ? color:IMG_977.jpg  in doubt: the answer was lost',
    '  ✗ color:IMG_931.jpg  failed: no_source_face: no face was found',
    '  ✓ IMG_99.jpg  10 credits, 0.5 s',
    '  ✓ IMG_98.jpg  10 credits, 0.5 s',
  ]);
});

test('credits are told in money where the price of a credit is known, and never in a rehearsal', () => {
  const account = { type: 'account', balance: 10_000, tier: 'creator' } as const;
  const watching = middle();
  watching.take(account);
  expect(shown(watching)).toContain(
    '  credits  1,000 charged of 5,000 · $1.20 · at most 3,000 by the plan',
  );
  const free = new Watching(1, { rehearsal: true });
  free.take(account);
  free.whole('a', 500);
  expect(shown(free).join('\n')).not.toContain('$');
});

test('the task that takes several times as long as usual is named, and no longer when it is over', () => {
  const watching = middle();
  watching.end('photo', 'IMG_999.jpg');
  const slow = '  ● color:IMG_5.jpg  at work for 2:00, several times as long as usual';
  watching.begin('color', 'IMG_5.jpg');
  expect(shown(watching).join('\n')).not.toContain('as long as usual');
  watching.now += 120_000;
  expect(shown(watching)).toContain(slow);
  watching.end('color', 'IMG_5.jpg');
  expect(shown(watching)).not.toContain(slow);
});

test('on a wide terminal, each number has its word', () => {
  const lines = shown(middle(), { columns: 200, rows: 50 });
  expect(lines).toContain(
    '  color    ✓ 100 done                 ○ 198 queued   ✗ 1 failed   ? 1 in doubt',
  );
  expect(lines.filter((line) => line.startsWith('  ✓'))).toHaveLength(8);
});

describe('a view', () => {
  test.each([
    [80, 24],
    [40, 10],
    [20, 5],
    [10, 3],
    [5, 2],
    [1, 1],
    [200, 50],
  ])('fits %d columns and %d rows', (columns, rows) => {
    const watching = middle();
    for (const text of [wild, '写真'.repeat(60), '👩‍👩‍👧‍👦'.repeat(40)])
      watching.whole(text, 5, 'failed', text);
    const lines = liveLines(liveFacts(watching.view, watching.now), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
  });

  test('says how many steps it leaves out', () => {
    const rows = Array.from({ length: 30 }, (_, index) => row(`step-${index}`, 'upload', 5));
    const lines = shown(new Watching(5, { rows }));
    expect(lines).toHaveLength(23);
    expect(lines.at(-1)).toBe('  … and 12 more steps');
  });

  test('escapes names and reasons', () => {
    const watching = new Watching(1, { pipeline: wild, rows: [row(wild, 'upload', 1)] });
    watching.whole(wild, 5, 'failed', wild);
    for (const line of shown(watching, { columns: 500, rows: 50 }))
      expect(line).not.toMatch(control);
  });
});

describe('before the first task', () => {
  test('the view tells how far the plan is', () => {
    const watching = new Watching(1);
    const { view } = new Watching(1);
    expect(shown(watching)[1]).toBe('  time     0:00 · asking the service …');
    view.stage = { is: 'planning', seen: 0, of: 0 };
    expect(textOf(liveLines(liveFacts(view, 0), small)[0] ?? [])).toBe('photos  planning  0:00');
    view.look(1200, 5000);
    expect(textOf(liveLines(liveFacts(view, 2000), small)[0] ?? [])).toBe(
      'photos  planning: looked at 1,200 of 5,000 items  0:02',
    );
  });
});

test('an outage and the end are told below the bar', () => {
  const watching = middle();
  const why = 'the service does not answer';
  const since = '2026-08-05T10:00:00Z';
  const outage = { since, tries: 1, nextTryMs: 1000, limitMs: 60_000 };
  watching.take({ type: 'waiting', of: 'service', why, ...outage });
  watching.now += 65_000;
  watching.take({ type: 'waiting', of: 'service', why, ...outage });
  expect(shown(watching)[1]).toBe(`  waiting for 1:05: ${why}`);
  watching.take({ type: 'stopping', why: 'interrupted' });
  expect(shown(watching)[1]).toBe('  stopping: interrupted');
});
