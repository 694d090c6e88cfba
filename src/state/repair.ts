// What is left of a damaged state file: every line that can be read, joined with what HEAD and the receipts know. If that is
// less than what was paid, the record says so, and nothing is bought until a person has accepted it.
import { createHash } from 'node:crypto';
import { ok, type Result } from '../base/result.ts';
import { Ledger, type MissingCreations, OtherHeader } from '../model/record/ledger.ts';
import { type Header, type MarkLine, parseLine } from '../model/record/line.ts';
import {
  type FileLine,
  joinAll,
  type LoadedRecord,
  linesIn,
  notText,
  type OtherRecord,
  readRecord,
  tooLong,
  unreadable,
} from './load-record.ts';

export interface UnreadableLine {
  readonly number: number;
  /** The end of a sentence about the line. */
  readonly why: string;
}

/** The record to write. */
export interface Repaired extends LoadedRecord {
  readonly unreadable: readonly UnreadableLine[];
  /** Creations that are in no record, after what a person has accepted. */
  readonly missing: readonly MissingCreations[];
}

/** `header`: what it must be. `at`: now. The error is a sentence about the file: it is no state file of this version. */
export async function repaired(
  file: string,
  others: readonly OtherRecord[],
  header: Header,
  at: string,
): Promise<Result<Repaired, string>> {
  const ledger = new Ledger();
  const lines: UnreadableLine[] = [];
  const digest = createHash('sha256');
  let number = 0;
  let damaged = 0;
  let mayBeRuns = false;
  const read = (line: FileLine): string | undefined => {
    number += 1;
    const text = typeof line === 'string' ? line.trim() : undefined;
    const wrong = text === undefined ? notText : joinText(ledger, text);
    const found = wrong === undefined ? 'marker' : unreadable(line, wrong);
    if (found === 'marker') return undefined;
    if (found === 'torn') {
      lines.push({ number, why: 'it was cut off in the middle of writing' });
      return undefined;
    }
    if (found.isForeign) return `${file}:${number}: ${found.why}`;
    lines.push({ number, why: found.why });
    damaged += 1;
    mayBeRuns ||= !line.toString().startsWith('{"job":"');
    digest.update(line).update('\n');
    return undefined;
  };
  const version = await readRecord(file, async (handle) => {
    for await (const some of linesIn(handle)) {
      if (some === 'too long') return `${file}:${number + 1}: it is ${tooLong}`;
      for (const line of some.lines) {
        const refused = read(line);
        if (refused !== undefined) return refused;
      }
    }
    return undefined;
  });
  if (!version.ok) return version;
  ledger.header ??= header;
  const warnings: string[] = [];
  await joinAll(ledger, others, warnings);
  const missing = ledger.missing();
  for (const { run, creations } of missing) {
    const accepted = ledger.mark('lost', run);
    const before = accepted?.over === undefined ? 0 : (accepted.creations ?? 0);
    ledger.join({ mark: 'lost', id: run, at, creations: before + creations });
  }
  // Only a run that has ended says how many creations there were.
  const isCounted = !mayBeRuns && ledger.runs().every(({ creations }) => creations !== undefined);
  if (missing.length === 0 && damaged > 0 && !isCounted)
    ledger.join({ mark: 'lost', id: digest.digest('hex').slice(0, 16), at });
  return ok({
    ledger,
    warnings,
    isClean: false,
    isNews: true,
    version: version.value,
    unreadable: lines,
    missing,
  });
}

/** The end of a sentence if the line cannot be read. */
function joinText(ledger: Ledger, text: string): string | undefined {
  if (text === '') return undefined;
  const parsed = parseLine(text);
  if (!parsed.ok) return parsed.error;
  try {
    ledger.join(parsed.value);
    return undefined;
  } catch (error) {
    if (!(error instanceof OtherHeader)) throw error;
    return 'it is the header of another record, with another pipeline or service';
  }
}

/**
 * A person has looked into the service, and accepts that creations are in no record, or only in a database: the lines to
 * write.
 */
export const acceptedMarks = (ledger: Ledger, at: string): readonly MarkLine[] =>
  ledger.marks().map((mark) => ({ ...mark, over: at }));
