// The lines of a file as they stand there, whatever they hold: what is no UTF-8 is told, not hidden.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { err, ok, type Result } from '../base/result.ts';
import type { RawLine } from '../journal/damage.ts';
import { systemReason } from './system-error.ts';

const lineFeed = 10;

export interface SizedLine extends RawLine {
  /** In the file, its line feed included. */
  readonly bytes: number;
}

/** One line after the other; throws what the system throws. */
export async function* eachLine(file: string): AsyncGenerator<SizedLine> {
  let rest: Buffer[] = [];
  const take = (terminated: boolean): SizedLine => {
    const bytes = Buffer.concat(rest);
    rest = [];
    const text = bytes.toString('utf8');
    const size = bytes.length + (terminated ? 1 : 0);
    return { text, wellFormed: isUtf8(bytes), terminated, bytes: size };
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) {
    if (!Buffer.isBuffer(chunk)) continue;
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      rest.push(chunk.subarray(from, end));
      yield take(true);
      from = end + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield take(false);
}

/** All lines of a file. The text says why it cannot be read. */
export async function rawLines(file: string): Promise<Result<readonly RawLine[], string>> {
  const lines: RawLine[] = [];
  try {
    for await (const { text, wellFormed, terminated } of eachLine(file))
      lines.push({ text, wellFormed, terminated });
  } catch (error) {
    return err(`${file} ${systemReason(error)}`);
  }
  return ok(lines);
}
