// Whatever names, tasks and reasons hold: no text for people moves the cursor or colours the terminal, and none grows without
// end. What the texts say is in test/transcripts.
import { describe, expect, test } from 'vitest';
import { shotlistLine } from '../../src/base/shell.ts';
import type { Condition } from '../../src/core/recorded-files.ts';
import type { ProblemGroup, RunEvent, Summary } from '../../src/core/run-event.ts';
import { explanationText, planReadingText } from '../../src/features/plan/plan-text.ts';
import { noOrphans, type OrphanFile } from '../../src/features/prune/orphan.ts';
import { orphansText } from '../../src/features/prune/prune-text.ts';
import { repairText } from '../../src/features/repair/command.ts';
import type { Repaired } from '../../src/features/repair/repair.ts';
import type { ResultFate } from '../../src/features/result-fate.ts';
import { statusText } from '../../src/features/status/command.ts';
import { statusOf } from '../../src/features/status/status.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { planText } from '../../src/views/plan-text.ts';
import { runEventText } from '../../src/views/run-text.ts';
import { summaryText } from '../../src/views/summary-text.ts';
import { at, doubted, folded, type Happening, intent, job, run, taskEnds } from '../model/lines.ts';
import { control, emptyPlan, wild } from './wild.ts';

const summary: Summary = {
  outcome: 'failed',
  items: { total: 3, done: 3, skipped: 0, unfinished: 0 },
  tasks: {
    done: 5,
    reused: 7,
    skipped: 0,
    excluded: 0,
    failed: 1,
    doubt: 0,
    pending: 0,
    blocked: 0,
    rendering: 0,
    later: 0,
  },
  held: 0,
  files: { changed: 0, elsewhere: 0, stored: 0 },
  credits: { charged: 30, refunded: 0, reserved: 0 },
  elapsedMs: 1500,
  problems: [],
  groups: [],
};
const group = (task: string, why: string): ProblemGroup => ({
  step: 'swap',
  ending: 'failed',
  why,
  count: 1,
  examples: [task],
});
const places = { pipeline: 'p.yaml', state: 'p.state.jsonl', output: 'out/p' };

const asked = {
  now: Date.parse(at) + 20 * 3_600_000,
  expiringMs: 6 * 3_600_000,
  fateOf: (): ResultFate => 'fetched',
  conditionOf: (): Condition => 'whole',
  isStored: (): boolean => false,
};
const statusTextOf = (ledger: Ledger): string =>
  statusText(statusOf(ledger, asked), 'p.state.jsonl', (command, names = [], more = []) =>
    shotlistLine(command, ['p.yaml', ...names], more),
  );

const orphan = (path: string): OrphanFile => ({
  ...{ path, bytes: 1_200_000, sha256: 'a'.repeat(64), at: 0, credits: 5 },
  ...{ tasks: [`swap:${path}`], last: true, records: [{ job: '1', task: 'save:p', index: 0 }] },
});
const orphansOf = (files: readonly OrphanFile[]): string =>
  orphansText(
    { ...noOrphans, files, left: { ...noOrphans.left, changed: [`out/${wild}`] } },
    40 * 86_400_000,
  );

const repairedWith = (unreadable: Repaired['unreadable']): Repaired => ({
  ...{ state: `${wild}.jsonl`, pipeline: wild, missing: false, intact: false, unreadable },
  additions: [{ name: wild, creations: 1, credits: 5 }],
  lost: [{ run: wild, creations: 2 }],
  bare: false,
  away: undefined,
  paidTwice: [
    {
      ...{ job: job('a'), tasks: [wild] },
      attempts: [
        { name: wild, at, credits: 5 },
        { name: 'b', at, project: wild, credits: 5 },
      ],
    },
  ],
  ...{ jobs: 1, credits: { charged: 5, reserved: 0 }, copies: [`${wild} (1).jsonl`] },
  written: `${wild}.damaged`,
});
const repairTextOf = (unreadable: Repaired['unreadable']): string =>
  repairText(repairedWith(unreadable), 'shotlist repair --write', 'shotlist repair --accept');

const events: readonly RunEvent[] = [
  { type: 'warning', message: wild },
  { type: 'item', item: wild, ok: true, changed: true, of: 1 },
  { type: 'task', task: wild, step: 'swap', ending: 'doubt', why: wild, credits: 0 },
  { type: 'stopping', why: wild },
];

const wildEvents: readonly Happening[] = [
  run(),
  { ...intent('w', 3), task: `swap:${wild}`, kind: wild, attempt: wild },
  doubted('w', wild),
  taskEnds(`photo:${wild}`, 'failed', wild),
];
const wildTimes = Ledger.of([{ run: wild, at: wild, ended: wild }]);

const reading = { hasWork: true, itemsToDo: 1, isUncapped: false } as const;
const because = { because: 'changed', what: wild, tasks: 1, examples: [wild] } as const;

test.each<[string, string]>([
  [
    'a plan',
    planText({
      ...emptyPlan,
      unpricedWhy: [`act: no price is published for model "${wild}"`],
      notes: [{ task: `swap:${wild}`, action: 'doubt', why: wild }],
    }),
  ],
  [
    'what is below a plan',
    planReadingText(emptyPlan, { ...reading, reasons: [{ ...because, step: wild }] }, false),
  ],
  ['an explanation', explanationText({ task: wild, action: 'begin', why: wild })],
  [
    'a summary',
    summaryText(
      {
        ...{ ...summary, stopped: wild },
        groups: [{ ...group(`swap:${wild}`, wild), count: 4, advice: 'try' }, group(wild, wild)],
      },
      { pipeline: wild, state: wild, output: wild },
    ),
  ],
  ...events.map((event): [string, string] => [event.type, runEventText(event, 120) ?? '']),
  ['a status', statusTextOf(folded(wildEvents))],
  ['a status with times', statusTextOf(wildTimes)],
  ['a list of orphans', orphansOf([orphan(wild)])],
  ['a repair', repairTextOf([{ number: 3, why: wild }])],
])('no control character of %s reaches the terminal', (_, text) => {
  expect(text).not.toBe('');
  expect(text).not.toMatch(control);
});

test('a name in a damaged file begins no line of its own', () => {
  const lines = repairTextOf([{ number: 3, why: wild }]).split('\n');
  expect(lines.filter((line) => line.startsWith('.png'))).toEqual([]);
});

test('a path that a shell would take apart is quoted', () => {
  const copies = ["it's here.jsonl"];
  const text = repairText({ ...repairedWith([]), copies }, '', '');
  expect(text).toContain("rm 'it'\\''s here.jsonl'");
});

describe('a list of hundreds is cut:', () => {
  const many = <T>(of: (number: number) => T): readonly T[] =>
    Array.from({ length: 300 }, (_, n) => of(n));
  const linesWith = (text: string, word: string): number =>
    text.split('\n').filter((line) => line.includes(word)).length;

  test.each<[string, string, number]>([
    [
      'tasks that cannot run',
      planText({
        ...{ ...emptyPlan, badItems: 300, noted: 300 },
        notes: many((n) => ({ task: `odd:${n}`, action: 'problem', why: 'why so' })),
      }),
      20,
    ],
    [
      'problems of a run',
      summaryText(
        {
          ...summary,
          tasks: { ...summary.tasks, failed: 300 },
          groups: many((n) => group(`odd:${n}`, `why ${n}`)),
        },
        places,
      ),
      20,
    ],
    [
      'failures of a status',
      statusTextOf(folded([run(1), ...many((n) => taskEnds(`odd:${n}`, 'failed', 'no'))])),
      20,
    ],
    ['orphans', orphansOf(many((n) => orphan(`odd:${n}.png`))), 50],
    ['damaged lines', repairTextOf(many((number) => ({ number, why: 'odd:' }))), 40],
  ])('%s', (_, text, most) => {
    const shown = linesWith(text, 'odd:');
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThanOrEqual(most);
    expect(text).toMatch(/\b\d{2,} (more|others)\b/);
  });
});

test('an outage is told less and less often, and an item for which nothing was done is not told', () => {
  const waiting = {
    ...({ type: 'waiting', of: 'service', why: 'is away', since: at } as const),
    ...{ nextTryMs: 8_000, limitMs: 900_000 },
  };
  const told = Array.from({ length: 40 }, (_, n) => n + 1).filter(
    (tries) => runEventText({ ...waiting, tries }, 120) !== undefined,
  );
  expect(told).toEqual([1, 2, 4, 8, 16, 32]);
  const item: RunEvent = { type: 'item', item: 'a.png', ok: true, changed: false, of: 7 };
  expect(runEventText(item, 120)).toBeUndefined();
});
