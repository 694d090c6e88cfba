// shotlist as a library: the operations of the command line, with typed results.
/**
 * Every operation returns a `Result`: `{ ok: true, value }`, or `{ ok: false, error }` with a `Problem`, which
 * `renderProblem` turns into text. An operation throws only for a bug. Operations on a pipeline take the value of
 * `loadPipeline`. Options have the names and the meaning of the command-line flags; paths are relative to the working
 * folder. Time comes from the `clock` option, and the environment (the key and the address of the service) from `env`.
 *
 * JSON Schemas (`shotlist/schemas/tools/…`) describe the parameters of the tools; no types are exported for them,
 * because a pipeline file is checked against the schemas, and no operation takes a request as an argument.
 *
 * @module
 */
export type { JsonObject } from './contract/base/json.ts';
export type { Result } from './contract/base/result.ts';
export type { Diagnostic } from './contract/yaml/diagnostic.ts';
export type { ItemFilter } from './runner/adapters/files/items.ts';
export type { ListenAddress } from './runner/adapters/http/event-receiver.ts';
export type { CreditTotals } from './runner/journal/ledger.ts';
export type { Header, JobLine, RunLine, TaskLine } from './runner/journal/line.ts';
export type { PipelineDocument } from './runner/language/schema.ts';

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
export { audit } from './runner/operations/audit.ts';
export type { OutsideOptions } from './runner/operations/files/boundary.ts';
export type { PathOptions } from './runner/operations/files/run-paths.ts';

/**
 * Has the next run do a task again. What the task cost stays in the ledger.
 *
 * @example
 * ```ts
 * import { forget, loadPipeline, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const forgotten = await forget(loaded.value, { by: 'task', task: 'save:one' });
 * console.log(forgotten.ok ? forgotten.value.tasks : renderProblem(forgotten.error));
 * ```
 */
export { type Forgettable, type Forgotten, forget } from './runner/operations/forget.ts';
/**
 * Merges two state files with a common ancestor into the union of their payments.
 *
 * @example
 * ```ts
 * import { merge, renderProblem } from 'shotlist';
 *
 * const merged = await merge({ base: 'base.jsonl', ours: 'ours.jsonl', theirs: 'theirs.jsonl' });
 * if (merged.ok) console.log(merged.value.paidTwice.length, 'paid twice');
 * else console.log(renderProblem(merged.error));
 * ```
 */
export { type MergedState, type MergeOptions, merge } from './runner/operations/merge.ts';
/**
 * Opens a monitor: `/healthz`, `/readyz` and `/metrics` of the runs that get it as their option `monitor`.
 *
 * @example
 * ```ts
 * import { loadPipeline, openMonitor, renderProblem, run } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const monitor = await openMonitor({ listen: { host: '127.0.0.1', port: 0 } });
 * if (!monitor.ok) throw new Error(renderProblem(monitor.error));
 * await run(loaded.value, { rehearse: true, rehearsalPictures: 'plain', monitor: monitor.value });
 * console.log(await (await fetch(`${monitor.value.address}/metrics`)).text());
 * await monitor.value.close();
 * ```
 */
export {
  type Monitor,
  type MonitoringOptions,
  openMonitor,
} from './runner/operations/monitoring.ts';
export type { GivenInputs } from './runner/operations/pipeline/inputs.ts';

/**
 * Reads and checks a pipeline file, and binds it to its inputs and environment. Sends nothing and writes nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml', { inputs: { text: 'hello' } });
 * if (loaded.ok) console.log(loaded.value.name);
 * else console.error(renderProblem(loaded.error)); // with line, column and a code frame
 * ```
 */
export { type LoadOptions, loadPipeline } from './runner/operations/pipeline/load.ts';
export type { LoadedPipeline } from './runner/operations/pipeline/loaded-pipeline.ts';
export { type Problem, renderProblem } from './runner/operations/pipeline/problem.ts';

/**
 * Says what a run would do and cost. Where a run would refuse to begin, `plan` answers the same problem; the plan that it
 * could make is in `error.planned`.
 *
 * @example
 * ```ts
 * import { loadPipeline, plan, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const planned = await plan(loaded.value, { rehearse: true });
 * if (planned.ok) console.log('at most', planned.value.plan.credits, 'credits');
 * else console.error(renderProblem(planned.error));
 * ```
 */
export {
  type Planned,
  type PlanOptions,
  type PlanProblem,
  plan,
} from './runner/operations/plan.ts';
export type { SelectionOptions } from './runner/operations/planning/item-selection.ts';
export type { PrepareOptions } from './runner/operations/planning/prepare.ts';
/**
 * `orphans` lists what earlier runs left and the pipeline no longer needs, and `prune` removes it: saved files, kept files, and
 * projects at the service whose results are saved.
 *
 * @example
 * ```ts
 * import { loadPipeline, orphans, prune, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const listed = await orphans(loaded.value);
 * if (!listed.ok) throw new Error(renderProblem(listed.error));
 * for (const { path, bytes, at } of listed.value.files) console.log(path, bytes, new Date(at));
 * const pruned = await prune(loaded.value, { listed: listed.value, olderThanMs: 30 * 86_400_000 });
 * if (pruned.ok) console.log(pruned.value.removed.files.length, 'files removed');
 * else console.log(renderProblem(pruned.error));
 * ```
 */
export {
  type Orphans,
  orphans,
  type Prunable,
  type Pruned,
  type PruneOptions,
  prune,
  type Refused,
} from './runner/operations/prune.ts';
/**
 * Reads every known project again, and brings the state file up to date with the service.
 *
 * @example
 * ```ts
 * import { loadPipeline, refresh, renderProblem } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const refreshed = await refresh(loaded.value, { onWarning: (message) => console.warn(message) });
 * if (refreshed.ok) console.log(refreshed.value.projects, 'projects read');
 * ```
 */
export { type RefreshOptions, refresh } from './runner/operations/refresh.ts';
/**
 * Lists the damage in a state file, and proposes a state file that is safe. Never changes the damaged file.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, repair } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const repaired = await repair(loaded.value);
 * if (repaired.ok && !repaired.value.intact)
 *   for (const { line, what } of repaired.value.damages) console.log(line, what);
 * ```
 */
export {
  type Proposal,
  type Repaired,
  type RepairOptions,
  repair,
} from './runner/operations/repair.ts';
/**
 * Settles a creation that is in doubt: its project is known, the service never took it, or nobody can tell.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, resolve } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const resolved = await resolve(loaded.value, 'make:one', { how: 'not-charged' });
 * if (!resolved.ok) console.log(renderProblem(resolved.error)); // make:one is not in doubt
 * ```
 */
export { type Resolution, type Resolved, resolve } from './runner/operations/resolve.ts';
/**
 * Runs a pipeline, or resumes it: nothing is paid twice. Without a key and an address, or with `rehearse`, it runs against the
 * bundled local service and costs nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, run } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const ran = await run(loaded.value, {
 *   rehearse: true,
 *   rehearsalPictures: 'plain',
 *   budget: 100,
 *   onEvent: (event) => {
 *     if (event.type === 'task') console.log(event.task, event.ending);
 *   },
 * });
 * if (ran.ok) console.log(ran.value.summary.outcome, ran.value.summary.credits.charged);
 * else console.error(renderProblem(ran.error));
 * ```
 */
export { type Ran, type RunOptions, run } from './runner/operations/run.ts';
/**
 * Runs pipelines when they are due, until `signal` is aborted; with `once`, runs what is due now and returns.
 *
 * @example
 * ```ts
 * import { renderProblem, schedule } from 'shotlist';
 *
 * const scheduled = await schedule(['pipeline.yaml'], { once: true, run: { rehearse: true } });
 * if (scheduled.ok) console.log(scheduled.value.ends, 'next due at', scheduled.value.next);
 * else console.log(renderProblem(scheduled.error)); // the pipeline has no schedule
 * ```
 */
export {
  type RunEnd,
  type Scheduled,
  type ScheduledRunOptions,
  type ScheduleOptions,
  schedule,
} from './runner/operations/schedule.ts';
export type { Balance } from './runner/operations/service/balance.ts';
export type { Speed } from './runner/operations/service/local-service.ts';

/**
 * Starts the local service in this process: the interface of the hosted service, for rehearsals and tests.
 *
 * @example
 * ```ts
 * import { startService } from 'shotlist';
 *
 * const service = await startService({ pictures: 'plain' });
 * console.log(service.address);
 * await service.close();
 * ```
 */
export {
  type FaultsDocument,
  type LedgerEntry,
  type LocalService,
  type Pictures,
  type ServiceOptions,
  startService,
} from './runner/operations/service/local-service.ts';
export type { TargetOptions } from './runner/operations/service/target.ts';
export type { WebhookOptions } from './runner/operations/service/webhooks.ts';
export type { EditOptions } from './runner/operations/state/edit-state.ts';
export type { LocateOptions } from './runner/operations/state/locate-state.ts';

/**
 * Says what the state file holds: credits, results that are not saved yet, doubts and failures. Sends nothing.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, status } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const report = await status(loaded.value);
 * if (report.ok) console.log(report.value.credits.charged, report.value.doubts.length);
 * else console.log(renderProblem(report.error));
 * ```
 */
export { type StatusOptions, type StatusReport, status } from './runner/operations/status.ts';

/**
 * Lets a pipeline file send the API key to the service that it names, call its hooks and use its bucket, until the file
 * changes. `distrust` takes the
 * consent back, and `trustedFiles` lists all consents.
 *
 * @example
 * ```ts
 * import { distrust, renderProblem, trust, trustedFiles } from 'shotlist';
 *
 * const trusted = trust('pipeline.yaml');
 * if (trusted.ok) console.log('the key may now be sent to', trusted.value.address);
 * else console.log(renderProblem(trusted.error)); // the pipeline file asks for nothing
 * distrust('pipeline.yaml');
 * const known = trustedFiles();
 * if (known.ok) console.log(known.value.map(({ file }) => file));
 * ```
 */
export {
  type Consent,
  distrust,
  type Trusted,
  type TrustOptions,
  trust,
  trustedFiles,
} from './runner/operations/trust.ts';

/**
 * Checks a pipeline file, and says what its steps are. Reads nothing but the file.
 *
 * @example
 * ```ts
 * import { renderProblem, validate } from 'shotlist';
 *
 * const validated = await validate('pipeline.yaml');
 * if (validated.ok) console.log(validated.value.steps.map(({ name }) => name));
 * else console.error(renderProblem(validated.error));
 * ```
 */
export { type Validated, type ValidStep, validate } from './runner/operations/validate.ts';

/**
 * Runs a pipeline when files arrive in its folder or change there, until `signal` is aborted or the service refuses the key.
 *
 * @example
 * ```ts
 * import { renderProblem, watch } from 'shotlist';
 *
 * const stop = new AbortController();
 * const watched = await watch('pipeline.yaml', {
 *   run: { rehearse: true, rehearsalPictures: 'plain' },
 *   signal: stop.signal,
 *   onEvent: (event) => {
 *     if (event.type === 'ran') stop.abort(); // one run is enough here
 *   },
 * });
 * if (watched.ok) console.log(watched.value.runs, 'runs');
 * else console.log(renderProblem(watched.error));
 * ```
 */
export {
  type Watched,
  type WatchedRunOptions,
  type WatchOptions,
  watch,
} from './runner/operations/watch.ts';
export type { CalendarLimit } from './runner/plan/calendar-budget.ts';
export type { EnvUse } from './runner/plan/env-uses.ts';
export type { OrphanCounts } from './runner/plan/orphan.ts';
export type { Plan, PlanNote, PlanRow } from './runner/plan/plan.ts';
export type { Damage } from './runner/repair/damage.ts';
export type { Audited, Difference, DriftChange, Refreshed } from './runner/report/drift.ts';
export type { RunEvent, RunOutcome, Summary, TaskEnding } from './runner/report/run-event.ts';
export type { RunObserver, RunWatch } from './runner/report/run-watch.ts';
export type { ScheduleEvent, ScheduleProblem } from './runner/report/schedule-event.ts';
export type { Status } from './runner/report/status.ts';
export type { WatchEvent } from './runner/report/watch-event.ts';
export type { Clock } from './runner/run/jobs/ports.ts';
