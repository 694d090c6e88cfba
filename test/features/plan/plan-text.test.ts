// What a person reads below the table of a plan.
import { describe, expect, test } from 'vitest';
import { explanationText, planReadingText } from '../../../src/features/plan/plan-text.ts';
import type { Plan } from '../../../src/plan/plan.ts';
import type { PlanReading } from '../../../src/plan/plan-reading.ts';
import type { EarlierJob } from '../../../src/plan/plan-reasons.ts';
import { control, wild } from '../../views/wild.ts';

const row = { step: 'swap', kind: 'face-swap-photo', unpriced: 0 };
const plan: Plan = {
  ...{ items: 300, credits: 2380, uncounted: 0, unpriced: 0, unpricedWhy: [], badItems: 0 },
  ...{ notes: [], noted: 0, files: { changed: 0, elsewhere: 0, stored: 0 } },
  rows: [{ ...row, tasks: { begin: 238, reuse: 60 }, credits: 2380, prices: ['list'] }],
};
const reading: PlanReading = { hasWork: true, reasons: [], itemsToDo: 238 };
const text = (more: Partial<PlanReading>, rehearsal = false): string =>
  planReadingText(plan, { ...reading, ...more }, rehearsal);

describe('below a plan', () => {
  test('prices are told with their source', () => {
    expect(text({})).toBe('Prices: the published price list (swap).');
  });

  test('a budget is told with what it buys, and what all would take', () => {
    expect(text({ budget: 500 })).toContain(
      'Budget: 500 credits for a run, and the plan may take 2,380. To buy everything at once, raise --budget to 2,380.',
    );
    expect(text({ budget: 2380 })).toContain('Budget: 2,380 credits for a run: enough.');
    const tooDear = [{ item: 'long.mp4', credits: 900 }];
    const enough = { items: 50, of: 238, tooDear, tooDearCount: 1 };
    expect(text({ budget: 500, budgetFrom: 'budget.credits', enough })).toContain(
      'Budget: 500 credits for a run, enough for 50 of 238 items. To buy everything at once, raise budget.credits to 2,380.\n' +
        'This item alone needs more than a cap allows, so no run begins it: long.mp4 (900 credits).',
    );
    expect(text({ enough })).toContain('Enough for 50 of 238 items now.');
  });

  test('credits are told in money where the price of a credit is known', () => {
    expect(text({ creditDollars: 0.0012 })).toContain('Money: at most $2.86, at $0.0012 a credit.');
    const unpriced = planReadingText(
      { ...plan, unpriced: 1 },
      { ...reading, creditDollars: 0.0012 },
      false,
    );
    expect(unpriced).toContain('Money: at least $2.86');
  });

  test('reasons are told with how many tasks they are about, and examples', () => {
    const examples = ['swap:a', 'swap:b'];
    const reasons = [
      { step: 'swap', because: 'new', tasks: 236, examples },
      { step: 'swap', because: 'changed', what: 'changed file in x', tasks: 2, examples },
      { step: 'save', because: 'again', what: 'its file is gone', tasks: 3, examples },
    ] as const;
    expect(text({ reasons })).toContain(
      'Why they run:\n  swap: 236 new\n  swap: 2 changed file in x (swap:a, swap:b)\n' +
        '  save: 3 its file is gone (swap:a, swap:b, …)',
    );
    expect(text({ reasons: reasons.slice(0, 1) })).toContain('Why: the 236 creations are new.');
  });

  test('time is told with the limit that it follows from', () => {
    const forecast = { ms: 482_000, atOnce: 5, limit: 'plan', fromHistory: false } as const;
    expect(text({ forecast })).toContain(
      "Time: about 8 min, with 5 projects at once (the limit of the account's plan), by the tools' median times.",
    );
    expect(text({ forecast }, true)).toContain('about 8 min at the hosted service');
  });

  test('no control character reaches the terminal', () => {
    const reasons = [
      { step: wild, because: 'changed', what: wild, tasks: 1, examples: [wild] },
    ] as const;
    expect(text({ reasons })).not.toMatch(control);
    const explanation = { task: wild, action: 'begin', why: wild } as const;
    expect(explanationText(explanation)).not.toMatch(control);
  });
});

describe('an explanation', () => {
  const earlier: EarlierJob = {
    ...{ job: 'x', kind: 'face-swap-photo', state: 'complete', project: 'p1', credits: 10 },
    at: '2026-11-20T10:00:00.000Z',
  };
  const about = { task: 'swap:a', action: 'begin', why: 'new content or parameters' } as const;

  test('of a new task says that there is no earlier project', () => {
    expect(explanationText({ ...about, credits: 10 })).toBe(
      'swap:a runs: new content or parameters. It costs 10 credits.\nThe state file has no project of it with other content or parameters.',
    );
  });

  const paid = { by: 'branch', name: 'main', at: earlier.at, project: 'p1', credits: 10 } as const;
  const was =
    'Your receipts say that it was paid for on 2026-11-20 in branch main: project p1, 10 credits.';
  test.each([
    [
      { follows: 'adopted' },
      `${was}\nThe project counts as one of this state file, and nothing is charged for it again.`,
    ],
    [
      { follows: 'copied', files: ['~/b/one.png'] },
      `${was}\nThe project is deleted. Its result is copied from ~/b/one.png, and nothing is charged for it again.`,
    ],
    [
      { follows: 'copied', files: [] },
      `${was}\nThe project is deleted. Its result is copied from the store, and nothing is charged for it again.`,
    ],
    [
      { follows: 'lost' },
      `${was}\nThe project is deleted, and no copy of its result is on this machine: only run --pay-again buys it again.`,
    ],
    [
      { follows: 'doubt' },
      'Your receipts say that its creation began on 2026-11-20 in branch main, and that the answer was lost.\nNo run buys it until shotlist resolve has said what became of it.',
    ],
    [
      { follows: 'bought' },
      'Your receipts say that another account of this service paid for it on 2026-11-20 in branch main: project p1, 10 credits.\nThis account cannot see that project, so a run buys the result.',
    ],
  ] as const)('says what the receipts know, and what follows: %#', (facts, text) => {
    const [, ...lines] = explanationText({
      ...{ ...about, action: 'attach', paid: { ...paid, ...facts } },
    }).split('\n');
    expect(lines.join('\n')).toBe(text);
  });

  test('of a changed task has the values before and after', () => {
    const changes = [
      { is: 'value', field: 'style.prompt', before: 'red' },
      { is: 'result', field: 'assets.image', kind: 'ai-image-editor' },
    ] as const;
    const text = explanationText({ ...about, earlier, changes });
    expect(text).toContain(
      'What has changed since project p1 of 2026-11-20, which cost 10 credits:',
    );
    expect(text).toContain('style.prompt  "red" → not set');
    expect(text).toContain('assets.image  the result of the step kind ai-image-editor');
  });

  test('without a record says so', () => {
    expect(explanationText({ ...about, earlier })).toContain('What has changed since is not known');
  });
});
