// What several workers report of the service is one outage of the run.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { SharedOutages } from '../../../src/distributed/shared-outages.ts';

const since = '2026-01-01T00:00:00.000Z';
const waiting = (tries = 1, of: JsonObject = { of: 'service' }): JsonObject => ({
  ...{ type: 'waiting', why: 'cannot be reached', since, tries, nextTryMs: 1000, limitMs: 9000 },
  ...of,
});
const back = (of: JsonObject = { of: 'service' }): JsonObject => ({
  ...{ type: 'back', waitedMs: 5 },
  ...of,
});

function listening() {
  const time = { now: 0 };
  const events: string[] = [];
  const outages = new SharedOutages({ elapsed: () => time.now }, (event) => {
    const at = event.of === 'storage' ? ` at ${event.at}` : '';
    const more = event.type === 'waiting' ? `${event.why}, try ${event.tries}` : event.waitedMs;
    events.push(`${event.type} ${event.of}${at}: ${more}`);
  });
  return { outages, events, time };
}

test('it begins with the first report, follows that worker, and ends when all are back', () => {
  const { outages, events, time } = listening();
  outages.hear('a', waiting(1));
  outages.hear('b', waiting(1));
  time.now = 2000;
  outages.hear('b', waiting(2));
  outages.hear('a', waiting(2));
  outages.hear('a', back());
  outages.hear('b', waiting(3));
  time.now = 3000;
  outages.hear('b', back());
  outages.hear('c', back());
  expect(events).toEqual([
    'waiting service: cannot be reached, seen by a, try 1',
    'waiting service: cannot be reached, seen by a, try 2',
    'waiting service: cannot be reached, seen by b, try 3',
    'back service: 3000',
  ]);
});

test('outages of other parts of the service are others', () => {
  const { outages, events } = listening();
  const storage = (at: string): JsonObject => ({ of: 'storage', at });
  outages.hear('a', waiting(1, storage('https://one')));
  outages.hear('b', waiting(1, storage('https://two')));
  outages.hear('a', waiting(1, { of: 'creations' }));
  outages.hear('b', back(storage('https://two')));
  expect(events).toEqual([
    'waiting storage at https://one: cannot be reached, seen by a, try 1',
    'waiting storage at https://two: cannot be reached, seen by b, try 1',
    'waiting creations: cannot be reached, seen by a, try 1',
    'back storage at https://two: 0',
  ]);
});

test('the report of a worker that is gone lapses', () => {
  const { outages, events, time } = listening();
  outages.hear('a', waiting(1));
  time.now = 121_000;
  outages.lapse();
  expect(events).toHaveLength(1);
  time.now = 121_001;
  outages.lapse();
  expect(events[1]).toBe('back service: 121001');
});

test('what is no event of an outage is ignored', () => {
  const { outages, events } = listening();
  for (const told of [{}, { type: 'waiting' }, waiting(1, { of: 'world' }), { type: 'back' }])
    outages.hear('a', told);
  expect(events).toEqual([]);
});
