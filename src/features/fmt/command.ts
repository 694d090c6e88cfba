// shotlist fmt: gives pipeline files their one layout.

import { buffer } from 'node:stream/consumers';
import { printable } from '../../base/printable.ts';
import { resultOf } from '../../language/load/refusal.ts';
import type { FmtFlags } from '../../terminal/flags.ts';
import { fail, print, printJson } from '../../terminal/terminal.ts';
import { refuse } from '../refuse.ts';
import { type Formatted, fmt, fmtText } from './fmt.ts';

/** 0: done, or nothing to do; 1: `--check` found a file without its layout; 2: a file is wrong. */
export async function fmtCommand(
  files: readonly string[],
  { check = false, json = false }: FmtFlags,
): Promise<number> {
  if (files.includes('-')) {
    if (files.length > 1) refuse('"-" is standard input, and must be the only file');
    return showText(fmtText(await buffer(process.stdin)), check, json);
  }
  const codes: number[] = [];
  for (const file of files) {
    // The other files are formatted all the same.
    const formatted = await resultOf(() => fmt(file, { check }));
    codes.push(formatted.ok ? showFile(formatted.value, check, json) : fail(formatted.error, json));
  }
  return Math.max(...codes);
}

function showFile({ file, changed }: Formatted, check: boolean, json: boolean): number {
  if (json) printJson({ file, changed });
  else if (changed) print(`${printable(file)}: ${check ? 'needs shotlist fmt' : 'formatted'}`);
  return check && changed ? 1 : 0;
}

/** The text itself goes to standard output, so that an editor can use it. */
function showText(formatted: Formatted, check: boolean, json: boolean): number {
  if (check || json) return showFile(formatted, check, json);
  process.stdout.write(formatted.text);
  return 0;
}
