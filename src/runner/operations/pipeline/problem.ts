// Why an operation did not begin, or could not continue: diagnostics with places, or sentences.
import { type Diagnostic, renderDiagnostics } from '../../../contract/yaml/diagnostic.ts';

export interface Problem {
  /**
   * `input`: the command line or a file is wrong. `locked`: another run holds the state file. Nothing was sent.
   * `system`: this machine would not let a run go on, for example a full disk. What was sent before is recorded.
   * `unreachable`: nobody is at the service's address. Nothing was sent.
   */
  readonly reason: 'input' | 'locked' | 'system' | 'unreachable';
  readonly diagnostics: readonly Diagnostic[];
  /** The pipeline file's text, for frames. */
  readonly text?: string;
}

/** A problem without a place in a text. */
export function problem(message: string, file = 'shotlist', hint?: string): Problem {
  return {
    reason: 'input',
    diagnostics: [{ severity: 'error', file, message, ...(hint === undefined ? {} : { hint }) }],
  };
}

/** A state file that does not load. `error` names a line if the file is damaged. */
export function stateTrouble(error: string, state: string, pipelineFile: string): Problem {
  if (!error.startsWith(`${state}:`)) return problem(error, 'the state file');
  const hint =
    `it was left as it is; nothing was sent. To see what is damaged and what can be kept: ` +
    `shotlist repair ${pipelineFile} (with the same --state, --rehearse or --hosted)`;
  return problem(error, 'the state file', hint);
}

/** As people read it; `width` is the terminal's, in columns. */
export function renderProblem({ diagnostics, text }: Problem, width?: number): string {
  return renderDiagnostics(diagnostics, text, width);
}

/** The journal is complete without it, so it is not worth failing for. */
export const uncompacted = (why: string): string =>
  `the state file is intact but was not compacted (${why}); the next run will do it`;
