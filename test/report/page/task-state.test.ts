// What a report says of a task.
import { describe, expect, test } from 'vitest';
import type { TaskState } from '../../../src/report/page/report-data.ts';
import {
  itemState,
  type ReportedTask,
  verdictAfter,
  verdictOf,
} from '../../../src/report/page/task-state.ts';
import { jobLine, pipelineOf, swapping } from '../../tables/plan-world.ts';

const { steps } = pipelineOf(swapping);

function planned(action: ReportedTask['action'], task = 'swap:a'): ReportedTask {
  const step = steps.find(({ name }) => task.startsWith(`${name}:`));
  if (step === undefined) throw new Error(`there is no step for ${task}`);
  return { step, task, action, why: 'a reason' };
}

describe('the state of a task', () => {
  test('follows from what a run would do', () => {
    const stateOf = (action: ReportedTask['action']): string =>
      verdictOf(planned(action), undefined, undefined, false).state;
    expect(stateOf('reuse')).toBe('done');
    expect(stateOf('attach')).toBe('running');
    expect(stateOf('doubt')).toBe('doubt');
    expect(stateOf('lost')).toBe('failed');
    expect(stateOf('begin')).toBe('waiting');
    expect(stateOf('blocked')).toBe('blocked');
    expect(stateOf('skipped')).toBe('skipped');
  });

  test('is failed, with the sentence of the service, if the last attempt failed', () => {
    const error = { code: 'no_source_face', message: 'No face.' };
    const job = jobLine('failed', { error });
    expect(verdictOf(planned('begin'), job, undefined, false)).toEqual({
      ...{ state: 'failed', why: 'No face.', code: 'no_source_face' },
    });
    const fault = { code: 'refused', message: 'refused: bad' };
    const line = { task: 'swap:a', at: '', run: 'r', ending: 'failed', fault } as const;
    expect(verdictOf(planned('begin'), undefined, line, false)).toEqual({
      ...{ state: 'failed', why: 'bad', code: 'refused' },
    });
  });

  test('is blocked, and not failed again, for a download of a failed project', () => {
    const save = planned('begin', 'save:a');
    expect(verdictOf(save, jobLine('failed'), undefined, false)).toMatchObject({
      state: 'blocked',
    });
  });

  test('is blocked if it would wait for a task that failed', () => {
    const states = new Map<string, TaskState>([
      ['actor', 'failed'],
      ['photo', 'done'],
    ]);
    const stateOf = (step: string): TaskState | undefined => states.get(step);
    const waiting = { state: 'waiting', why: 'is new' } as const;
    expect(verdictAfter(waiting, ['photo', 'actor'], stateOf)).toEqual({
      ...{ state: 'blocked', why: 'waits for actor, which failed' },
    });
    expect(verdictAfter(waiting, ['photo', 'later'], stateOf)).toBe(waiting);
    expect(verdictAfter({ state: 'done' }, ['actor'], stateOf)).toEqual({ state: 'done' });
  });

  test('is running while a run waits for the answer, and in doubt when that run is over', () => {
    const sent = jobLine('intended');
    expect(verdictOf(planned('doubt'), sent, undefined, true).state).toBe('running');
    expect(verdictOf(planned('doubt'), sent, undefined, false).state).toBe('doubt');
  });
});

describe('the state of an item', () => {
  test('is that of the task that matters most', () => {
    expect(itemState(['done', 'failed', 'doubt', 'waiting'])).toBe('doubt');
    expect(itemState(['done', 'waiting', 'failed'])).toBe('failed');
    expect(itemState(['done', 'blocked', 'waiting'])).toBe('blocked');
    expect(itemState(['done', 'skipped'])).toBe('done');
  });

  test('is skipped if nothing was to be made', () => {
    expect(itemState(['done', 'done', 'skipped', 'skipped'], ['skipped', 'skipped'])).toBe(
      'skipped',
    );
  });
});
