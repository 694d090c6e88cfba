// The golden state file: what every kind of event leaves. Whoever changes the reader must still read it.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventSchemas } from '../../src/model/event-schemas.ts';
import type { NewEvent } from '../../src/model/line.ts';
import type { Job } from '../../src/model/record/line.ts';
import { temporaryFolder } from '../files/places.ts';
import { expectGolden } from '../golden.ts';
import * as ev from '../model/lines.ts';
import { linesIn, load } from './state-file.ts';

const golden = fileURLToPath(new URL('../golden/formats/state.jsonl', import.meta.url));

const store = '0123456789abcdef';
const of = (name: string) => ({ job: ev.job(name), task: `save:${name}`, index: 0 });

/** Every kind of event, in an order in which a run, a person and other machines may write them. */
const events: readonly NewEvent[] = [
  { event: 'run', run: 1, due: '2026-08-05T07:00:00.000Z' },
  ev.supplied('photo'),
  { ...ev.intent('a'), measure: { of: 'face-swap-photo list=2', amount: 10 } } as NewEvent,
  ev.created('a', 12),
  { ...ev.complete('a', 10), expires: '2026-08-06T10:00:00.000Z' } as NewEvent,
  ev.serves('a'),
  { ...ev.output('a'), duration: 2.5 } as NewEvent,
  { event: 'stored', ...of('a'), store },
  ev.deleted('a'),
  ev.intent('b'),
  ev.created('b'),
  ev.complete('b'),
  ev.output('b'),
  { event: 'pruned', ...of('b') },
  ev.amended('b'),
  ev.intent('c'),
  ev.created('c'),
  ev.errored('c'),
  ev.intent('c', 10, 2),
  ev.created('c'),
  ev.complete('c'),
  ev.forgotten('c'),
  ev.intent('d'),
  ev.doubted('d'),
  ev.intent('e'),
  ev.abandoned('e'),
  ev.intent('f'),
  ev.refused('f'),
  ev.intent('g'),
  ev.created('g'),
  ev.gone('g'),
  ev.intent('i'),
  ev.created('i'),
  ev.complete('i'),
  { ...ev.intent('j'), take: { of: ev.job('i'), number: 2 } } as NewEvent,
  ev.created('j'),
  ev.complete('j'),
  ev.output('i'),
  ev.unsaved('i'),
  ev.picked('i'),
  { event: 'failed', task: 'photo:k', why: 'k.png does not exist', code: 'SL507' },
  { event: 'failed', task: 'photo:l', why: 'l.png does not exist', code: 'SL507' },
  { event: 'skipped', task: 'photo:l', why: 'its if: is false' },
  ev.ended,
  ev.run(2),
  { ...ev.intent('m'), name: 'a "name" \u0007 \u{1f68b} of m' } as NewEvent,
  { event: 'doubt', job: ev.job('m'), why: 'the connection was lost' },
];

/** Another state file has paid for it. */
const theirs: Job = {
  job: ev.job('h'),
  kind: 'face-swap-photo',
  tasks: ['swap:h'],
  attempts: [
    {
      name: 'else of h',
      run: 'unknown',
      at: ev.at,
      state: 'complete',
      reserve: 10,
      charge: { credits: 10, read: ev.at },
      project: 'p h #0',
      result: { downloads: 1 },
      adopted: true,
    },
  ],
  outputs: [],
};

test('a state file has what every kind of event leaves, and is read as it was written', async () => {
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(Object.keys(eventSchemas)));
  const written = ev.folded(events);
  written.know(theirs);
  const said = ev.textsOf(written).map((line) => `${line}\n`);
  expectGolden('formats/state.jsonl', said.join(''));
  const file = join(temporaryFolder(), 'p.state.jsonl');
  copyFileSync(golden, file);
  const { record, ledger } = await load(file);
  expect(record).toMatchObject({ isClean: true, warnings: [] });
  expect(ev.textsOf(ledger)).toEqual(linesIn(golden));
});
