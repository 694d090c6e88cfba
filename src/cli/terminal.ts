// Where commands print: facts to standard output, everything else to standard error.
import { type Diagnostic, renderDiagnostic } from '../language/diagnostic.ts';
import { type Problem, renderProblem } from '../workspace/problem.ts';
import { write } from './output.ts';

export const print = (text: string): void => write('out', text);
export const complain = (text: string): void => write('err', text);
export const caution = (message: string): void => complain(`warning: ${message}`);
export const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Exit code 2: the command line or a file is wrong, nothing was sent; 1: this machine or the network stopped a run. */
export function refuse(problem: Problem, json: boolean): number {
  if (json)
    printJson({ type: 'refused', reason: problem.reason, diagnostics: problem.diagnostics });
  else complain(renderProblem(problem));
  return problem.reason === 'system' || problem.reason === 'unreachable' ? 1 : 2;
}

export function warn(warnings: readonly Diagnostic[], text: string): void {
  for (const warning of warnings) complain(renderDiagnostic(warning, text));
}

export const rehearsalLine =
  'Rehearsal: no key and no address are set, so this runs against the local service and costs nothing.';
export const rehearseLine = 'Rehearsal: this runs against the local service and costs nothing.';
