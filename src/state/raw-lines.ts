// The lines of a file as they are, whatever they contain. Bytes that are not UTF-8 are reported, not hidden.
import { isAscii, isUtf8 } from 'node:buffer';
import type { RawLine } from '../base/raw-line.ts';
import { openRegular } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../base/system-error.ts';
import type { ContentHash } from './file-version.ts';

const lineFeed = 10;
const chunkBytes = 1 << 18;
/** Far longer than any line that a run writes, and short enough for the memory. */
const maxLineBytes = 1 << 26;

/** The message is a sentence about the line. */
export class LineTooLong extends Error {
  override readonly message = 'it is longer than 64 MiB, and no line of a state file is that long';
}

export interface SizedLine extends RawLine {
  /** The length in the file, including the line feed. */
  readonly bytes: number;
}

/** Yields one line after another. Throws system errors. */
export async function* eachLine(file: string): AsyncGenerator<SizedLine> {
  for await (const lines of lineBatches(file)) yield* lines;
}

/** Yields many lines at once. Gives all bytes to `hash`, if there is one. Throws system errors. */
export async function* lineBatches(
  file: string,
  hash?: ContentHash,
): AsyncGenerator<readonly SizedLine[]> {
  let rest: Buffer[] = [];
  let size = 0;
  const keep = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxLineBytes) throw new LineTooLong();
    rest.push(piece);
  };
  const take = (terminated: boolean): SizedLine => {
    const bytes = Buffer.concat(rest);
    [rest, size] = [[], 0];
    return sized(bytes, terminated);
  };
  await using handle = await openRegular(file);
  const read = () => {
    const reading = handle.read({ buffer: Buffer.allocUnsafe(chunkBytes) });
    // Whoever has seen enough does not wait for the next chunk.
    reading.catch(() => undefined);
    return reading;
  };
  let reading = read();
  for (;;) {
    const { bytesRead, buffer } = await reading;
    if (bytesRead === 0) break;
    // While the lines of this chunk are looked at.
    reading = read();
    const chunk = buffer.subarray(0, bytesRead);
    hash?.add(chunk);
    const plain = isAscii(chunk);
    const lines: SizedLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      if (plain && rest.length === 0) lines.push(asciiLine(chunk, from, end));
      else {
        keep(chunk.subarray(from, end));
        lines.push(take(true));
      }
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
    yield lines;
  }
  if (rest.length > 0) yield [take(false)];
}

const asciiLine = (chunk: Buffer, from: number, end: number): SizedLine => ({
  text: chunk.toString('latin1', from, end),
  wellFormed: true,
  terminated: true,
  bytes: end - from + 1,
});

/** The lines of a text as those of a file that has it. */
export function linesIn(text: string): readonly SizedLine[] {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  const whole = lines.map((line) => sized(Buffer.from(line), true));
  return rest === '' ? whole : [...whole, sized(Buffer.from(rest), false)];
}

function sized(line: Buffer, terminated: boolean): SizedLine {
  const bytes = line.length + (terminated ? 1 : 0);
  const wellFormed = isUtf8(line);
  const whole = wellFormed || terminated ? undefined : wholeCharacters(line);
  return whole === undefined
    ? { text: line.toString('utf8'), wellFormed, terminated, bytes }
    : { text: whole, wellFormed, midCharacter: true, terminated, bytes };
}

/** The text without a last character that was cut off; undefined if other bytes are invalid, too. */
function wholeCharacters(line: Buffer): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(line, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** All lines of a file. The error says why the file cannot be read. */
export async function rawLines(file: string): Promise<Result<readonly RawLine[], string>> {
  const lines: RawLine[] = [];
  try {
    for await (const { bytes: _, ...line } of eachLine(file)) lines.push(line);
  } catch (error) {
    if (error instanceof LineTooLong)
      return err(`${file}:${lines.length + 1}: ${error.message}: restore it from git or a backup`);
    return err(`${file} ${systemReason(error)}`);
  }
  return ok(lines);
}
