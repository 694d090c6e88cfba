// Which uploads share a request, and what each of them is told.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../src/base/result.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import type { MediaApi, UploadItem, UploadTarget } from '../../src/core/ports.ts';
import { gatherMs, mostTogether, UploadAddresses } from '../../src/core/upload-addresses.ts';
import { busy, unfit } from '../fakes/failures.ts';
import { FakeClock } from '../files/places.ts';

const png: UploadItem = { type: 'image', extension: 'png' };
const jpg: UploadItem = { type: 'image', extension: 'jpg' };
const mp4: UploadItem = { type: 'video', extension: 'mp4' };

/** Sleeps until the test lets the time go by. */
class HeldClock extends FakeClock {
  readonly sleeping: { readonly ms: number; readonly wake: () => void }[] = [];

  override sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => resolve();
      signal.addEventListener('abort', wake);
      this.sleeping.push({ ms, wake });
    });
  }

  goOn(): void {
    for (const { wake } of this.sleeping.splice(0)) wake();
  }
}

let last = 0;
const targetOf = ({ extension }: UploadItem): UploadTarget => {
  const filePath = `api-assets/${++last}/file.${extension}`;
  return { uploadUrl: `http://s/${filePath}`, filePath };
};
const given = async (items: readonly UploadItem[]) => ok(items.map(targetOf));

function scene(answer: MediaApi['uploadAddresses'] = given) {
  const clock = new HeldClock();
  const stopper = new AbortController();
  /** The extensions in each request. */
  const asked: string[] = [];
  const ask: MediaApi['uploadAddresses'] = async (items) => {
    asked.push(items.map(({ extension }) => extension).join(' '));
    return await answer(items);
  };
  const addresses = new UploadAddresses(ask, clock, stopper.signal);
  const all = (...items: readonly UploadItem[]) =>
    Promise.all(items.map((item) => addresses.one(item)));
  const extensions = async (list: ReturnType<typeof all>): Promise<readonly string[]> =>
    (await list).map((one) => (one.ok ? one.value.filePath.replace(/.*\./, '') : one.error.reason));
  return { clock, stopper, asked, all, extensions };
}

describe('uploads that need an address', () => {
  test('within a few milliseconds share a request, and each gets its own', async () => {
    const { clock, asked, all } = scene();
    const [first, second] = [all(png, jpg), all(mp4, png)];
    expect(asked).toEqual([]);
    expect(clock.sleeping.map(({ ms }) => ms)).toEqual([gatherMs]);
    clock.goOn();
    const got = [...(await first), ...(await second)].map((one) => one.ok && one.value.filePath);
    expect(asked).toEqual(['png jpg mp4 png']);
    expect(got.map((path) => String(path).replace(/.*\./, ''))).toEqual([
      ...['png', 'jpg', 'mp4', 'png'],
    ]);
    expect(new Set(got).size).toBe(4);
  });

  test('later ask again', async () => {
    const { clock, asked, all, extensions } = scene();
    const first = all(png);
    clock.goOn();
    expect(await extensions(first)).toEqual(['png']);
    const second = all(jpg);
    clock.goOn();
    expect(await extensions(second)).toEqual(['jpg']);
    expect(asked).toEqual(['png', 'jpg']);
  });

  test('are not held up when there are as many as one request takes', async () => {
    const { clock, asked, all } = scene();
    const many = all(...Array.from({ length: mostTogether + 1 }, () => png));
    await Promise.resolve();
    clock.sleeping.shift();
    clock.goOn();
    expect((await many).every(({ ok: fine }) => fine)).toBe(true);
    expect(asked.map((list) => list.split(' ').length)).toEqual([mostTogether, 1]);
  });

  test('are not held up when the run stops', async () => {
    const { stopper, all, extensions } = scene();
    const one = all(png);
    stopper.abort();
    expect(await extensions(one)).toEqual(['png']);
  });
});

describe('a request for several addresses', () => {
  test('that fails is the failure of each of them', async () => {
    const { clock, asked, all } = scene(async () => err(busy));
    const list = all(png, jpg);
    clock.goOn();
    expect(await list).toEqual([err(busy), err(busy)]);
    expect(asked).toHaveLength(1);
  });

  test('that is refused for one of them is no failure of the others', async () => {
    const { clock, asked, all, extensions } = scene(async (items) =>
      items.some(({ extension }) => extension === 'mp4') ? err(unfit) : await given(items),
    );
    const list = all(png, mp4, jpg);
    clock.goOn();
    expect(await extensions(list)).toEqual(['png', 'refused', 'jpg']);
    expect(asked).toEqual(['png mp4 jpg', 'png', 'mp4', 'jpg']);
  });

  test.each<readonly [string, (targets: readonly UploadTarget[]) => readonly UploadTarget[]]>([
    ['fewer addresses', (targets) => targets.slice(0, -1)],
    ['more addresses', (targets) => [...targets, targetOf(png)]],
    ['addresses in another order', (targets) => targets.toReversed()],
  ])('that is answered with %s is not trusted: each upload asks alone', async (_, made) => {
    const { clock, asked, all, extensions } = scene(async (items) =>
      ok(items.length === 1 ? items.map(targetOf) : made(items.map(targetOf))),
    );
    const list = all(png, jpg);
    clock.goOn();
    expect(await extensions(list)).toEqual(['png', 'jpg']);
    expect(asked).toEqual(['png jpg', 'png', 'jpg']);
    expect(await extensions(all(jpg, png))).toEqual(['jpg', 'png']);
    expect(asked.slice(3)).toEqual(['jpg', 'png']);
  });

  test('that throws is a bug of each of them', async () => {
    const { clock, all } = scene(async () => {
      throw new RangeError('a bug');
    });
    const list = all(png);
    clock.goOn();
    await expect(list).rejects.toThrow('a bug');
  });
});

test('an upload without an address in the answer may get one later', async () => {
  const failure: ApiFailure = { reason: 'unanswered', message: 'no upload address came' };
  const { clock, all } = scene(async () => ok([]));
  const list = all(png);
  clock.goOn();
  expect(await list).toEqual([err(failure)]);
});
