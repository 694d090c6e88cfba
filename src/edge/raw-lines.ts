// The lines of a file as they stand there, whatever they hold: what is no UTF-8 is told, not hidden.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { err, ok, type Result } from '../base/result.ts';
import type { RawLine } from '../journal/damage.ts';
import { systemReason } from './system-error.ts';

const lineFeed = 10;

/** All lines of a file. The text says why it cannot be read. */
export async function rawLines(file: string): Promise<Result<readonly RawLine[], string>> {
  const lines: RawLine[] = [];
  let rest: Buffer[] = [];
  const take = (terminated: boolean): void => {
    const bytes = Buffer.concat(rest);
    rest = [];
    lines.push({ text: bytes.toString('utf8'), wellFormed: isUtf8(bytes), terminated });
  };
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) {
      if (!Buffer.isBuffer(chunk)) continue;
      let from = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        rest.push(chunk.subarray(from, end));
        take(true);
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    return err(`${file} ${systemReason(error)}`);
  }
  if (rest.length > 0) take(false);
  return ok(lines);
}
