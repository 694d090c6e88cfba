// The invariants after a run whose disk failed. Each violation is a sentence.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { viewsOf } from '../src/model/job-view.ts';
import type { Output } from '../src/model/record/line.ts';
import { type CommandResult, type DiskTestbed, photos, price } from './disk-testbed.ts';
import { openDoubts } from './invariants.ts';
import { digestAt, type LedgerAudit, type Paid } from './ledger-audit.ts';

/** Files below the pipeline's folder, by path, with their digests: the state that a scenario leaves when nothing fails. */
export type FileSnapshot = ReadonlyMap<string, string>;

export function snapshotOf({ workspace }: DiskTestbed): FileSnapshot {
  const files = readdirSync(workspace.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(workspace.folder.length + 1))
    .sort();
  return new Map(files.map((path) => [path, digestAt(workspace.folder, path) ?? '']));
}

/** Exit codes that a failing disk can explain (README): done, failed, refused, in doubt. */
const honest = new Set<number | null>([0, 1, 2, 4]);

/** In the words of the system, or of SQLite. */
const reasons =
  /input\/output error|disk I\/O error|the disk is full|database or disk is full|unable to open database file/;

/** A command ends by itself, with a truthful exit code and messages for people. */
export function checkMessages(
  what: string,
  { code, hung, output }: CommandResult,
): readonly string[] {
  if (hung) return [`${what} hung`];
  const wrong: string[] = [];
  if (!honest.has(code)) wrong.push(`${what} ended with exit code ${code}`);
  if (/^\s+at \S.*:\d+|\bnode:internal|\bbug:|Uncaught|Unhandled/m.test(output))
    wrong.push(`${what} printed a stack trace: ${output.trim()}`);
  if (code === 0 || code === 4) return wrong;
  if (!reasons.test(output)) wrong.push(`${what} failed and did not say why: ${output.trim()}`);
  if (!/(run|run it|try|Run it) again|make sure that you can write/.test(output))
    wrong.push(`${what} failed and did not say what to do: ${output.trim()}`);
  return wrong;
}

/** At any moment, each task is charged at most `chargesPerPhoto` times, each charge is known, and each recorded file exists. */
export function checkAudit(
  audit: LedgerAudit,
  testbed: DiskTestbed,
  chargesPerPhoto: number,
): readonly string[] {
  return [
    ...neverTwice(audit, chargesPerPhoto),
    ...everyChargeIsKnown(audit),
    ...recordedIsSaved(audit, testbed),
    ...deletedIsSaved(audit, testbed),
  ];
}

function neverTwice({ paid }: LedgerAudit, chargesPerPhoto: number): readonly string[] {
  const times = new Map<string, number>();
  for (const { task, net } of paid) if (net > 0) times.set(task, (times.get(task) ?? 0) + 1);
  return [...times]
    .filter(([, count]) => count > chargesPerPhoto)
    .map(([task, count]) => `${task} is charged ${count} times, not ${chargesPerPhoto}`);
}

function everyChargeIsKnown(audit: LedgerAudit): readonly string[] {
  const jobs = viewsOf(audit.state);
  const known = new Set(
    jobs.flatMap(({ project, past }) => [project, ...past.map((one) => one.project)]),
  );
  const open = new Set(openDoubts(audit).map(({ name }) => name));
  return audit.paid
    .filter(({ net, project, name }) => net > 0 && !known.has(project) && !open.has(name))
    .map(({ project, name }) => `${project} (${name}) is charged and the state file does not know`);
}

/** It exists under its name, or under its hash in the folder of kept files. */
function isSaved({ path, sha256 }: Output, { workspace }: DiskTestbed): boolean {
  const kept = `.shotlist/kept/${sha256}.png`;
  return [path, kept].some((name) => digestAt(workspace.folder, name) === sha256);
}

function recordedIsSaved({ state }: LedgerAudit, testbed: DiskTestbed): readonly string[] {
  return viewsOf(state)
    .flatMap(({ outputs }) => outputs)
    .filter((output) => !isSaved(output, testbed))
    .map(({ path, sha256 }) => `${path} is recorded as ${sha256} and is not there`);
}

function deletedIsSaved({ paid, state }: LedgerAudit, testbed: DiskTestbed): readonly string[] {
  const jobs = new Map(viewsOf(state).map((job) => [job.project, job]));
  const lost = ({ there, project }: Paid): boolean =>
    !there && !(jobs.get(project)?.outputs ?? []).some((output) => isSaved(output, testbed));
  return paid
    .filter(lost)
    .map(({ task, project }) => `${task}: ${project} is deleted and not saved`);
}

/**
 * After a run with exit code 0. `mayLeaveFiles`: the disk failed in this run, so files may be left for the next one, and what
 * explains results may be written by the next one.
 */
export function checkEnd(
  { paid, state }: LedgerAudit,
  testbed: DiskTestbed,
  {
    chargesPerPhoto,
    snapshot,
    mayLeaveFiles,
  }: {
    readonly chargesPerPhoto: number;
    readonly snapshot: FileSnapshot;
    readonly mayLeaveFiles: boolean;
  },
): readonly string[] {
  const wrong: string[] = [];
  const net = paid.reduce((sum, one) => sum + one.net, 0);
  const all = chargesPerPhoto * photos * price;
  if (net !== all) wrong.push(`${net} credits were charged for what costs ${all}`);
  const { charged, reserved } = state.totals();
  if (charged !== all || reserved !== 0)
    wrong.push(
      `the state file says ${charged} credits and ${reserved} set aside, the service ${net}`,
    );
  const found = snapshotOf(testbed);
  for (const [path, digest] of snapshot) {
    const there = found.get(path);
    if (there === undefined) wrong.push(`${path} is missing in the end`);
    else if (isResult(path) && there !== digest) wrong.push(`${path} is another file in the end`);
  }
  const strays = [...found.keys()].filter((path) => !snapshot.has(path) && !mayStay(path));
  if (!mayLeaveFiles && strays.length > 0) wrong.push(`left in the end: ${strays.join(', ')}`);
  return wrong;
}

/** State files and caches contain times, so their content differs. */
const isResult = (path: string): boolean => path.endsWith('.png');

/** The name of a temporary file is unique, so one that could not be removed does no harm. */
const mayStay = (path: string): boolean => path.includes('owner.json.');
