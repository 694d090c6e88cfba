// Why something was not begun, or could not go on: diagnostics with places, or sentences.
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

/** A state file that does not load. `error` is what loading said, which names a line where there is damage. */
export function stateTrouble(error: string, state: string, pipelineFile: string): Problem {
  if (!error.startsWith(`${state}:`)) return problem(error, 'the state file');
  const hint =
    `it was left as it is; nothing was sent. See what is damaged, and what can be kept: ` +
    `shotlist repair ${pipelineFile} (with the same --state, --rehearse or --hosted)`;
  return problem(error, 'the state file', hint);
}

/** As people read it; `width` is the terminal's, in columns. */
export function renderProblem({ diagnostics, text }: Problem, width?: number): string {
  return renderDiagnostics(diagnostics, text, width);
}

/** The journal is whole without it: not worth failing for. */
export const uncompacted = (why: string): string =>
  `the state file is whole, and was not made shorter: ${why}; the next run does that`;
