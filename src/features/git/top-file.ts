// A file of lines at the top of a repository, such as .gitignore: shotlist adds its own, and all others stay as they are.
import { lstatSync } from 'node:fs';
import { readOwnFile } from '../../base/regular-file.ts';
import { err, ok, type Result } from '../../base/result.ts';

/** More than any such file has. */
const maxBytes = 1_000_000;

/** Empty if there is no file. The error is a sentence. */
export function readTopFile(file: string): Result<Buffer, string> {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return ok(Buffer.from(''));
  if (stats.isSymbolicLink()) return err(`${file} is a link, and git does not follow it`);
  const read = readOwnFile(file, { max: maxBytes });
  return read.ok ? read : err(`${file} ${read.error}`);
}

/** With these lines at the end. Bytes that are not UTF-8 stay as they are. */
export function withLines(content: Buffer, lines: readonly string[]): Buffer {
  const before = content.toString('latin1');
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : end;
  return Buffer.concat([content, Buffer.from(`${gap}${lines.map((line) => line + end).join('')}`)]);
}
