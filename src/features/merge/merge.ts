// `merge`: merges two state files with a common ancestor into the union of their payments. Git calls it as a merge
// driver (git-setup.ts).
import { existsSync, lstatSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { openRegular } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { createNew } from '../../files/new-file.ts';
import { syncFolder } from '../../files/output-folders.ts';
import { problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import { memoryStore } from '../../model/job-store.ts';
import { type CreditTotals, Ledger } from '../../model/ledger.ts';
import type { Header } from '../../model/line.ts';
import { replaceState } from '../../state/compaction.ts';
import { holderOf } from '../../state/live.ts';
import { loadState } from '../../state/load-state.ts';
import { isSame } from '../../state/repair/damage.ts';
import type { RenumberedRun } from '../../state/repair/merge.ts';
import {
  type DoublePayment,
  doublePaymentsIn,
  ledgerOf,
  mergeLedgers,
} from '../../state/repair/merge.ts';
import { type GitOptions, gitAnswer, placeIn } from '../git/git.ts';
import { refuse, refuseSystemError } from '../refuse.ts';

export type { DoublePayment, RenumberedRun };

export interface MergeFiles {
  /** The common ancestor; undefined, or an empty file, if there is none. */
  readonly base?: string | undefined;
  readonly ours: string;
  readonly theirs: string;
}

export interface MergeOptions {
  /** `--output`: write the result to this new file; default: to `ours`. */
  readonly output?: string | undefined;
  /**
   * `--path`: git calls this as a merge driver for the file at this path, and the three files are temporary. If the
   * files cannot be merged, `ours` gets conflict markers: git would take it for the result.
   */
  readonly path?: string | undefined;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

export interface MergedState {
  /** The state file that was merged. */
  readonly state: string;
  /** The number of jobs and runs in the result. */
  readonly jobs: number;
  readonly runs: number;
  readonly credits: Readonly<Record<'base' | 'ours' | 'theirs' | 'merged', CreditTotals>>;
  /** Jobs that both sides paid for, or may have. Both payments are in the result. */
  readonly paidTwice: readonly DoublePayment[];
  readonly renumbered: readonly RenumberedRun[];
}

/**
 * Merges two state files with a common ancestor into the union of their payments.
 *
 * @example
 * ```ts
 * import { merge } from 'shotlist';
 *
 * const merged = await merge({ base: 'base.jsonl', ours: 'ours.jsonl', theirs: 'theirs.jsonl' });
 * console.log(merged.paidTwice.length, 'paid twice');
 * ```
 */
export async function merge(files: MergeFiles, options: MergeOptions = {}): Promise<MergedState> {
  const state = options.path ?? options.output ?? files.ours;
  let merged = false;
  try {
    const done = await mergeFiles(files, state, options);
    merged = true;
    return done;
  } catch (error) {
    return refuseSystemError(error, state);
  } finally {
    if (!merged && options.path !== undefined) await writeConflict(files, `${files.ours}.part`);
  }
}

async function mergeFiles(
  files: MergeFiles,
  state: string,
  { output, onWarning = () => undefined }: MergeOptions,
): Promise<MergedState> {
  refuseOutput(files, output);
  refuseIfLocked(state);
  const base = await read('base', files.base, onWarning);
  const ours = await read('ours', files.ours, onWarning);
  const theirs = await read('theirs', files.theirs, onWarning);
  const header = headerOf(ours, theirs, base);
  const sides = [ours.ledger, theirs.ledger, base.ledger] as const;
  const merged = mergeLedgers(...sides);
  const ledger = ledgerOf(merged);
  const target = output === undefined ? files.ours : resolve(output);
  await replaceState(target, `${target}.part`, header, ledger);
  const [a, b, before] = sides;
  return {
    state,
    jobs: merged.jobs.length,
    runs: merged.runs.length,
    credits: { base: before.total, ours: a.total, theirs: b.total, merged: ledger.total },
    paidTwice: doublePaymentsIn(merged.disagreements),
    renumbered: merged.renumbered,
  };
}

/**
 * The payments that both sides made, while git waits for somebody to accept the merged file. None if no merge is open, or if
 * its versions cannot be read.
 */
export async function openDoublePayments(
  state: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly DoublePayment[]> {
  const versions = await unmergedVersions(state, { env });
  if (versions === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-merge-'));
  try {
    const ledgers: Ledger[] = [];
    for (const name of ['ours', 'theirs', 'base'] as const) {
      const file = join(folder, name);
      await writeFile(file, versions[name]);
      const version = await resultOf(() => read(name, file, () => undefined));
      if (!version.ok) return [];
      ledgers.push(version.value.ledger);
    }
    const [ours, theirs, base] = ledgers;
    if (ours === undefined || theirs === undefined || base === undefined) return [];
    return doublePaymentsIn(mergeLedgers(ours, theirs, base).disagreements);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refuseOutput({ base, ours, theirs }: MergeFiles, output: string | undefined): void {
  if (output === undefined || !existsSync(output)) return;
  if ([base, ours, theirs].some((file) => file && resolve(file) === resolve(output))) return;
  refuse(
    `--output ${output} exists already, and nothing is overwritten`,
    'name a new file, or one of the three',
  );
}

/** A run keeps the state in memory and replaces the file when it ends, so a merge meanwhile would be lost. */
function refuseIfLocked(state: string): void {
  const [folder, name] = [dirname(resolve(state)), basename(state)];
  for (const beside of [join(folder, '.shotlist', name), join(folder, `.${name}`)]) {
    const holder = holderOf({ lock: `${beside}.lock`, live: `${beside}.live.json` });
    if (holder === undefined) continue;
    const hint =
      'wait until the run ends, or stop it; git merge --abort undoes the merge; then merge again';
    throw new Refusal({
      ...problem(`${state} is in use by ${holder.process}: nothing was merged`, 'shotlist', hint),
      reason: 'locked',
    });
  }
}

interface Version {
  readonly header: Header | undefined;
  readonly ledger: Ledger;
}

async function read(
  name: keyof MergeFiles,
  file: string | undefined,
  onWarning: (message: string) => void,
): Promise<Version> {
  if (file === undefined) return { header: undefined, ledger: new Ledger() };
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) refuse(`${name}: ${file} does not exist`, usage);
  // Git writes an empty file if both sides added the state file.
  if (name === 'base' && stats.isFile() && stats.size === 0)
    return { header: undefined, ledger: new Ledger() };
  const loaded = await loadState(file, memoryStore());
  if (!loaded.ok) {
    const hint =
      'nothing was merged; shotlist repair reads both sides of a conflict in the state file, and merges what can be read';
    refuse(`${name}: ${loaded.error}`, hint, 'the state file');
  }
  for (const warning of loaded.value.warnings) onWarning(`${name}: ${warning}`);
  return loaded.value;
}

const usage =
  'shotlist merge [base] <ours> <theirs>; without a base, everything of both files counts as new';

/** All versions belong to one pipeline and one service: ids of another have no meaning. */
function headerOf(ours: Version, theirs: Version, base: Version): Header {
  const { header } = ours;
  if (header === undefined) throw new Error('bug: a state file without a header was loaded');
  for (const [name, other] of [
    ['theirs', theirs.header],
    ['base', base.header],
  ] as const) {
    if (other === undefined || isSame(header, other)) continue;
    refuse(
      `ours belongs to the pipeline "${header.pipeline}" and the service ${header.service}, ${name} to "${other.pipeline}" and ${other.service}`,
      'nothing was merged: these are two state files; keep both, under two names',
    );
  }
  return header;
}

// The versions of a file whose merge a person has not accepted yet: git keeps them in its index until `git add`.

/** The contents; undefined if no merge of the file is open, or git cannot say. Without a common ancestor, `base` is empty. */
async function unmergedVersions(
  file: string,
  options: GitOptions,
): Promise<Readonly<Record<'base' | 'ours' | 'theirs', string>> | undefined> {
  const top = repositoryOf(dirname(file));
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  const path = placeIn(top, file);
  if (path === undefined) return undefined;
  const asked = ['ls-files', '--unmerged', '-z', '--', `:(literal)${path}`];
  const listed = await gitAnswer(top, asked, options);
  if (listed === undefined || listed === '') return undefined;
  const blobs = new Map<string, string>();
  for (const [, blob = '', stage = ''] of listed.matchAll(/\d+ ([0-9a-f]+) ([123])\t[^\0]*\0/g))
    blobs.set(stage, blob);
  const [base, ours, theirs] = await Promise.all(
    ['1', '2', '3'].map(async (stage) => {
      const blob = blobs.get(stage);
      return blob === undefined
        ? undefined
        : await gitAnswer(top, ['cat-file', 'blob', blob], options);
    }),
  );
  // One side has removed the file: nobody has paid twice.
  return ours === undefined || theirs === undefined
    ? undefined
    : { base: base ?? '', ours, theirs };
}

// A state file with git's conflict markers around both sides. Every command that spends credits refuses it, and
// `repair` reads both sides.

/** Replaces `ours` by all three versions, byte for byte; `part` is written first. Throws system errors. */
async function writeConflict({ base, ours, theirs }: MergeFiles, part: string): Promise<void> {
  await using handle = await createNew(part);
  for (const [marker, file] of [
    ['<<<<<<< ours', ours],
    ['||||||| base', base],
    ['=======', theirs],
  ] as const) {
    if (file === undefined) continue;
    await handle.appendFile(`${marker}\n`);
    await using side = await openRegular(file);
    const bytes = await side.readFile();
    await handle.appendFile(bytes);
    if (bytes.length > 0 && bytes.at(-1) !== 10) await handle.appendFile('\n');
  }
  await handle.appendFile('>>>>>>> theirs\n');
  await handle.sync();
  await rename(part, ours);
  await syncFolder(dirname(ours));
}
