// `audit`: compares the ledger of the state file with the service's own figures, project by project. Changes nothing.
import { explainFailure } from '../../contract/api/failure.ts';
import { ok, type Result } from '../../contract/base/result.ts';
import type { Ledger } from '../journal/ledger.ts';
import { chargedHere, jobFacts } from '../journal/state.ts';
import type { Audited, Difference } from '../report/drift.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { inquire, knownProjects } from './service/inquiry.ts';
import type { LedgerEntry } from './service/local-service.ts';
import { type EditOptions, editState } from './state/edit-state.ts';

/**
 * Compares the ledger of the state file with the service's own figures, project by project. Changes nothing.
 *
 * @example
 * ```ts
 * import { audit, loadPipeline, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const audited = await audit(loaded.value);
 * if (audited.ok) console.log(audited.value.differences.length, 'differences');
 * else console.log(renderProblem(audited.error));
 * ```
 */
export async function audit(
  loaded: LoadedPipeline,
  options: EditOptions = {},
): Promise<Result<Audited, Problem>> {
  return await editState(loaded, options, async ({ journal, clock, connect, header }) => {
    const service = await connect();
    if (!service.ok) return service;
    const { ledger } = journal;
    const differences: Difference[] = [];
    const unreported = { projects: 0, credits: 0 };
    let projects = 0;
    for await (const inquired of inquire(ledger, service.value.api, clock)) {
      projects += 1;
      const { job, project, credits: recorded, answer } = inquired;
      const reported = answer.ok ? answer.value.credits_charged : undefined;
      if (reported === undefined) {
        unreported.projects += 1;
        unreported.credits += recorded;
        if (!answer.ok && answer.error.reason !== 'not-found')
          differences.push({
            project,
            tasks: job.tasks,
            recorded,
            reported: 0,
            why: explainFailure(answer.error),
          });
      } else if (reported !== recorded) {
        differences.push({ project, tasks: job.tasks, recorded, reported, why: 'other credits' });
      }
    }
    const entries = service.value.ledger?.();
    if (entries !== undefined) differences.push(...unknown(ledger, header.pipeline, entries));
    let jobs = 0;
    const doubts = { jobs: 0, credits: 0 };
    for (const job of ledger.jobs()) {
      jobs += chargedHere(job);
      if (!jobFacts[job.state].inDoubt) continue;
      doubts.jobs += 1;
      doubts.credits += job.reserve ?? 0;
    }
    return ok({ projects, credits: ledger.total, jobs, differences, unreported, doubts });
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
    const own = known.get(project);
    if (own === undefined)
      return [
        {
          project,
          tasks: [],
          recorded: 0,
          reported,
          why: `charged for ${JSON.stringify(name)}, and not known to ${pipeline}`,
        },
      ];
    return own.credits === reported
      ? []
      : [
          {
            project,
            tasks: own.job.tasks,
            recorded: own.credits,
            reported,
            why: 'other credits by its ledger',
          },
        ];
  });
}
