// What a budget is made of: the smaller of two, an item's own, prices that must be known, doubts, and the balance.
import { createServer, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';
import { envOf, Rig, service, type Told } from '../rig.ts';
import { ledgerSums, speech, spendingRig } from './spending.ts';

const rich = { credits: 100_000 } as const;

test.each([
  ['--budget', 'budget: { credits: 80 }', 30, 30],
  ['the pipeline’s', 'budget: { credits: 40 }', 90, 40],
] as const)('%s wins where it is the smaller one', async (_, more, budget, most) => {
  const local = await service(rich);
  const { summary } = await spendingRig({ items: 8, more }).run(local, { budget });
  expect(ledgerSums(local)).toMatchObject({ most, net: most });
  expect(summary.outcome).toBe('budget');
});

test('what no longer fits when its turn comes is asked again when a refund has made room', async () => {
  const local = await service({
    ...rich,
    faults: {
      faults: [
        { fault: 'surcharge', percent: 20, when: 'before', skip: 1 },
        { fault: 'job-error', code: 'no_source_face', skip: 4, count: 2 },
      ],
    },
  });
  // All are promised their 10 credits at once, and wait for their turn.
  const rig = spendingRig({ items: 10, more: 'budget: { credits: 100 }' });
  const steps = 'limits: { items: 10, steps: { ai-voice-generator: 1 } }';
  rig.write('pipeline.yaml', rig.read('pipeline.yaml').replace(/limits:.*/, steps));
  const { summary } = await rig.run(local);
  // One of 10 and seven of 12 stay, two are refunded: no other fits.
  expect(ledgerSums(local)).toMatchObject({ most: 94, net: 94, creations: 10, refunds: 2 });
  expect(summary).toMatchObject({ tasks: { done: 8, failed: 2, pending: 0 } });
});

test('what no longer fits when its turn comes ends as stopped by the budget', async () => {
  const dear = { fault: 'surcharge', percent: 20, when: 'before', skip: 1 } as const;
  const local = await service({ ...rich, faults: { faults: [dear] } });
  const rig = spendingRig({ items: 10, more: 'budget: { credits: 100 }' });
  const steps = 'limits: { items: 10, steps: { ai-voice-generator: 1 } }';
  rig.write('pipeline.yaml', rig.read('pipeline.yaml').replace(/limits:.*/, steps));
  const { summary } = await rig.run(local);
  expect(ledgerSums(local)).toMatchObject({ most: 94, net: 94, creations: 8 });
  expect(summary).toMatchObject({ outcome: 'budget', tasks: { done: 8, pending: 2 } });
});

describe('an item’s own budget', () => {
  const both = `${speech}${speech.replace('speech', 'again').replace('Elon', 'Mo')}`;

  /** What the service charged for each item, net. */
  const byItem = (local: LocalService): ReadonlyMap<string, number> => {
    const sums = new Map<string, number>();
    for (const { name, project, kind, credits } of local.ledger()) {
      const item = /:(\d+)/.exec(name ?? '')?.[1];
      if (project === null || item === undefined) continue;
      sums.set(item, (sums.get(item) ?? 0) + (kind === 'charge' ? credits : -credits));
    }
    return sums;
  };

  test('that is too small for all of the item’s steps buys none of them', async () => {
    const local = await service(rich);
    const rig = spendingRig({ items: 20, more: 'budget: { per_item: 15 }', steps: both });
    const { summary } = await rig.run(local);
    expect(byItem(local).size).toBe(0);
    expect(summary).toMatchObject({ outcome: 'budget', tasks: { pending: 40 } });
  });

  test('is not passed where prices rise while both are on their way', async () => {
    const dear = { fault: 'surcharge', percent: 60, when: 'before' } as const;
    const local = await service({ ...rich, faults: { faults: [dear] } });
    const rig = spendingRig({ items: 20, more: 'budget: { per_item: 25 }', steps: both });
    await rig.run(local);
    expect(Math.max(...byItem(local).values())).toBe(16);
  });
});

test('what is in doubt counts as spent', async () => {
  const lost = { fault: 'reset', on: 'POST /v1/*', when: 'after', skip: 3, count: 4 } as const;
  const local = await service({ ...rich, faults: { faults: [lost] } });
  const rig = spendingRig({ items: 40, more: 'budget: { credits: 100 }' });
  const { summary } = await rig.run(local);
  expect(summary.tasks.doubt).toBe(4);
  expect(summary.credits).toEqual({ charged: 60, refunded: 0, reserved: 40 });
  expect(ledgerSums(local)).toMatchObject({ most: 100, net: 100 });
});

describe('a price that is not published', () => {
  const clips = (values: string, more: string): string => `pipeline: clips
items: { values: [${values}] }
${more}
steps:
  act:
    uses: character-replace
    with:
      end_seconds: \${{ item.value }}
      assets: { video_file_path: "https://x.example/a.mp4", image_file_path: "https://x.example/a.png" }
`;

  test('is refused under a budget, with its place and a hint, before any request', async () => {
    const local = await service(rich);
    const rig = new Rig(clips('1', 'budget: { per_item: 1000 }'));
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(stderr).toContain(
      'pipeline.yaml:5:3: error SL602: there is a budget, and the price of "act" (character-replace) is not known',
    );
    expect(stderr).toContain('estimate: <credits>');
    expect(code).toBe(2);
    expect(local.requests()).toEqual({});
  });

  test('is known once the journal has seen one, by its length: twice as long costs twice', async () => {
    const local = await service(rich);
    const rig = new Rig(clips('1', ''));
    await rig.run(local);
    const [one = 0] = local
      .ledger()
      .filter(({ kind }) => kind === 'charge')
      .map(({ credits }) => credits);
    expect(one).toBeGreaterThan(0);
    rig.write('pipeline.yaml', clips('1, 2, 4', 'budget: { credits: 1000 }'));
    const { events } = await rig.run(local, { budget: 5 * one });
    const planned = events.find((event) => event.type === 'planned');
    expect(planned).toMatchObject({ plan: { credits: 6 * one, unpriced: 0 } });
    // 2 seconds fit into what five cost, 4 more do not.
    const bought = local.ledger().filter(({ kind }) => kind === 'charge');
    expect(bought.map(({ credits }) => credits)).toEqual([one, 2 * one]);
    // With other settings it is not known.
    rig.write(
      'pipeline.yaml',
      clips('1', 'budget: { credits: 1000 }').replace('with:', 'with:\n      resolution: 720p'),
    );
    expect((await rig.command(['run', 'pipeline.yaml'], envOf(local))).code).toBe(2);
  });
});

describe('the balance of the account', () => {
  const asked = (local: LocalService): number => local.requests()['GET /v1/account'] ?? 0;
  /** What was said before the first task was over. */
  const saidBefore = ({ events }: Told): readonly string[] =>
    events
      .slice(
        0,
        events.findIndex(({ type }) => type === 'begun' || type === 'task'),
      )
      .map((one) => (one.type === 'warning' ? one.message : one.type));

  test('is shown where there is something to pay, and not asked for where there is nothing', async () => {
    const local = await service({ credits: 500 });
    const rig = spendingRig({ items: 3 });
    const { events } = await rig.run(local);
    expect(events).toContainEqual(expect.objectContaining({ type: 'account', balance: 500 }));
    expect(asked(local)).toBe(1);
    const again = await rig.run(local);
    expect(again.events.filter(({ type }) => type === 'account')).toEqual([]);
    expect(asked(local)).toBe(1);
  });

  test('below the plan is said before the first creation; what it buys is bought, and nothing more', async () => {
    const local = await service({ credits: 55 });
    const steps = `${speech}  save: { uses: download, with: { of: speech, to: "\${{ item.key }}.wav" } }\n`;
    const rig = spendingRig({ items: 30, window: 4, steps, more: 'output: out' });
    const told = await rig.run(local);
    expect(saidBefore(told)).toEqual([
      'started',
      'planned',
      'account',
      'the plan may take 300 credits and the account has 55: the run stops when the balance is used up',
    ]);
    // 402 in the middle: what is paid is finished and saved.
    expect(ledgerSums(local)).toMatchObject({ net: 50, creations: 5 });
    expect(local.requests()['POST /v1/ai-voice-generator']).toBeLessThanOrEqual(5 + 4);
    expect(rig.files('out')).toHaveLength(5);
    expect(told.summary).toMatchObject({
      outcome: 'budget',
      credits: { charged: 50, reserved: 0 },
    });
  });

  test('is not missed where the service does not tell it', async () => {
    const local = await service(rich);
    const told = await spendingRig({ items: 2 }).run(await withoutAccount(local));
    expect(saidBefore(told)).toEqual(['started', 'planned']);
    expect(told.summary.outcome).toBe('done');
    expect(asked(local)).toBe(0);
  });
});

/** An older deployment: it does not know the account's path. */
async function withoutAccount(local: LocalService): Promise<LocalService> {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    if (url === '/v1/account') {
      outgoing.writeHead(404, { 'content-type': 'application/json' });
      outgoing.end('{"message":"Not found"}');
      return;
    }
    const onward = request(`${local.address}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return { ...local, address: await listening(server) };
}
