// The scheduler: what may start now, for one item.
import { describe, expect, test } from 'vitest';
import type { Ending } from '../../../src/runner/plan/ending.ts';
import { Schedule } from '../../../src/runner/plan/schedule.ts';
import { pipelineOf } from './world.ts';

const pipeline = pipelineOf(`pipeline: p
steps:
  photo: { uses: upload, with: { file: a.png } }
  other: { uses: upload, with: { file: b.png } }
  swap: { uses: face-swap-photo, needs: [other], with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: a.png } }
  tidy: { uses: delete, with: { of: swap } }
`);

/** What would start, be skipped or be blocked now, without doing it. */
function turn(schedule: Schedule): string | undefined {
  const next = schedule.next();
  if (next === undefined) return undefined;
  const { step, turn } = next;
  return turn === 'start' ? `start ${step.name}` : `${step.name} ${turn.ending}: ${turn.why}`;
}

/** Starts and ends steps. */
function endedWith(...endings: readonly (readonly [string, Ending])[]): Schedule {
  const schedule = new Schedule(pipeline.steps);
  for (const [step, ending] of endings) schedule.end(step, ending);
  return schedule;
}

describe('a step', () => {
  test('starts when all that it waits for is over, in the order of the pipeline', () => {
    const schedule = new Schedule(pipeline.steps);
    const order: string[] = [];
    for (let next = schedule.next(); next !== undefined; next = schedule.next()) {
      expect(next.turn).toBe('start');
      order.push(next.step.name);
      schedule.start(next.step.name);
      schedule.end(next.step.name, 'done');
    }
    expect(order).toEqual(['photo', 'other', 'swap', 'save', 'tidy']);
    expect(schedule.isOver).toBe(true);
  });

  test('does not start twice, and others start beside it', () => {
    const schedule = new Schedule(pipeline.steps);
    schedule.start('photo');
    expect(turn(schedule)).toBe('start other');
    schedule.start('other');
    expect(turn(schedule)).toBeUndefined();
    expect(schedule.isOver).toBe(false);
  });

  test('is skipped where what it uses was skipped', () => {
    expect(turn(endedWith(['photo', 'skipped'], ['other', 'done']))).toBe(
      'swap skipped: photo is skipped',
    );
  });

  test('is not skipped where what it only waits for was skipped', () => {
    expect(turn(endedWith(['photo', 'done'], ['other', 'skipped']))).toBe('start swap');
  });

  test.each<Ending>(['failed', 'doubt', 'blocked', 'pending'])(
    'is blocked where what it waits for is %s',
    (ending) => {
      expect(turn(endedWith(['photo', 'done'], ['other', ending]))).toBe(
        'swap blocked: waits for other',
      );
      expect(turn(endedWith(['photo', ending], ['other', 'skipped']))).toBe(
        'swap blocked: waits for photo',
      );
    },
  );

  test('is blocked rather than skipped where both are so', () => {
    expect(turn(endedWith(['photo', 'skipped'], ['other', 'failed']))).toBe(
      'swap blocked: waits for other',
    );
  });

  test('waits while another that it waits for is on, even where one is skipped', () => {
    expect(turn(endedWith(['photo', 'skipped']))).toBe('start other');
    const schedule = endedWith(['photo', 'skipped']);
    schedule.start('other');
    expect(turn(schedule)).toBeUndefined();
  });

  test('waits for those that others perform', () => {
    const phases = new Map<string, Ending>();
    const own = pipeline.steps.filter(({ name }) => name === 'swap');
    const schedule = new Schedule(own, (step) => phases.get(step) ?? 'waiting');
    expect(turn(schedule)).toBeUndefined();
    phases.set('photo', 'done').set('other', 'done');
    expect(turn(schedule)).toBe('start swap');
    phases.set('photo', 'failed');
    expect(turn(schedule)).toBe('swap blocked: waits for photo');
  });
});

describe('a step that goes back', () => {
  test('is started again, and what waits for it waits', () => {
    const schedule = endedWith(['photo', 'done'], ['other', 'done']);
    schedule.start('swap');
    schedule.reopen('swap');
    schedule.reopen('photo');
    expect(turn(schedule)).toBe('start photo');
    schedule.start('photo');
    expect(turn(schedule)).toBeUndefined();
    schedule.end('photo', 'done');
    expect(turn(schedule)).toBe('start swap');
  });

  test('keeps the schedule open until it has ended again', () => {
    const schedule = endedWith(...pipeline.steps.map(({ name }) => [name, 'done'] as const));
    expect(schedule.isOver).toBe(true);
    schedule.reopen('photo');
    expect(schedule.isOver).toBe(false);
    schedule.end('photo', 'done');
    expect(schedule.isOver).toBe(true);
  });
});

describe('what must never be', () => {
  test.each<readonly [string, (schedule: Schedule) => void]>([
    ['a step started twice', (schedule) => schedule.start('other')],
    ['a step started after its end', (schedule) => schedule.start('photo')],
    ['a step ended twice', (schedule) => schedule.end('photo', 'failed')],
    ['a waiting step reopened', (schedule) => schedule.reopen('swap')],
    ['an unknown step started', (schedule) => schedule.start('nobody')],
    ['an unknown step ended', (schedule) => schedule.end('nobody', 'done')],
  ])('%s', (_, wrong) => {
    const schedule = endedWith(['photo', 'done']);
    schedule.start('other');
    expect(() => wrong(schedule)).toThrow('bug');
  });

  test('a failed step reopened', () => {
    expect(() => endedWith(['photo', 'failed']).reopen('photo')).toThrow('bug');
  });
});
