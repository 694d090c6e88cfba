// shotlist as a library: the operations of the command line, with typed results.
/**
 * An operation that is refused throws a `Refusal`: its `message` is the text that the command line prints, its `problem` the
 * reason and the diagnostics with their places. Every other error is a bug. Operations on a pipeline take the value of
 * `loadPipeline`. Options have the names and the meaning of the command-line flags; paths are relative to the working
 * folder. Time comes from the `clock` option, and the environment (the key and the address of the service) from `env`.
 *
 * `shotlist tools <kind> --json` describes the parameters of a tool; no types are exported for them, because a pipeline file
 * is checked against their schemas, and no operation takes a request as an argument.
 *
 * @module
 */
export type { JsonObject } from './base/json.ts';
export type { Code } from './contract/codes.ts';
export type {
  Complaint,
  Diagnostic,
  Obstacle,
} from './contract/yaml/diagnostic.ts';
export type { CalendarLimit } from './core/calendar-budget.ts';
export type { EnvUse } from './core/env-uses.ts';
export type {
  PaidAlready,
  PaidBy,
  PaidSource,
  PaidTask,
  Plan,
  PlanNote,
  PlannedTake,
  PlanRow,
} from './core/plan-table.ts';
export type { Clock } from './core/ports.ts';
export type { RunEvent, RunOutcome, Summary, TaskEnding } from './core/run-event.ts';
export type { Take, Takes } from './core/takes.ts';
export type { PlanReason } from './core/why.ts';
export { type Audited, audit, type Difference } from './features/drift/audit.ts';
export {
  type DriftChange,
  type Refreshed,
  type RefreshOptions,
  refresh,
} from './features/drift/refresh.ts';
export type { EditOptions } from './features/edit-state.ts';
export { type Initialized, type InitOptions, init } from './features/init/init.ts';
export {
  type Proposals,
  type ProposedTool,
  proposeTools,
} from './features/init/survey.ts';
export {
  graph,
  type Planned,
  type PlanOptions,
  plan,
  type ResolvedPipeline,
  resolvedPipeline,
  UnrunnablePlan,
} from './features/plan/plan.ts';
export type { PrepareOptions } from './features/planning/options.ts';
export type { PlanReading } from './features/planning/reading.ts';
export type { SelectionOptions } from './features/planning/selected-items.ts';
export type { OrphanCounts } from './features/prune/orphan.ts';
export {
  type Orphans,
  orphans,
  type Prunable,
  type Pruned,
  type PruneOptions,
  prune,
  type Refused,
} from './features/prune/prune.ts';
export {
  type ReceiptFacts,
  type ReceiptList,
  type ReceiptsOptions,
  receipts,
} from './features/receipts/receipts.ts';
export {
  type Repaired,
  type RepairOptions,
  repair,
} from './features/repair/repair.ts';
export { type Reported, type ReportOptions, report } from './features/report/report.ts';
export {
  type Judge,
  type Resolution,
  type Resolved,
  type ResolvedAll,
  resolve,
  resolveAll,
  type Verdict,
} from './features/resolve/resolve.ts';
export type { RunQuestion } from './features/run/context.ts';
export { type Ran, type RunOptions, run } from './features/run/run.ts';
export type {
  ItemStatus,
  ItemsStatus,
  StepStatus,
  TaskStatus,
} from './features/status/recorded-tasks.ts';
export type { Status } from './features/status/status.ts';
export {
  type StatusItems,
  type StatusOptions,
  type StatusReport,
  status,
} from './features/status/status.ts';
export { type Picked, type PickOptions, pick } from './features/takes/pick.ts';
export {
  planReroll,
  type Rerolled,
  type RerollOptions,
  reroll,
} from './features/takes/reroll.ts';
export {
  type Consent,
  distrust,
  type Trusted,
  type TrustOptions,
  trust,
  trustedFiles,
} from './features/trust/trust.ts';
export {
  type LivePage,
  type LivePageOptions,
  openLivePage,
} from './features/ui/live-page.ts';
export { type Validated, type ValidStep, validate } from './features/validate/validate.ts';
export { type WorkerEvent, type WorkerOptions, worker } from './features/worker/worker.ts';
export type { OutsideOptions } from './files/boundary.ts';
export type { ItemFilter } from './files/items.ts';
export type { GivenInputs } from './language/load/inputs.ts';
export { type LoadOptions, loadPipeline } from './language/load/load.ts';
export type { LoadedPipeline } from './language/load/loaded-pipeline.ts';
export { type Problem, Refusal, renderProblem } from './language/load/refusal.ts';
export type { PipelineDocument } from './language/schema.ts';
export type { Doubt, JobState, JobView } from './model/job-view.ts';
export type { Totals } from './model/record/ledger.ts';
export type { Balance } from './service-api/check-service.ts';
export type { ListenAddress } from './service-api/event-receiver.ts';
export type { Speed } from './service-api/local-service.ts';
export {
  type FaultsDocument,
  type LedgerEntry,
  type LocalService,
  type Pictures,
  type ServiceOptions,
  startService,
} from './service-api/local-service.ts';
export type { TargetOptions } from './service-api/target.ts';
export type { WebhookOptions } from './service-api/webhooks.ts';
export type { LocateOptions } from './state/locate-state.ts';
export type { PathOptions } from './state/run-paths.ts';
export {
  type RunEnd,
  type Scheduled,
  type ScheduledRunOptions,
  type ScheduleOptions,
  schedule,
} from './triggers/schedule/schedule.ts';
export { type TickOptions, tick } from './triggers/tick/tick.ts';
export {
  type Watched,
  type WatchedRunOptions,
  type WatchOptions,
  watch,
} from './triggers/watch/watch.ts';
export type { LiveFacts } from './views/live/live-facts.ts';
export type {
  ScheduleEvent,
  TriggerProblem as ScheduleProblem,
  WatchEvent,
} from './views/trigger-events.ts';
