// Every project that the state file knows, read at the service: which ones, how patiently, and how many at a time.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../src/base/result.ts';
import type { Project } from '../../src/contract/api/project.ts';
import {
  type Inquired,
  inquire,
  knownProjects,
  readPatiently,
} from '../../src/service-api/inquiry.ts';
import { busy, unfit } from '../fakes/failures.ts';
import { FakeClock } from '../files/places.ts';
import {
  abandoned,
  created,
  doubted,
  errored,
  folded,
  intent,
  job,
  refused,
  run,
} from '../model/lines.ts';

const project = (id: string): Project => ({ id, status: 'complete', downloads: [], error: null });

describe('the known projects', () => {
  test('are those of each job, and of its earlier attempts', () => {
    const again = [intent('a', 10, 2), created('a', 7, 'p-again')];
    const ledger = folded([
      ...[run(), intent('a'), created('a'), errored('a'), ...again],
      ...[intent('b'), created('b', 3), intent('c')],
    ]);
    const known = [...knownProjects(ledger)];
    expect(known.map(({ project, name, credits, past }) => [project, name, credits, past])).toEqual(
      [
        ['p-again', 'a #2', 7, false],
        ['p-a', 'a #1', 0, true],
        ['p-b', 'b #1', 3, false],
      ],
    );
    expect(known.map((one) => one.job.job)).toEqual([job('a'), job('a'), job('b')]);
  });

  test('are not those of an attempt that a person has given up', () => {
    const ledger = folded([
      ...[run(), intent('a'), doubted('a'), abandoned('a')],
      ...[intent('a', 10, 2), created('a', 7, 'p-again')],
    ]);
    expect([...knownProjects(ledger)].map(({ project }) => project)).toEqual(['p-again']);
  });

  test('are none where an attempt never got one', () => {
    const ledger = folded([run(), intent('a'), refused('a'), intent('a', 10, 2)]);
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
      const names = Array.from({ length: count }, (_, index) => `${index}`);
      const ledger = folded([run(), ...names.flatMap((one) => [intent(one), created(one)])]);
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
