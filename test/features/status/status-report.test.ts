// What a state file says: credits, jobs, and what needs somebody.
import { describe, expect, test } from 'vitest';
import type { Condition } from '../../../src/core/recorded-files.ts';
import type { ResultFate } from '../../../src/features/result-fate.ts';
import { statusOf } from '../../../src/features/status/status.ts';
import { Ledger } from '../../../src/model/record/ledger.ts';
import {
  at,
  complete,
  created,
  deleted,
  doubted,
  errored,
  folded,
  type Happening,
  intent,
  output,
  run,
  supplied,
  taskEnds,
  timeOf,
} from '../../model/lines.ts';

/** Twenty hours after everything happened. */
const asked = {
  now: Date.parse(at) + 20 * 3_600_000,
  fateOf: (): ResultFate => 'fetched',
  conditionOf: (): Condition => 'whole',
  isStored: () => false,
};

const history: readonly Happening[] = [
  run(1),
  supplied('a'),
  intent('b', 10),
  created('b', 10),
  complete('b', 10),
  output('b'),
  deleted('b'),
  intent('c', 10),
  created('c', 12),
  complete('c', 12),
  intent('d', 30),
  doubted('d'),
  intent('e', 10),
  created('e', 10),
  errored('e', 0),
  taskEnds('photo:f', 'failed', 'f.png does not exist'),
];

describe('the status', () => {
  const status = statusOf(folded(history), asked);

  test('counts jobs by kind and state, and credits over all runs', () => {
    expect(status).toMatchObject({
      runs: 1,
      credits: { charged: 22, reserved: 30 },
      jobs: {
        upload: { supplied: 1 },
        'face-swap-photo': { deleted: 1, complete: 1, doubt: 1, failed: 1 },
      },
      outputs: 1,
    });
  });

  test('names what is paid and not saved, in doubt, and failed', () => {
    expect(status.unsaved).toEqual([
      { tasks: ['swap:c'], project: 'p-c', expires: '2026-08-06T10:00:00.009Z', soon: true },
    ]);
    expect(status.doubts).toEqual([
      {
        tasks: ['swap:d'],
        name: 'd #1',
        since: timeOf(10),
        reserved: 30,
        why: 'the service did not answer',
      },
    ]);
    expect(status.failures).toEqual([
      { task: 'swap:e', why: 'it broke', advice: expect.stringContaining('run it again') },
      { task: 'photo:f', why: 'f.png does not exist' },
    ]);
  });

  test.each([
    ['idle', [{ tasks: ['swap:c'], project: 'p-c', meant: false }]],
    ['kept', [{ tasks: ['swap:c'], project: 'p-c', meant: true }]],
    ['used', []],
  ] as const)('does not promise to fetch a result that is %s', (fate, remote) => {
    const told = statusOf(folded(history), { ...asked, fateOf: () => fate });
    expect(told.unsaved).toEqual([]);
    expect(told.remote).toEqual(remote);
  });

  test('takes a creation that was begun and never answered as a doubt', () => {
    expect(statusOf(folded([run(), intent('x', 5)]), asked).doubts).toHaveLength(1);
  });

  test('of nothing is nothing', () => {
    expect(statusOf(new Ledger(), asked)).toMatchObject({
      runs: 0,
      outputs: 0,
      doubts: [],
      failures: [],
      unsaved: [],
    });
    expect(statusOf(new Ledger(), asked).lastRun).toBeUndefined();
  });
});

test('takes nothing that was sent for a doubt while a run is going on', () => {
  const ledger = folded([...history, intent('h', 8)]);
  expect(statusOf(ledger, asked).doubts).toHaveLength(2);
  const status = statusOf(ledger, { ...asked, running: 'process 7 on here' });
  expect(status.doubts.map(({ name }) => name)).toEqual(['d #1']);
});

describe('recorded files that are not here as recorded', () => {
  const conditions = new Map<string, Condition>([
    ['a-0.png', 'elsewhere'],
    ['b-0.png', 'lost'],
    ['c-0.png', 'changed'],
    ['d-0.png', 'unread'],
    ['s-0.png', 'elsewhere'],
  ]);
  const lines = ['a', 'b', 'c', 'd', 's'].flatMap((of) => [
    intent(of),
    created(of),
    complete(of),
    output(of),
  ]);
  const look = (ledger: Ledger, sha: (path: string, sha256: string) => Condition | undefined) =>
    statusOf(ledger, {
      ...asked,
      conditionOf: ({ path, sha256 }) => sha(path, sha256) ?? 'whole',
      isStored: ({ path }) => path.startsWith('s'),
    });

  test('are changed, lost or elsewhere: three words, one line each, and no failure', () => {
    const status = look(folded([run(1), ...lines]), (path) => conditions.get(path));
    expect(status).toMatchObject({
      outputs: 5,
      files: { changed: 1, lost: 1, elsewhere: 2, stored: 1 },
      failures: [],
    });
  });

  test('count once for each path, and not where a later result took the place', () => {
    const twice = [intent('e'), created('e'), complete('e'), output('e', 0, 'a-0.png')];
    const ledger = folded([run(1), ...lines.slice(0, 4), ...twice]);
    expect(look(ledger, () => 'elsewhere').files.elsewhere).toBe(1);
    let whole = true;
    const replaced = look(ledger, () => {
      whole = !whole;
      return whole ? 'whole' : 'changed';
    });
    expect(replaced.files).toEqual({ changed: 0, lost: 0, elsewhere: 0, stored: 0 });
  });
});
