// Promise 3: a budget is a hard cap. Looked at in the service's own ledger, after every entry. Random caps, selections and kills
// are in plan-equals-run.test.ts.
import { describe, expect, test } from 'vitest';
import { type Told, World } from '../kit/world.ts';

const hour = 3_600_000;

/** 10 credits. */
const speech = `  speech: { uses: ai-voice-generator, with: { style: { prompt: "\${{ item.value }}", voice_name: Elon } } }\n`;
const again = speech.replace('speech:', 'again:').replace('Elon', 'Mo');

function spending(items: number, more: string, steps = speech): World {
  const words = Array.from({ length: items }, (_, number) => `w${number}`.padEnd(100, 'o'));
  const world = new World(`pipeline: spending
items: { values: [${words.join(', ')}] }
${more}
steps:
${steps}`);
  world.service.renderMs = ({ number }) => 200 + ((number * 37) % 1900);
  return world;
}

/** Credits charged after each entry, and what was given back or added later. */
function sums(world: World): {
  readonly most: number;
  readonly net: number;
  readonly added: number;
} {
  let [net, most, added] = [0, 0, 0];
  const seen = new Set<string>();
  for (const { project, credits } of world.service.ledger) {
    net += credits;
    most = Math.max(most, net);
    if (seen.has(project) && credits > 0) added += credits;
    seen.add(project);
  }
  return { most, net, added };
}

const credits = (told: Told) => told.summary?.credits;

describe('80 items, 32 at once, with a budget of 400 credits', () => {
  const spree = (budget = 400): World =>
    spending(80, `limits: { items: 32 }\nbudget: { credits: ${budget} }`);
  const dear = (from: number) => (of: { readonly number: number }) =>
    of.number > from ? { charge: 12 } : {};

  test('refunded and charged less in the end: never more, and it is used up', async () => {
    const world = spree();
    world.service.fate = ({ number }) =>
      number % 5 === 0 ? { error: 'no_source_face' } : { final: 10 - (number % 4) };
    const told = await world.run();
    const { most, net } = sums(world);
    expect([told.outcome, most <= 400, net > 390]).toEqual(['budget', true, true]);
    expect((credits(told)?.charged ?? 0) - (credits(told)?.refunded ?? 0)).toBe(net);
    expect(credits(told)?.reserved).toBe(0);
  });

  test('charged 20 % more at once from the first on: never more, since the first goes alone', async () => {
    for (const budget of [400, 240]) {
      const world = spree(budget);
      world.service.fate = dear(0);
      const { outcome, events } = await world.run();
      expect(outcome).toBe('budget');
      // Said once, although each was charged more.
      const said = events.filter((one) => one.type === 'warning' && /charged 12/.test(one.message));
      expect(said).toHaveLength(1);
      // Whole creations of 12 credits.
      expect(sums(world)).toMatchObject({
        most: budget - (budget % 12),
        net: budget - (budget % 12),
      });
    }
  });

  test('charged 20 % more at once from some moment on: over by no more than the difference for what was in the air', async () => {
    const world = spree();
    world.service.fate = dear(16);
    await world.run();
    // Nobody can know a price before the service says it: this is the most that can be promised.
    expect(sums(world).most).toBeLessThanOrEqual(400 + 2 * 32);
  });

  test('of which the last are charged more in the end: over by no more than that, and each addition is said', async () => {
    const world = spree();
    world.service.fate = ({ number }) => (number > 30 ? { final: 11 + (number % 2) } : {});
    const told = await world.run();
    const { most, added } = sums(world);
    expect([most > 400, most <= 400 + added]).toEqual([true, true]);
    const raised = [...world.service.projects.values()].filter(
      ({ fate }) => (fate.final ?? 0) > 10,
    );
    const said = told.events.flatMap((one) => (one.type === 'warning' ? [one.message] : []));
    for (const { id } of raised) expect(said.filter((one) => one.includes(id))).toHaveLength(1);
  });
});

test.each([
  ['the one of the command line', 80, 30],
  ['the one of the pipeline', 20, 90],
])('the smaller of two budgets counts: %s', async (_, own, given) => {
  const world = spending(12, `budget: { credits: ${own} }`);
  expect((await world.run({ budget: given })).outcome).toBe('budget');
  expect(sums(world)).toMatchObject({ most: Math.min(own, given), net: Math.min(own, given) });
});

describe('prices that rise while ten wait for their turn', () => {
  const waiting = (): World =>
    spending(
      10,
      'limits: { items: 10, steps: { ai-voice-generator: 1 } }\nbudget: { credits: 100 }',
    );

  test('what no longer fits ends as stopped by the budget', async () => {
    const world = waiting();
    world.service.fate = ({ number }) => (number > 1 ? { charge: 12 } : {});
    const { summary } = await world.run();
    expect(sums(world)).toMatchObject({ most: 94, net: 94 });
    expect(summary).toMatchObject({ outcome: 'budget', tasks: { done: 8, pending: 2 } });
  });

  test('what no longer fits is asked again when a refund has made room', async () => {
    const world = waiting();
    world.service.fate = ({ number }) => ({
      charge: number > 1 ? 12 : 10,
      error: number === 5 || number === 6 ? 'no_source_face' : undefined,
    });
    const { summary } = await world.run();
    expect(sums(world)).toMatchObject({ most: 94, net: 94 });
    expect(summary).toMatchObject({ tasks: { done: 8, failed: 2, pending: 0 } });
  });
});

test.each([
  ['less than', 0, 'done', ['speech', 'speech']],
  ['all that', 1, 'budget', ['speech', 'again']],
])(
  'what no longer fits waits, without a slot, for an item before it that needs %s it has set aside',
  async (_, found, outcome, bought) => {
    const faces =
      '  photo: { uses: upload, with: { file: a.png } }\n  faces: { uses: face-detect, if: "item.index == 0", with: { target_file_path: "${{ steps.photo.file_path }}" } }\n';
    const more = again.replace('uses:', 'if: size(steps.faces.faces) > 0, uses:');
    const limits = 'limits: { steps: { ai-voice-generator: 1 } }\n';
    const world = spending(2, `${limits}budget: { credits: 35 }`, speech + faces + more);
    world.write('a.png', `faces=${found}`);
    world.service.fate = () => ({ charge: 15 });
    world.service.latencyMs = ({ call }) => (call === 'faces' ? 60_000 : 20);
    expect((await world.run()).outcome).toBe(outcome);
    expect(world.service.ledger.map(({ task }) => task.split(':')[0])).toEqual(bought);
  },
);

describe('an item’s own budget', () => {
  test('that is too small for all of the item’s steps buys none of them', async () => {
    const world = spending(20, 'budget: { per_item: 15 }', speech + again);
    expect((await world.run()).summary).toMatchObject({
      outcome: 'budget',
      tasks: { pending: 40 },
    });
    expect(world.bill).toEqual({});
  });

  test('is not passed where prices rise while both are on their way', async () => {
    const world = spending(20, 'budget: { per_item: 25 }', speech + again);
    world.service.fate = () => ({ charge: 16 });
    await world.run();
    const byItem = Map.groupBy(Object.entries(world.bill), ([task]) => task.replace(/^\w+:/, ''));
    for (const entries of byItem.values()) expect(entries).toEqual([[expect.anything(), 16]]);
  });
});

test('what is in doubt counts as spent', async () => {
  const world = spending(40, 'budget: { credits: 100 }');
  world.service.fate = ({ number }) => (number > 3 && number < 8 ? { lost: 'taken' } : {});
  const told = await world.run();
  expect(told.summary?.tasks.doubt).toBe(4);
  expect(credits(told)).toEqual({ charged: 60, refunded: 0, reserved: 40 });
  expect(sums(world)).toMatchObject({ most: 100, net: 100 });
});

describe('a price that is not published', () => {
  const clips = (values: string, more: string): string => `pipeline: clips
items: { values: [${values}] }
${more}
steps:
  act: { uses: character-replace, with: { end_seconds: "\${{ item.value }}", assets: { video_file_path: "https://x.example/a.mp4", image_file_path: "https://x.example/a.png" } } }
`;

  test('is refused under a budget, before any request, and known once the record has seen one', async () => {
    const world = new World(clips('1', 'budget: { per_item: 1000 }'));
    await expect(world.run()).rejects.toMatchObject({
      problem: { diagnostics: [{ code: 'SL602' }] },
    });
    expect(world.requests.filter((request) => request !== 'account')).toEqual([]);
    world.edit(clips('1', ''));
    world.service.fate = ({ body }) => ({ charge: 40 * Number(body['end_seconds']) });
    expect((await world.run()).charged).toBe(40);
    // Twice as long costs twice: two seconds fit into what five cost, four more do not.
    world.edit(clips('1, 2, 4', ''));
    expect((await world.plan()).plan).toMatchObject({ credits: 240, unpriced: 0 });
    expect((await world.run({ budget: 200 })).charged).toBe(80);
  });
});

describe('the balance of the account', () => {
  const asked = (world: World): number => world.requests.filter((one) => one === 'account').length;

  test('is told where there is something to pay, and not asked for where there is nothing', async () => {
    const world = spending(3, '');
    const { events } = await world.run();
    expect(events).toContainEqual(expect.objectContaining({ type: 'account', balance: 1_000_000 }));
    const before = asked(world);
    const second = await world.run();
    expect(second.events.filter(({ type }) => type === 'account')).toEqual([]);
    expect(asked(world)).toBe(before);
  });

  test('below the plan: what it buys is bought and saved, and nothing more', async () => {
    const save = '  save: { uses: download, with: { of: speech, to: "${{ item.index }}.wav" } }\n';
    const world = spending(30, 'output: out\nlimits: { items: 4 }', speech + save);
    world.service.account = { id: 'me', credits: 55, tier: 'business' };
    const told = await world.run();
    expect(sums(world).net).toBe(50);
    expect(world.outputs).toHaveLength(5);
    expect(told.summary).toMatchObject({
      outcome: 'budget',
      credits: { charged: 50, reserved: 0 },
    });
  });

  test('is not missed where the service does not tell it', async () => {
    const world = spending(2, '');
    world.service.account = undefined;
    expect((await world.run()).outcome).toBe('done');
  });
});

describe('one budget over several runs', () => {
  /** Stops when so many creations were answered. */
  const interrupted = async (world: World, count: number): Promise<Told> => {
    const controller = new AbortController();
    world.service.hear = ({ is }) => {
      if (is === 'told' && world.service.projects.size >= count) controller.abort();
    };
    const told = await world.run({ signal: controller.signal });
    world.service.hear = () => undefined;
    expect(told.outcome).toBe('interrupted');
    return told;
  };

  test('an interrupted run and the one that goes on never charge more together, and what fails is given back to them', async () => {
    const world = spending(60, 'limits: { items: 8 }\nbudget: { credits: 200 }');
    world.service.fate = ({ number }) => (number % 5 === 0 ? { error: 'no_source_face' } : {});
    await interrupted(world, 6);
    expect(sums(world).most).toBeLessThan(200);
    expect((await world.run()).outcome).toBe('budget');
    expect(sums(world).most).toBeLessThanOrEqual(200);
    expect(sums(world).net).toBeGreaterThan(190);
  });

  test('an interrupted run goes on under its own budget, and after one that ended the next has its own', async () => {
    const world = spending(60, 'limits: { items: 4 }\nbudget: { credits: 100 }');
    await interrupted(world, 5);
    expect((await world.run()).outcome).toBe('budget');
    expect(sums(world)).toMatchObject({ most: 100, net: 100 });
    await world.run();
    expect(sums(world)).toMatchObject({ most: 200, net: 200 });
  });

  test('what is added to what an interrupted run had bought is said by the run that hears of it, and counted once', async () => {
    const world = spending(
      3,
      'limits: { items: 3 }\nbudget: { credits: 100, per_item: 24 }',
      speech,
    );
    world.service.fate = () => ({ final: 12, ms: hour });
    await interrupted(world, 3);
    world.clock.pass(2 * hour);
    const { events, summary } = await world.run();
    const said = events.filter(
      (one) => one.type === 'warning' && one.message.includes('added 2 credits'),
    );
    expect(said).toHaveLength(3);
    expect(summary?.outcome).toBe('done');
    expect(sums(world).net).toBe(36);
  });
});

describe('a budget of a day and a month', () => {
  const zone = 'schedule: { cron: "0 9 * * *", time_zone: Europe/Berlin }';

  test('is shared by the runs of a day, and the next day has its own', async () => {
    const world = spending(10, `budget: { per_day: 40, per_month: 70 }\n${zone}`);
    const first = await world.run();
    expect(first.summary).toMatchObject({
      outcome: 'budget',
      resumesAt: '2026-08-05T22:00:00.000Z',
    });
    expect([first.charged, (await world.run()).charged]).toEqual([40, 0]);
    world.clock.pass(12 * hour);
    const next = await world.run();
    expect(next.summary).toMatchObject({
      outcome: 'budget',
      resumesAt: '2026-08-31T22:00:00.000Z',
    });
    expect(next.charged).toBe(30);
    world.clock.pass(27 * 24 * hour);
    const last = await world.run();
    expect([last.outcome, last.charged]).toEqual(['done', 30]);
    expect(last.summary?.resumesAt).toBeUndefined();
  });

  test('what was spent by a clock that was ahead counts for that day, and a warning says so', async () => {
    const world = spending(10, 'budget: { per_day: 40 }');
    await world.run({ items: { limit: 3 } });
    world.clock.jump(-25 * hour);
    const back = await world.run();
    expect([back.outcome, back.charged]).toEqual(['budget', 40]);
    expect(back.events.filter(({ type }) => type === 'warning')).not.toEqual([]);
    expect((await world.run()).charged).toBe(0);
    world.clock.jump(26 * hour);
    expect((await world.run()).charged).toBe(10);
    world.clock.jump(23 * hour);
    expect((await world.run()).charged).toBe(20);
  });

  test('is told by the plan', async () => {
    const world = spending(10, `budget: { per_day: 40 }\n${zone}`);
    await world.run({ items: { limit: 3 } });
    const { calendar, plan } = await world.plan();
    expect(calendar).toMatchObject([{ most: 40, spent: 30, timeZone: 'Europe/Berlin' }]);
    expect(plan.credits).toBe(70);
  });

  test('that has nothing left for the only item, which was begun, ends the run as a budget does', async () => {
    const world = spending(
      1,
      'budget: { per_day: 12 }',
      speech + again.replace('uses', 'needs: [speech], uses'),
    );
    await world.run({ only: ['speech'] });
    expect((await world.run()).summary).toMatchObject({
      outcome: 'budget',
      stoppedBy: 'budget',
      cap: { name: 'budget.per_day' },
    });
  });
});

// What a person reads of each: test/transcripts/budget.txt.
test.each([
  ['credits: 15', undefined, { name: 'budget.credits', most: 15, spent: 10, needed: 20 }, 0],
  ['credits: 25', 15, { name: '--budget', most: 15, spent: 10, needed: 20 }, 0],
  ['per_day: 15', undefined, { name: 'budget.per_day', most: 15, spent: 10, needed: 30 }, 0],
  ['per_item: 5', undefined, { name: 'budget.per_item', most: 5, spent: 0, needed: 10 }, 3],
])(
  '%s and --budget %s: the run says which cap stopped it, and what would be enough',
  async (line, budget, cap, held) => {
    const { summary } = await spending(3, `budget: { ${line} }`).run({ budget });
    // Nothing is wrong with a task that is not bought.
    expect(summary).toMatchObject({ outcome: 'budget', cap, held, problems: [], groups: [] });
  },
);

test('the plan lists the items that the next run buys, begun ones first, and no more than twenty', async () => {
  const world = spending(3, 'budget: { credits: 20 }', speech + again);
  expect((await world.plan()).enough).toMatchObject({ items: 1, of: 3, bought: ['1'] });
  await world.run({ items: { keys: new Set(['3']) }, budget: 10, only: ['speech'] });
  expect((await world.plan()).enough).toMatchObject({ items: 1, of: 3, bought: ['3'] });
  const { enough } = await spending(40, 'budget: { credits: 300 }').plan();
  expect([enough?.items, enough?.bought.length]).toEqual([30, 20]);
});
