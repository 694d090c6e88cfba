// Orders that are performed in this process: limits of a step kind, bugs, and a run that stops.
import { describe, expect, test } from 'vitest';
import { unreachable } from '../../../../src/base/result.ts';
import type { JobContext } from '../../../../src/run/jobs/job-context.ts';
import { localPerformer } from '../../../../src/run/jobs/local-performer.ts';
import type { OrderJournal } from '../../../../src/run/jobs/performer.ts';
import { digestOfText, MemoryDisk } from '../../../fakes/memory-disk.ts';

const go = { is: 'go' } as const;

/** Digest orders that end when the test says so. */
class Scene {
  readonly begun: string[] = [];
  readonly stopper = new AbortController();
  readonly #files = new Map<string, PromiseWithResolvers<void>>();
  readonly performer;

  constructor(limits: Readonly<Record<string, number>> = {}) {
    const disk = new MemoryDisk();
    disk.digest = async ({ in: where, ...place }) => {
      if (where !== 'input' || !('path' in place)) return unreachable(where as never);
      if (place.path === 'bug') throw new TypeError('x is not a function');
      const file = Promise.withResolvers<void>();
      this.#files.set(place.path, file);
      await file.promise;
      return { ok: true, value: digestOfText(place.path) };
    };
    const context = { disk, stop: this.stopper.signal } as unknown as JobContext;
    this.performer = localPerformer({ context, stopper: this.stopper, limits });
  }

  perform(key: string, kind = 'upload') {
    const journal: OrderJournal = {
      begun: () => void this.begun.push(key),
      ...{ claim: async () => go, again: async () => go, record: async () => go },
    };
    const place = { in: 'input', path: key } as const;
    const order = { key, task: key, kind, attempts: 1, operation: 'digest', places: [place] };
    return this.performer.perform({ ...order, operation: 'digest' }, journal);
  }

  async read(key: string): Promise<void> {
    this.#files.get(key)?.resolve();
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

describe('orders of one kind', () => {
  test.each([
    [{ upload: 1 }, ['a'], ['a', 'b']],
    [{ upload: 2 }, ['a', 'b'], ['a', 'b', 'c']],
    [{ other: 1 }, ['a', 'b', 'c'], ['a', 'b', 'c']],
  ] as const)('are at work as %j says', async (limits, first, then) => {
    const scene = new Scene(limits);
    for (const key of ['a', 'b', 'c']) void scene.perform(key);
    await turn();
    expect(scene.begun).toEqual(first);
    await scene.read('a');
    expect(scene.begun).toEqual(then);
  });
});

test('a bug in one order ends that order only', async () => {
  const scene = new Scene();
  const other = scene.perform('a');
  expect(await scene.perform('bug')).toMatchObject({
    ...{ is: 'bug', bug: { what: 'TypeError: x is not a function' } },
  });
  await scene.read('a');
  expect(await other).toEqual({ is: 'read', unreadable: [] });
});

test('a run that stops begins no order', async () => {
  const scene = new Scene({ upload: 1 });
  const first = scene.perform('a');
  const second = scene.perform('b');
  await turn();
  scene.performer.abort();
  await scene.read('a');
  await first;
  expect(await second).toMatchObject({ is: 'ended', ending: 'pending', why: 'stopped' });
  expect(scene.begun).toEqual(['a']);
});
