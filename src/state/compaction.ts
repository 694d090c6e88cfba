// Compaction: replaces a state file atomically by what its lines fold to.
import { type FileHandle, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { createNew } from '../files/new-file.ts';
import { syncFolder } from '../files/output-folders.ts';
import type { Ledger } from '../model/ledger.ts';
import { type Header, type JobLine, lineText } from '../model/line.ts';
import { jobSchema } from '../model/line-schemas.ts';
import { RowWriter } from '../model/rows.ts';
import { type Content, ContentHash } from './file-version.ts';

const batchChars = 1 << 18;
/** In memory, while lines are counted. A longer file is made twice instead. */
const maxKeptChars = 1 << 25;

/**
 * If this fails, the old file stays: it says the same in more lines. The error says why. Calls `ready` like
 * `replaceState`.
 */
export async function compactState(
  file: string,
  header: Header,
  ledger: Ledger,
  ready?: () => Promise<void>,
): Promise<Result<Content, string>> {
  try {
    return ok(await replaceState(file, `${file}.part`, header, ledger, ready));
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(`${file}.part ${systemReason(error)}`);
  }
}

/**
 * Writes the new file as `part` beside the old one, syncs it, and renames it. Calls `ready` right before the rename; if
 * that throws, the old file stays. Throws system errors. Returns what the file has now.
 */
export async function replaceState(
  file: string,
  part: string,
  header: Header,
  ledger: Ledger,
  ready: () => Promise<void> = async () => undefined,
): Promise<Content> {
  try {
    const content = await writePart(part, header, ledger);
    await ready();
    await rename(part, file);
    await syncFolder(dirname(file));
    return content;
  } catch (error) {
    await removeLeftover(part);
    throw error;
  }
}

async function writePart(part: string, header: Header, ledger: Ledger): Promise<Content> {
  await using handle = await createNew(part);
  return await writeLedger(handle, header, ledger);
}

/** Writes a compacted state file and syncs it, but does not sync its folder. */
export async function writeLedger(
  handle: FileHandle,
  header: Header,
  ledger: Ledger,
): Promise<Content> {
  const hash = new ContentHash();
  for (const text of compactedTexts(header, ledger)) {
    const bytes = Buffer.from(text);
    hash.add(bytes);
    await handle.appendFile(bytes);
  }
  await handle.sync();
  return hash.content;
}

/**
 * The text of a compacted state file, in pieces of many lines. The header comes first and says how many lines follow, so
 * they are counted before it is written.
 */
export function* compactedTexts(header: Header, ledger: Ledger): Generator<string> {
  const kept: string[] = [];
  let [characters, lines] = [0, 0];
  for (const text of piecesOf(ledger)) {
    lines += linesIn(text);
    characters += text.length;
    if (characters <= maxKeptChars) kept.push(text);
    else kept.length = 0;
  }
  const [first = '', ...more] = kept;
  yield `${lineText(counted(header, lines))}\n${first}`;
  if (characters <= maxKeptChars) return yield* more;
  for (const text of piecesOf(ledger)) {
    lines -= linesIn(text);
    yield text;
  }
  if (lines !== 0) throw new Error('bug: the ledger changed while it was written');
}

function counted({ away, ...header }: Header, lines: number): Header {
  return { ...header, lines, ...(away === undefined ? {} : { away }) };
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function* piecesOf(ledger: Ledger): Generator<string> {
  let text = '';
  for (const line of linesOf(ledger)) {
    text += `${line}\n`;
    if (text.length < batchChars) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** The lines of a compacted state file after its header; a template and its first row come as one. */
function* linesOf(ledger: Ledger): Generator<string> {
  const rows = new RowWriter();
  for (const run of ledger.runs()) yield lineText(run);
  for (const job of ledger.jobs()) yield rows.text(sortedKeys(job));
  for (const task of ledger.tasks()) yield lineText(task);
}

const isKey = (key: string): key is keyof JobLine => Object.hasOwn(jobSchema.properties, key);

/** A fixed order of keys, independent of the order of events, so that the same state is the same bytes. */
const keys = Object.keys(jobSchema.properties).filter(isKey);

function sortedKeys(line: JobLine): JobLine {
  const { job, kind, state, tasks, attempt, at } = line;
  const sorted: JobLine = { job, kind, state, tasks, attempt, at };
  for (const key of keys) copy(key, line, sorted);
  return sorted;
}

function copy<K extends keyof JobLine>(key: K, from: JobLine, to: JobLine): void {
  const value = from[key];
  if (value !== undefined) to[key] = value;
}
