// Why one task runs, or does not: what has changed since its last project, field by field.
import type { Code } from '../contract/codes/all.ts';
import type { KeptManifest } from '../model/manifest.ts';
import type { PaidTask } from './paid-already.ts';
import type { Candidate, EarlierJob } from './plan-reasons.ts';
import type { PlannedAction } from './planned-action.ts';
import { type Change, changesOf } from './task-changes.ts';

export interface Explanation {
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
  readonly code?: Code;
  /** Credits that it would cost; absent if it is free, or if the price is not known. */
  readonly credits?: number;
  /** What the user's receipts say of it; absent if the state file alone knows it. */
  readonly paid?: PaidTask;
  /** The last job that the task had before; absent if it never had another one. */
  readonly earlier?: EarlierJob;
  /** What has changed since then; absent if the state file's manifests do not have that job. */
  readonly changes?: readonly Change[];
}

export function explanationOf(
  { planned, uploads }: Candidate,
  earlier: EarlierJob | undefined,
  manifests: ReadonlyMap<string, KeptManifest>,
): Explanation {
  const { step, task, action, why, problem, estimate, manifest } = planned;
  const about = {
    ...{ task, action, why },
    code: problem?.code,
    ...(estimate?.known === true ? { credits: estimate.credits } : {}),
  };
  const { operation } = step.kind;
  const hasOwnJob = operation !== 'download' && operation !== 'delete';
  if (earlier === undefined || !hasOwnJob) return about;
  const before = manifests.get(earlier.job);
  const known = { uploads, manifests };
  const changes = before === undefined ? {} : { changes: changesOf(before, manifest?.(), known) };
  return { ...about, earlier, ...changes };
}
