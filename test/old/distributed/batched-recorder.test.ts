// Everything that a worker has to say reaches the database in its order, in few transactions, and once.
import { expect, test } from 'vitest';
import { DatabaseAway } from '../../../src/distributed/away.ts';
import { BatchedRecorder } from '../../../src/distributed/batched-recorder.ts';
import type { Batch, BatchAnswer, Fact } from '../../../src/distributed/database/batch.ts';
import { FakeClock } from '../../files/places.ts';

const fact = (id: string): Fact => ({ is: 'begun', id, key: 'k' });

const lease = { id: 'l', retry: 0 };

function batchedRecorder(answer: (batch: Batch, call: number) => BatchAnswer) {
  const batches: Batch[] = [];
  const quit = new AbortController();
  const commit = async (batch: Batch): Promise<BatchAnswer> => {
    batches.push(batch);
    return answer(batch, batches.length);
  };
  const lost: string[] = [];
  const onLost = ({ id }: Fact): void => void lost.push(id);
  const made = new BatchedRecorder({
    orderStore: { commit },
    clock: new FakeClock(),
    quit: quit.signal,
    onLost,
  });
  return { batchedRecorder: made, batches, quit, lost };
}

const done = ({ facts, ends, asks }: Batch): BatchAnswer => ({
  facts: facts.map(() => 'done'),
  ends: ends.map(() => true),
  claims: asks.map(() => ({ is: 'go' })),
});

test('what is said together goes in one transaction, and each gets its own answer', async () => {
  const { batchedRecorder: pen, batches } = batchedRecorder(done);
  const outcome = { is: 'done', live: {} } as const;
  const all = [
    pen.fact(fact('a')),
    pen.end({ is: 'ended', lease, key: 'k', outcome }),
    pen.fact(fact('b')),
  ];
  expect(await Promise.all(all)).toEqual(['done', true, 'done']);
  expect(batches).toHaveLength(1);
  expect(batches[0]?.facts.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('what is said while a batch is on its way goes in the next one', async () => {
  const { batchedRecorder: pen, batches } = batchedRecorder(done);
  await pen.fact(fact('a'));
  await Promise.all([pen.fact(fact('b')), pen.fact(fact('c'))]);
  expect(batches.map(({ facts }) => facts.map(({ id }) => id))).toEqual([['a'], ['b', 'c']]);
});

test('a batch whose answer was lost is written again as it was', async () => {
  const { batchedRecorder: pen, batches } = batchedRecorder((batch, call) => {
    if (call < 3) throw new DatabaseAway('cut');
    return done(batch);
  });
  expect(await pen.fact(fact('a'))).toBe('done');
  expect(batches).toHaveLength(3);
  expect(new Set(batches.map((batch) => JSON.stringify(batch))).size).toBe(1);
});

test('after a failure that is not the wire, nothing more is written', async () => {
  const { batchedRecorder: pen, batches } = batchedRecorder(() => {
    throw new Error('bug');
  });
  await expect(pen.fact(fact('a'))).rejects.toThrow('bug');
  await expect(pen.fact(fact('b'))).rejects.toThrow('bug');
  await expect(pen.flush()).rejects.toThrow('bug');
  expect(batches).toHaveLength(1);
});

test('a database that is away when the worker must go is not waited for, and what is not recorded is told', async () => {
  const {
    batchedRecorder: pen,
    quit,
    lost,
  } = batchedRecorder(() => {
    throw new DatabaseAway('gone');
  });
  quit.abort();
  await expect(pen.fact(fact('a'))).rejects.toThrow('gone');
  await expect(pen.fact(fact('b'))).rejects.toThrow('gone');
  expect(lost).toEqual(['a', 'b']);
});
