// The tasks of a pipeline as a run would find them now, for a command that runs nothing.

import { plannedAction } from '../../core/findings.ts';
import type { PlannedAction } from '../../core/planned-action.ts';
import type { Clock } from '../../core/ports.ts';
import { compileProgram } from '../../core/program.ts';
import { textOf } from '../../core/reason.ts';
import type { Task } from '../../core/scope.ts';
import { pickedTakes } from '../../core/takes.ts';
import { DryPerformer, type See, Walk } from '../../core/walk.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Step } from '../../language/pipeline.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { Receipts } from '../../state/receipts.ts';
import type { ItemsHere } from './items-here.ts';
import { factsOf, placed, receiptsPort } from './planning.ts';

export interface TaskHere {
  readonly task: string;
  readonly step: Step;
  readonly action: PlannedAction;
  readonly why: string;
  /** Of a creation: the job of its first take, the number of the one that counts, and how many there are. */
  readonly take?:
    | { readonly first: string; readonly number: number; readonly known: number }
    | undefined;
}

export type Tasks = ReadonlyMap<string, TaskHere>;

interface Known {
  readonly ledger: Ledger;
  /** Default: what others have paid for does not count. */
  readonly receipts?: Receipts | undefined;
  readonly clock: Clock;
}

/** Tells of each task; nothing is done. */
export async function walkHere(
  bound: BoundPipeline,
  { items, disk, base }: Pick<ItemsHere, 'items' | 'disk' | 'base'>,
  { ledger, receipts, clock }: Known,
  see: See,
): Promise<void> {
  const setting = {
    ledger,
    base,
    receipts:
      receipts === undefined
        ? { get: () => undefined }
        : receiptsPort(receipts, bound.pipeline.reusesOwnOnly),
    // Nothing is written.
    facts: factsOf(disk, () => true),
    unusable: () => undefined,
    now: () => clock.now(),
    takes: pickedTakes(ledger),
    digest: (path: string) => disk.digest({ in: 'input', path }),
    excluded: new Set<string>(),
    payAgain: new Set<string>(),
    saveAgain: new Set<string>(),
    shared: new Set<string>(),
    window: 1,
    isWhole: items.count >= items.total,
    signal: new AbortController().signal,
  };
  const walk = new Walk(compileProgram(bound.pipeline), setting, new DryPerformer(), see);
  await walk.run(placed(items));
}

/** By name. */
export async function tasksHere(
  bound: BoundPipeline,
  here: ItemsHere,
  known: Known,
): Promise<Tasks> {
  const tasks = new Map<string, TaskHere>();
  await walkHere(bound, here, known, (task, end) => {
    if (end !== undefined) tasks.set(task.id, taskHere(task, end));
  });
  return tasks;
}

export function taskHere(task: Task, end: NonNullable<Task['end']>): TaskHere {
  const { id, step, first, take, others, reason } = task;
  const why = end.why === '' && reason !== undefined ? textOf(reason) : end.why;
  const chosen = first === '' ? undefined : { first, number: take, known: 1 + others.length };
  return { task: id, step, action: plannedAction(task, end), why, take: chosen };
}
