// The one function that moves a job: every state with every event. What is not listed as legal is not.
import { describe, expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../../src/runner/journal/line.ts';
import {
  abandoned,
  amended,
  at,
  complete,
  created,
  deleted,
  doubted,
  errored,
  forgotten,
  gone,
  intent,
  job,
  jobAfter,
  move,
  output,
  picked,
  refused,
  serves,
  supplied,
  unsaved,
} from './lines.ts';

type State = JobLine['state'] | 'nothing';

const states: Readonly<Record<State, JobLine | undefined>> = {
  nothing: undefined,
  supplied: jobAfter(supplied()),
  intended: jobAfter(intent()),
  doubt: jobAfter(intent(), doubted()),
  created: jobAfter(intent(), created()),
  complete: jobAfter(intent(), created(), complete()),
  deleted: jobAfter(intent(), created(), complete(), output(), deleted()),
  failed: jobAfter(intent(), created(), errored()),
  forgotten: jobAfter(intent(), created(), complete(), forgotten()),
};

const events: Readonly<Record<string, NewEvent>> = {
  supplied: supplied(),
  intent: intent('a', 20, 2),
  created: created(),
  'settled complete': complete(),
  'settled error': errored(),
  'settled not_taken': refused(),
  doubt: doubted(),
  serves: serves(),
  output: output(),
  deleted: deleted(),
  'settled abandoned': abandoned(),
  'deleted elsewhere': gone(),
  amended: amended(),
  forgotten: forgotten(),
  'forgotten files': unsaved(),
  picked: picked(),
};

/** From, event, to: all moves that there are. */
const legal: readonly (readonly [State, string, State])[] = [
  ['nothing', 'supplied', 'supplied'],
  ['nothing', 'intent', 'intended'],
  ['supplied', 'supplied', 'supplied'],
  ['supplied', 'serves', 'supplied'],
  ['intended', 'created', 'created'],
  ['intended', 'settled not_taken', 'failed'],
  ['intended', 'doubt', 'doubt'],
  ['intended', 'serves', 'intended'],
  ['doubt', 'created', 'created'],
  ['doubt', 'settled not_taken', 'failed'],
  ['doubt', 'serves', 'doubt'],
  ['created', 'settled complete', 'complete'],
  ['created', 'settled error', 'failed'],
  ['created', 'serves', 'created'],
  ['complete', 'serves', 'complete'],
  ['complete', 'output', 'complete'],
  ['complete', 'deleted', 'deleted'],
  ['deleted', 'intent', 'intended'],
  ['deleted', 'serves', 'deleted'],
  ['deleted', 'output', 'deleted'],
  ['failed', 'intent', 'intended'],
  ['failed', 'serves', 'failed'],
  ['failed', 'amended', 'failed'],
  ['failed', 'forgotten', 'forgotten'],
  ['failed', 'forgotten files', 'failed'],
  ['intended', 'settled abandoned', 'failed'],
  ['doubt', 'settled abandoned', 'failed'],
  ['created', 'deleted elsewhere', 'deleted'],
  ['created', 'amended', 'created'],
  ['created', 'forgotten', 'forgotten'],
  ['created', 'forgotten files', 'created'],
  ['complete', 'deleted elsewhere', 'deleted'],
  ['complete', 'amended', 'complete'],
  ['complete', 'forgotten', 'forgotten'],
  ['complete', 'forgotten files', 'complete'],
  ['deleted', 'amended', 'deleted'],
  ['deleted', 'forgotten', 'forgotten'],
  ['deleted', 'forgotten files', 'deleted'],
  ['supplied', 'forgotten', 'forgotten'],
  ['supplied', 'forgotten files', 'supplied'],
  ['forgotten', 'supplied', 'supplied'],
  ['forgotten', 'intent', 'intended'],
  ['forgotten', 'serves', 'forgotten'],
  ['forgotten', 'amended', 'forgotten'],
  ...(['intended', 'doubt', 'created', 'complete', 'deleted', 'failed', 'forgotten'] as const).map(
    (state) => [state, 'picked', state] as const,
  ),
];

const allStates = Object.keys(states) as readonly State[];
const illegal = allStates.flatMap((from) =>
  Object.keys(events)
    .filter((event) => !legal.some(([before, name]) => before === from && name === event))
    .map((event) => [from, event] as const),
);

function moved(from: State, event: string): ReturnType<typeof move> {
  const happened = events[event];
  if (happened === undefined) throw new Error(`no event ${event}`);
  return move(states[from], happened);
}

test('a take and a pick outlive the next attempt, and only the first take has a pick', () => {
  const first = jobAfter(
    intent(),
    created(),
    complete(),
    picked(),
    forgotten(),
    intent('a', 10, 2),
  );
  expect(first?.picked).toEqual({ take: 2, at });
  const take = { of: job('z'), number: 2 };
  const begun: NewEvent = {
    ...{ event: 'intent', job: job('a'), task: 'swap:a', kind: 'face-swap-photo', attempt: 1 },
    ...{ name: 'a #1', reserve: 10, take },
  };
  const second = jobAfter(begun, refused(), forgotten(), intent('a', 10, 2));
  expect(second?.take).toEqual(take);
  expect(move(second, picked())).toMatchObject({ ok: false });
});

describe('a job that is', () => {
  test.each(legal)('%s moves by %s to %s', (from, event, to) => {
    expect(moved(from, event)).toMatchObject({ ok: true, value: { state: to } });
  });

  test.each(illegal)('%s cannot have %s happen to it, and says so', (from, event) => {
    const name = event.split(' ')[0] ?? '';
    expect(moved(from, event)).toEqual({
      ok: false,
      error: expect.stringContaining(`${name} cannot follow ${from}`),
    });
  });
});

describe('money', () => {
  test('what is paid becomes failed by nothing but settled', () => {
    const ways = (['created', 'complete', 'deleted'] as const).flatMap((from) =>
      Object.keys(events).filter((event) => {
        const result = moved(from, event);
        return result.ok && result.value.state === 'failed';
      }),
    );
    expect(ways).toEqual(['settled error']);
  });

  test('what is in doubt cannot be begun again', () => {
    for (const from of ['intended', 'doubt', 'created', 'complete'] as const)
      expect(moved(from, 'intent').ok).toBe(false);
  });

  test('what is not complete cannot be deleted', () => {
    expect(allStates.filter((from) => moved(from, 'deleted').ok)).toEqual(['complete']);
  });
});

describe('what a job remembers', () => {
  const settledWith = (expires: string): NewEvent => ({
    event: 'settled',
    job: job('a'),
    status: 'complete',
    credits: 10,
    expires,
  });

  test('every task that it serves, once each, sorted', () => {
    const line = jobAfter(intent('m'), serves('m', 'z:1'), serves('m', 'a:1'), serves('m', 'z:1'));
    expect(line?.tasks).toEqual(['a:1', 'swap:m', 'z:1']);
  });

  test('its tasks over another attempt, and nothing else of the last one', () => {
    const line = jobAfter(
      intent(),
      created('a', 10),
      errored('a', 0),
      serves(),
      intent('a', 30, 2),
    );
    expect(line).toMatchObject({
      attempt: 2,
      name: 'a #2',
      reserve: 30,
      tasks: ['copy:a', 'swap:a'],
    });
    for (const key of ['project', 'credits', 'result', 'error', 'outputs'])
      expect(line).not.toHaveProperty(key);
  });

  test('which store has a file, as long as the file is the same', () => {
    const store = '0123456789abcdef';
    const stored: NewEvent = { event: 'stored', job: job('a'), task: 'save:a', index: 0, store };
    const saved = [intent(), created(), complete(), output('a', 0, 'one.png')] as const;
    expect(jobAfter(...saved, stored)?.outputs).toMatchObject([{ stored: store }]);
    const moved = jobAfter(...saved, stored, output('a', 0, 'two.png'));
    expect(moved?.outputs).toMatchObject([{ path: 'two.png', stored: store }]);
    const other = output('a', 0, 'one.png');
    if (other.event === 'output') Object.assign(other, { sha256: job('other bytes') });
    expect(jobAfter(...saved, stored, other)?.outputs?.[0]).not.toHaveProperty('stored');
    expect(move(states.complete, stored)).toMatchObject({ ok: false });
    expect(move(jobAfter(...saved), { ...stored, index: 1 })).toMatchObject({ ok: false });
  });

  test('that a file was pruned, until the file is saved again', () => {
    const prune: NewEvent = { event: 'pruned', job: job('a'), task: 'save:a', index: 0 };
    const saved = [intent(), created(), complete(), output('a', 0, 'one.png')] as const;
    expect(jobAfter(...saved, prune)?.outputs).toMatchObject([{ pruned: at, path: 'one.png' }]);
    expect(jobAfter(...saved, deleted(), prune)?.state).toBe('deleted');
    const again = jobAfter(...saved, prune, output('a', 0, 'one.png'));
    expect(again?.outputs?.[0]).not.toHaveProperty('pruned');
    expect(move(states.complete, prune)).toMatchObject({ ok: false });
    expect(move(jobAfter(...saved), { ...prune, index: 1 })).toMatchObject({ ok: false });
  });

  test('why it is in doubt, until that is resolved', () => {
    expect(jobAfter(intent(), doubted())?.error).toEqual({
      code: 'in_doubt',
      message: 'the service did not answer',
    });
    expect(jobAfter(intent(), doubted(), created())).not.toHaveProperty('error');
  });

  test('that the worker of a doubt is silent, until the doubt is resolved', () => {
    const lost: NewEvent = { event: 'doubt', job: job('a'), why: 'gone', silent: true };
    expect(jobAfter(intent(), lost)).toMatchObject({ state: 'doubt', silent: true });
    for (const end of [created(), refused(), abandoned()])
      expect(jobAfter(intent(), lost, end)).not.toHaveProperty('silent');
  });

  test('the final credits and the result', () => {
    expect(jobAfter(intent(), created('a', 10), complete('a', 8))).toMatchObject({
      credits: 8,
      result: { downloads: 1 },
      project: 'p-a',
    });
    expect(jobAfter(intent(), created('a', 10), errored('a', 0))).toMatchObject({
      credits: 0,
      error: { code: 'unknown_error' },
    });
  });

  test('when its first address runs out', () => {
    const expires = '2026-08-06T10:00:00.000Z';
    expect(jobAfter(intent(), created(), settledWith(expires))).toMatchObject({
      expires,
    });
    expect(jobAfter(intent(), created(), complete())).not.toHaveProperty('expires');
  });

  test('all that the service added to its first figure, and nothing once that is taken back', () => {
    const dearer = jobAfter(intent(), created('a', 10), complete('a', 12));
    expect(dearer).toMatchObject({ credits: 12, added: 2 });
    expect(jobAfter(intent(), created('a', 10), complete('a', 12), amended('a', 15))).toMatchObject(
      { credits: 15, added: 5 },
    );
    const back = jobAfter(intent(), created('a', 10), complete('a', 12), amended('a', 8));
    expect(back).toMatchObject({ credits: 8, peak: 12 });
    expect(back).not.toHaveProperty('added');
    const again = jobAfter(
      ...[intent(), created('a', 10), complete('a', 12), amended('a', 8), amended('a', 20)],
    );
    expect(again).toMatchObject({ credits: 20, added: 12 });
    expect(again).not.toHaveProperty('peak');
  });

  test('that its attempt was abandoned, with its credits, or not taken, without any', () => {
    expect(jobAfter(intent(), doubted(), abandoned('a', 7))).toMatchObject({
      state: 'failed',
      credits: 7,
      error: { code: 'abandoned', message: 'nobody knows' },
    });
    expect(jobAfter(intent(), refused())).not.toHaveProperty('credits');
  });

  test('who deleted its project: a task of ours, or somebody else', () => {
    const ours = jobAfter(intent(), created(), complete(), deleted());
    expect(ours?.tasks).toEqual(['swap:a', 'tidy:a']);
    expect(ours).not.toHaveProperty('error');
    const theirs = jobAfter(intent(), created(), complete(), gone());
    expect(theirs?.tasks).toEqual(['swap:a']);
    expect(theirs?.error).toEqual({ code: 'gone', message: 'not found' });
  });

  test('the last output of each task and place, sorted', () => {
    const line = jobAfter(
      intent(),
      created(),
      complete(),
      output('a', 1),
      output('a', 0),
      output('a', 1, 'new.png'),
    );
    expect(line?.outputs?.map(({ index, path }) => [index, path])).toEqual([
      [0, 'a-0.png'],
      [1, 'new.png'],
    ]);
  });

  test('nothing by a move: the line before stays as it was', () => {
    const before = jobAfter(intent());
    const copy = structuredClone(before);
    move(before, serves());
    move(before, created());
    expect(before).toEqual(copy);
  });
});
