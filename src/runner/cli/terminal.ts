// Where commands print: facts to standard output, everything else to standard error.

import { printable, printableJson } from '../../contract/base/printable.ts';
import { type Diagnostic, renderDiagnostics } from '../../contract/yaml/diagnostic.ts';
import { type Problem, renderProblem } from '../operations/pipeline/problem.ts';
import { problemCode } from './exit-code.ts';
import { write } from './output.ts';
import { ownRedactor, shown } from './shown.ts';

// Reports escape each name themselves; what one of them forgets goes no further than here.
export const print = (text: string): void => write('out', shown(text));
export const complain = (text: string): void => write('err', shown(text));
/** For what is meant to show a secret: the key of a local service that has just been started. */
export const disclose = (text: string): void => write('out', printable(text, true));
export const caution = (message: string): void => complain(`warning: ${printable(message)}`);
export const printJson = (value: unknown): void => discloseJson(ownRedactor().value(value));
/** As `disclose`. */
export const discloseJson = (value: unknown): void =>
  write('out', printableJson(JSON.stringify(value)));

/** Prints why a command failed; answers its exit code. */
export function fail(problem: Problem, json: boolean): number {
  if (json)
    printJson({ type: 'refused', reason: problem.reason, diagnostics: problem.diagnostics });
  else complain(renderProblem(problem, width()));
  return problemCode(problem);
}

export function printWarnings(warnings: readonly Diagnostic[], text: string): void {
  if (warnings.length > 0) complain(renderDiagnostics(warnings, text, width()));
}

/** Columns of the terminal that errors go to; undefined where they go to a file. */
const width = (): number | undefined => process.stderr.columns;
