// The runner in this process: how many jobs run at once, how a job waits to be told on, and what a bug ends.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../../../src/contract/base/result.ts';
import { localRunner } from '../../../../src/runner/run/jobs/local-runner.ts';
import type { MediaApi, Notice, Runner } from '../../../../src/runner/run/jobs/ports.ts';
import { digestOfText } from '../../../fakes/memory-disk.ts';
import { createOrder, uploadOrder } from '../parts.ts';
import { busy, Scene } from './performing.ts';

function scene(api: Partial<MediaApi> = {}, limits: Readonly<Record<string, number>> = {}) {
  const one = new Scene([], api);
  one.disk.files.set('a.png', 'a photo');
  const { context, stopper } = one;
  return { one, runner: localRunner({ context, stopper, limits }) };
}

const upload = (key: string) => ({ ...uploadOrder(key), content: digestOfText('a photo') });

/** Lets the jobs go on until so many have ended. */
async function ended(runner: Runner, count: number): Promise<readonly Notice[]> {
  const seen: Notice[] = [];
  for (;;) {
    for (const notice of await runner.next()) {
      if (notice.is === 'ended') seen.push(notice);
      else if (notice.is !== 'recorded') runner.proceed(notice.key);
    }
    if (seen.length >= count) return seen;
  }
}

/** What happened next, without the beginnings of jobs. */
async function told(runner: Runner): Promise<readonly Notice[]> {
  for (;;) {
    const notices = (await runner.next()).filter(({ is }) => is !== 'begun');
    if (notices.length > 0) return notices;
  }
}

/** Uploads that a test lets through; `most`: how many were waited for at once. */
function gate() {
  const waiting: PromiseWithResolvers<void>[] = [];
  let most = 0;
  const put: MediaApi['put'] = async () => {
    const one = Promise.withResolvers<void>();
    waiting.push(one);
    most = Math.max(most, waiting.length);
    await one.promise;
    return ok(digestOfText('a photo'));
  };
  const settled = () => new Promise((resolve) => void setImmediate(resolve));
  return {
    put,
    async open() {
      await settled();
      while (waiting.length > 0) {
        waiting.shift()?.resolve();
        await settled();
      }
    },
    most: () => most,
  };
}

describe('jobs of one kind', () => {
  test.each([
    ['run so many at once as their limit says', { upload: 2 }, 2],
    ['are not held up by the limit of another kind', { download: 1 }, 5],
    ['run all at once without a limit', {}, 5],
  ])('%s', async (_, limits, most) => {
    const doors = gate();
    const { runner } = scene({ put: doors.put }, limits);
    for (const key of ['a', 'b', 'c', 'd', 'e']) runner.start(upload(key));
    const [notices] = await Promise.all([ended(runner, 5), doors.open()]);
    expect(notices).toHaveLength(5);
    expect(doors.most()).toBe(most);
  });
});

describe('a job', () => {
  test('says first that it is at work', async () => {
    const { runner } = scene();
    runner.start(upload('a'));
    expect((await runner.next())[0]).toEqual({ is: 'begun', key: 'a' });
  });

  test('tells what happened, waits to be told on, and then ends', async () => {
    const { runner } = scene();
    runner.start(upload('a'));
    expect(await told(runner)).toMatchObject([
      { is: 'event', key: 'a', durable: false, event: { event: 'supplied' } },
    ]);
    runner.proceed('a');
    expect(await told(runner)).toMatchObject([{ is: 'ended', key: 'a', outcome: { is: 'done' } }]);
  });

  test('that starts while nobody listens is told to whoever listens next', async () => {
    const { runner } = scene();
    runner.start(upload('a'));
    runner.start(upload('b'));
    await new Promise((resolve) => void setImmediate(resolve));
    expect((await told(runner)).map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('may be told on once for each thing that it says: more makes no difference', async () => {
    const { runner } = scene();
    runner.proceed('a');
    runner.start(upload('a'));
    await told(runner);
    runner.proceed('a');
    runner.proceed('a');
    expect(await told(runner)).toMatchObject([{ is: 'ended' }]);
  });

  test('that is declined sends nothing more, and says why it was withheld', async () => {
    const { one, runner } = scene({ create: async () => err(busy) });
    runner.start(createOrder('a'));
    expect(await told(runner)).toMatchObject([{ is: 'event', event: { event: 'intent' } }]);
    runner.proceed('a');
    expect(await told(runner)).toEqual([{ is: 'ask', key: 'a' }]);
    runner.decline('a', 'no money');
    expect(await told(runner)).toEqual([
      { is: 'ended', key: 'a', outcome: { is: 'withheld', why: 'no money' } },
    ]);
    expect(one.service.projects.size).toBe(0);
  });

  test('with a bug in it ends by itself, and the others go on', async () => {
    let calls = 0;
    const put: MediaApi['put'] = async () => {
      calls += 1;
      if (calls === 1) throw new RangeError('a bug');
      return ok(digestOfText('a photo'));
    };
    for (const limits of [{}, { upload: 1 }]) {
      calls = 0;
      const { runner } = scene({ put }, limits);
      runner.start(upload('a'));
      runner.start(upload('b'));
      const notices = await ended(runner, 2);
      expect(notices).toMatchObject([
        { key: 'a', outcome: { is: 'bug' } },
        { key: 'b', outcome: { is: 'done' } },
      ]);
    }
  });
});

describe('a run that stops', () => {
  test('ends its jobs, and begins none', async () => {
    const { one, runner } = scene();
    runner.abort();
    expect(one.stopper.signal.aborted).toBe(true);
    runner.start(upload('a'));
    expect(await runner.next()).toEqual([
      { is: 'ended', key: 'a', outcome: { is: 'ended', ending: 'pending', why: 'stopped' } },
    ]);
  });
});

test('a run that stops does not even read a file', async () => {
  const { runner } = scene();
  runner.abort();
  const places = [{ in: 'input', path: 'a.png' }] as const;
  runner.start({ key: 'd', task: 't', kind: 'digest', attempts: 1, operation: 'digest', places });
  expect(await runner.next()).toMatchObject([{ is: 'ended', outcome: { is: 'ended' } }]);
});

describe('a run that cannot go on', () => {
  test('says so to whoever waits, and to everybody later', async () => {
    const { runner } = scene();
    const waiting = runner.next();
    runner.fail(new Error('the disk is gone'));
    runner.fail(new Error('a later one'));
    await expect(waiting).rejects.toThrow('the disk is gone');
    await expect(runner.next()).rejects.toThrow('the disk is gone');
  });

  test('says so to whoever comes after', async () => {
    const { runner } = scene();
    runner.fail(new Error('the disk is gone'));
    await expect(runner.next()).rejects.toThrow('the disk is gone');
  });
});
