// shotlist validate: checks pipeline files.

import { printable } from '../../base/printable.ts';
import type { Result } from '../../base/result.ts';
import { count } from '../../base/text.ts';
import type { Complaint } from '../../contract/yaml/diagnostic.ts';
import { type Problem, resultOf } from '../../language/load/refusal.ts';
import { problemCode } from '../../terminal/exit-code.ts';
import type { ValidateFlags } from '../../terminal/flags.ts';
import { fail, print, printWarnings } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import { type Validated, validate } from './validate.ts';

type Checked = Result<Validated, Problem>;

export async function validateCommand(
  files: readonly string[],
  { input = {}, profile, json = false }: ValidateFlags,
): Promise<number> {
  const annotates = !json && process.env['GITHUB_ACTIONS'] === 'true';
  let code = 0;
  for (const file of files) {
    const checked: Checked = await resultOf(() => validate(file, { inputs: input, profile }));
    if (!checked.ok) code = problemCode(checked.error);
    say(file, checked, json);
    if (annotates) for (const one of complaintsOf(checked)) print(annotationOf(one));
  }
  return code;
}

const complaintsOf = (checked: Checked): readonly Complaint[] =>
  checked.ok ? checked.value.warnings : checked.error.diagnostics;

function say(file: string, checked: Checked, json: boolean): void {
  if (!checked.ok) {
    fail(checked.error, json);
    return;
  }
  if (!json) printWarnings(checked.value.warnings, checked.value.text);
  answer(checked.value, json, {
    text: textOf,
    facts: ({ pipeline, warnings }) => ({ file, pipeline, valid: true, warnings }),
  });
}

function textOf({ file, steps }: Validated): string {
  const order = steps.map(({ name, shared }) => (shared ? `${name} (shared)` : name));
  return `${printable(file)}: valid. ${count(steps.length, 'step')}: ${order.join(' → ')}`;
}

// Diagnostics as workflow commands of GitHub Actions, which become annotations of the changed files.

/** `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=SL012::message`, in one line. */
export function annotationOf({ severity, file, span, code, message, hint }: Complaint): string {
  const properties: readonly (readonly [string, string | number | undefined])[] = [
    // A problem with the command line names no file.
    ['file', code === undefined ? undefined : file],
    ['line', span?.line],
    ['col', span?.column],
    ['endLine', span?.endLine],
    ['endColumn', span?.endColumn],
    ['title', code ?? 'shotlist'],
  ];
  const given = properties
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapedProperty(String(value))}`);
  const text = code === undefined ? `${file}: ${message}` : message;
  const said = hint === undefined ? text : `${text}\n${hint}`;
  return `::${severity} ${given.join(',')}::${escaped(said)}`;
}

/** As `actions/toolkit` escapes the message of a command. */
const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string =>
  escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
