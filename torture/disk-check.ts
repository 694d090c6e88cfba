// The promises, as checks after a run whose disk failed. Each violation is a sentence.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputLine } from '../src/runner/journal/line.ts';
import { type Books, digestAt, type Paid } from './books.ts';
import { doubtsOf } from './check.ts';
import { type DiskPlace, photos, price, type Told } from './disk-place.ts';

/** Files below the pipeline's folder, by path, with their digests: what a scene leaves when nothing fails. */
export type Leavings = ReadonlyMap<string, string>;

export function leavingsOf({ room }: DiskPlace): Leavings {
  const files = readdirSync(room.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(room.folder.length + 1))
    .sort();
  return new Map(files.map((path) => [path, digestAt(room.folder, path) ?? '']));
}

/** Exit codes that a failing disk can explain (README): done, failed, refused, in doubt. */
const honest = new Set<number | null>([0, 1, 2, 4]);

/** A command ends by itself, with a code that says what happened, and speaks to people. */
export function checkManners(what: string, { code, hung, output }: Told): readonly string[] {
  if (hung) return [`${what} hung`];
  const wrong: string[] = [];
  if (!honest.has(code)) wrong.push(`${what} ended with exit code ${code}`);
  if (/^\s+at \S.*:\d+|\bnode:internal|\bbug:|Uncaught|Unhandled/m.test(output))
    wrong.push(`${what} printed a stack trace: ${output.trim()}`);
  if (code === 0 || code === 4) return wrong;
  if (!/input\/output error|the disk is full/.test(output))
    wrong.push(`${what} failed and did not say why: ${output.trim()}`);
  if (!/(run|try|Run it) again/.test(output))
    wrong.push(`${what} failed and did not say what to do: ${output.trim()}`);
  return wrong;
}

/** At any moment: each task is charged once a take, each charge is known, and each recorded file is there. */
export function checkBooks(books: Books, place: DiskPlace, takes: number): readonly string[] {
  return [
    ...neverTwice(books, takes),
    ...everyChargeIsKnown(books),
    ...recordedIsSaved(books, place),
    ...deletedIsSaved(books, place),
  ];
}

function neverTwice({ paid }: Books, takes: number): readonly string[] {
  const times = new Map<string, number>();
  for (const { task, net } of paid) if (net > 0) times.set(task, (times.get(task) ?? 0) + 1);
  return [...times]
    .filter(([, count]) => count > takes)
    .map(([task, count]) => `${task} is charged ${count} times, not ${takes}`);
}

function everyChargeIsKnown(books: Books): readonly string[] {
  const jobs = [...books.state.jobs()];
  const known = new Set(
    jobs.flatMap(({ project, past = [] }) => [project, ...past.map((one) => one.project)]),
  );
  const open = new Set(doubtsOf(books).map(({ name }) => name));
  return books.paid
    .filter(({ net, project, name }) => net > 0 && !known.has(project) && !open.has(name))
    .map(({ project, name }) => `${project} (${name}) is charged and the state file does not know`);
}

/** Under its name, or kept aside under its hash. */
function isSaved({ path, sha256 }: OutputLine, { room }: DiskPlace): boolean {
  const kept = `.shotlist/kept/${sha256}.png`;
  return [path, kept].some((name) => digestAt(room.folder, name) === sha256);
}

function recordedIsSaved({ state }: Books, place: DiskPlace): readonly string[] {
  return [...state.jobs()]
    .flatMap(({ outputs = [] }) => outputs)
    .filter((output) => !isSaved(output, place))
    .map(({ path, sha256 }) => `${path} is recorded as ${sha256} and is not there`);
}

function deletedIsSaved({ paid, state }: Books, place: DiskPlace): readonly string[] {
  const jobs = new Map([...state.jobs()].map((job) => [job.project, job]));
  const lost = ({ there, project }: Paid): boolean =>
    !there && !(jobs.get(project)?.outputs ?? []).some((output) => isSaved(output, place));
  return paid
    .filter(lost)
    .map(({ task, project }) => `${task}: ${project} is deleted and not saved`);
}

/** When a run has ended with exit code 0. `scratch`: files that a failing disk may leave for the next run. */
export function checkEnd(
  { paid, state }: Books,
  place: DiskPlace,
  {
    takes,
    leavings,
    scratch,
  }: { readonly takes: number; readonly leavings: Leavings; readonly scratch: boolean },
): readonly string[] {
  const wrong: string[] = [];
  const net = paid.reduce((sum, one) => sum + one.net, 0);
  const all = takes * photos * price;
  if (net !== all) wrong.push(`${net} credits were charged for what costs ${all}`);
  const { charged, refunded, reserved } = state.total;
  if (charged - refunded !== all || reserved !== 0)
    wrong.push(
      `the state file says ${charged - refunded} credits and ${reserved} set aside, the service ${net}`,
    );
  const found = leavingsOf(place);
  for (const [path, digest] of leavings) {
    const there = found.get(path);
    if (there === undefined) wrong.push(`${path} is missing in the end`);
    else if (isResult(path) && there !== digest) wrong.push(`${path} is another file in the end`);
  }
  const strays = [...found.keys()].filter((path) => !leavings.has(path) && !isDraft(path));
  if (!scratch && strays.length > 0) wrong.push(`left in the end: ${strays.join(', ')}`);
  return wrong;
}

/** State files and caches have their times in them. */
const isResult = (path: string): boolean => path.endsWith('.png');

/** Its name is unique: one that could not be removed is found by nobody, and in nobody's way. */
const isDraft = (path: string): boolean => /\.lock\.|owner\.json\./.test(path);
