// The golden state file: what every kind of move leaves. Whoever changes the reader must still read it.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Job } from '../../src/model/record/line.ts';
import { temporaryFolder } from '../files/places.ts';
import { expectGolden } from '../golden.ts';
import * as ev from '../model/lines.ts';
import { linesIn, load } from './state-file.ts';

const golden = fileURLToPath(new URL('../golden/formats/state.jsonl', import.meta.url));

/** Every kind of move, in an order in which a run, a person and other machines may write them. */
const happenings: readonly ev.Happening[] = [
  { is: 'run', number: 1, due: '2026-08-05T07:00:00.000Z' },
  ev.supplied('photo'),
  { ...ev.intent('a'), measure: { of: 'face-swap-photo list=2', amount: 10 } },
  ev.created('a', 12),
  ev.complete('a', 10, { expires: '2026-08-06T10:00:00.000Z' }),
  ev.serves('a'),
  ev.output('a', 0, 'a-0.png', 2.5),
  ev.stored('a', '0123456789abcdef'),
  ev.deleted('a'),
  ev.intent('b'),
  ev.created('b'),
  ev.complete('b'),
  ev.output('b'),
  ev.pruned('b'),
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
  { ...ev.intent('j'), take: { of: ev.job('i'), number: 2 } },
  ev.created('j'),
  ev.complete('j'),
  ev.output('i'),
  ev.unsaved('i'),
  ev.picked('i'),
  ev.taskEnds('photo:k', 'failed', 'k.png does not exist', 'SL507'),
  ev.taskEnds('photo:l', 'failed', 'l.png does not exist', 'SL507'),
  ev.taskEnds('photo:l', 'done', ''),
  ev.ended,
  ev.run(2),
  { ...ev.intent('m'), attempt: 'a "name" \u0007 \u{1f68b} of m' },
  ev.doubted('m', 'the connection was lost'),
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

test('a state file has what every kind of move leaves, and is read as it was written', async () => {
  const written = ev.folded(happenings);
  written.put(theirs);
  const said = ev.textsOf(written).map((line) => `${line}\n`);
  expectGolden('formats/state.jsonl', said.join(''));
  const file = join(temporaryFolder(), 'p.state.jsonl');
  copyFileSync(golden, file);
  const { record, ledger } = await load(file);
  expect(record).toMatchObject({ isClean: true, warnings: [] });
  expect(ev.textsOf(ledger)).toEqual(linesIn(golden));
});
