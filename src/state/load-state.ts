// Reads a state file into a ledger. Drops a last line that was cut off during writing. Any other damage is an error
// that names the line, and the file stays as it is: it is the only record of what was paid.
import { closeSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { byteProblem, conflictMarker } from '../base/raw-line.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import type { JobStore } from '../model/job-store.ts';
import { Ledger } from '../model/ledger.ts';
import { formatProblem, type Header, parseLine, type StateLine } from '../model/line.ts';
import { jobOf } from '../model/rows.ts';
import { isTorn } from '../model/torn.ts';
import { type Content, ContentHash } from './file-version.ts';
import { LineTooLong, lineBatches, linesIn } from './raw-lines.ts';

export interface Loaded {
  readonly ledger: Ledger;
  /** Without its number of lines, which is only true of the file. Undefined if there is no state file yet. */
  readonly header: Header | undefined;
  readonly warnings: readonly string[];
  /** The length of the intact part of the file, in bytes; a torn last line may follow. */
  readonly wholeBytes: number;
  /** The last line is complete but has no line feed yet. */
  readonly unterminated: boolean;
  /** The whole file as it was read; undefined if there is no state file yet. */
  readonly content: Content | undefined;
}

/** Errors name the file and the line. `text`: for tests, what is read in place of the file; empty if there is none. */
export async function loadState(
  file: string,
  store: JobStore,
  text?: string,
): Promise<Result<Loaded, string>> {
  const ledger = new Ledger(store);
  let header: Header | undefined;
  let [number, wholeBytes] = [0, 0];
  /** How many lines must follow the header before the first event; undefined if the header does not say. */
  let expected: number | undefined;
  let compacted = 0;
  const hash = new ContentHash();
  const loaded = (more: Partial<Loaded>): Result<Loaded, string> => {
    if (ledger.seq === 0 && expected !== undefined && compacted < expected)
      return err(`${file}:${number}: ${missing('the file ends', compacted, expected)}`);
    const content = header === undefined ? undefined : hash.content;
    return ok({
      ledger,
      header,
      content,
      wholeBytes,
      warnings: [],
      unterminated: false,
      ...more,
    });
  };
  try {
    if (text === '') return loaded({});
    if (text === undefined) {
      // Only a missing name means that nothing has happened yet. A broken link, or a folder that cannot be entered, does
      // not.
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined) return loaded({});
      if (stats.isSymbolicLink()) return err(linkProblem(file));
    }
    for await (const lines of text === undefined ? lineBatches(file, hash) : [linesIn(text)])
      for (const raw of lines) {
        number += 1;
        const { text, terminated, bytes } = raw;
        if (isTorn(raw, number, ledger.seq)) {
          const what = 'the last line was cut off in the middle of writing and is dropped';
          return loaded({ warnings: [`${file}:${number}: ${what}`] });
        }
        const broken = byteProblem(raw);
        if (broken !== undefined) return err(`${file}:${number}: ${broken}${aside(number)}`);
        if (number === 1) {
          const foreign = formatProblem(text);
          if (foreign !== undefined) return err(`${file}:1: ${foreign}`);
        }
        const row = store.rows.read(text);
        if (row?.ok && row.value.is === 'template') {
          if (ledger.seq > 0) return err(`${file}:${number}: ${moved('template')}`);
          compacted += 1;
          if (compacted > (expected ?? compacted)) return err(`${file}:${number}: ${surplus}`);
          wholeBytes += bytes;
          continue;
        }
        const line = row === undefined ? parseLine(text) : jobOf(row);
        if (!line.ok) return err(`${file}:${number}: ${line.error}${aside(number)}`);
        const { value } = line;
        if (value.type === 'event' && compacted < (expected ?? 0))
          return err(`${file}:${number}: ${missing('the events begin', compacted, expected ?? 0)}`);
        const wrong = fold(value, number, ledger, text);
        if (wrong !== undefined) return err(`${file}:${number}: ${wrong}`);
        if (value.type === 'header') ({ lines: expected, ...header } = value.line);
        else if (value.type !== 'event') compacted += 1;
        if (compacted > (expected ?? compacted)) return err(`${file}:${number}: ${surplus}`);
        wholeBytes += bytes;
        if (!terminated) return loaded({ unterminated: true });
      }
  } catch (error) {
    if (error instanceof LineTooLong) return err(`${file}:${number + 1}: ${error.message}`);
    return err(`${file} ${systemReason(error)}`);
  }
  if (header === undefined)
    return err(
      `${file}:1: the file is empty, and a state file always has a header: restore it, or remove it if nothing was ever paid`,
    );
  return loaded({});
}

const maxHeaderBytes = 65_536;

/**
 * The service that the first line of a state file names; undefined if there is no such file, or if its first line is
 * damaged. The two sides of a conflict begin with different headers of one service. Only for choosing between files: whoever
 * opens the file reports what is wrong with it.
 */
export function serviceIn(file: string): string | undefined {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(maxHeaderBytes);
      const text = bytes.toString('utf8', 0, readSync(descriptor, bytes));
      const [first = ''] = text.split('\n').filter((line) => !conflictMarker.test(line));
      const read = parseLine(first);
      return read.ok && read.value.type === 'header' ? read.value.line.service : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}

/** A run appends to and replaces only its own file, never the target of a link. */
export function linkProblem(file: string): string {
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

const missing = (where: string, found: number, expected: number): string =>
  `${where} here, after ${found} of the ${expected} lines that the header announces: lines are missing`;

const surplus = 'a line more than the header announces: lines were added, or moved';

const moved = (what: string): string => `a ${what} line follows events: lines were moved`;

/** The first line decides whether this is a damaged state file or not a state file at all. */
const aside = (number: number): string =>
  number === 1 ? ': the state file is damaged, or this is not a state file' : '';

/**
 * Order: a header, then the results of past runs, then events. Nothing occurs twice, and no past result follows an
 * event.
 */
function fold(line: StateLine, number: number, ledger: Ledger, text: string): string | undefined {
  if ((line.type === 'header') !== (number === 1))
    return number === 1
      ? 'the first line is not a header: this is not a state file'
      : 'a second header';
  if (line.type !== 'event' && ledger.seq > 0) return moved(line.type);
  if (line.type === 'job' && ledger.job(line.line.job) !== undefined)
    return `a second line for the job ${line.line.job}`;
  if (line.type === 'run' && ledger.runs().some(({ run }) => run === line.line.run))
    return `a second line for run ${line.line.run}`;
  const folded = ledger.apply(line, text);
  return folded.ok ? undefined : folded.error;
}
