// Why an operation did not begin, or could not continue: diagnostics with places, or sentences.

import { type Err, err, ok, type Result } from '../../base/result.ts';
import { type Complaint, renderDiagnostics } from '../../contract/yaml/diagnostic.ts';

export interface Problem {
  /**
   * - `input`: the command line or a file is wrong; nothing was sent.
   * - `locked`: another run holds the state file; nothing was sent.
   * - `system`: this machine stopped the run, for example by a full disk; everything sent before is recorded.
   * - `unreachable`: nothing answers at the service's address; nothing was sent.
   */
  readonly reason: 'input' | 'locked' | 'system' | 'unreachable';
  readonly diagnostics: readonly Complaint[];
  /** The service refuses the API key. */
  readonly unauthorized?: true;
  /** A person was asked, and said no: nobody else need hear of that. */
  readonly declined?: true;
  /** The pipeline file's text, for code frames. */
  readonly text?: string;
}

/**
 * Ends an operation that does not begin, or cannot continue; whoever runs operations catches it, once. It is thrown only
 * where the state file needs nothing more written: before the first line, or after the last one is on disk.
 */
export class Refusal extends Error {
  readonly code = 'REFUSED';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(renderProblem(problem));
    this.problem = problem;
  }
}

/** For those who go on without what was refused. */
export function resultOf<T>(work: () => Promise<T>): Promise<Result<T, Problem>>;
export function resultOf<T>(work: () => T): Result<T, Problem>;
export function resultOf<T>(
  work: () => T | Promise<T>,
): Result<T, Problem> | Promise<Result<T, Problem>> {
  try {
    const done = work();
    return done instanceof Promise ? done.then(ok, asRefused) : ok(done);
  } catch (error) {
    return asRefused(error);
  }
}

/** The value; throws what was refused. */
export function valueOrThrow<T>(result: Result<T, Problem>): T {
  if (result.ok) return result.value;
  throw new Refusal(result.error);
}

function asRefused(error: unknown): Err<Problem> {
  if (error instanceof Refusal) return err(error.problem);
  throw error;
}

/** A problem with the command line or with this machine. */
export function problem(message: string, file = 'shotlist', hint?: string): Problem {
  return {
    reason: 'input',
    diagnostics: [{ severity: 'error', file, message, hint }],
  };
}

/** `again`: the command that was refused. */
export const refusedKey = (again: string): Problem => ({
  ...problem(
    'the service refused the API key (401)',
    'shotlist',
    `set another key in SHOTLIST_API_KEY, then ${again} again`,
  ),
  unauthorized: true,
});

/** A state file that does not load. `error` names a line if the file is damaged; `repair` is the command line. */
export function stateProblem(error: string, state: string, repair: string): Problem {
  if (!error.startsWith(`${state}:`)) return problem(error, 'the state file');
  const damage = `it was left as it is; nothing was sent. To see what is damaged and what can be kept: ${repair}`;
  return problem(error, 'the state file', damage);
}

/** The text for people; `width` is the terminal's, in columns. */
export function renderProblem({ diagnostics, text }: Problem, width?: number): string {
  return renderDiagnostics(diagnostics, text, width);
}

/** The journal is complete without compaction, so this is only a warning. */
export const unsorted = (why: string): string =>
  `the state file is intact but was not sorted (${why}); the next run will do it`;

/** The record on disk is no longer this process's to write. `message`: a sentence. */
export const lostProblem = ({ message }: Error): Problem => ({
  ...problem(
    `${message}: nothing more was bought`,
    'the command stopped',
    'run the command again: it reads the file as it is now',
  ),
  reason: 'system',
});
