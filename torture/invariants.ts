// The invariants: what must hold at any moment, even just after a kill, and what must hold in the end. Each violation is
// a sentence.

import { readdirSync } from 'node:fs';
import { standingTasks } from '../src/model/failures.ts';
import { type JobView, viewsOf } from '../src/model/job-view.ts';
import { jobFacts } from '../src/model/state.ts';
import { digestAt, type LedgerAudit, type Paid } from './ledger-audit.ts';
import { creditsOf, expectedOf, type Terms, type Workspace } from './workspace.ts';

/** The expected values of a round. */
export interface CheckContext {
  readonly workspace: Workspace;
  readonly terms: Terms;
  /** The digests of the outputs of an undisturbed run, by path. */
  readonly reference: ReadonlyMap<string, string>;
  /** The service's balance before anything was charged. */
  readonly opening: number;
}

const isOpen = ({ state }: JobView): boolean => jobFacts[state].inDoubt;
export const openDoubts = ({ state }: LedgerAudit): readonly JobView[] =>
  viewsOf(state).filter(isOpen);

/** Workers that were killed leave unfinished files there, which a later one sweeps. */
const handsFolder = '.shotlist-hands';

const netCredits = (paid: readonly Paid[]): number => paid.reduce((sum, { net }) => sum + net, 0);

/** At any moment, nothing is paid twice, no charge is unknown, and nothing is deleted unsaved. */
export function checkAlways(audit: LedgerAudit, checkContext: CheckContext): readonly string[] {
  return [
    ...neverTwice(audit),
    ...everyChargeIsKnown(audit),
    ...nothingIsInvented(audit),
    ...outputsAreWhole(audit, checkContext),
    ...deletedIsSaved(audit, checkContext),
    ...neverOverspent(audit, checkContext),
  ];
}

function neverTwice({ paid }: LedgerAudit): readonly string[] {
  const charged = new Map<string, Paid[]>();
  for (const one of paid)
    if (one.net > 0) charged.set(one.task, [...(charged.get(one.task) ?? []), one]);
  return [...charged]
    .filter(([, list]) => list.length > 1)
    .map(
      ([task, list]) =>
        `${task} is charged ${list.length} times: ${list.map(({ project, name }) => `${project} (${name})`).join(', ')}`,
    );
}

/** Each charge belongs to a job that names its project, or is listed as an open doubt under its unique name. */
function everyChargeIsKnown({ paid, state }: LedgerAudit): readonly string[] {
  const projects = new Set<string>();
  const open = new Set<string>();
  for (const job of viewsOf(state)) {
    if (job.project !== undefined && job.state !== 'failed') projects.add(job.project);
    if (isOpen(job) && job.name !== undefined) open.add(job.name);
  }
  return paid
    .filter(({ net, project, name }) => net > 0 && !projects.has(project) && !open.has(name))
    .map(({ project, name, net }) => `${project} (${name}) took ${net} credits and nobody knows`);
}

/** Every charge in the state file happened, at that price. The run may not know of a refund yet. */
function nothingIsInvented({ paid, state }: LedgerAudit): readonly string[] {
  const byId = new Map(paid.map((one) => [one.project, one]));
  const wrong: string[] = [];
  for (const job of viewsOf(state)) {
    if (job.project === undefined || job.state === 'failed') continue;
    const real = byId.get(job.project);
    const refunded = job.state === 'created' && real?.net === 0;
    if (real === undefined || (real.net !== job.credits && !refunded))
      wrong.push(
        `${job.tasks[0]}: ${job.project} is ${job.state} for ${job.credits} credits, the service has ${real?.net ?? 'no such project'}`,
      );
    else if (real.name !== job.name)
      wrong.push(`${job.tasks[0]}: ${job.project} is named ${real.name}, not ${job.name}`);
  }
  return wrong;
}

/** A recorded output is on disk, has the recorded digest, and is what the service made. */
function outputsAreWhole(
  { state }: LedgerAudit,
  { workspace, reference }: CheckContext,
): readonly string[] {
  const wrong: string[] = [];
  for (const { outputs } of viewsOf(state))
    for (const { path, sha256 } of outputs) {
      const found = digestAt(workspace.folder, path);
      if (found !== sha256)
        wrong.push(`${path} is recorded as ${sha256} and is ${found ?? 'gone'}`);
      else if (found !== reference.get(path)) wrong.push(`${path} is not what the service made`);
    }
  return wrong;
}

function deletedIsSaved(
  { paid, state }: LedgerAudit,
  { workspace }: CheckContext,
): readonly string[] {
  const jobs = new Map(viewsOf(state).map((job) => [job.project, job]));
  return paid
    .filter(({ there }) => !there)
    .flatMap(({ project, task }) => {
      const [output] = jobs.get(project)?.outputs ?? [];
      if (output === undefined)
        return [`${task}: ${project} was deleted and no output is recorded`];
      return digestAt(workspace.folder, output.path) === output.sha256
        ? []
        : [`${task}: ${project} was deleted and ${output.path} is not whole`];
    });
}

/** A budget applies to one run; an interrupted run and the run that resumes it count as one. */
function neverOverspent({ paid, state }: LedgerAudit, { terms }: CheckContext): readonly string[] {
  const runs = Math.max(1, state.runs().length);
  const net = netCredits(paid);
  const { charged, reserved } = state.totals();
  const committed = charged + reserved;
  return [
    ...(net > terms.budget * runs
      ? [`${net} credits in ${runs} runs, the budget of each is ${terms.budget}`]
      : []),
    ...(runs === 1 && committed > terms.budget
      ? [`${committed} credits are spent or set aside, the budget is ${terms.budget}`]
      : []),
  ];
}

/** After a run that ended by itself, both ledgers agree on everything that is neither in doubt nor in flight. */
export function checkLedgers(audit: LedgerAudit): readonly string[] {
  const { paid, state } = audit;
  if (viewsOf(state).some((job) => job.state === 'created')) return [];
  const open = new Set(openDoubts(audit).map(({ name }) => name));
  const known = netCredits(paid.filter(({ name }) => !open.has(name)));
  const { charged, reserved } = state.totals();
  const set = openDoubts(audit).reduce((sum, { reserve = 0 }) => sum + reserve, 0);
  return [
    ...(charged === known
      ? []
      : [`the runner's ledger says ${charged} credits, the service's ${known}`]),
    ...(reserved === set ? [] : [`${reserved} credits are set aside, the doubts say ${set}`]),
  ];
}

/** When everything is complete. */
export function checkEnd(
  audit: LedgerAudit,
  { workspace, terms, reference, opening }: CheckContext,
): readonly string[] {
  const { paid, state, balance } = audit;
  const wrong: string[] = [];
  const net = new Map<string, number>();
  for (const one of paid) net.set(one.task, (net.get(one.task) ?? 0) + one.net);
  const all = creditsOf(terms);
  if (netCredits(paid) !== all)
    wrong.push(`${netCredits(paid)} credits were charged for what costs ${all}`);
  if (opening - balance !== all) wrong.push(`the balance fell by ${opening - balance}, not ${all}`);
  const expected = expectedOf(terms);
  for (const task of expected.paid) {
    const credits = net.get(task) ?? 0;
    if (credits === 0) wrong.push(`${task} was not paid`);
  }
  for (const path of expected.outputs) {
    const found = digestAt(workspace.folder, path);
    if (found === undefined || found !== reference.get(path))
      wrong.push(`${path} is not there whole`);
  }
  const strays = readdirSync(workspace.output).filter(
    (name) => !reference.has(`out/${name}`) && name !== handsFolder,
  );
  if (strays.length > 0) wrong.push(`left in the output folder: ${strays.join(', ')}`);
  for (const { task, project, there, net: paidFor } of paid)
    if (there === task.startsWith('act:') && paidFor > 0)
      wrong.push(`${task}: ${project} is ${there ? 'there and should be deleted' : 'gone'}`);
  for (const job of viewsOf(state))
    if (!['supplied', 'complete', 'deleted'].includes(job.state))
      wrong.push(`${job.tasks[0]} is ${job.state} in the end`);
  for (const { task, ending } of standingTasks(state))
    wrong.push(`${task} is ${ending} in the end`);
  return wrong;
}
