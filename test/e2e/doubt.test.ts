// A creation whose answer never comes may have been paid: it is shown, never repeated by a machine, and the rest goes on.
import { connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LocalService } from '../../src/service/start.ts';
import { listening } from '../listening.ts';
import { bill, envOf, photo, photoPipeline, photoRig, service } from '../rig.ts';
import { hub } from '../service/receiver.ts';
import { longTest } from '../sweep.ts';
import { doubted } from './doubted.ts';
import { rerolls } from './taken.ts';

/** A network in front of the service that loses the answer to the first creations, after they have arrived. */
async function lossy(local: LocalService, losses: number): Promise<LocalService> {
  const port = Number(new URL(local.address).port);
  let left = losses;
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    let losing = false;
    client.on('data', (chunk) => {
      if (chunk.includes('POST /v1/face-swap-photo') && left > 0) {
        left -= 1;
        losing = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (losing) client.destroy();
      else client.write(chunk);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  return { ...local, address: await listening(proxy) };
}

interface Cuttable extends LocalService {
  mend(): void;
}

/** A network that cuts every connection from the creation with this number on, until it is mended. */
async function cuttable(local: LocalService, from: number): Promise<Cuttable> {
  let mended = false;
  const port = Number(new URL(local.address).port);
  let creations = 0;
  const proxy = createServer((client) => {
    client.on('error', () => client.destroy());
    const server = connect(port, '127.0.0.1');
    server.on('error', () => client.destroy());
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    client.on('data', (chunk) => {
      if (chunk.includes('POST /v1/face-swap-photo')) creations += 1;
      if (creations >= from && !mended) client.destroy();
      else server.write(chunk);
    });
    server.on('data', (chunk) => client.write(chunk));
  });
  const mend = (): void => {
    mended = true;
  };
  return { ...local, mend, address: await listening(proxy) };
}

test('a lost answer leaves one photo in doubt, everything else is done, and neither a run nor a plan repeats it', async () => {
  const local = await service();
  const network = await lossy(local, 1);
  const rig = await photoRig(4);
  for (let times = 0; times < 2; times += 1) {
    const { summary } = await rig.run(network);
    expect(summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1, failed: 0 } });
    expect(rig.files('out')).toHaveLength(3);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);
  }
  const loaded = await loadPipeline(rig.file);
  expect((await plan(loaded, { env: envOf(network) })).plan.credits).toBe(0);
  const { doubts, credits } = await status(loaded, { hosted: true });
  expect(doubts).toHaveLength(1);
  expect(local.ledger().map((entry) => entry.name)).toContain(doubts[0]?.name);
  expect(credits.reserved).toBe(10);
});

test('what is in doubt counts in the budget, as if it had been paid', async () => {
  const local = await service();
  const network = await lossy(local, 1);
  const rig = await photoRig(4);
  const { summary } = await rig.run(network, { budget: 20 });
  expect(summary.outcome).toBe('doubt');
  const charged = [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);
  expect(charged).toBe(20);
});

test('no run ends well while anything in its state file is in doubt, also an earlier content or a take', async () => {
  const { rig, local, env, name } = await doubted('after');
  rig.write('photos/p1.png', await photo(7));
  // The second time there is nothing to do: also then.
  for (let times = 0; times < 2; times += 1) {
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      ...{ outcome: 'doubt', items: { total: 1, done: 1 } },
      otherDoubts: { count: 1, examples: [{ name, tasks: ['swap:p1.png'], reserved: 10 }] },
    });
  }
  await resolve(await loadPipeline(rig.file), name, { how: 'abandon' }, { env });
  expect((await rig.run(local)).summary.outcome).toBe('done');

  const lost = { fault: 'reset', on: 'POST /v1/face-swap-photo', when: 'after', count: 1 };
  await hub(local.address, '/hub/faults', { faults: [lost] });
  expect((await rerolls(rig, local, ['p1.png'])).summary.outcome).toBe('doubt');
  const after = await rig.command(['run', 'pipeline.yaml'], env);
  expect(after.code).toBe(4);
  expect(after.stdout).toContain('IN DOUBT: 1 creation that this run was not about');
  expect(after.stdout).toContain('shotlist status says how to settle');
});

describe('an outage that cuts connections', () => {
  const creation = 'POST /v1/face-swap-photo';
  const few = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');
  const creationsAt = (local: LocalService): number => local.requests()[creation] ?? 0;

  test('closes creations after two lost answers, tries two more one at a time, and leaves the rest for later', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'reset', on: creation, when: 'before' }] },
    });
    const rig = await photoRig(8, few);
    const { summary } = await rig.run(local);
    expect(creationsAt(local)).toBe(4);
    expect(summary).toMatchObject({
      outcome: 'doubt',
      stoppedBy: 'unanswered',
      tasks: { doubt: 4, failed: 0 },
    });
    expect(summary.stopped).toMatch(/^the run buys nothing more: creations get no answer/);
    // Equal doubts are one line.
    expect(summary.groups.filter(({ ending }) => ending === 'doubt')).toMatchObject([{ count: 4 }]);
    const status = await rig.command(['status', 'pipeline.yaml']);
    expect(status.stdout.match(/IN DOUBT: .*/g)).toEqual([
      expect.stringMatching(
        /^IN DOUBT: 4 creations of swap \(.* and 1 other\).* 40 credits set aside/,
      ),
    ]);
    // What was not sent is neither in doubt nor lost: when answers come again, a run makes it.
    await hub(local.address, '/hub/faults/clear', {});
    await rig.command(['resolve', 'pipeline.yaml', '--all', '--not-charged']);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'done', items: { done: 8 } });
    expect([...bill(local.ledger()).values()].every((credits) => credits === 10)).toBe(true);
  });

  longTest('leaves no more in doubt than was under way, and the two that were tried', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'reset', on: creation, when: 'after' }] },
    });
    const rig = await photoRig(14, few.replace('items: 1', 'items: 6'));
    const { summary } = await rig.run(local);
    expect(creationsAt(local)).toBeLessThanOrEqual(8);
    expect(summary.tasks.doubt).toBe(creationsAt(local));
    expect(summary).toMatchObject({ outcome: 'doubt', stoppedBy: 'unanswered' });
  });

  longTest(
    'of everything else, too, fails nothing: uploads and reads wait like creations',
    async () => {
      const local = await service();
      const network = await cuttable(local, 5);
      const rig = await photoRig(12, few.replace('items: 1', 'items: 4, outage: 100ms'));
      const { summary } = await rig.run(network);
      expect(summary.tasks).toMatchObject({ failed: 0 });
      expect(summary.tasks.doubt).toBeLessThanOrEqual(4);
      expect(summary.stoppedBy).toBe('outage');
      network.mend();
      const again = await rig.run(network);
      expect(again.summary.tasks).toMatchObject({ failed: 0, pending: 0 });
      expect([...bill(local.ledger()).values()].every((credits) => credits === 10)).toBe(true);
    },
  );

  test('that is over before the second trial costs two doubts and one more, and the run goes on', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'reset', on: creation, when: 'before', count: 3 }] },
    });
    const rig = await photoRig(6, few);
    const { summary, events } = await rig.run(local);
    expect(summary.tasks).toMatchObject({ doubt: 3, failed: 0, pending: 0 });
    expect(summary.items).toMatchObject({ done: 3 });
    expect(events).toContainEqual(expect.objectContaining({ type: 'back', of: 'creations' }));
  });
});
