// shotlist fmt: gives pipeline files their one layout.

import { buffer } from 'node:stream/consumers';
import { printable } from '../../contract/base/printable.ts';
import type { Result } from '../../contract/base/result.ts';
import { type Formatted, fmt, fmtText } from '../operations/fmt.ts';
import { type Problem, problem } from '../operations/pipeline/problem.ts';
import type { FmtFlags } from './flags.ts';
import { fail, print, printJson } from './terminal.ts';

/** 0: done, or nothing to do; 1: `--check` found a file without its layout; 2: a file is wrong. */
export async function fmtCommand(
  files: readonly string[],
  { check = false, json = false }: FmtFlags,
): Promise<number> {
  if (files.includes('-'))
    return files.length > 1
      ? fail(problem('"-" is standard input, and must be the only file'), json)
      : showText(fmtText(await buffer(process.stdin)), check, json);
  const codes: number[] = [];
  for (const file of files) codes.push(showFile(await fmt(file, { check }), check, json));
  return Math.max(...codes);
}

function showFile(formatted: Result<Formatted, Problem>, check: boolean, json: boolean): number {
  if (!formatted.ok) return fail(formatted.error, json);
  const { file, changed } = formatted.value;
  if (json) printJson({ file, changed });
  else if (changed) print(`${printable(file)}: ${check ? 'needs shotlist fmt' : 'formatted'}`);
  return check && changed ? 1 : 0;
}

/** The text itself goes to standard output, so that an editor can use it. */
function showText(formatted: Result<Formatted, Problem>, check: boolean, json: boolean): number {
  if (check || json || !formatted.ok) return showFile(formatted, check, json);
  process.stdout.write(formatted.value.text);
  return 0;
}
