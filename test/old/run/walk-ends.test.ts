// What the end of an order means: for its task, for the tasks that shared it, for its step, and for the run. The performer
// only says how each order ends.
import { describe, expect, test } from 'vitest';
import type { Ended, JobOrder, JobOutcome } from '../../../src/run/jobs/job.ts';
import type { OrderJournal, Performer } from '../../../src/run/jobs/ports.ts';
import type { Walk } from '../../../src/run/walk.ts';
import { colour, InMemory, photo, pipeline } from './in-memory.ts';

/** Uploads are done; how a creation ends is said for each in turn, and the last one counts for all that follow. */
class Scripted implements Performer {
  readonly performed: string[] = [];
  aborted = false;
  readonly #ends: JobOutcome[];
  readonly #before: (journal: OrderJournal, order: JobOrder) => void;

  constructor(
    ends: readonly JobOutcome[],
    before: (journal: OrderJournal, order: JobOrder) => void = () => undefined,
  ) {
    this.#ends = [...ends];
    this.#before = before;
  }

  async perform(order: JobOrder, journal: OrderJournal): Promise<JobOutcome> {
    if (order.operation === 'digest') return { is: 'read', unreadable: [] };
    this.performed.push(order.task);
    const { task, kind } = order;
    if (order.operation === 'upload') {
      const { fingerprint: job } = order;
      const result = { file_path: `f-${this.performed.length}` };
      await journal.record({ event: 'supplied', job, task, kind, result }, false);
      return { is: 'done', live: result };
    }
    this.#before(journal, order);
    const [end = failed('refused')] = this.#ends;
    if (this.#ends.length > 1) this.#ends.shift();
    return end;
  }

  begin(): void {}
  close(): void {}
  end(): void {}
  abort(): void {
    this.aborted = true;
  }
}

const ended = (ending: Ended['ending'], more: Partial<Ended> = {}): Ended => ({
  ...{ is: 'ended', ending, why: 'so it is' },
  ...more,
});
const failed = (code: string): Ended => ended('failed', { code });

const text = pipeline(photo + colour('one', 'a'), 'limits: { items: 1 }\n');

async function ran(
  performer: Scripted,
  keys = ['a', 'b', 'c', 'd'],
  act: (walk: Walk) => void = () => undefined,
  pipelineText = text,
) {
  const memory = new InMemory();
  for (const key of keys)
    if (!memory.disk.files.has(`${key}.png`)) memory.disk.files.set(`${key}.png`, `photo ${key}`);
  let begun = false;
  const run = await memory.run(pipelineText, 'fine', keys, { performer }, (_, walk) => {
    if (!begun) act(walk);
    begun = true;
  });
  const creations = performer.performed.filter((task) => task.startsWith('one'));
  return { ...run, creations, stopped: run.walk.stopped, ledger: memory.ledger };
}

describe('an order that failed', () => {
  test('fails its task, on record with its code', async () => {
    const { endings, ledger } = await ran(new Scripted([failed('refused')]), ['a']);
    expect(endings).toEqual(['photo:a done', 'one:a failed']);
    expect(ledger.task('one:a')).toMatchObject({ state: 'failed', code: 'refused' });
  });

  test('is begun again while its step has attempts left', async () => {
    const often = text.replace('timeout: 1s', 'timeout: 1s, retry: { attempts: 3 }');
    const again = ended('failed', { again: true });
    const performer = new Scripted([again, again, failed('x')]);
    expect((await ran(performer, ['a'], undefined, often)).creations).toHaveLength(3);
  });

  test('for the third item in a row stops its step', async () => {
    const { creations, endings } = await ran(new Scripted([failed('refused')]));
    expect(creations).toEqual(['one:a', 'one:b', 'one:c']);
    expect(endings.at(-1)).toBe('one:d failed');
  });

  test('for another reason does not stop its step', async () => {
    const { creations } = await ran(new Scripted([failed('bad_photo')]));
    expect(creations).toHaveLength(4);
  });
});

describe('an end that others would share', () => {
  test.each(['unauthorized', 'outage'] as const)('stops the run: %s', async (stops) => {
    const performer = new Scripted([ended('pending', { stops })]);
    const { endings, stopped } = await ran(performer);
    expect(endings).toEqual(['photo:a done', 'one:a pending']);
    expect(performer.aborted).toBe(true);
    expect(stopped).toMatchObject({ [stops]: true, why: 'so it is' });
  });

  test.each([
    ['credits', { money: true }],
    ['machine', { machine: true }],
    ['unanswered', { by: 'unanswered' }],
  ] as const)('ends the buying, and admits no further item: %s', async (stops, expected) => {
    const performer = new Scripted([ended('pending', { stops })]);
    const { endings, stopped } = await ran(performer);
    expect(endings).toEqual(['photo:a done', 'one:a pending']);
    expect([performer.aborted, stopped]).toEqual([false, expect.objectContaining(expected)]);
  });

  test('stops its step, whose other items are not tried', async () => {
    const performer = new Scripted([ended('failed', { stops: 'step', code: 'forbidden' })]);
    const { creations, endings } = await ran(performer);
    expect(creations).toEqual(['one:a']);
    expect(endings.filter((end) => end.startsWith('one'))).toEqual(
      ['a', 'b', 'c', 'd'].map((key) => `one:${key} failed`),
    );
  });
});

describe('an order that was withheld', () => {
  const withheld = { is: 'withheld', why: 'no money' } as const;

  test('is asked again while the run may buy', async () => {
    const { creations, endings } = await ran(new Scripted([withheld, failed('x')]), ['a']);
    expect(creations).toHaveLength(2);
    expect(endings.at(-1)).toBe('one:a failed');
  });

  test('is left to the next run once it may not', async () => {
    let walk: Walk | undefined;
    const performer = new Scripted([withheld], () => walk?.leave('enough'));
    const { endings } = await ran(performer, ['a'], (running) => {
      walk = running;
    });
    expect(endings).toEqual(['photo:a done', 'one:a later']);
  });
});

test('a lost input is supplied again once', async () => {
  const { endings, told } = await ran(new Scripted([{ is: 'resupply', why: 'gone' }]), ['a']);
  expect(endings).toEqual(['photo:a done', 'one:a failed']);
  expect(told.at(-2)).toMatchObject({ why: 'gone, also after it was supplied again' });
});

test('tasks with the same content share one order and its end', async () => {
  const memory = new InMemory();
  memory.disk.files.set('b.png', 'photo a');
  const performer = new Scripted([failed('bad_photo')]);
  const both = pipeline(photo + colour('one', 'a'));
  const { endings } = await memory.run(both, 'fine', ['a', 'b'], { performer });
  expect(performer.performed).toHaveLength(2);
  expect([...endings].sort()).toEqual([
    ...['one:a failed', 'one:b failed', 'photo:a done', 'photo:b reused'],
  ]);
});
