// `audit`: compares the ledger of the state file with the service's own figures, project by project. Changes nothing.
import { explainFailure } from '../../contract/api/failure.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { Refusal, refusedKey } from '../../language/load/refusal.ts';
import { doubtsIn, viewsOf } from '../../model/job-view.ts';
import type { Ledger, Totals } from '../../model/record/ledger.ts';
import { chargedHere } from '../../model/state.ts';
import { inquire, isRefusedKey, knownProjects } from '../../service-api/inquiry.ts';
import type { LedgerEntry } from '../../service-api/local-service.ts';
import { type EditOptions, editState } from '../edit-state.ts';

export interface Difference {
  readonly project: string;
  readonly tasks: readonly string[];
  /** Credits by the state file. */
  readonly recorded: number;
  /** Credits by the service. */
  readonly reported: number;
  readonly why: string;
}

export interface Audited {
  readonly projects: number;
  readonly credits: Totals;
  /** The total cost of the jobs in the state file; the runs must have the same total. */
  readonly jobs: number;
  readonly differences: readonly Difference[];
  /** Projects that the service no longer reports, such as deleted projects, and their credits by the state file. */
  readonly unreported: { readonly projects: number; readonly credits: number };
  /** Creations in doubt, and the credits reserved for them. */
  readonly doubts: { readonly jobs: number; readonly credits: number };
}

/**
 * Compares the ledger of the state file with the service's own figures, project by project, and with the other records of
 * the same payments: the version of the file in git's HEAD, and your receipts. Changes nothing.
 *
 * @example
 * ```ts
 * import { audit, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const audited = await audit(pipeline);
 * console.log(audited.differences.length, 'differences');
 * ```
 */
export async function audit(loaded: LoadedPipeline, options: EditOptions = {}): Promise<Audited> {
  return await editState(loaded, options, async (edit) => {
    const { journal, clock, connect, header } = edit;
    const service = await connect();
    const { ledger } = journal;
    const differences: Difference[] = [];
    const unreported = { projects: 0, credits: 0 };
    let projects = 0;
    for await (const inquired of inquire(ledger, service.api, clock)) {
      projects += 1;
      if (isRefusedKey(inquired.answer)) throw new Refusal(refusedKey('audit'));
      const { job, project, credits: recorded, answer } = inquired;
      const reported = answer.ok ? answer.value.credits_charged : undefined;
      if (!answer.ok && answer.error.reason !== 'not-found') {
        const why = explainFailure(answer.error);
        differences.push({ project, tasks: job.tasks, recorded, reported: 0, why });
      } else if (reported === undefined) {
        unreported.projects += 1;
        unreported.credits += recorded;
      } else if (reported !== recorded) {
        differences.push({ project, tasks: job.tasks, recorded, reported, why: 'other credits' });
      }
    }
    const entries = service.ledger?.();
    if (entries !== undefined) differences.push(...unknown(ledger, header.pipeline, entries));
    let jobs = 0;
    const doubts = { jobs: 0, credits: 0 };
    for (const job of viewsOf(ledger)) jobs += chargedHere(job);
    for (const { reserve = 0 } of doubtsIn(ledger)) {
      doubts.jobs += 1;
      doubts.credits += reserve;
    }
    return { projects, credits: ledger.totals(), jobs, differences, unreported, doubts };
  });
}

/** The local service's ledger is complete: charges for this pipeline that the state file does not know. */
function unknown(
  ledger: Ledger,
  pipeline: string,
  entries: readonly LedgerEntry[],
): readonly Difference[] {
  const known = new Map([...knownProjects(ledger)].map((one) => [one.project, one]));
  const sums = new Map<string, { name: string; credits: number }>();
  for (const { kind, project, name, credits } of entries) {
    if (kind === 'adjustment' || project === null) continue;
    const sum = sums.get(project)?.credits ?? 0;
    sums.set(project, {
      name: name ?? '',
      credits: sum + (kind === 'charge' ? credits : -credits),
    });
  }
  return [...sums].flatMap(([project, { name, credits: reported }]): readonly Difference[] => {
    const { job, credits: recorded = 0 } = known.get(project) ?? {};
    if (recorded === reported && job !== undefined) return [];
    const why =
      job === undefined
        ? `charged for ${JSON.stringify(name)}, and not known to ${pipeline}`
        : 'other credits by its ledger';
    return [{ project, tasks: job?.tasks ?? [], recorded, reported, why }];
  });
}
