// `run --commit`: one commit with the state file and the small outputs of this pipeline. The run is over and paid, so
// whatever prevents the commit is a warning.
import { dirname } from 'node:path';
import { printable } from '../../base/printable.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { count } from '../../base/text.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { Summary } from '../../run/run-event.ts';
import { movedReason, unsavedProblem } from '../../state/unsaved-state.ts';
import { creditsText } from '../../views/credits-text.ts';
import { tasksText } from '../../views/task-endings-text.ts';
import type { PreparedRun } from '../run/context.ts';
import { busyWith, type Checkout, checkoutOf } from './checkout.ts';
import { type Committed, commitFiles } from './commit-files.ts';
import { chooseOutputs, newOutputs } from './commit-outputs.ts';
import { type GitOptions, git } from './git.ts';
import { placeIn } from './place.ts';

export async function commitRun(run: PreparedRun, summary: Summary): Promise<void> {
  const { options, onEvent, prepared, target } = run;
  if (options.commit !== true) return;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  const done =
    target.kind === 'rehearsal'
      ? err('a rehearsal has nothing for git')
      : await commit(run, summary, warn);
  if (!done.ok) {
    warn(
      `nothing was committed: ${done.error}; ${shownPath(prepared.paths.state)} is complete without a commit`,
    );
    return;
  }
  if (done.value === undefined) return;
  const { commit: id, branch, outputs, unstaged } = done.value;
  if (unstaged !== undefined)
    warn(
      `the commit is made, but git status shows its files as changed (${unstaged}): git reset <file> mends that`,
    );
  onEvent({ type: 'committed', commit: id, outputs, branch });
}

type Warn = (message: string) => void;

async function commit(
  run: PreparedRun,
  summary: Summary,
  warn: Warn,
): Promise<Result<(Committed & { readonly outputs: number }) | undefined, string>> {
  const { prepared, options, redactor } = run;
  const { state } = prepared.paths;
  if (unsavedProblem(state) !== undefined) return err(movedReason(state));
  const git = { env: options.env ?? process.env };
  const checkout = await checkoutOf(dirname(state), git);
  if (!checkout.ok) return checkout;
  const busy = await busyWith(checkout.value, git);
  if (busy !== undefined) return err(busy);
  const chosen = await chooseFiles(run, checkout.value, warn);
  if (!chosen.ok) return chosen;
  const outputs = chosen.value.length - 1;
  const { ledger } = prepared.state;
  const subject = { pipeline: prepared.bound.name, run: ledger.runs().at(-1)?.run, outputs };
  const message = redactor.text(commitMessage(summary, subject));
  const committed = await commitFiles(checkout.value, chosen.value, message, git);
  if (!committed.ok || committed.value === undefined)
    return committed.ok ? ok(undefined) : committed;
  return ok({ ...committed.value, outputs });
}

/** The state file first. */
async function chooseFiles(
  { prepared, options }: PreparedRun,
  { top }: Checkout,
  warn: Warn,
): Promise<Result<readonly string[], string>> {
  const { paths, bound, state } = prepared;
  const git = { env: options.env ?? process.env };
  const stateFile = placeIn(top, paths.state);
  if (stateFile === undefined)
    return err(`${shownPath(paths.state)} is in no folder that git commits`);
  const inHead = await pathsInHead(top, git);
  if (!inHead.ok) return inHead;
  const began = state.ledger.runs().at(-1)?.at;
  const which = options.commitOutputs ?? 'small';
  const found = newOutputs(state.ledger, {
    ...{ folder: bound.folder, top, inHead: inHead.value, which },
    since: began === undefined ? 0 : Date.parse(began),
  });
  const left = await leftAlone(top, [stateFile, ...found.keys()], git);
  if (!left.ok) return left;
  const { ignored, filtered } = left.value;
  if (ignored.has(stateFile)) return err(`git ignores ${shownPath(paths.state)}`);
  const filter = filtered.get(stateFile);
  if (filter !== undefined)
    return err(
      `${shownPath(paths.state)} has the attribute filter=${filter}, and shotlist runs no filters`,
    );
  // What git ignores is nobody's loss, however large it is.
  const wanted = new Map([...found].filter(([path]) => !ignored.has(path)));
  const { paths: whole, tooLarge } = await chooseOutputs(wanted, which);
  const plain = whole.filter((path) => !filtered.has(path));
  if (plain.length < whole.length)
    warn(
      `the commit is without ${count(whole.length - plain.length, 'output')} with the attribute filter= (such as Git LFS), because shotlist runs no filters: commit them with git`,
    );
  if (tooLarge > 0)
    warn(
      `the commit is without ${count(tooLarge, 'output')} beyond the limits (1 MiB each, 20 MiB in all); --commit-outputs all has no limits`,
    );
  return ok([stateFile, ...plain]);
}

// The message of the commit after a run.

interface CommitSubject {
  readonly pipeline: string;
  /** The number of the run in the state file. */
  readonly run: number | undefined;
  /** The number of outputs in the commit. */
  readonly outputs: number;
}

/** What git shows in a list of commits. */
const longest = 100;

export function commitMessage(
  { outcome, items, tasks, credits, stopped }: Summary,
  { pipeline, run, outputs }: CommitSubject,
): string {
  const name = printable(pipeline).slice(0, longest);
  const done =
    items.unfinished === 0
      ? count(items.done, 'item')
      : `${items.done} of ${count(items.total, 'item')}`;
  const doubts = tasks.doubt === 0 ? '' : `, ${tasks.doubt} in doubt`;
  const net = credits.charged - credits.refunded;
  const body = [
    `Outcome: ${outcome}${stopped === undefined ? '' : ` (${printable(stopped)})`}`,
    `Tasks: ${tasksText(tasks)}`,
    `Credits: ${creditsText(credits)}`,
    ...(run === undefined ? [] : [`Run: ${run}`]),
    ...(outputs === 0 ? [] : [`Outputs in this commit: ${outputs}`]),
  ];
  return `shotlist: ${name}: ${done}, ${count(net, 'credit')}${doubts}\n\n${body.join('\n')}\n`;
}

// The files that a commit leaves alone: those that git ignores, and those that only a program of the configuration could
// store as their repository expects.

interface LeftAlone {
  readonly ignored: ReadonlySet<string>;
  /** The filter of each file that has one, for example `lfs`. */
  readonly filtered: ReadonlyMap<string, string>;
}

/** `paths` are relative to `top`. */
async function leftAlone(
  top: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Result<LeftAlone, string>> {
  const input = paths.map((path) => `${path}\0`).join('');
  const ignored = await git(top, ['check-ignore', '-z', '--stdin'], {
    ...options,
    input,
    alsoFine: 1,
  });
  if (!ignored.ok) return ignored;
  const asked = await git(top, ['check-attr', '-z', '--stdin', 'filter'], { ...options, input });
  if (!asked.ok) return asked;
  const filtered = new Map<string, string>();
  const fields = asked.value.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.set(path, value);
  }
  return ok({ ignored: new Set(ignored.value.split('\0')), filtered });
}

/** The paths in the last commit; empty if there is none. */
async function pathsInHead(
  top: string,
  options: GitOptions,
): Promise<Result<ReadonlySet<string>, string>> {
  const head = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD'], {
    ...options,
    alsoFine: 1,
  });
  if (!head.ok) return head;
  if (head.value.trim() === '') return ok(new Set());
  const listed = await git(
    top,
    ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'],
    options,
  );
  return listed.ok ? ok(new Set(listed.value.split('\0'))) : listed;
}
