// What is on disk before an order goes on, and that a creation is checked again before its intent and before it is sent.
import { describe, expect, test } from 'vitest';
import type { Fingerprint } from '../../../src/model/fingerprint.ts';
import type { JobLine, NewEvent } from '../../../src/model/line.ts';
import { Commit } from '../../../src/run/commit.ts';
import type { RunningJob } from '../../../src/run/in-flight.ts';
import type { CreateOrder, JobOrder } from '../../../src/run/jobs/job.ts';
import type { Intent, OrderJournal, Permission } from '../../../src/run/jobs/performer.ts';
import {
  attachOrder,
  createdOf,
  createOrder,
  doubtOf,
  intentOf,
  Parts,
  settledOf,
  uploadOrder,
} from './parts.ts';

interface Begun {
  readonly job: RunningJob;
  readonly journal: OrderJournal;
  /** Says what the order is about to do. */
  claim(): Promise<Permission>;
  tell(event: NewEvent, durable?: boolean): Promise<Permission>;
}

class Scene extends Parts {
  answers = 0;
  failure: unknown;
  readonly commit = new Commit({
    ...this,
    endings: { begun: () => undefined },
    onAnswer: () => {
      this.answers += 1;
    },
    onFailure: (error) => {
      this.failure = error;
    },
  });

  begin(order: JobOrder, step = 'swap'): Begun {
    const itemRun = this.item(order.key);
    const job = { itemRun, step: this.step(step), fingerprint: undefined, order };
    const journal = this.commit.journalFor(job);
    return {
      ...{ job, journal },
      claim: () => journal.claim(intentOf(order as CreateOrder, 0) as Intent),
      tell: (event, durable = false) => journal.record(event, durable),
    };
  }

  /** What is recorded of its job, and written. */
  stateOf({ fingerprint }: { readonly fingerprint: Fingerprint }): JobLine['state'] | undefined {
    const isWritten = this.file.lines.some((line) => line.includes(fingerprint));
    return isWritten ? this.ledger.job(fingerprint)?.state : undefined;
  }

  create(key: string, reserve = 10): Begun & { readonly order: CreateOrder } {
    const order = createOrder(key, reserve);
    const begun = this.begin(order);
    this.budget.reserve(begun.job.itemRun, order);
    return { ...begun, order };
  }

  /** A creation that the service has taken. */
  async paid(key: string, credits = 10) {
    const begun = this.create(key);
    const claimed = begun.claim();
    await this.durable();
    await claimed;
    void begun.tell(createdOf(begun.order, credits));
    return begun;
  }

  /** Everything that was said is on disk, or the disk fails. */
  async durable(error?: Error): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
    await this.file.synced(error);
  }
}

const dear = { because: 'failures', why: 'too much went wrong' } as const;
const withheld = (why: string): Permission => ({ is: 'over', outcome: { is: 'withheld', why } });

/** Whether a promise is settled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let over = false;
  void promise.finally(() => {
    over = true;
  });
  await new Promise((resolve) => void setImmediate(resolve));
  return over;
}

describe('an order', () => {
  test('goes on when what it said is on disk, and not before', async () => {
    const scene = new Scene();
    const { claim, order } = scene.create('j1');
    const claimed = claim();
    expect(scene.stateOf(order)).toBe('intended');
    expect(await isOver(claimed)).toBe(false);
    await scene.durable();
    expect(await claimed).toEqual({ is: 'go' });
  });

  test('that said something which needs not be on disk goes on at once', async () => {
    const scene = new Scene();
    const order = uploadOrder('j1');
    const { fingerprint: job, task, kind } = order;
    const event = { event: 'supplied', job, task, kind, result: { id: 'x' } } as const;
    expect(await scene.begin(order, 'photo').tell(event)).toEqual({ is: 'go' });
    expect([scene.stateOf(order), scene.file.syncing, scene.answers]).toEqual(['supplied', 0, 0]);
  });

  test('never goes on when the disk fails: the run ends with that', async () => {
    const scene = new Scene();
    const claimed = scene.create('j1').claim();
    await scene.durable(new Error('ENOSPC'));
    expect(await isOver(claimed)).toBe(false);
    expect(scene.failure).toMatchObject({ message: 'ENOSPC' });
  });

  test('shares a sync with all that speak in the same turn', async () => {
    const scene = new Scene();
    const claimed = ['j1', 'j2', 'j3'].map((key) => scene.create(key).claim());
    await new Promise((resolve) => void setImmediate(resolve));
    expect(scene.file.syncing).toBe(1);
    await scene.file.synced();
    expect(await Promise.all(claimed)).toEqual([{ is: 'go' }, { is: 'go' }, { is: 'go' }]);
  });
});

describe('a creation', () => {
  test('is recorded with what it is expected to cost now', () => {
    const scene = new Scene();
    void scene.create('j1', 25).claim();
    expect(scene.ledger.account.reserved).toBe(25);
  });

  test('is not recorded when there is no money for it any more', async () => {
    const scene = new Scene({ total: 100 });
    const { claim, order } = scene.create('j1');
    scene.budget.close(dear);
    expect(await claim()).toEqual(withheld(dear.why));
    expect(scene.stateOf(order)).toBeUndefined();
  });

  test('is not sent when there is no money for it once its intent is on disk, and that is on record', async () => {
    const scene = new Scene();
    const { claim, order } = scene.create('j1');
    const claimed = claim();
    scene.budget.close(dear);
    await scene.durable();
    expect(await claimed).toEqual(withheld(dear.why));
    expect(scene.ledger.job(order.fingerprint)).toMatchObject({
      ...{ state: 'failed', error: { code: 'withheld', message: dear.why } },
    });
    expect(scene.ledger.account.reserved).toBe(0);
  });

  test('is not sent when another process pays for the same request, and that is on record', async () => {
    const scene = new Scene();
    const busy = new Commit({
      ...scene,
      ...{ endings: { begun: () => undefined }, onAnswer: () => undefined },
      ...{ onFailure: () => undefined, remembered: { claim: () => ({ is: 'paid-elsewhere' }) } },
    });
    const { job, order } = scene.create('j1');
    const claimed = busy.journalFor(job).claim(intentOf(order) as Intent);
    await scene.durable();
    expect(await claimed).toMatchObject({ is: 'over', outcome: { is: 'withheld' } });
    expect(scene.ledger.job(order.fingerprint)?.state).toBe('failed');
  });

  test('is held back when another of its kind was charged more while its intent was being written', async () => {
    const scene = new Scene({ total: 40 });
    await scene.paid('j1');
    const [one, other] = [scene.create('j2'), scene.create('j3')];
    const claimed = [one.claim(), other.claim()];
    await scene.durable();
    expect(await Promise.all(claimed)).toEqual([{ is: 'go' }, { is: 'go' }]);
    // 20 for one of them: what is still to be sent again may come to 20 as well.
    void one.tell(createdOf(one.order, 20));
    expect(await other.journal.again()).toMatchObject({
      outcome: { why: expect.stringContaining('the budget of 40 credits is reached') },
    });
    expect(scene.ledger.job(other.order.fingerprint)?.state).toBe('failed');
  });

  test('that was surely not taken is sent again only with money for it', async () => {
    const scene = new Scene();
    const { claim, journal, order } = scene.create('j1');
    const claimed = claim();
    await scene.durable();
    await claimed;
    expect(await journal.again()).toEqual({ is: 'go' });
    scene.budget.close(dear);
    expect(await journal.again()).toEqual(withheld(dear.why));
    expect(scene.ledger.job(order.fingerprint)?.error?.code).toBe('withheld');
  });

  test('whose answer is there, or never comes, is news to tasks that wait; an intent is not', async () => {
    const scene = new Scene();
    const [one, other] = [scene.create('j1'), scene.create('j2')];
    const claimed = [one.claim(), other.claim()];
    await scene.durable();
    await Promise.all(claimed);
    expect(scene.answers).toBe(0);
    void one.tell(createdOf(one.order));
    void other.tell(doubtOf(other.order));
    expect(scene.answers).toBe(2);
  });

  test('that the service took shows that its step is not wrong as such', async () => {
    const scene = new Scene();
    await scene.paid('j1');
    const step = scene.step('swap');
    for (let n = 0; n < 5; n++) scene.stepBreaker.count(step, { code: 'refused', why: '' });
    expect(scene.stepBreaker.against(step)).toBeUndefined();
  });
});

describe('a charge that is not as expected', () => {
  test('is told once for each height, with its project', async () => {
    const scene = new Scene();
    for (const [key, credits] of [
      ['j1', 15],
      ['j2', 15],
      ['j3', 10],
      ['j4', 20],
    ] as const)
      await scene.paid(key, credits);
    // What was learned from the first raises what is set aside for the others.
    expect(scene.warnings()).toEqual([
      'swap:j1: project p-j1 was charged 15 credits where 10 were expected; later estimates are raised',
    ]);
  });

  test.each([
    [14, ['swap:j1: the service added 4 credits to what it had charged for project p-j1']],
    [10, []],
    [4, []],
    [0, []],
  ])('in the end: %d', async (credits, told) => {
    const scene = new Scene();
    const { tell, order } = await scene.paid('j1');
    await tell(settledOf(order, credits));
    expect(scene.warnings()).toEqual(told);
  });

  test('without an expectation is no news', async () => {
    const scene = new Scene();
    const begun = scene.create('j1', 0);
    const claimed = begun.claim();
    await scene.durable();
    await claimed;
    await begun.tell(createdOf(begun.order));
    expect(scene.warnings()).toEqual([]);
  });
});

describe('a bug in an order', () => {
  const bug = { code: 'abc', what: 'TypeError: x', stack: '' };

  test('with its intent on record leaves its creation in doubt', () => {
    const scene = new Scene();
    const { claim, job, order } = scene.create('j1');
    void claim();
    expect(scene.commit.afterBug(job, bug)).toMatchObject({ is: 'ended', ending: 'doubt' });
    expect(scene.ledger.job(order.fingerprint)?.state).toBe('doubt');
    expect(scene.told).toMatchObject([{ type: 'bug', task: 'swap:j1' }]);
  });

  test('before its intent fails its task', () => {
    const scene = new Scene();
    const { job } = scene.create('j1');
    expect(scene.commit.afterBug(job, bug)).toMatchObject({ ending: 'failed', code: 'bug' });
  });

  test('after it was paid leaves its result to the next run', async () => {
    const scene = new Scene();
    const { job } = await scene.paid('j1');
    expect(scene.commit.afterBug(job, bug)).toMatchObject({ ending: 'pending' });
  });

  test('while an earlier run’s project is waited for leaves it paid', () => {
    const first = createOrder('j1');
    const scene = new Scene({ before: [intentOf(first), createdOf(first)] });
    const { job } = scene.begin({ ...attachOrder('j1'), fingerprint: first.fingerprint });
    expect(scene.commit.afterBug(job, bug)).toMatchObject({ ending: 'pending' });
  });
});
