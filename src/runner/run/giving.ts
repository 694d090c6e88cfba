// Puts a finished task's outputs where later steps look for them.
import type { JsonObject } from '../../contract/base/json.ts';
import type { Ledger } from '../journal/ledger.ts';
import { resultOf } from '../journal/line.ts';
import type { Step } from '../language/pipeline.ts';
import { savedOutputs } from '../plan/saved-outputs.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import { namedByContent } from '../task/outputs.ts';
import type { ItemRun } from './item-run.ts';

/** `live`: as requests see them now; undefined: they are renewed when something needs them. */
export function give(
  itemRun: ItemRun,
  step: Step,
  {
    fingerprint,
    live,
    ledger,
  }: {
    readonly fingerprint: Fingerprint;
    readonly live: JsonObject | undefined;
    readonly ledger: Ledger;
  },
): void {
  const job = ledger.job(fingerprint);
  if (job === undefined) throw new Error(`bug: ${itemRun.task(step)} gave without a job`);
  const { operation } = step.kind;
  if (operation === 'download' || operation === 'delete') {
    const outputs = savedOutputs(job, itemRun.task(step));
    return itemRun.give(step, fingerprint, outputs, outputs);
  }
  const content = namedByContent(operation, fingerprint, resultOf(job), job.credits ?? 0);
  itemRun.give(step, fingerprint, content, live);
}
