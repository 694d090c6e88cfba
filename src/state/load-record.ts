// Reads a record: the lines of the state file, joined with those of other copies of it, such as HEAD's. What a crash or a
// merge leaves is read over; any other damage is an error that names the line, and the file stays as it is: it may be the only
// record of what was paid.
import { isAscii, isUtf8 } from 'node:buffer';
import { constants, lstatSync, realpathSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { byteProblem, conflictMarker } from '../base/raw-line.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import { count } from '../base/text.ts';
import { openOwn } from '../files/new-file.ts';
import { Ledger, OtherHeader } from '../model/record/ledger.ts';
import {
  formatProblem,
  type Header,
  type Line,
  lineText,
  parseLine,
} from '../model/record/line.ts';

/** Which file this is, and whether somebody has written to it since. */
export interface FileVersion {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Another copy of the record. */
export interface OtherRecord {
  /** Where it is, for a warning. */
  readonly name: string;
  /** Many lines at once, without their line feeds. What cannot be read of it throws an error with a message for people. */
  readonly lines: AsyncIterable<readonly string[]>;
}

export interface LoadTerms {
  readonly others?: readonly OtherRecord[];
  /** An open record, which learns what these know. It keeps what it has learnt if the file cannot be read. */
  readonly into?: Ledger;
  /** What the header is if there is no file: another copy must have the same. */
  readonly header?: Header | undefined;
  /** For tests, what is read in place of the file; empty if there is none. */
  readonly text?: string;
}

export interface LoadedRecord {
  readonly ledger: Ledger;
  /** Sentences with file and line. */
  readonly warnings: readonly string[];
  /** The file says exactly what would be written: else the next run writes it whole. */
  readonly isClean: boolean;
  /** The file or another copy knew more than the ledger. */
  readonly isNews: boolean;
  /** Of the file before it was read; undefined: there was no file. */
  readonly version: FileVersion | undefined;
}

/** The error is a sentence with file and line. */
export async function loadRecord(
  file: string,
  { others = [], into: ledger = new Ledger(), header, text }: LoadTerms = {},
): Promise<Result<LoadedRecord, string>> {
  const reader = new RecordReader(file, ledger);
  const found =
    text === undefined
      ? await readRecord(file, (handle) => reader.readFile(handle))
      : resultOf(text === '' ? undefined : reader.read(linesOf(text.replace(/\n$/, ''))));
  if (!found.ok) return found;
  const version = found.value;
  ledger.header ??= header;
  const warnings = [...reader.warnings];
  const knewMore = await joinAll(ledger, others, warnings);
  const isClean = version !== undefined && reader.isClean && !knewMore;
  return ok({ ledger, warnings, isClean, isNews: reader.isNews || knewMore, version });
}

const resultOf = (wrong: string | undefined): Result<undefined, string> =>
  wrong === undefined ? ok(undefined) : err(wrong);

/**
 * Opens a state file for reading. `read`: returns a sentence if it cannot be used. The version is that before it was read;
 * undefined: there is no file.
 */
export async function readRecord(
  file: string,
  read: (handle: FileHandle) => Promise<string | undefined>,
): Promise<Result<FileVersion | undefined, string>> {
  try {
    // Only a missing name means that nothing has happened yet. A broken link, or a folder that cannot be entered, does not.
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return ok(undefined);
    if (stats.isSymbolicLink()) return err(linkProblem(file));
    await using handle = await openOwn(file, constants.O_RDONLY);
    const version: FileVersion = await handle.stat({ bigint: true });
    const wrong = await read(handle);
    return wrong === undefined ? ok(version) : err(wrong);
  } catch (error) {
    if (!isSystemProblem(error) && systemCode(error) !== 'NOT_REGULAR') throw error;
    return err(`${file} ${systemReason(error)}`);
  }
}

/** A run appends to and replaces only its own file, never the target of a link. */
function linkProblem(file: string): string {
  try {
    const real = realpathSync(file);
    return `${file} is a link, and shotlist never follows a link to a state file: name the file itself with --state ${real}`;
  } catch (error) {
    // For example an unmounted disk: if the link were ignored, everything would be paid again.
    if (systemCode(error) === 'ENOENT') return `${file} is a link to a file that does not exist`;
    if (!isSystemProblem(error)) throw error;
    return `${file} is a link, and the file that it leads to ${systemReason(error)}`;
  }
}

/** Bytes if they are not UTF-8. */
export type FileLine = string | Buffer;

/** Many lines at once. */
interface Lines {
  readonly lines: readonly FileLine[];
  /** True if there are only characters that stand for themselves in a text of JSON. */
  readonly isPlain: boolean;
  /** The last line has no line feed. */
  readonly isCut?: boolean;
}

export const notText = 'it has bytes that are not text (UTF-8)';

class RecordReader {
  readonly warnings: string[] = [];
  isNews = false;
  readonly #file: string;
  readonly #ledger: Ledger;
  #number = 0;
  #markers = 0;
  #hasHeader = false;
  /** The ledger had lines before, and most may be the same. */
  readonly #isKnown: boolean;
  /** Every line so far is as it would be written, and where. */
  #isAsWritten: boolean;
  readonly #beforeJobs: string[] = [];
  #lastJob = '';

  constructor(file: string, ledger: Ledger) {
    this.#file = file;
    this.#ledger = ledger;
    this.#isKnown = !ledger.isEmpty;
    this.#isAsWritten = !this.#isKnown;
  }

  /** True if the file says exactly what the ledger would write. */
  get isClean(): boolean {
    if (!this.#isAsWritten) return false;
    const texts = [...this.#ledger.textsBeforeJobs()];
    return (
      texts.length === this.#beforeJobs.length &&
      texts.every((text, index) => text === this.#beforeJobs[index])
    );
  }

  /** Undefined if the whole file could be read. */
  async readFile(handle: FileHandle): Promise<string | undefined> {
    for await (const lines of linesIn(handle)) {
      if (lines === 'too long') return this.#sentence(`it is ${tooLong}`, this.#number + 1);
      const wrong = this.#join(lines);
      if (wrong !== undefined) return wrong;
    }
    return this.#end();
  }

  read(lines: Lines): string | undefined {
    return this.#join(lines) ?? this.#end();
  }

  #join({ lines, isPlain, isCut }: Lines): string | undefined {
    if (isCut) this.#isAsWritten = false;
    for (const line of lines) {
      this.#number += 1;
      const text = typeof line === 'string' ? line.trim() : undefined;
      if (text !== line) this.#isAsWritten = false;
      if (text === '' || (this.#isKnown && text !== undefined && this.#ledger.holds(text))) {
        this.#isAsWritten = false;
        continue;
      }
      const parsed = text === undefined ? err(notText) : parseLine(text);
      if (text === undefined || !parsed.ok) {
        this.#isAsWritten = false;
        const wrong = this.#unreadable(line, parsed.ok ? notText : parsed.error);
        if (wrong !== undefined) return wrong;
        continue;
      }
      const isAsIs = isPlain ? !hasSpaces(text) : isAsWritten(text);
      const written = isAsIs ? text : lineText(parsed.value);
      try {
        if (this.#ledger.join(parsed.value, written)) this.isNews = true;
      } catch (error) {
        if (!(error instanceof OtherHeader)) throw error;
        return this.#sentence(
          'it is the header of another record, with another pipeline or service: the file has the lines of two',
        );
      }
      this.#follow(parsed.value, written === text ? text : undefined);
    }
    return undefined;
  }

  /** `text`: undefined if it would be written in another way. */
  #follow(line: Line, text: string | undefined): void {
    if ('shotlist' in line) this.#hasHeader = true;
    const isInOrder = 'job' in line ? line.job > this.#lastJob : this.#lastJob === '';
    if (!isInOrder || text === undefined) this.#isAsWritten = false;
    else if ('job' in line) this.#lastJob = line.job;
    else this.#beforeJobs.push(text);
  }

  /** Undefined if the line can be left out. */
  #unreadable(line: FileLine, error: string): string | undefined {
    const found = unreadable(line, error);
    if (found === 'marker') {
      this.#markers += 1;
      return undefined;
    }
    if (found === 'torn') {
      const what = 'the line was cut off in the middle of writing and is left out';
      this.warnings.push(this.#sentence(what));
      return undefined;
    }
    // The first line decides whether this is a damaged state file or not a state file at all.
    const aside =
      this.#number === 1 && !found.isForeign
        ? ': the state file is damaged, or this is not a state file'
        : '';
    return this.#sentence(`${found.why}${aside}`);
  }

  #end(): string | undefined {
    if (this.#markers > 0)
      this.warnings.push(
        `${this.#file}: ${count(this.#markers, 'conflict marker')} of git left out: a run writes the file without them`,
      );
    if (this.#hasHeader) return undefined;
    return this.#sentence(
      this.#number === 0
        ? 'the file is empty, and a state file always has a header: restore it, or remove it if nothing was ever paid'
        : 'the file has no header: the state file is damaged, or this is not a state file',
      1,
    );
  }

  #sentence(what: string, number = this.#number): string {
    return `${this.#file}:${number}: ${what}`;
  }
}

/**
 * What a line is that does not parse: a conflict marker of git, a line that a crash tore, or damage. `error`: why it does not
 * parse. `isForeign`: another version of shotlist wrote it.
 */
export function unreadable(
  line: FileLine,
  error: string,
): 'marker' | 'torn' | { readonly why: string; readonly isForeign: boolean } {
  const text = typeof line === 'string' ? line.trim() : wholeCharacters(line);
  if (text !== undefined && conflictMarker.test(text)) return 'marker';
  if (text !== undefined && isTorn(text)) return 'torn';
  const foreign = text === undefined ? undefined : formatProblem(text);
  if (foreign !== undefined) return { why: foreign, isForeign: true };
  const wellFormed = typeof line === 'string';
  const broken = byteProblem({ text: line.toString(), wellFormed, terminated: true });
  return { why: broken ?? error, isForeign: false };
}

/**
 * True if the text is surely as a run writes it, so that it can be written again as it is. Else it is written as its value:
 * a terminal displays each of its characters.
 */
const isAsWritten = (text: string): boolean => !/\\|[^\x20-\x7e]/.test(text) && !hasSpaces(text);

/** True if there may be spaces around the marks of JSON. */
function hasSpaces(text: string): boolean {
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1))
    if ('{[,:'.includes(text.charAt(at - 1)) || '}],:'.includes(text.charAt(at + 1))) return true;
  return false;
}

/**
 * The beginning of a line of ours. A crash tore it, and a commit and a merge may have brought it into the middle of the file.
 * Nobody relied on it, because whoever records something waits until the whole line is on disk.
 */
function isTorn(text: string): boolean {
  if (!text.startsWith('{') || /\p{Cc}/u.test(text)) return false;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
      continue;
    }
    if (character === '"') isInText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (!bare.test(character)) return false;
    if (depth === 0) return false;
  }
  return true;
}

/** What stands in JSON outside of texts: else a quotation mark is missing, which no crash takes away. */
const bare = /[,:\d.+\-eEtrufalsn]/;

/** The text without a last character that was cut off; undefined if other bytes are invalid, too. */
function wholeCharacters(line: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const chunkBytes = 1 << 20;
/** Far longer than any line that a run writes, and short enough for the memory. */
const maxLineBytes = 1 << 26;
export const tooLong = 'longer than 64 MiB, and no line of a state file is that long';
const lineFeed = 10;

/** Many lines at once, because a record may be larger than the largest text. Throws system errors. */
export async function* linesIn(handle: FileHandle): AsyncGenerator<Lines | 'too long'> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(filled)]);
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
    const found = buffer.subarray(filled, filled + bytesRead).lastIndexOf(lineFeed);
    const end = bytesRead === 0 ? filled : found < 0 ? -1 : filled + found;
    filled += bytesRead;
    if (end < 0 && filled >= maxLineBytes) yield 'too long';
    const isCut = bytesRead === 0;
    if (end >= 0 && filled > 0) yield { ...linesOfBytes(buffer.subarray(0, end)), isCut };
    if (isCut) return;
    buffer.copyWithin(0, end + 1, filled);
    filled -= end + 1;
  }
}

function linesOfBytes(bytes: Buffer): Lines {
  if (isAscii(bytes)) {
    const isPlain = !['\\', '\t', '\r', '\x7f'].some((odd) => bytes.includes(odd));
    // Much faster than UTF-8.
    return { lines: bytes.toString('latin1').split('\n'), isPlain };
  }
  if (isUtf8(bytes)) return linesOf(bytes.toString());
  const lines: FileLine[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(lineFeed, from);
    const line = bytes.subarray(from, found < 0 ? bytes.length : found);
    lines.push(isUtf8(line) ? line.toString() : Buffer.from(line));
    from += line.length + 1;
  }
  return { lines, isPlain: false };
}

const linesOf = (text: string): Lines => ({ lines: text.split('\n'), isPlain: false });

/** True if one of them knew more. What cannot be read of them is a warning. */
export async function joinAll(
  ledger: Ledger,
  others: readonly OtherRecord[],
  warnings: string[],
): Promise<boolean> {
  let knewMore = false;
  for (const other of others) {
    try {
      const joined = await joinOther(ledger, other);
      if (joined.isNews) knewMore = true;
      if (joined.problem !== undefined) warnings.push(joined.problem);
    } catch (error) {
      if (systemCode(error) === undefined || !(error instanceof Error)) throw error;
      warnings.push(`${other.name} could not be read: ${error.message}`);
    }
  }
  return knewMore;
}

/**
 * What another copy knows joins the ledger; what cannot be read of it is left out. `problem`: a sentence. Throws what its
 * lines throw.
 */
export async function joinOther(
  ledger: Ledger,
  { name, lines }: OtherRecord,
): Promise<{ readonly isNews: boolean; readonly problem?: string }> {
  let isNews = false;
  let unreadable = 0;
  for await (const some of lines)
    for (const line of some) {
      const text = line.trim();
      if (text === '' || conflictMarker.test(text) || ledger.holds(text)) continue;
      const parsed = parseLine(text);
      try {
        if (!parsed.ok) unreadable += 1;
        else if (ledger.join(parsed.value, isAsWritten(text) ? text : undefined)) isNews = true;
      } catch (error) {
        if (!(error instanceof OtherHeader)) throw error;
        const problem = `${name} has the record of another pipeline or service, which is left out`;
        return { isNews, problem };
      }
    }
  if (unreadable === 0) return { isNews };
  return { isNews, problem: `${name}: ${count(unreadable, 'unreadable line')} left out` };
}

const pieceChars = 1 << 18;

/** The text of a file that has the whole record, in pieces of many lines. */
export function* wholeTexts(ledger: Ledger): Generator<Buffer> {
  let piece = '';
  for (const line of ledger.texts()) {
    piece += `${line}\n`;
    if (piece.length < pieceChars) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}
