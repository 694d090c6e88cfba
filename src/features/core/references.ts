// What the plan of the new core refers to in the state file, for whoever looks for orphans.
import { digestFrom } from '../../base/digest.ts';
import { calendarCaps } from '../../core/calendar-budget.ts';
import { plannedAction } from '../../core/findings.ts';
import { makePlan } from '../../core/plan.ts';
import type { Clock, Disk } from '../../core/ports.ts';
import { compileProgram } from '../../core/program.ts';
import { pickedTakes } from '../../core/takes.ts';
import type { See } from '../../core/walk.ts';
import type { ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { fingerprintFrom } from '../../model/fingerprint.ts';
import type { Ledger } from '../../model/ledger.ts';
import { identityOf } from '../../model/run-identity.ts';
import { allTakes } from '../../model/take-index.ts';
import { baseAt, belowOutput, reallyAt } from '../planning/plan-problems.ts';
import { PlanReferences } from '../prune/plan-references.ts';
import { factsOf, placed } from './planning.ts';

/** A plan that begins anew refers to nothing. */
export async function referencesTo(
  ledger: Ledger,
  { folder }: BoundPipeline,
  disk: Disk,
): Promise<() => PlanReferences> {
  const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
  const below = belowOutput({ root: await reallyAt(output), folder: await reallyAt(folder) });
  return () =>
    new PlanReferences(
      (job) => ledger.job(job),
      (first) => allTakes(ledger, first),
      below,
    );
}

/** Tells of each task of a plan when it ends. */
export const seenBy =
  (references: PlanReferences, ledger: Ledger): See =>
  (task, end) => {
    if (end === undefined) return;
    const { step, kind, file, fingerprint, first, scope } = task;
    if (kind.operation === 'download' || kind.operation === 'delete') return;
    const isNamed = fingerprint !== '' && scope.index !== '?';
    const known = first === '' ? 1 : 1 + ledger.record.takes(first).length;
    references.add({
      ...{ step, file, action: plannedAction(task, end) },
      fingerprint: isNamed ? nameOf(fingerprint) : undefined,
      take: known > 1 ? { known, first: nameOf(first) } : undefined,
    });
  };

const nameOf = (fingerprint: string) => fingerprintFrom(digestFrom(fingerprint));

/** The plan of all items, for a command that has the state file open and runs nothing. */
export async function referencesHere(
  bound: BoundPipeline,
  { ledger, clock, disk, items }: { ledger: Ledger; clock: Clock; disk: Disk; items: ItemList },
): Promise<PlanReferences> {
  const { record } = ledger;
  const { due } = identityOf(ledger.runs(), {});
  const anew = await referencesTo(ledger, bound, disk);
  let references = anew();
  await makePlan({
    program: compileProgram(bound.pipeline),
    setting: {
      ledger: record,
      facts: factsOf(disk, () => true),
      receipts: { get: () => undefined },
      takes: pickedTakes(record),
      base: baseAt(bound, due, clock.now()),
      digest: (path) => disk.digest({ in: 'input', path }),
      excluded: new Set(),
      payAgain: new Set(),
      unusable: () => undefined,
      now: () => clock.now(),
      isWhole: true,
      signal: new AbortController().signal,
    },
    items: placed(items),
    count: items.count,
    caps: { run: undefined, perItem: undefined, calendar: calendarCaps(bound.pipeline) },
    run: () => undefined,
    now: () => clock.now(),
    tellsCaps: false,
    ignoresOwed: true,
    see: () => {
      references = anew();
      return seenBy(references, ledger);
    },
  });
  return references;
}
