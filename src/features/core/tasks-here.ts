// The tasks of a pipeline as a run would find them now, for a command about some of them that runs nothing.
import type { ReceiptsPort } from '../../core/facts.ts';
import { plannedAction } from '../../core/findings.ts';
import type { Clock } from '../../core/ports.ts';
import { compileProgram } from '../../core/program.ts';
import { textOf } from '../../core/reason.ts';
import { pickedTakes } from '../../core/takes.ts';
import { DryPerformer, Walk } from '../../core/walk.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import type { Receipts } from '../../state/receipts.ts';
import type { ItemsHere } from '../planning/items-here.ts';
import { factsOf, placed, receiptsPort } from './planning.ts';

export type TaskHere = Pick<PlannedTask, 'step' | 'task' | 'action' | 'why'> & {
  /** Of a creation: the job of its first take, and the number of the one that counts. */
  readonly take?: { readonly first: string; readonly number: number } | undefined;
};

export type Tasks = ReadonlyMap<string, TaskHere>;

export async function tasksByCore(
  bound: BoundPipeline,
  { items, disk, base }: ItemsHere,
  {
    ledger,
    receipts,
    clock,
  }: { readonly ledger: Ledger; readonly receipts: Receipts; readonly clock: Clock },
): Promise<Tasks> {
  const { pipeline } = bound;
  const tasks = new Map<string, TaskHere>();
  const port: ReceiptsPort = receiptsPort(receipts, pipeline.reusesOwnOnly);
  const setting = {
    ledger,
    base,
    receipts: port,
    // Nothing is written.
    facts: factsOf(disk, () => true),
    unusable: () => undefined,
    now: () => clock.now(),
    takes: pickedTakes(ledger),
    digest: (path: string) => disk.digest({ in: 'input', path }),
    excluded: new Set<string>(),
    payAgain: new Set<string>(),
    shared: new Set<string>(),
    window: 1,
    isWhole: items.count >= items.total,
    signal: new AbortController().signal,
  };
  const walk = new Walk(compileProgram(pipeline), setting, new DryPerformer(), (task, end) => {
    if (end === undefined) return;
    const { id, step, first, take, reason } = task;
    const why = end.why === '' && reason !== undefined ? textOf(reason) : end.why;
    const action = plannedAction(task, end);
    const chosen = first === '' ? undefined : { first, number: take };
    tasks.set(id, { task: id, step, action, why, take: chosen });
  });
  await walk.run(placed(items));
  return tasks;
}
