// The transition function that the view of a job is compared with. Every state with every event: test/golden/transitions.txt.
import { describe, expect, test } from 'vitest';
import { unknownKind } from '../../src/model/job-kind.ts';
import type { JobLine, NewEvent } from '../../src/model/line.ts';
import { worthOf } from '../../src/model/state.ts';
import { expectGolden } from '../golden.ts';
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
} from '../model/lines.ts';
import { aligned } from '../text-table.ts';

type State = JobLine['state'] | 'nothing';

const stored: NewEvent = {
  ...{ event: 'stored', job: job('a'), task: 'save:a', index: 0, store: '0123456789abcdef' },
};
const secondTake: NewEvent = { ...intent(), take: { of: job('z'), number: 2 } } as NewEvent;

function withoutName(line: JobLine | undefined): JobLine | undefined {
  const { name: _, ...nameless } = line ?? {};
  return nameless as JobLine;
}

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

/** More of what a job can be, where that decides about a move. */
const variants: Readonly<Record<string, JobLine | undefined>> = {
  ...states,
  'doubt without a name': withoutName(jobAfter(intent(), doubted())),
  'second attempt': jobAfter(intent(), created(), errored('a', 4), intent('a', 10, 2)),
  'second take': jobAfter(secondTake, created(), complete()),
  saved: jobAfter(intent(), created(), complete(), output()),
  'saved, stored': jobAfter(intent(), created(), complete(), output(), stored),
  'of an unknown kind': jobAfter(intent('a', 10, 1, unknownKind)),
};

const moreEvents: Readonly<Record<string, NewEvent>> = {
  ...events,
  'created for 12': created('a', 12),
  'settled complete for 8': complete('a', 8),
  'settled complete for 12': complete('a', 12),
  'settled canceled': { ...errored(), status: 'canceled' } as NewEvent,
  'output of another path': output('a', 0, 'b.png'),
  stored,
  pruned: { event: 'pruned', job: job('a'), task: 'save:a', index: 0 },
  'amended, another project': { ...amended(), project: 'p-z' } as NewEvent,
};

test('every move is as in the table, and every other is illegal', () => {
  const rows = Object.entries(variants).flatMap(([from, before]) =>
    Object.entries(moreEvents).flatMap(([name, event]): (readonly string[])[] => {
      const result = move(before, event);
      if (result.ok) return [[from, name, `→ ${summary(result.value)}`]];
      const state = before?.state ?? 'nothing';
      expect(result.error).toBe(`${event.event} cannot follow ${state} (job ${job('a')})`);
      return [];
    }),
  );
  expectGolden('transitions.txt', `${header}${aligned(rows)}`);
});

const header = `# Every legal move of a job: what it is, the event → the next state and what is then known. All others are illegal.
# "past": credits of earlier attempts. "worth": what it has cost so far. In brackets: the other fields that are set.

`;

/** The state, the money, and the names of the other fields that are set. */
function summary(line: JobLine): string {
  const { job: _, kind: _kind, state, tasks, attempt, at: _at, ...others } = line;
  const money = ['reserve', 'credits', 'added', 'peak'] as const;
  const amounts = money.flatMap((name) =>
    line[name] === undefined ? [] : `${name} ${line[name]}`,
  );
  const past = (line.past ?? []).map(({ credits }) => credits).join('+');
  const rest = Object.keys(others)
    .filter((key) => !['past', ...money].includes(key))
    .sort();
  const marks = (line.outputs ?? []).map(({ path, ...one }) =>
    [path, ...['stored', 'pruned'].filter((mark) => mark in one)].join(' '),
  );
  return [
    state.padEnd(9),
    `attempt ${attempt}`,
    ...amounts,
    ...(past === '' ? [] : [`past ${past}`]),
    `worth ${worthOf(line)}`,
    `[${rest.join(' ')}]`,
    tasks.join(' '),
    ...marks,
  ].join(' ');
}

const allStates = Object.keys(states) as readonly State[];

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
