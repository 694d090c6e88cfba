// What a plan refers to in the state file, for whoever looks for orphans.
import { digestFrom } from '../../base/digest.ts';
import { plannedAction } from '../../core/findings.ts';
import type { Clock, Disk } from '../../core/ports.ts';
import { takesOf } from '../../core/takes.ts';
import type { See } from '../../core/walk.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { fingerprintFrom } from '../../model/fingerprint.ts';
import { viewIn } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { ItemsHere } from '../planning/here.ts';
import { walkHere } from '../planning/here.ts';
import { outputsOf } from '../planning/plan-problems.ts';
import { PlanReferences } from './plan-references.ts';

/** A plan that begins anew refers to nothing. */
export async function referencesTo(
  ledger: Ledger,
  { folder }: BoundPipeline,
  disk: Disk,
): Promise<() => PlanReferences> {
  const { path: output } = disk.fileAt({ in: 'output', path: disk.recordedAs('') });
  const { below } = await outputsOf(output, folder);
  return () =>
    new PlanReferences(
      (job) => viewIn(ledger, job),
      (first) => takesOf(ledger, first),
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
    const known = first === '' ? 1 : 1 + ledger.takes(first).length;
    references.add({
      ...{ step, file, action: plannedAction(task, end) },
      fingerprint: isNamed ? nameOf(fingerprint) : undefined,
      take: known > 1 ? { known, first: nameOf(first) } : undefined,
    });
  };

const nameOf = (fingerprint: string) => fingerprintFrom(digestFrom(fingerprint));

/** What the tasks of all items refer to, for a command that has the state file open and runs nothing. */
export async function referencesHere(
  bound: BoundPipeline,
  here: Pick<ItemsHere, 'items' | 'disk' | 'base'>,
  { ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock },
): Promise<PlanReferences> {
  const anew = await referencesTo(ledger, bound, here.disk);
  const references = anew();
  await walkHere(bound, here, { ledger, clock }, seenBy(references, ledger));
  return references;
}
