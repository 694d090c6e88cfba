// What a state file says to a person: credits, jobs, and what needs somebody.
import { describe, expect, test } from 'vitest';
import { shotlistLine } from '../../../src/base/shell.ts';
import type { CommandLine } from '../../../src/features/command-line.ts';
import { statusText } from '../../../src/features/status/command.ts';
import { statusOf } from '../../../src/features/status/status.ts';
import { Ledger } from '../../../src/model/ledger.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import type { Condition } from '../../../src/plan/recorded-files.ts';
import type { ResultFate } from '../../../src/plan/result-fate.ts';
import {
  at,
  complete,
  created,
  deleted,
  doubted,
  ended,
  errored,
  folded,
  intent,
  job,
  output,
  run,
  supplied,
} from '../../model/lines.ts';
import { control, wild } from '../../views/wild.ts';

const line: CommandLine = (command, names = [], more = []) =>
  shotlistLine(command, ['p.yaml', ...names], more);

/** Twenty hours after everything happened. */
const asked = {
  now: Date.parse(at) + 20 * 3_600_000,
  expiringMs: 6 * 3_600_000,
  fateOf: (): ResultFate => 'fetched',
  conditionOf: (): Condition => 'whole',
  isStored: () => false,
};

const history: readonly NewEvent[] = [
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
  { event: 'failed', task: 'photo:f', why: 'f.png does not exist' },
];

describe('the status', () => {
  const status = statusOf(folded(history), asked);

  test('counts jobs by kind and state, and credits over all runs', () => {
    expect(status).toMatchObject({
      runs: 1,
      credits: { charged: 32, refunded: 10, reserved: 30 },
      jobs: {
        upload: { supplied: 1 },
        'face-swap-photo': { deleted: 1, complete: 1, doubt: 1, failed: 1 },
      },
      outputs: 1,
    });
  });

  test('names what is paid and not saved, in doubt, and failed', () => {
    expect(status.unsaved).toEqual([
      { tasks: ['swap:c'], project: 'p-c', expires: '2026-08-06T10:00:00.000Z', soon: true },
    ]);
    expect(status.doubts).toEqual([
      {
        tasks: ['swap:d'],
        name: 'd #1',
        since: at,
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
    expect(statusText(told, 'p.state.jsonl', line)).not.toContain('The next run fetches');
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
    expect(statusOf(new Ledger(), asked)).not.toHaveProperty('lastRun');
  });
});

describe('its text', () => {
  test('says what a person needs, and what to do about a doubt', () => {
    const text = statusText(statusOf(folded([...history, ended]), asked), 'p.state.jsonl', line);
    for (const part of [
      'p.state.jsonl: 1 run; the last began',
      `ended ${at}`,
      'Credits: 32 charged, 10 refunded, 22 net, 30 in doubt.',
      'Files saved: 1.',
      'IN DOUBT: swap:d',
      '30 credits set aside',
      'a project named "d #1"',
      'the service did not answer',
      'shotlist resolve p.yaml swap:d --not-charged',
      'EXPIRES SOON: paid, not saved yet: swap:c (project p-c); its address expires 2026-08-06T10',
      '→ run it again',
      'failed: swap:e: it broke',
      'failed: photo:f: f.png does not exist',
    ])
      expect(text).toContain(part);
  });

  test('says that the last run is not over, by a kill or because it left', () => {
    expect(statusText(statusOf(folded(history), asked), 'x', line)).toContain(
      'and is not over: the next run continues it\n',
    );
  });

  test('says that a run is going on, and then takes nothing that was sent for a doubt', () => {
    const ledger = folded([...history, intent('h', 8)]);
    expect(statusOf(ledger, asked).doubts).toHaveLength(2);
    const status = statusOf(ledger, { ...asked, running: 'process 7 on here' });
    expect(status.doubts.map(({ name }) => name)).toEqual(['d #1']);
    const text = statusText(status, 'x', line);
    expect(text).toContain('and is not over\n');
    expect(text).toContain('1 sent');
    expect(text).toContain('A run is active (process 7 on here): these numbers can change');
  });

  test('lets no control character of a task, a name or a kind reach the terminal', () => {
    const ledger = folded([
      run(),
      {
        event: 'intent',
        job: job('w'),
        task: `swap:${wild}`,
        kind: wild,
        attempt: 1,
        name: wild,
        reserve: 3,
      },
      { event: 'doubt', job: job('w'), why: wild },
      { event: 'failed', task: `photo:${wild}`, why: wild },
    ]);
    const text = statusText(statusOf(ledger, asked), 'p.state.jsonl', line);
    expect(text).not.toMatch(control);
    expect(text.split('\n')).toHaveLength(9);
  });

  test('lets no control character of a time in the file reach the terminal', () => {
    const ledger = new Ledger();
    ledger.apply({ type: 'run', line: { run: 1, at: wild, ended: wild, charged: 0, refunded: 0 } });
    expect(statusText(statusOf(ledger, asked), 'p.state.jsonl', line)).not.toMatch(control);
  });
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
    expect(statusText(status, 'x', line).split('\n')).toEqual(
      expect.arrayContaining([
        '1 file is changed on disk: left alone.',
        '1 file is lost: saved here, and gone.',
        '1 file is elsewhere: saved by another checkout.',
        '1 file is elsewhere: in the output store.',
      ]),
    );
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

test('a long list is cut, and the command for the rest is named', () => {
  const events = Array.from({ length: 300 }, (_, n): NewEvent => {
    return { event: 'failed', task: `swap:${n}`, why: 'no such file' };
  });
  const text = statusText(statusOf(folded([run(1), ...events]), asked), 'state', line);
  expect(text.split('\n').filter((line) => line.startsWith('failed:'))).toHaveLength(20);
  expect(text).toContain('… and 280 more: shotlist status p.yaml --failed');
});
