// When a state file says that nothing has happened: all that it records would be bought again, so nothing but a file that
// a run could have left may ever say so.
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conflictMarker } from '../../src/base/raw-line.ts';
import { lineText, parseLine } from '../../src/model/record/line.ts';
import { loadState } from '../../src/state/load-state.ts';
import { temporaryFolder } from '../files/places.ts';
import { folded, header, journals, textsOf } from '../model/lines.ts';
import { spoils, spoilt } from '../spoil.ts';
import { partOf } from '../sweep.ts';
import { linesIn, written } from './state-file.ts';

const headerLine = `${lineText(header)}\n`;

/** One file name for all cases of a property. */
function reader(): (bytes: Buffer | string) => ReturnType<typeof loadState> {
  const file = join(temporaryFolder(), 'p.state.jsonl');
  return async (bytes) => {
    writeFileSync(file, bytes);
    return await loadState(file);
  };
}

const aroundZeros = fc
  .tuple(fc.nat(300), fc.nat(3), fc.constantFrom('', headerLine, headerLine.slice(0, 30)))
  .map(([zeros, feeds, text]) =>
    Buffer.concat([Buffer.from(text), Buffer.alloc(zeros), Buffer.from('\n'.repeat(feeds))]),
  );
/** Pieces of lines in any order: most of it nearly a line. */
const nearly = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '"', ',', ':', '\\', 'u00', '1', '0', ' ', '\r', '\0', '\ufeff', 'ä', '[', ']'],
      ...[
        '"job":"',
        '{"job":"',
        '"attempts":[',
        '"outputs":[]',
        '"run":"r"',
        '{"run":"r","at":"20',
      ],
      ...['null', '{"shotlist":4,', '\n'],
    ),
    { maxLength: 8 },
  )
  .map((pieces) => Buffer.from(`${headerLine}${pieces.join('')}`));

/** Short ones, made once: what is done to them is what differs. */
const few = fc.constantFrom(
  ...fc
    .sample(journals, { seed: 30, numRuns: partOf(80) })
    .map((events, index) =>
      textsOf(folded(events.slice(0, index % 12))).map((line) => `${line}\n`),
    ),
);

describe('a state file', () => {
  test('says all that its whole lines say, wherever a crash has cut it, and nothing before its header', async () => {
    const read = reader();
    let torn = 0;
    const property = fc.asyncProperty(few, fc.noBias(fc.nat(9_999)), async (lines, share) => {
      const whole = Buffer.from(lines.join(''));
      const cut = whole.subarray(0, Math.floor((share / 10_000) * (whole.length + 1)));
      const loaded = await read(cut);
      expect(loaded.ok).toBe(cut.length >= headerLine.length - 1);
      if (!loaded.ok) return;
      // A whole last line may lack its line feed.
      const left = cut.toString('utf8').split('\n').slice(0, -1);
      const last = cut.toString('utf8').split('\n').at(-1) ?? '';
      const isWhole = parseLine(last).ok;
      expect(textsOf(loaded.value.ledger)).toEqual(isWhole ? [...left, last] : left);
      expect(loaded.value.warnings).toHaveLength(isWhole || last === '' ? 0 : 1);
      torn += loaded.value.warnings.length;
    });
    const numRuns = partOf(150);
    await fc.assert(property, { seed: 31, numRuns });
    expect(torn).toBeGreaterThan(numRuns / 3);
  });

  test('never says that nothing has happened unless a run could have left it so', async () => {
    const read = reader();
    let empty = 0;
    const spoiled = fc
      .tuple(few, fc.array(spoils, { minLength: 1, maxLength: 3 }))
      .map(([lines, list]) => list.reduce<Buffer>(spoilt, Buffer.from(lines.join(''))));
    const other = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(`${headerLine}${text}`)),
      few.map((lines) => Buffer.from(lines.join(''), 'utf16le')),
      fc.constant(Buffer.from('--- !yaml\n')),
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
        // Nothing is left out but what git leaves, and the beginning of a line.
        for (const line of bytes.toString('utf8').split(/\r?\n/)) {
          const text = line.replace(/^\ufeff/, '').trim();
          if (text === '' || conflictMarker.test(text)) continue;
          if (text !== headerLine.trim()) expect(text).toMatch(/^\{(?:[^}]|\}(?!$))*$/);
        }
        expect(bytes.toString('utf8')).toContain(headerLine.trim());
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
    expect(await loadState(file)).toEqual({
      ok: false,
      error: `${file} is a link to a file that does not exist`,
    });
  });

  test('with a line without end is refused before it fills the memory', async () => {
    const file = await written();
    const { length } = linesIn(file);
    appendFileSync(file, Buffer.alloc((1 << 26) + 1, 'x'));
    expect(await loadState(file)).toEqual({
      ok: false,
      error: `${file}:${length + 1}: it is longer than 64 MiB, and no line of a state file is that long`,
    });
  });
});
