// When a job of the state file happened, as far as its line tells.
import type { JobView } from './job-view.ts';

/** interface.md, Project record: an address lasts 24 hours from when the project is complete. */
const addressLifetimeMs = 24 * 3_600_000;

/** Epoch milliseconds. A deleted project was complete earlier than the state file's time says. */
export function timesOf(job: JobView): { readonly began?: number; readonly ended?: number } {
  const at = Date.parse(job.at);
  const told = job.result?.['created_at'];
  const created = typeof told === 'string' ? Date.parse(told) : Number.NaN;
  const began = created <= at ? { began: created } : {};
  if (job.state === 'created' || job.state === 'intended' || job.state === 'doubt')
    return { began: at };
  const complete =
    job.expires === undefined ? Number.NaN : Date.parse(job.expires) - addressLifetimeMs;
  const known = complete <= at && !(complete < created);
  return { ...began, ended: known ? complete : at };
}

/** When its credits were charged, in epoch milliseconds. */
export function chargedAt(job: JobView): number {
  const { began, ended } = timesOf(job);
  return began ?? ended ?? Date.parse(job.at);
}
