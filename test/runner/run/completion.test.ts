// What becomes of the tasks that a job was for: they end, or are asked again.
import { describe, expect, test } from 'vitest';
import { Barrier } from '../../../src/runner/plan/barrier.ts';
import { Completion } from '../../../src/runner/run/completion.ts';
import { FailurePolicy } from '../../../src/runner/run/failure-policy.ts';
import { FileFacts } from '../../../src/runner/run/file-facts.ts';
import { GroupCommit } from '../../../src/runner/run/group-commit.ts';
import type { ItemRun } from '../../../src/runner/run/items/item-run.ts';
import type { CreateOrder, Ended, JobOrder, JobOutcome } from '../../../src/runner/run/jobs/job.ts';
import { Stop } from '../../../src/runner/run/stop.ts';
import { SummaryBuilder } from '../../../src/runner/run/summary-builder.ts';
import { TaskEndings } from '../../../src/runner/run/task-endings.ts';
import { Window } from '../../../src/runner/run/window.ts';
import type { Fingerprint } from '../../../src/runner/task/fingerprint.ts';
import { MemoryDisk } from '../../fakes/memory-disk.ts';
import {
  attachOrder,
  createdOf,
  createOrder,
  doubtOf,
  intentOf,
  Parts,
  settledOf,
  type Terms,
  uploadOrder,
} from './parts.ts';

class Scene extends Parts {
  readonly window = new Window({ items: [], size: 9, open: () => this.item('x') });
  readonly barrier = new Barrier(false);
  readonly summary = new SummaryBuilder();
  readonly failed = new Map<Fingerprint, string>();
  readonly fileFacts = new FileFacts(new MemoryDisk());
  readonly stop = new Stop(this.runner, this.onEvent);
  readonly failurePolicy: FailurePolicy;
  readonly commit: GroupCommit;
  readonly completion: Completion;

  constructor(terms: Terms = {}) {
    super(terms);
    this.failurePolicy = new FailurePolicy({ items: 1 }, 9, this.budget);
    this.commit = new GroupCommit(this);
    this.completion = new Completion({ ...this, endings: new TaskEndings(this) });
  }

  start(step: string, order: JobOrder, itemRun: ItemRun): void {
    this.budget.reserve(itemRun, order);
    const shared = 'fingerprint' in order && order.operation !== 'download';
    this.inFlight.start(
      { itemRun, step: this.step(step) },
      shared ? order.fingerprint : undefined,
      order,
    );
  }

  /** An item whose upload is done, and a creation for it that is in flight. */
  creating(key: string, order: CreateOrder = createOrder(key)): ItemRun {
    const item = this.item(key);
    this.supply(item);
    this.start('swap', order, item);
    return item;
  }

  supply(item: ItemRun): void {
    const order = { ...uploadOrder(`u-${item.item?.key}`), task: item.task(this.step('photo')) };
    this.start('photo', order, item);
    const { fingerprint: job, task, kind } = order;
    const result = { file_path: 'f' };
    this.journal.append([{ event: 'supplied', job, task, kind, result }]);
    this.completion.complete(order.key, { is: 'done', live: result });
  }

  /** Events of a creation, told to all that count them. */
  happened(
    order: CreateOrder,
    ...events: readonly Parameters<Parts['budget']['record']>[1][]
  ): void {
    for (const event of events) {
      this.journal.append([event]);
      this.budget.record(order.key, event);
    }
  }

  /** How each task was told to have ended. */
  get endings(): readonly string[] {
    return this.told.flatMap((event) =>
      event.type === 'task'
        ? [
            `${event.task} ${event.ending} ${event.credits}${event.why === undefined ? '' : `: ${event.why}`}`,
          ]
        : [],
    );
  }
}

const ended = (ending: Ended['ending'], more: Partial<Ended> = {}): Ended => ({
  ...{ is: 'ended', ending, why: 'so it is' },
  ...more,
});

describe('a job that is done', () => {
  test('ends its task with what this run was charged, and others that waited for it as reused', () => {
    const scene = new Scene();
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    const b = scene.item('b');
    scene.supply(b);
    scene.inFlight.join({ itemRun: b, step: scene.step('swap') }, order.fingerprint);
    scene.happened(order, intentOf(order), createdOf(order, 10), settledOf(order, 8));
    scene.completion.complete('j1', { is: 'done', live: { id: 'p' } });
    expect(scene.endings.slice(-2)).toEqual(['swap:a done 8', 'swap:b reused 0']);
    expect([a, b].map((item) => item.schedule.phase('swap'))).toEqual(['done', 'done']);
    expect(scene.ledger.job(order.fingerprint)?.tasks).toEqual(['swap:b', 'swap:j1']);
    expect(a.given('swap')?.live).toEqual({ id: 'p' });
  });

  test('that an earlier run had paid charges nothing now, but what the service added', () => {
    for (const [final, credits] of [
      [10, 0],
      [13, 3],
      [4, 0],
    ] as const) {
      const first = createOrder('j1');
      const scene = new Scene({ before: [intentOf(first), createdOf(first, 10)] });
      const a = scene.item('a');
      scene.supply(a);
      const order = { ...attachOrder('j1', 10), fingerprint: first.fingerprint };
      scene.start('swap', order, a);
      scene.happened(first, settledOf(first, final));
      scene.completion.complete('j1', { is: 'done', live: {} });
      expect(scene.endings.at(-1)).toBe(`swap:a done ${credits}`);
    }
  });

  test('only to make values fresh is not told of a second time', () => {
    const scene = new Scene();
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    scene.happened(order, intentOf(order), createdOf(order), settledOf(order));
    scene.completion.complete('j1', { is: 'done', live: {} });
    const told = scene.endings.length;
    a.schedule.reopen('swap');
    scene.start('swap', { ...attachOrder('j2', 10, true), fingerprint: order.fingerprint }, a);
    scene.completion.complete('j2', { is: 'done', live: { id: 'again' } });
    expect(scene.endings).toHaveLength(told);
    expect(a.given('swap')?.live).toEqual({ id: 'again' });
    expect(a.schedule.phase('swap')).toBe('done');
  });
});

describe('a job that failed', () => {
  test('fails its task, on record with its code, and siblings with the same content', () => {
    const scene = new Scene();
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    scene.happened(order, intentOf(order));
    scene.completion.complete('j1', ended('failed', { code: 'refused' }));
    expect(a.schedule.phase('swap')).toBe('failed');
    expect(scene.ledger.task('swap:a')).toMatchObject({ state: 'failed', code: 'refused' });
    expect(scene.failed.get(order.fingerprint)).toBe('so it is');
  });

  test('is tried again while its step has attempts left, and nothing is recorded', () => {
    const pipeline = { attempts: 2 };
    const scene = new Scene();
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    const step = { ...scene.step('swap'), ...pipeline };
    scene.happened(order, intentOf(order));
    // The same job, of a step that may be tried twice.
    scene.inFlight.complete('j1');
    a.schedule.reopen('swap');
    scene.inFlight.start({ itemRun: a, step }, order.fingerprint, order);
    scene.completion.complete('j1', ended('failed', { again: true }));
    expect(a.schedule.phase('swap')).toBe('waiting');
    expect(scene.ledger.task('swap:a')).toBeUndefined();
    expect(scene.failed.size).toBe(0);
  });

  test('is not tried again once its attempts are spent', () => {
    const scene = new Scene();
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    scene.happened(order, intentOf({ ...order, attempt: 99 }));
    scene.completion.complete('j1', ended('failed', { again: true }));
    expect(a.schedule.phase('swap')).toBe('failed');
  });

  test('counts for the policy that ends the buying', () => {
    const scene = new Scene();
    for (const key of ['a', 'b']) {
      expect(scene.budget.closed).toBeUndefined();
      scene.creating(key);
      scene.completion.complete(key, ended('failed'));
    }
    expect(scene.budget.closed?.because).toBe('failures');
  });

  test('for the third item in a row stops its step; tasks that only waited for it do not count', () => {
    const scene = new Scene();
    const order = createOrder('j1');
    scene.creating('a', order);
    for (const key of ['b', 'c', 'd']) {
      const item = scene.item(key);
      scene.supply(item);
      scene.inFlight.join({ itemRun: item, step: scene.step('swap') }, order.fingerprint);
    }
    scene.completion.complete('j1', ended('failed', { code: 'refused' }));
    expect(scene.stepBreaker.against(scene.step('swap'))).toBeUndefined();
    for (const key of ['e', 'f']) {
      scene.creating(key);
      scene.completion.complete(key, ended('failed', { code: 'refused' }));
    }
    expect(scene.stepBreaker.against(scene.step('swap'))?.own).toBe(true);
  });
});

describe('a failure that siblings would share', () => {
  const stopping = (stops: NonNullable<Ended['stops']>, ending: Ended['ending'] = 'pending') => {
    const scene = new Scene();
    const a = scene.creating('a');
    scene.completion.complete('a', ended(ending, { stops, code: 'forbidden' }));
    return { scene, a, stopped: scene.stop.stopped(scene.budget.closed, true) };
  };

  test.each(['unauthorized', 'outage'] as const)('stops the run: %s', (stops) => {
    const { scene, a, stopped } = stopping(stops);
    expect(scene.runner.aborted).toBe(true);
    expect(stopped).toMatchObject({ [stops]: true, why: 'so it is' });
    expect(a.schedule.phase('swap')).toBe('pending');
    expect(scene.told).toContainEqual({ type: 'stopping', why: 'so it is' });
  });

  test.each([
    ['credits', 'money'],
    ['machine', 'machine'],
  ] as const)('stops what pays: %s', (stops, shown) => {
    const { scene, a, stopped } = stopping(stops);
    expect(scene.runner.aborted).toBe(false);
    expect(scene.budget.closed).toEqual({ because: stops, why: 'so it is' });
    expect(stopped).toMatchObject({ [shown]: true });
    expect(a.schedule.phase('swap')).toBe('pending');
  });

  test('stops its step, whose other items are not tried', () => {
    const { scene, a } = stopping('step', 'failed');
    expect(scene.stepBreaker.against(scene.step('swap'))).toEqual({ own: true, why: 'so it is' });
    expect(scene.budget.closed).toBeUndefined();
    expect(a.schedule.phase('swap')).toBe('failed');
    expect(scene.ledger.task('swap:a')).toMatchObject({ code: 'forbidden' });
  });
});

describe('a job that ends with its task not over', () => {
  test('is in doubt, and what it may have cost stays set aside', () => {
    const scene = new Scene({ total: 15 });
    const order = createOrder('j1');
    const a = scene.creating('a', order);
    scene.happened(order, intentOf(order), doubtOf(order));
    scene.completion.complete('j1', ended('doubt'));
    expect(a.schedule.phase('swap')).toBe('doubt');
    expect(scene.endings.at(-1)).toBe('swap:a doubt 0: so it is');
    expect(scene.budget.ask(scene.item('b'), 'x', order.expectation)).toMatchObject({
      granted: false,
    });
  });

  test('was withheld, and is asked again while the budget is open', () => {
    const scene = new Scene();
    const a = scene.creating('a');
    scene.completion.complete('a', { is: 'withheld', why: 'no money' });
    expect(a.schedule.phase('swap')).toBe('waiting');
    expect(scene.endings.join()).not.toContain('swap:a');
  });

  test('was withheld, and is left to the next run once the budget is closed', () => {
    const scene = new Scene();
    const a = scene.creating('a');
    scene.budget.close({ because: 'budget', why: 'reached' });
    scene.completion.complete('a', { is: 'withheld', why: 'no money' });
    expect(a.schedule.phase('swap')).toBe('pending');
  });

  test('has only read files: its task is asked again, and what could not be read counts as absent', () => {
    const scene = new Scene();
    const a = scene.item('a');
    const place = { in: 'input', path: 'a.png' } as const;
    const order = { key: 'd', task: 'photo:a', kind: 'digest', attempts: 1 };
    scene.start('photo', { ...order, operation: 'digest', places: [place] }, a);
    const outcome: JobOutcome = { is: 'read', unreadable: [{ place, why: 'could not be read' }] };
    scene.completion.complete('d', outcome);
    expect(a.schedule.phase('photo')).toBe('waiting');
  });

  test('lacks an input in storage: the upload is done again, once', () => {
    const scene = new Scene();
    const a = scene.creating('a');
    scene.completion.complete('a', { is: 'resupply', why: 'gone' });
    expect([a.schedule.phase('photo'), a.schedule.phase('swap')]).toEqual(['waiting', 'waiting']);
    expect(a.isRedone('photo')).toBe(true);
    scene.supply(a);
    expect(a.isRedone('photo')).toBe(false);
    scene.start('swap', createOrder('a2'), a);
    scene.completion.complete('a2', { is: 'resupply', why: 'gone' });
    expect(scene.endings.at(-1)).toBe('swap:a failed 0: gone, also after it was supplied again');
  });

  test('wakes tasks that wait for something to happen', () => {
    const scene = new Scene();
    scene.creating('a');
    const b = scene.item('b');
    scene.supply(b);
    scene.window.wait(b, scene.step('swap'));
    expect(b.schedule.phase('swap')).toBe('started');
    scene.completion.complete('a', { is: 'withheld', why: 'no money' });
    expect(b.schedule.phase('swap')).toBe('waiting');
  });
});
