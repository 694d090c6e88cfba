// `run --commit`: one commit with the state file and the small outputs of this pipeline. The run is over and paid, so
// whatever prevents the commit is a warning.

import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import { openRegular } from '../../base/regular-file.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { count } from '../../base/text.ts';
import type { Summary } from '../../core/run-event.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { viewsOf } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Loaded } from '../../state/load-state.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { creditsText } from '../../views/credits-text.ts';
import { tasksText } from '../../views/summary-text.ts';
import type { RunContext } from '../run/context.ts';
import {
  busyWith,
  type Checkout,
  checkoutOf,
  GitFailure,
  type GitOptions,
  git,
  gitAnswer,
  placeIn,
} from './git.ts';

interface OverRun extends Pick<RunContext, 'options' | 'onEvent' | 'target' | 'redactor'> {
  readonly prepared: {
    readonly paths: RunPaths;
    readonly bound: BoundPipeline;
    readonly state: Loaded;
  };
}

export async function commitRun(run: OverRun, summary: Summary): Promise<void> {
  const { options, onEvent, prepared, target } = run;
  if (options.commit !== true) return;
  const warn = (message: string): void => onEvent({ type: 'warning', message });
  let committed: (Committed & { readonly outputs: number }) | undefined;
  try {
    if (target.kind === 'rehearsal') throw new GitFailure('a rehearsal has nothing for git');
    committed = await commit(run, summary, warn);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    const state = shownPath(prepared.paths.state);
    return warn(`nothing was committed: ${error.message}; ${state} is complete without a commit`);
  }
  if (committed === undefined) return;
  const { commit: id, branch, outputs, unstaged } = committed;
  if (unstaged !== undefined)
    warn(
      `the commit is made, but git status shows its files as changed (${unstaged}): git reset <file> mends that`,
    );
  onEvent({ type: 'committed', commit: id, outputs, branch });
}

type Warn = (message: string) => void;

/** Undefined: HEAD has these contents already. Throws `GitFailure`; then nothing was committed. */
async function commit(
  run: OverRun,
  summary: Summary,
  warn: Warn,
): Promise<(Committed & { readonly outputs: number }) | undefined> {
  const { prepared, options, redactor } = run;
  const { state } = prepared.paths;
  const git = { env: options.env ?? process.env };
  const checkout = await checkoutOf(dirname(state), git);
  const busy = await busyWith(checkout, git);
  if (busy !== undefined) throw new GitFailure(busy);
  const chosen = await chooseFiles(run, checkout, warn);
  const outputs = chosen.length - 1;
  const { ledger } = prepared.state;
  const subject = { pipeline: prepared.bound.name, began: ledger.runs().at(-1)?.at, outputs };
  const message = redactor.text(commitMessage(summary, subject));
  const committed = await commitFiles(checkout, chosen, message, git);
  return committed === undefined ? undefined : { ...committed, outputs };
}

/** The state file first. */
async function chooseFiles(
  { prepared, options }: OverRun,
  { top }: Checkout,
  warn: Warn,
): Promise<readonly string[]> {
  const { paths, bound, state } = prepared;
  const git = { env: options.env ?? process.env };
  const stateFile = placeIn(top, paths.state);
  if (stateFile === undefined)
    throw new GitFailure(`${shownPath(paths.state)} is in no folder that git commits`);
  const inHead = await pathsInHead(top, git);
  const since = state.ledger.runs().at(-1)?.at ?? '';
  const found = newOutputs(state.ledger, { folder: bound.folder, top, inHead, since });
  const { ignored, filtered } = await leftAlone(top, [stateFile, ...found.keys()], git);
  if (ignored.has(stateFile)) throw new GitFailure(`git ignores ${shownPath(paths.state)}`);
  const filter = filtered.get(stateFile);
  if (filter !== undefined)
    throw new GitFailure(
      `${shownPath(paths.state)} has the attribute filter=${filter}, and shotlist runs no filters`,
    );
  // What git ignores is nobody's loss, however large it is.
  const wanted = new Map([...found].filter(([path]) => !ignored.has(path)));
  const { paths: whole, tooLarge } = await chooseOutputs(wanted);
  const plain = whole.filter((path) => !filtered.has(path));
  if (plain.length < whole.length)
    warn(
      `the commit is without ${count(whole.length - plain.length, 'output')} with the attribute filter= (such as Git LFS), because shotlist runs no filters: commit them with git`,
    );
  if (tooLarge > 0)
    warn(
      `the commit is without ${count(tooLarge, 'output')} beyond the limits (1 MiB each, 20 MiB in all): commit them with git`,
    );
  return [stateFile, ...plain];
}

// The message of the commit after a run.

interface CommitSubject {
  readonly pipeline: string;
  /** ISO 8601: when the run began. */
  readonly began: string | undefined;
  /** The number of outputs in the commit. */
  readonly outputs: number;
}

/** What git shows in a list of commits. */
const maxNameChars = 100;

function commitMessage(
  { outcome, items, tasks, credits, stopped }: Summary,
  { pipeline, began, outputs }: CommitSubject,
): string {
  const name = printable(pipeline).slice(0, maxNameChars);
  const done =
    items.done === items.total
      ? count(items.done, 'item')
      : `${items.done} of ${count(items.total, 'item')}`;
  const doubts = tasks.doubt === 0 ? '' : `, ${tasks.doubt} in doubt`;
  const net = credits.charged - credits.refunded;
  const body = [
    `Outcome: ${outcome}${stopped === undefined ? '' : ` (${printable(stopped)})`}`,
    `Tasks: ${tasksText(tasks)}`,
    `Credits: ${creditsText(credits)}`,
    ...(began === undefined ? [] : [`Began: ${began}`]),
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
): Promise<LeftAlone> {
  const input = paths.map((path) => `${path}\0`).join('');
  const ignoring = ['check-ignore', '-z', '--stdin'];
  const ignored = await git(top, ignoring, { ...options, input, alsoFine: 1 });
  const asked = await git(top, ['check-attr', '-z', '--stdin', 'filter'], { ...options, input });
  const filtered = new Map<string, string>();
  const fields = asked.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.set(path, value);
  }
  return { ignored: new Set(ignored.split('\0')), filtered };
}

/** The paths in the last commit; empty if there is none. */
async function pathsInHead(top: string, options: GitOptions): Promise<ReadonlySet<string>> {
  const asked = ['rev-parse', '--verify', '--quiet', 'HEAD'];
  const head = await git(top, asked, { ...options, alsoFine: 1 });
  if (head.trim() === '') return new Set();
  const listing = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'];
  return new Set((await git(top, listing, options)).split('\0'));
}

// Commits certain files and nothing else, whatever is staged or changed beside them: through an index of its own, with
// commands that run no hook, no filter and no signing program.

interface Committed {
  /** The id of the commit. */
  readonly commit: string;
  /** The branch; undefined on a detached HEAD. */
  readonly branch: string | undefined;
  /** What git's own index did not take up, as a sentence; the commit is complete without it. */
  readonly unstaged?: string;
}

/** `paths` are relative to the top of the checkout, with `/`. Undefined: HEAD has these contents already. */
async function commitFiles(
  { top, filters }: Checkout,
  paths: readonly string[],
  message: string,
  given: GitOptions,
): Promise<Committed | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-index-'));
  try {
    const options = { ...given, filters };
    const ownIndex = { ...options, index: join(folder, 'index') };
    const { parent, tree: before, branch } = await headOf(top, options);
    const input = await entriesOf(top, paths, options);
    if (parent !== undefined) await git(top, [...wholeIndex, 'read-tree', parent], ownIndex);
    const update = ['update-index', '--add', '-z', '--index-info'];
    await git(top, [...wholeIndex, ...update], { ...ownIndex, input });
    // The objects of a partial clone may be elsewhere, and need not be fetched.
    const tree = (await git(top, [...wholeIndex, 'write-tree', '--missing-ok'], ownIndex)).trim();
    if (tree === before) return undefined;
    const parents = parent === undefined ? [] : ['-p', parent];
    const committing = ['commit-tree', tree, ...parents, '-F', '-'];
    const id = (await git(top, committing, { ...options, input: message })).trim();
    const subject = message.split('\n')[0] ?? '';
    // The old value: if somebody committed meanwhile, that commit stays.
    const old = parent ?? '0'.repeat(id.length);
    await git(top, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', id, old], options);
    const unstaged = await failureOf(git(top, update, { ...options, input }));
    return { commit: id, branch, unstaged };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function failureOf(asked: Promise<unknown>): Promise<string | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof GitFailure) return error.message;
    throw error;
  }
}

/** The index of this commit is one file, whatever the repository's own index is. */
const wholeIndex = ['-c', 'core.splitIndex=false'];

interface Head {
  readonly parent: string | undefined;
  readonly tree: string | undefined;
  readonly branch: string | undefined;
}

async function headOf(top: string, options: GitOptions): Promise<Head> {
  const resolving = ['rev-parse', '--verify', '--quiet'];
  const branch = (await gitAnswer(top, ['symbolic-ref', '--quiet', 'HEAD'], options))?.trim();
  const head = [...resolving, 'HEAD^{commit}'];
  const parent = (await gitAnswer(top, head, options))?.trim();
  if (parent !== undefined) {
    const tree = await git(top, ['rev-parse', '--verify', `${parent}^{tree}`], options);
    return { parent, tree: tree.trim(), branch };
  }
  // A branch without a commit yet; anything else is damage, and git says which.
  if (branch === undefined) await git(top, head, options);
  else if ((await gitAnswer(top, [...resolving, branch], options)) !== undefined)
    throw new GitFailure(`${branch} names no commit`);
  return { parent: undefined, tree: undefined, branch };
}

const pathsPerCommand = 200;

/** Stores the contents; returns the lines for `update-index --index-info`. */
async function entriesOf(
  top: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<string> {
  let lines = '';
  for (let from = 0; from < paths.length; from += pathsPerCommand) {
    const some = paths.slice(from, from + pathsPerCommand);
    const files = some.map((path) => join(top, path));
    const hashed = await git(top, ['hash-object', '-w', '--no-filters', '--', ...files], options);
    const ids = hashed.trim().split('\n');
    for (const [index, path] of some.entries()) lines += `100644 ${ids[index] ?? ''}\t${path}\0`;
  }
  return lines;
}

// Chooses the outputs for the commit after a run: those that git does not have yet, as they were recorded, up to a size.

const maxBytes = { file: 1 << 20, total: 20 << 20 };

interface OutputSearch {
  /** The pipeline's folder: recorded paths are relative to it. */
  readonly folder: string;
  readonly top: string;
  readonly inHead: ReadonlySet<string>;
  /** When the run began, ISO 8601. A file in HEAD that was saved before has not changed. */
  readonly since: string;
}

interface ChosenOutputs {
  /** Relative to the top, sorted. */
  readonly paths: readonly string[];
  /** The number of outputs that are too large. */
  readonly tooLarge: number;
}

/** Those of `found` that fit, and that nobody has changed. */
async function chooseOutputs(found: FoundOutputs): Promise<ChosenOutputs> {
  const paths: string[] = [];
  let [tooLarge, total] = [0, 0];
  for (const [path, output] of [...found].sort(byPath)) {
    const fits = output.bytes <= maxBytes.file && total + output.bytes <= maxBytes.total;
    if (!fits) tooLarge += 1;
    else if (await isAsRecorded(output)) {
      paths.push(path);
      total += output.bytes;
    }
  }
  return { paths, tooLarge };
}

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

interface OutputFile {
  readonly file: string;
  readonly bytes: number;
  /** Two tasks may have saved one path, one after the other. */
  readonly hashes: Set<string>;
}

/** By path, relative to the top. */
type FoundOutputs = ReadonlyMap<string, OutputFile>;

/** The outputs that git does not have. */
function newOutputs(ledger: Ledger, { folder, top, inHead, since }: OutputSearch): FoundOutputs {
  const found = new Map<string, OutputFile>();
  const saved = savedSince(ledger, since);
  for (const { outputs } of viewsOf(ledger))
    for (const { path: recorded, sha256 } of outputs) {
      const file = resolve(folder, recorded);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      // Lost, elsewhere, or no longer shotlist's own.
      if (stats === undefined || !stats.isFile()) continue;
      const path = placeIn(top, file);
      if (path === undefined || (inHead.has(path) && !saved.has(recorded))) continue;
      const known = found.get(path);
      if (known === undefined)
        found.set(path, { file, bytes: stats.size, hashes: new Set([sha256]) });
      else known.hashes.add(sha256);
    }
  return found;
}

/** By the record, because the clock of a file server may differ. */
function savedSince(ledger: Ledger, since: string): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { outputs } of ledger.jobs())
    for (const { at, path } of outputs) if (at >= since) paths.add(path);
  return paths;
}

/** A file that its owner changed is not committed for them. */
async function isAsRecorded({ file, hashes }: OutputFile): Promise<boolean> {
  try {
    await using handle = await openRegular(file);
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
    return hashes.has(hash.digest('hex'));
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  }
}
