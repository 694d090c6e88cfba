// Examines a state file line by line: which lines can be read, and what the other lines still say.
import { canonical, isJson, isObject } from '../../base/json.ts';
import { conflictMarker, type RawLine, zeroBytes, zerosIn } from '../../base/raw-line.ts';
import type { Result } from '../../base/result.ts';
import { parseLine, type StateLine } from '../../model/line.ts';
import { isTemplate, jobOf, RowReader } from '../../model/rows.ts';
import { isTorn } from '../../model/torn.ts';
import { type Fields, fieldsOf, fieldsWithin, linesWithin } from './fragments.ts';

export type DamageKind =
  | 'not-json'
  | 'schema'
  | 'zeros'
  | 'bytes'
  | 'bom'
  | 'blank'
  | 'line-ends'
  | 'torn'
  | 'cut'
  | 'glued'
  | 'conflict'
  | 'marker'
  | 'no-header'
  | 'second-header'
  | 'foreign'
  | 'doubled'
  | 'missing'
  | 'surplus'
  | 'fingerprint'
  | 'order'
  | 'illegal'
  | 'disagree';

export interface Damage {
  /** From 1; 0 means the whole file. */
  readonly line: number;
  readonly kind: DamageKind;
  /** The problem, as a sentence about the line. */
  readonly what: string;
  /** True if the file still loads and nothing is lost. */
  readonly harmless: boolean;
  /** The beginning of the line: untrusted text, to be escaped before it is shown. */
  readonly begins?: string;
  readonly job?: string;
  readonly tasks?: readonly string[];
}

export const damage = (
  line: number,
  kind: DamageKind,
  what: string,
  more: Partial<Pick<Damage, 'harmless' | 'begins' | 'job' | 'tasks'>> = {},
): Damage => ({ line, kind, what, harmless: false, ...more });

export interface ReadableLine {
  readonly number: number;
  readonly side: Side;
  readonly state: StateLine;
}

export interface UnreadableLine {
  readonly number: number;
  readonly side: Side;
  readonly fields: Fields;
  /** What is left of the line. */
  readonly text?: string;
  /** True if the end of the file is lost: it may have held events, perhaps synced ones. */
  readonly atEnd?: boolean;
}

export interface Examined {
  readonly reads: readonly ReadableLine[];
  readonly unread: readonly UnreadableLine[];
  readonly damages: readonly Damage[];
  readonly sides: Sides;
  /** How many lines the header announces beyond those that are there. */
  readonly missing: number;
}

/** The length of the shown part of a line: enough to find it. */
const shownCharacters = 400;

export function examine(raw: readonly RawLine[]): Examined {
  const sides = sidesOf(raw.map(({ text }) => text));
  const reads: ReadableLine[] = [];
  const unread: UnreadableLine[] = [];
  const damages: Damage[] = sides.conflicts.map(({ from, until, whole }) =>
    damage(
      from,
      'conflict',
      `an unresolved git conflict, up to line ${until}${whole ? '' : '; its markers are incomplete'}`,
    ),
  );
  for (const line of sides.stray)
    damages.push(damage(line, 'marker', 'a git conflict marker that belongs to no conflict'));
  const returns = raw.filter(({ text }) => text.endsWith('\r')).length;
  if (returns > 0) {
    const what = `${returns} of ${raw.length} lines end with CR LF: git or an editor changed them, and they can still be read`;
    damages.push(damage(0, 'line-ends', what, { harmless: true }));
  }
  const rows = rowsIn(raw);
  const count = new LineCount();
  for (const [index, line] of raw.entries()) {
    const side = sides.of[index];
    if (side === undefined) continue;
    const number = index + 1;
    const begins = line.text.slice(0, shownCharacters);
    const row = line.wellFormed ? rows.read(line.text) : undefined;
    if (row?.ok && row.value.is === 'template') {
      count.add(1);
      continue;
    }
    const whole = line.wellFormed ? readLine(line.text, rows) : undefined;
    if (whole?.ok) {
      reads.push({ number, side, state: whole.value });
      count.read(whole.value, number);
      continue;
    }
    if (isTorn(line, number, lastEvent(reads))) {
      const what = 'the last line was cut off in the middle of writing and is dropped';
      damages.push(damage(number, 'torn', what, { begins, harmless: true }));
      continue;
    }
    const { lines, rests } = linesWithin(line.text, (text) => readLine(text, rows));
    const fields = rests.map((rest) => fieldsIn(rest, rows));
    for (const state of lines) count.read(state, number);
    count.add(fields.filter(({ event, seq }) => event === undefined && seq === undefined).length);
    const wrong = wrongWith(line, number, lines.length, rests.length, rows);
    for (const state of lines) reads.push({ number, side, state });
    for (const [at, left] of fields.entries()) {
      const rest = rests[at] ?? '';
      const text = isTemplate(rest) ? {} : { text: rest };
      unread.push({ number, side, fields: left, ...text });
    }
    if (wrong.kind === 'cut' || (wrong.kind === 'zeros' && rests.length === 0))
      unread.push({
        number,
        side,
        fields: {},
        atEnd: wrong.kind === 'zeros' && number === raw.length,
      });
    const start = wrong.kind === 'blank' ? {} : { begins };
    damages.push({ ...wrong, ...start, ...subjectOf(fields) });
  }
  const isConflict = sides.conflicts.length > 0 || sides.stray.length > 0;
  const { missing, found } = isConflict ? new LineCount() : count.end(raw.length);
  // An event of which nothing can be read looks like one of the lines before it.
  const isSure = found?.kind !== 'surplus' || damages.every(({ harmless }) => harmless);
  if (found !== undefined && isSure) damages.push(found);
  return { reads, unread, damages, sides, missing };
}

/** Compares the lines before the first event with the number in the header. */
class LineCount {
  missing = 0;
  found: Damage | undefined;
  #expected: number | undefined;
  #lines = 0;
  /** The number of the first event's line. */
  #events: number | undefined;

  read({ type, line }: StateLine, number: number): void {
    if (type === 'header') this.#expected ??= line.lines;
    else if (type === 'event') this.#events ??= number;
    else this.add(1);
  }

  add(lines: number): void {
    if (this.#events === undefined) this.#lines += lines;
  }

  end(last: number): this {
    const [expected, lines] = [this.#expected ?? this.#lines, this.#lines];
    this.missing = Math.max(0, expected - lines);
    const told = `the header announces ${expected} lines before the first event, and ${lines} are there`;
    const number = this.#events ?? last;
    if (expected > lines) this.found = damage(number, 'missing', `${told}: lines are missing`);
    if (expected < lines) this.found = damage(number, 'surplus', `${told}: lines were added`);
    return this;
  }
}

/** The templates of a file: as they stand there, and those of the jobs whose lines can be read. */
function rowsIn(raw: readonly RawLine[]): RowReader {
  const rows = new RowReader();
  for (const { text } of raw) if (isTemplate(text)) rows.read(text);
  for (const { text, wellFormed } of raw) {
    const read = wellFormed && text.startsWith('{"job":') ? parseLine(text) : undefined;
    if (read?.ok && read.value.type === 'job') rows.learnFrom(read.value.line);
  }
  return rows;
}

/** A line or a row. */
function readLine(text: string, rows: RowReader): Result<StateLine, string> {
  const row = rows.read(text);
  return row === undefined ? parseLine(text) : jobOf(row);
}

/** What a line that cannot be read still tells. A template has words of a line, and is none. */
function fieldsIn(text: string, rows: RowReader): Fields {
  if (isTemplate(text)) return {};
  return text.startsWith('["') ? fieldsOf(rows.fieldsIn(text)) : fieldsWithin(text);
}

/** The job of an unreadable line, if the line still names it. */
function subjectOf(list: readonly Fields[]): Partial<Pick<Damage, 'job' | 'tasks'>> {
  const { job, tasks, task } = list.find((fields) => fields.job !== undefined) ?? {};
  const named = tasks ?? (task === undefined ? [] : [task]);
  return job === undefined ? {} : { job, tasks: named };
}

/** The number of the last readable event. */
function lastEvent(reads: readonly ReadableLine[]): number {
  const last = reads.at(-1)?.state;
  return last?.type === 'event' ? last.line.seq : 0;
}

function wrongWith(
  { text, wellFormed, terminated }: RawLine,
  number: number,
  lines: number,
  rests: number,
  rows: RowReader,
): Damage {
  const kept =
    lines === 0
      ? ''
      : `; ${lines === 1 ? 'a whole line' : `${lines} whole lines`} in it can be read`;
  const zeros = zerosIn(text);
  if (/^\s*$/.test(text)) return damage(number, 'blank', 'an empty line');
  if (text.startsWith('\ufeff') && lines === 1 && rests === 0)
    return damage(number, 'bom', 'it begins with a byte order mark, which an editor added');
  if (zeros > 0) return damage(number, 'zeros', `${zeroBytes(zeros)}${kept}`);
  if (!wellFormed) return damage(number, 'bytes', `bytes that are not text (UTF-8)${kept}`);
  if (lines > 0)
    return rests === 0
      ? damage(number, 'glued', `${lines} lines with no line end between them`)
      : damage(number, 'glued', `a line that was cut off, and another one joined to it${kept}`);
  if (!terminated)
    return damage(
      number,
      'cut',
      'the file ends here in the middle of a line, and what followed is lost',
    );
  const parsed = readLine(text, rows);
  const why = parsed.ok ? '' : parsed.error;
  return isJson(text)
    ? damage(number, 'schema', `not a line that this version can read: ${why}`)
    : damage(number, 'not-json', 'it is not JSON');
}

/** True if two lines are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  return isObject(a) && isObject(b) && canonical(a) === canonical(b);
}

// Git's conflict markers in a state file: the conflict and the side that each line belongs to.

type Side = 'both' | 'ours' | 'theirs' | 'base';

export interface Conflict {
  /** The numbers of the first and the last line, including the markers. */
  readonly from: number;
  readonly until: number;
  /** True if the conflict has its middle and end markers. */
  readonly whole: boolean;
}

interface Sides {
  readonly conflicts: readonly Conflict[];
  /** Markers outside of any conflict: line numbers. */
  readonly stray: readonly number[];
  /** The side of each line, from the first line; undefined for a marker. */
  readonly of: readonly (Side | undefined)[];
}

/** The sides of all lines. A conflict without an end marker extends to the next conflict, or to the last line. */
export function sidesOf(texts: readonly string[]): Sides {
  const conflicts: Conflict[] = [];
  const stray: number[] = [];
  const of: (Side | undefined)[] = [];
  let side: Side = 'both';
  let from = 0;
  const close = (until: number, whole: boolean): void => {
    if (side !== 'both') conflicts.push({ from, until, whole });
    side = 'both';
  };
  texts.forEach((text, index) => {
    const number = index + 1;
    const [, mark] = conflictMarker.exec(text) ?? [];
    of.push(mark === undefined ? side : undefined);
    if (mark === undefined) return;
    if (mark === '<<<<<<<') {
      close(index, false);
      [side, from] = ['ours', number];
    } else if (mark === '|||||||' && side === 'ours') side = 'base';
    else if (mark === '=======' && (side === 'ours' || side === 'base')) side = 'theirs';
    else if (mark === '>>>>>>>' && side !== 'both') close(number, side === 'theirs');
    else stray.push(number);
  });
  close(texts.length, false);
  return { conflicts, stray, of };
}
