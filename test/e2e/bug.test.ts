// An error that nobody expected, in one job among many: the others do not notice, and a person can report it.
import { describe, expect, test } from 'vitest';
import type { MediaApi } from '../../src/core/ports.ts';
import type { RunInternals } from '../../src/features/run/run.ts';
import { bill, photoRig, service } from '../rig.ts';

const broken = (): never => {
  throw new TypeError('x is not a function');
};

/** A bug in one call of the client, for what `when` names. */
const buggy = (change: (api: MediaApi) => Partial<MediaApi>): RunInternals => ({
  api: (api) => ({ ...api, ...change(api) }),
});

const isFirst = (name: unknown): boolean => String(name).startsWith('p1 #');

describe('a bug in one job', () => {
  test('after its intent is on record leaves that creation in doubt, and the others are done', async () => {
    const local = await service();
    const rig = await photoRig(4);
    const told = await rig.run(
      local,
      {},
      buggy((api) => ({
        async create(tool, body) {
          const answer = await api.create(tool, body);
          return isFirst(body['name']) ? broken() : answer;
        },
      })),
    );
    const { summary } = told;
    expect(summary).toMatchObject({ outcome: 'doubt', items: { done: 3 } });
    expect(summary.problems).toMatchObject([
      {
        task: 'swap:p1.png',
        ending: 'doubt',
        why: expect.stringMatching(
          /^a bug in shotlist, code [0-9a-f]{8}: TypeError: x is not a function; please report it/,
        ),
      },
    ]);
    expect(told.events.filter(({ type }) => type === 'bug')).toMatchObject([
      { task: 'swap:p1.png', stack: expect.stringContaining('bug.test.ts') },
    ]);
    expect((await rig.run(local)).summary.outcome).toBe('doubt');
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);
  });

  test('before anything was paid fails its task, and the next run does it', async () => {
    const local = await service();
    const rig = await photoRig(3);
    let detections = 0;
    const { summary } = await rig.run(
      local,
      {},
      buggy((api) => ({
        detectFaces: async (body) => (detections++ === 0 ? broken() : await api.detectFaces(body)),
      })),
    );
    expect(summary).toMatchObject({ outcome: 'failed', items: { done: 2 }, tasks: { failed: 1 } });
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
  });

  test.each([
    ['its project is waited for', (): Partial<MediaApi> => ({ project: async () => broken() })],
    ['its files are fetched', (): Partial<MediaApi> => ({ download: async () => broken() })],
  ])('while %s leaves what was paid for to the next run', async (_, change) => {
    const local = await service();
    const rig = await photoRig(3);
    const { summary } = await rig.run(local, {}, buggy(change));
    expect(summary).toMatchObject({
      outcome: 'failed',
      tasks: { failed: 0, pending: 3, doubt: 0 },
    });
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
  });

  test('has the same code every time', async () => {
    const local = await service();
    const rig = await photoRig(2);
    const internals = buggy(() => ({ detectFaces: async () => broken() }));
    const codes = [
      await rig.run(local, {}, internals),
      await rig.run(local, {}, internals),
    ].flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'bug' ? [event.code] : [])),
    );
    expect(codes).toHaveLength(4);
    expect(new Set(codes).size).toBe(1);
  });
});

test('a bug in the journal still ends the run', async () => {
  const local = await service();
  const rig = await photoRig(2);
  const internals: RunInternals = {
    lines: (file) => ({ ...file, append: broken, sync: () => file.sync() }),
  };
  await expect(rig.run(local, {}, internals)).rejects.toThrow('x is not a function');
});
