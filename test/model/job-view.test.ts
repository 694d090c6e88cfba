// A job as people see it: one state, by the attempt that counts, and what is known of its result.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { viewOf, viewsOf } from '../../src/model/job-view.ts';
import { joined } from '../../src/model/record/join.ts';
import type { Job } from '../../src/model/record/line.ts';
import { chargedHere, isWithheld, jobFacts, worthOf } from '../../src/model/state.ts';
import { partOf } from '../sweep.ts';
import {
  abandoned,
  amended,
  at,
  complete,
  created,
  deleted,
  doubted,
  errored,
  folded,
  forgotten,
  gone,
  type Happening,
  intent,
  job,
  jobAfter,
  journals,
  notCharged,
  output,
  picked,
  pruned,
  refused,
  run,
  stored,
  supplied,
  timeOf,
  unsaved,
} from './lines.ts';

const paid = [intent(), created(), complete()];
const lineAfter = (...happenings: readonly Happening[]): Job => {
  const line = folded(happenings).job(job('a'));
  if (line === undefined) throw new Error('there is no job');
  return line;
};

test.each([
  ['supplied', [supplied()]],
  ['intended', [intent()]],
  ['doubt', [intent(), doubted()]],
  ['created', [intent(), created()]],
  ['complete', paid],
  ['deleted', [...paid, deleted()]],
  ['deleted', [...paid, gone()]],
  ['failed', [intent(), created(), errored()]],
  ['failed', [intent(), refused()]],
  ['failed', [intent(), doubted(), notCharged()]],
  ['failed', [intent(), doubted(), abandoned()]],
  ['forgotten', [...paid, forgotten()]],
  ['intended', [...paid, forgotten(), intent('a', 10, 2)]],
] as const)('it is %s', (state, moves) => {
  expect(jobAfter(...moves)?.state).toBe(state);
});

test('an attempt with two projects is in doubt, whatever else is known of it', () => {
  const [one, other] = ['p-1', 'p-2'].map((project) =>
    lineAfter(intent(), created('a', 10, project), complete()),
  );
  if (one === undefined || other === undefined) throw new Error('bug');
  expect(viewOf(joined(one, other))).toMatchObject({ state: 'doubt', error: { code: 'in_doubt' } });
});

test('who has not paid for a project that is not found cannot have it either', () => {
  const line = lineAfter(...paid);
  const adopted = line.attempts.map((one) => ({ ...one, adopted: true as const, missing: at }));
  expect(viewOf({ ...line, attempts: adopted })).toMatchObject({ state: 'deleted', adopted: true });
  const own = line.attempts.map((one) => ({ ...one, missing: at }));
  expect(viewOf({ ...line, attempts: own }).state).toBe('complete');
});

describe('money', () => {
  test('is that of all attempts, and a doubt that was given up counts as charged', () => {
    const view = jobAfter(...paid, forgotten(), intent('a', 30, 2), doubted(), abandoned());
    expect(view).toMatchObject({
      credits: 30,
      past: [{ name: 'a #1', project: 'p-a', credits: 10 }],
    });
    expect(view && worthOf(view)).toBe(40);
  });

  test('is what the service said last', () => {
    expect(jobAfter(...paid, amended('a', 4))?.credits).toBe(4);
    expect(jobAfter(intent(), refused())?.credits).toBeUndefined();
  });

  test('that another state file has paid is worth something, and was not charged here', () => {
    const line = lineAfter(...paid, forgotten(), intent('a', 10, 2), created('a', 7, 'p-2'));
    const attempts = line.attempts.map((one) => ({ ...one, adopted: true as const }));
    const view = viewOf({ ...line, attempts });
    expect([worthOf(view), chargedHere(view)]).toEqual([17, 0]);
    expect(chargedHere(viewOf(line))).toBe(17);
  });
});

test('whatever happens, jobs add up to what the ledger says is charged and set aside', () => {
  fc.assert(
    fc.property(journals, (happenings) => {
      const ledger = folded(happenings);
      let [charged, reserved] = [0, 0];
      for (const view of viewsOf(ledger)) {
        charged += chargedHere(view);
        if (jobFacts[view.state].inDoubt) reserved += view.reserve ?? 0;
      }
      expect({ charged, reserved }).toEqual(ledger.totals());
    }),
    { seed: 1, numRuns: partOf(500) },
  );
});

describe('saved files', () => {
  const store = '0123456789abcdef';
  const saved = [...paid, output('a', 0, 'one.png')];

  test('are the last ones of each task and place, sorted, without those to be fetched again', () => {
    const view = jobAfter(...paid, output('a', 1), output(), output('a', 1, 'new.png'));
    expect(view?.outputs.map(({ path }) => path)).toEqual(['a-0.png', 'new.png']);
    expect(jobAfter(...saved, unsaved())?.outputs).toEqual([]);
  });

  test('are in the store wherever they were saved, if the content is the same', () => {
    const moved = jobAfter(...saved, stored('a', store), output('a', 0, 'two.png'));
    expect(moved?.outputs).toMatchObject([{ path: 'two.png', stored: store }]);
  });

  test('are pruned until they are saved again', () => {
    expect(jobAfter(...saved, pruned())?.outputs).toMatchObject([{ pruned: timeOf(4) }]);
    const again = jobAfter(...saved, pruned(), output('a', 0, 'one.png'));
    expect(again?.outputs[0]).not.toHaveProperty('pruned');
  });
});

test('a result that a person wants again leaves nothing of it, but the take that was picked', () => {
  const view = jobAfter(...paid, output(), picked(), forgotten());
  expect(view).toMatchObject({ state: 'forgotten', outputs: [], picked: { take: 2 } });
  for (const key of ['project', 'credits', 'result', 'name']) expect(view).not.toHaveProperty(key);
});

test('the first address of a result is no part of it', () => {
  const expires = '2026-08-06T10:00:00.000Z';
  const view = jobAfter(intent(), created(), complete('a', 10, { expires }));
  expect(view).toMatchObject({ expires, result: { downloads: 1 } });
  expect(view?.result).not.toHaveProperty('expires');
});

test('a creation that the run turned away only waits, and one that the service refused has failed', () => {
  const withheld = (code: string) => {
    const view = jobAfter(intent(), refused('a', code));
    return view !== undefined && isWithheld(view);
  };
  expect(['outage', 'withheld', 'refused'].map(withheld)).toEqual([true, true, false]);
});

test('jobs are in the order of their tasks', () => {
  const ledger = folded([run(), supplied('z'), supplied('b'), supplied('m')]);
  expect(viewsOf(ledger).map(({ tasks }) => tasks[0])).toEqual(['photo:b', 'photo:m', 'photo:z']);
});
