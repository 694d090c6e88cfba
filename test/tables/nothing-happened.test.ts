// When a state file says that nothing has happened: all that it records would be bought again, so nothing but a file that
// a run could have left may ever say so.
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/model/job-store.ts';
import { parseLine } from '../../src/model/line.ts';
import { loadState } from '../../src/state/load-state.ts';
import { temporaryFolder } from '../files/places.ts';
import { compacted, folded, journals, numbered } from '../model/lines.ts';
import { spoils, spoilt } from '../spoil.ts';
import { partOf } from '../sweep.ts';
import { header, written } from './state-file.ts';

const headerLine = `${JSON.stringify(header)}\n`;
const journalOf = (events: Parameters<typeof numbered>[0]): string =>
  headerLine +
  numbered(events)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

/** One file name for all cases of a property. */
function reader(): (bytes: Buffer | string) => ReturnType<typeof loadState> {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  return async (bytes) => {
    writeFileSync(file, bytes);
    return await loadState(file, memoryStore());
  };
}

/** Could this stand behind a header, where nothing has happened yet? */
function couldBegin(text: string): boolean {
  const start = '{"seq":1,"event":"run"';
  return start.startsWith(text) || (text.startsWith(start) && !/\p{Cc}/u.test(text));
}

const bytesOf = (text: string): fc.Arbitrary<Buffer> => fc.constant(Buffer.from(text));
const aroundZeros = fc
  .tuple(fc.nat(300), fc.nat(3), fc.constantFrom('', headerLine, headerLine.slice(0, 30)))
  .map(([zeros, feeds, text]) =>
    Buffer.concat([Buffer.from(text), Buffer.alloc(zeros), Buffer.from('\n'.repeat(feeds))]),
  );
/** Pieces of lines in any order: most of it nearly an event. */
const nearly = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '"', ',', ':', '\\', 'u00', '1', '0', ' ', '\r', '\0', '\ufeff', 'ä', '[', ']'],
      ...['"seq":1', '{"seq":1,', '"event":"run"', '"event":"intent"', '"run":1', '"due":"a"'],
      ...['{"seq":1,"event":"run","run":1', ',"at":"2026', ',"due":"x', 'null', '{"seq":2,'],
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.from(`${headerLine}${pieces.join('')}`));

/** Short ones, made once: what is done to them is what differs. */
const few = fc.constantFrom(
  ...fc
    .sample(journals, { seed: 30, numRuns: partOf(80) })
    .map((events, index) => events.slice(0, index % 12)),
);

describe('a state file', () => {
  test('is read to a beginning of its history wherever a crash has cut it, and never before its header', async () => {
    const read = reader();
    let torn = 0;
    const property = fc.asyncProperty(few, fc.noBias(fc.nat(9_999)), async (events, share) => {
      const whole = Buffer.from(journalOf(events));
      const cut = whole.subarray(0, Math.floor((share / 10_000) * (whole.length + 1)));
      const loaded = await read(cut);
      expect(loaded.ok).toBe(cut.length >= headerLine.length - 1);
      if (!loaded.ok) return;
      // A whole last line may lack its line feed.
      const left = cut.toString('utf8').split('\n').slice(1);
      const lines = left.filter((line) => parseLine(line).ok).length;
      const { ledger, warnings } = loaded.value;
      expect(ledger.seq).toBe(lines);
      expect([...ledger.jobs()]).toEqual([...folded(events.slice(0, lines)).jobs()]);
      expect(ledger.total).toEqual(folded(events.slice(0, lines)).total);
      expect(warnings.length).toBe(left.filter((line) => line !== '').length - lines);
      torn += warnings.length;
    });
    const numRuns = partOf(150);
    await fc.assert(property, { seed: 31, numRuns });
    expect(torn).toBeGreaterThan(numRuns / 3);
  });

  test('never says that nothing has happened unless a run could have left it so', async () => {
    const read = reader();
    let empty = 0;
    const spoiled = fc
      .tuple(few, fc.boolean(), fc.array(spoils, { minLength: 1, maxLength: 3 }))
      .map(([events, compact, list]) => {
        const ledger = compacted(folded(events));
        const past = [...ledger.runs(), ...ledger.jobs(), ...ledger.tasks()];
        const text = compact
          ? headerLine + past.map((line) => `${JSON.stringify(line)}\n`).join('')
          : journalOf(events);
        return list.reduce<Buffer>(spoilt, Buffer.from(text));
      });
    const other = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`${headerLine}${text}`)),
      few.map((events) => Buffer.from(journalOf(events), 'utf16le')),
      few.map((events) => Buffer.from(`\ufeff${journalOf(events)}`)),
      bytesOf('--- !yaml\n'),
    );
    const property = fc.asyncProperty(
      fc.oneof(spoiled, spoiled, nearly, aroundZeros, other),
      async (bytes) => {
        const loaded = await read(bytes);
        if (!loaded.ok) return;
        const { ledger } = loaded.value;
        const happened = [ledger.runs(), [...ledger.jobs()], ledger.tasks()].flat();
        if (happened.length > 0) return;
        empty += 1;
        const [first = '', ...rest] = bytes.toString('utf8').split('\n');
        expect(parseLine(first)).toMatchObject({ ok: true, value: { type: 'header' } });
        expect(rest.length).toBeLessThanOrEqual(2);
        expect(couldBegin(rest.join('\n')), rest.join('\n')).toBe(true);
      },
    );
    const numRuns = partOf(400);
    await fc.assert(property, { seed: 32, numRuns });
    expect(empty).toBeGreaterThan(numRuns / 40);
  });

  test('is there when its name is a link to nothing: a disk that is not mounted', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'p.state.jsonl');
    symlinkSync(join(folder, 'elsewhere', 'p.state.jsonl'), file);
    expect(await loadState(file, memoryStore())).toEqual({
      ok: false,
      error: `${file} is a link to a file that does not exist`,
    });
  });

  test('with a line without end is refused before it fills the memory', async () => {
    const file = await written();
    appendFileSync(file, Buffer.alloc((1 << 26) + 1, 'x'));
    expect(await loadState(file, memoryStore())).toEqual({
      ok: false,
      error: `${file}:9: it is longer than 64 MiB, and no line of a state file is that long`,
    });
  });
});
