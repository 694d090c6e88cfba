// What a user does about an unsaved file: another program changed the state file during a run, and the run's record is
// beside it. The state file may lack payments, so nothing is planned or bought until both are merged.
import { lstatSync } from 'node:fs';
import { shellPath, shotlistLine } from '../base/shell.ts';
import { shownPath } from '../files/shown-path.ts';
import { type Problem, problem } from '../language/load/refusal.ts';
import type { StateFileChanged } from './file-version.ts';

/** Why the run stopped. */
export const movedReason = (state: string): string =>
  `another program changed ${shownPath(state)} during the run`;

/** What the run leaves, and the commands to run next. */
export const movedAdvice = (state: string): string =>
  `${movedReason(state)} (git, an editor, a program that synchronizes folders), so this run left the file as it is. ` +
  `Its record, with all payments, is in ${shownPath(unsavedFile(state))}. ${advice(state)}`;

/** Another program changed the state file before anything was written to it. */
export const changedProblem = ({ message }: StateFileChanged): Problem => ({
  ...problem(
    `${message}: it is left as it is, and nothing was bought`,
    'the command stopped',
    'run the command again: it reads the file as it is now',
  ),
  reason: 'system',
});

/** Undefined if there is no unsaved file. */
export function unsavedProblem(state: string): Problem | undefined {
  const unsaved = unsavedFile(state);
  if (lstatSync(unsaved, { throwIfNoEntry: false }) === undefined) return undefined;
  return problem(
    `${unsaved} has the record of a run, and its payments may be missing in the state file, because another program changed the state file during that run`,
    'the state file',
    `nothing was sent. ${advice(state)}`,
  );
}

function advice(state: string): string {
  const [shown, unsaved] = [shownPath(state), shownPath(unsavedFile(state))];
  const [to, from] = [shown, unsaved].map(shellPath);
  return lstatSync(state, { throwIfNoEntry: false }) === undefined
    ? `To put it back: mv ${from} ${to}`
    : `To merge both: ${shotlistLine('merge', [shown, unsaved])} && rm ${from}`;
}

// The unsaved file: what a run recorded after another program had changed the state file under it. It is a whole state
// file, and it may have payments that the state file lacks.

/** Beside the state file, with a fixed name, so that no later run can overlook it. */
export const unsavedFile = (state: string): string => `${state}.unsaved`;
