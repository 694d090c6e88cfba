// The golden state files: a journal with every kind of event, and what it compacts to. Whoever changes the reader must
// still read them; `seq` and times are those of the file, so nothing is normalized.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventSchemas } from '../../src/model/event-schemas.ts';
import { Ledger } from '../../src/model/ledger.ts';
import { lineText, type NewEvent } from '../../src/model/line.ts';
import { jobOf, RowReader } from '../../src/model/rows.ts';
import { compactedTexts } from '../../src/state/compaction.ts';
import { temporaryFolder } from '../files/places.ts';
import { expectGolden } from '../golden.ts';
import * as ev from '../model/lines.ts';
import { photoJobs } from '../model/photo-jobs.ts';
import { header, linesIn, load, text } from './state-file.ts';

const goldenFile = (name: string): string =>
  fileURLToPath(new URL(`../golden/formats/${name}`, import.meta.url));

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
  ev.adopted('h', 'complete', { result: { downloads: 1 } }),
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
  { event: 'doubt', job: ev.job('m'), why: 'its worker is silent', silent: true },
];

const journal = [{ ...header, lines: 0 }, ...ev.numbered(events)];

test('a journal has every kind of event, and is written as it was', () => {
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(Object.keys(eventSchemas)));
  expectGolden('formats/journal.jsonl', `${journal.map(lineText).join('\n')}\n`);
});

test('the golden journal compacts to the golden state file, and that to itself', async () => {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  copyFileSync(goldenFile('journal.jsonl'), file);
  const read = await load(file);
  expectGolden('formats/state.jsonl', [...compactedTexts(header, read.ledger)].join(''));
  copyFileSync(goldenFile('state.jsonl'), file);
  const again = await load(file);
  expect([...compactedTexts(header, again.ledger)].join('')).toBe(text(file));
});

test('many like jobs are rows, which say what the lines said', () => {
  const ledger = new Ledger();
  const jobs = Array.from({ length: 34 }, (_, number) => photoJobs(number)).flat();
  for (const line of jobs) expect(ledger.apply({ type: 'job', line }).ok).toBe(true);
  const lines = [...compactedTexts(header, ledger)].join('').trimEnd().split('\n');
  const rows = lines.filter((line) => line.startsWith('[') || line.includes('"template"'));
  expectGolden('formats/state-rows.jsonl', `${rows.join('\n')}\n`);
  const reader = new RowReader();
  const read = linesIn(goldenFile('state-rows.jsonl')).flatMap((row) => {
    const found = reader.read(row);
    if (found === undefined || (found.ok && found.value.is === 'template')) return [];
    const line = jobOf(found);
    return line.ok ? [lineText(line.value.line)] : [line.error];
  });
  expect(read.toSorted()).toEqual(jobs.slice(-6).map(lineText).toSorted());
});
