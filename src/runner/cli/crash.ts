// Ends the command after a bug: prints one sentence with a code that a person can quote, instead of a stack trace.
import { bugOf, bugText } from '../../contract/base/bug.ts';
import { write, writeLast } from './output.ts';
import { shown } from './shown.ts';

/** The exit code after a bug. */
export const bugExitCode = 1;

export function sayBug(error: unknown): void {
  write('err', textOf(error));
}

function textOf(error: unknown): string {
  const bug = bugOf(error);
  const debug = process.env['SHOTLIST_DEBUG'] === '1';
  const hint = debug ? '' : '; set SHOTLIST_DEBUG=1 to see where it happened';
  const text = `error: ${bugText(bug)}${hint}`;
  return shown(debug ? `${text}\n${bug.stack}` : text);
}

/** The same for errors outside of any awaited call. */
export function endOnBug(): void {
  if (!process.listeners('uncaughtException').includes(end)) process.on('uncaughtException', end);
}

function end(error: unknown): void {
  writeLast(textOf(error));
  process.exit(bugExitCode);
}
