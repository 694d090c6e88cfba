// A state file as commands read it.
import { closeSync, lstatSync, openSync, readSync } from 'node:fs';
import { conflictMarker } from '../base/raw-line.ts';
import { ok, type Result } from '../base/result.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { Ledger } from '../model/record/ledger.ts';
import { type Header, type MarkLine, parseLine } from '../model/record/line.ts';
import { type LoadedRecord, type LoadTerms, loadRecord } from './load-record.ts';

export interface Loaded {
  readonly ledger: Ledger;
  /** Undefined if there is no state file yet. */
  readonly header: Header | undefined;
  /** Set if the record of a run is in a database: the file may lack payments. */
  readonly away: MarkLine | undefined;
  readonly warnings: readonly string[];
  readonly record: LoadedRecord;
}

/** The error is a sentence with file and line. */
export async function loadState(
  file: string,
  terms: LoadTerms = {},
): Promise<Result<Loaded, string>> {
  const loaded = await loadRecord(file, terms);
  if (!loaded.ok) return loaded;
  const { ledger, warnings } = loaded.value;
  const away = ledger.marks().find(({ mark }) => mark === 'away');
  return ok({ ledger, header: ledger.header, away, warnings, record: loaded.value });
}

const maxHeaderBytes = 65_536;

/** The service of a state file; undefined as for `headerIn`. */
export const serviceIn = (file: string): string | undefined => headerIn(file)?.service;

/**
 * The first line of a state file; undefined if there is no such file, or if its first line is damaged. Only for choosing between
 * files: whoever opens the file reports what is wrong with it.
 */
export function headerIn(file: string): Header | undefined {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(maxHeaderBytes);
      const text = bytes.toString('utf8', 0, readSync(descriptor, bytes));
      const [first = ''] = text.split('\n').filter((line) => !conflictMarker.test(line));
      const read = parseLine(first);
      return read.ok && 'shotlist' in read.value ? read.value : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}
