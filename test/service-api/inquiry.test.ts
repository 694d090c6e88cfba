// Every project that the state file knows, read at the service: which ones, how patiently, and how many at a time.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { err, ok } from '../../src/base/result.ts';
import type { Project } from '../../src/contract/api/project.ts';
import { type Fingerprint, fingerprintFrom } from '../../src/model/fingerprint.ts';
import { Ledger } from '../../src/model/ledger.ts';
import type { NewEvent } from '../../src/model/line.ts';
import { abandoned, notTaken } from '../../src/model/settled.ts';
import {
  type Inquired,
  inquire,
  knownProjects,
  readPatiently,
} from '../../src/service-api/inquiry.ts';
import { busy, unfit } from '../fakes/failures.ts';
import { FakeClock } from '../files/places.ts';

const fingerprint = (words: string): Fingerprint => fingerprintFrom(digestOf({ words }));

const createOrder = (key: string) => ({
  key,
  fingerprint: fingerprint(key),
  attempt: 1,
  name: `${key} #1`,
});

type Order = ReturnType<typeof createOrder>;

const intentOf = ({ key, fingerprint: job, attempt, name }: Order): NewEvent => ({
  ...{
    event: 'intent',
    job,
    task: `swap:${key}`,
    kind: 'photo-colorizer',
    attempt,
    name,
    reserve: 10,
  },
  measure: { of: 'photo-colorizer a', amount: 10 },
});

const createdOf = ({ key, fingerprint: job }: Order, credits = 10): NewEvent => ({
  ...{ event: 'created', job, project: `p-${key}`, credits },
});

const failedOf = ({ fingerprint: job }: Order): NewEvent => ({
  ...{ event: 'settled', job, credits: 0, status: 'error' },
});

function ledgerOf(...events: readonly NewEvent[]): Ledger {
  const ledger = new Ledger();
  for (const event of events) {
    const at = '2026-08-05T10:00:00.000Z';
    const result = ledger.apply({ ...event, at });
    if (!result.ok) throw new Error(result.error);
  }
  return ledger;
}

const order = createOrder('a');
const again = { ...order, attempt: 2, name: 'a #2' };

const project = (id: string): Project => ({ id, status: 'complete', downloads: [], error: null });

describe('the known projects', () => {
  test('are those of each job, and of its earlier attempts', () => {
    const other = createOrder('b');
    const ledger = ledgerOf(
      { event: 'run', run: 1 },
      intentOf(order),
      createdOf(order),
      failedOf(order),
      intentOf(again),
      { event: 'created', job: order.fingerprint, project: 'p-again', credits: 7 },
      intentOf(other),
      createdOf(other, 3),
      intentOf(createOrder('c')),
    );
    const known = [...knownProjects(ledger)];
    expect(known.map(({ project, credits, past }) => ({ project, credits, past }))).toEqual([
      { project: 'p-again', credits: 7, past: false },
      { project: 'p-a', credits: 0, past: true },
      { project: 'p-b', credits: 3, past: false },
    ]);
    expect(known.map(({ job }) => job.job)).toEqual([
      order.fingerprint,
      order.fingerprint,
      other.fingerprint,
    ]);
  });

  test('are not those of an attempt that a person has given up', () => {
    const ledger = ledgerOf(
      { event: 'run', run: 1 },
      intentOf(order),
      { event: 'doubt', job: order.fingerprint, why: 'lost' },
      abandoned(order.fingerprint, 10, 'given up'),
      intentOf(again),
      { event: 'created', job: order.fingerprint, project: 'p-again', credits: 7 },
    );
    expect([...knownProjects(ledger)].map(({ project }) => project)).toEqual(['p-again']);
  });

  test('are none where an attempt never got one', () => {
    const ledger = ledgerOf(
      { event: 'run', run: 1 },
      intentOf(order),
      notTaken(order.fingerprint, { code: 'refused', message: '' }),
      intentOf(again),
    );
    expect([...knownProjects(ledger)]).toEqual([]);
  });
});

describe('a project', () => {
  test('is read as patiently as a run does, in the records of its kind', async () => {
    const asked: (readonly [string, string])[] = [];
    const clock = new FakeClock();
    const api = {
      project: async (record: string, id: string) => {
        asked.push([record, id]);
        return asked.length < 5 ? err(busy) : ok(project(id));
      },
    };
    const read = await readPatiently(api, clock, { kind: 'animation', project: 'p' });
    expect(read).toEqual(ok(project('p')));
    expect(asked).toEqual(Array.from({ length: 5 }, () => ['video', 'p']));
    expect(clock.slept).toEqual([500, 1000, 2000, 4000]);
  });

  test('that is not answered for after five times is a failure', async () => {
    const clock = new FakeClock();
    const api = { project: async () => err(busy) };
    expect(await readPatiently(api, clock, { kind: 'animation', project: 'p' })).toEqual(err(busy));
    expect(clock.slept).toHaveLength(4);
  });
});

describe('the inquiry', () => {
  test.each([0, 1, 63, 64, 65, 130])(
    'answers for each of %i projects, once, and reads 16 at a time',
    async (count) => {
      const orders = Array.from({ length: count }, (_, index) => createOrder(`${index}`));
      const ledger = ledgerOf(
        { event: 'run', run: 1 },
        ...orders.flatMap((one) => [intentOf(one), createdOf(one)]),
      );
      let [now, most, reads] = [0, 0, 0];
      const clock = new FakeClock();
      const api = {
        project: async (_: string, id: string) => {
          now += 1;
          reads += 1;
          most = Math.max(most, now);
          await new Promise((resolve) => void setImmediate(resolve));
          now -= 1;
          return id === 'p-1' ? err(unfit) : ok(project(id));
        },
      };
      const seen: Inquired[] = [];
      let ahead = 0;
      for await (const one of inquire(ledger, api, clock)) {
        seen.push(one);
        ahead = Math.max(ahead, reads - seen.length);
      }
      const known = [...knownProjects(ledger)];
      expect(known).toHaveLength(count);
      expect(seen.map(({ project: id }) => id)).toEqual(known.map(({ project: id }) => id));
      expect(seen.every(({ credits, past }) => credits === 10 && !past)).toBe(true);
      for (const { project: id, answer } of seen)
        expect(answer).toEqual(id === 'p-1' ? err(unfit) : ok(project(id)));
      expect(most).toBe(Math.min(16, count));
      // Memory does not grow with their number: it holds one group of answers.
      expect(ahead).toBe(Math.max(0, Math.min(64, count) - 1));
    },
  );
});
