// Printing: facts to standard output, everything else to standard error.

import { printable, printableJson } from '../base/printable.ts';
import { folded } from '../base/text.ts';
import { type Complaint, renderDiagnostics } from '../contract/yaml/diagnostic.ts';
import { type Problem, Refusal, renderProblem } from '../language/load/refusal.ts';
import { hasColor, type Paint } from './colors.ts';
import { problemCode } from './exit-code.ts';
import { ownRedactor, said, shown, terminal, write } from './output.ts';

// Reports escape names themselves; this is the second line of defense.
export const print = (text: string): void => write('out', shown(text));
/** On a terminal, lines end between words; what a person copies, such as a command, is printed by `print`. */
export const printProse = (text: string): void => {
  const size = terminal.size();
  print(size === undefined ? text : folded(text, size.columns));
};
/** The same, in color where the terminal has color. */
export function printPainted(text: string, paint: Paint): void {
  const size = terminal.size();
  const safe = shown(size === undefined ? text : folded(text, size.columns));
  write('out', hasColor() ? safe.split('\n').map(paint).join('\n') : safe);
}
export const complain = (text: string): void => write('err', shown(text));
/** The same as prose: lines end between words. */
export const complainProse = (text: string): void => {
  const columns = width();
  complain(columns === undefined ? text : folded(text, columns));
};
/** For output that must show a secret: the key of a local service that was just started. */
export const disclose = (text: string): void => write('out', printable(text, true));
export const caution = (message: string): void => complainProse(`warning: ${printable(message)}`);
export const printJson = (value: unknown): void => discloseJson(ownRedactor().value(value));
/** As `disclose`. */
export const discloseJson = (value: unknown): void =>
  write('out', printableJson(JSON.stringify(value)));

/** Prints why a command failed; returns its exit code. */
export function fail(problem: Problem, json: boolean): number {
  if (json)
    printJson({ type: 'refused', reason: problem.reason, diagnostics: problem.diagnostics });
  else complain(renderProblem(problem, width()));
  return problemCode(problem);
}

/** The same for an error that is a refusal; others are bugs. */
export function refused(error: unknown, json: boolean): number {
  if (error instanceof Refusal) return fail(error.problem, json);
  throw error;
}

/** `text`: of the pipeline file. A command that runs several times says the same thing once. */
export function printWarnings(all: readonly Complaint[], text: string | undefined): void {
  const warnings = all.filter((one) => !said.has(JSON.stringify(one)));
  for (const one of warnings) said.add(JSON.stringify(one));
  if (warnings.length > 0) complain(renderDiagnostics(warnings, text, width()));
}

/** The columns of the terminal that errors go to; undefined if they go to a file. */
const width = (): number | undefined => process.stderr.columns;
