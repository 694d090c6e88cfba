// shotlist as a library: the operations of the command line, with typed results.
/**
 * An operation that is refused throws a `Refusal`: its `message` is the text that the command line prints, its `problem` the
 * reason and the diagnostics with their places. Every other error is a bug. Operations on a pipeline take the value of
 * `loadPipeline`. Options have the names and the meaning of the command-line flags; paths are relative to the working
 * folder. Time comes from the `clock` option, and the environment (the key and the address of the service) from `env`.
 *
 * JSON Schemas (`shotlist/schemas/tools/…`) describe the parameters of the tools; no types are exported for them,
 * because a pipeline file is checked against the schemas, and no operation takes a request as an argument.
 *
 * @module
 */
export type { JsonObject } from './contract/base/json.ts';
export type { Code } from './contract/codes/all.ts';
export type {
  Complaint,
  Diagnostic,
  IncludedTexts,
  Obstacle,
} from './contract/yaml/diagnostic.ts';
export type { ItemFilter } from './runner/adapters/files/items.ts';
export type { ListenAddress } from './runner/adapters/http/event-receiver.ts';
export type { CreditTotals } from './runner/journal/ledger.ts';
export type { Header, JobLine, RunLine, TaskLine } from './runner/journal/line.ts';
export type { PipelineDocument } from './runner/language/schema.ts';
export { audit } from './runner/operations/audit.ts';
export { type ExplainFileOptions, explainFile } from './runner/operations/explain-file.ts';
export type { OutsideOptions } from './runner/operations/files/boundary.ts';
export type { PathOptions } from './runner/operations/files/run-paths.ts';
export { type FmtOptions, type Formatted, fmt, fmtText } from './runner/operations/fmt.ts';
export {
  type FollowStatusOptions,
  followStatus,
  type StatusLook,
} from './runner/operations/follow-status.ts';
export { type Forgettable, type Forgotten, forget } from './runner/operations/forget.ts';
export { type Graphed, type GraphOptions, graph } from './runner/operations/graph.ts';
export { type Initialized, type InitOptions, init } from './runner/operations/init.ts';
export {
  type LivePage,
  type LivePageOptions,
  openLivePage,
} from './runner/operations/live-page.ts';
export { type LogOptions, type LogRead, readLog } from './runner/operations/log.ts';
export { type MergedState, type MergeOptions, merge } from './runner/operations/merge.ts';
export {
  type Monitor,
  type MonitoringOptions,
  openMonitor,
} from './runner/operations/monitoring.ts';
export { type Picked, type PickOptions, pick } from './runner/operations/pick.ts';
export type { GivenInputs } from './runner/operations/pipeline/inputs.ts';
export { type LoadOptions, loadPipeline } from './runner/operations/pipeline/load.ts';
export type { LoadedPipeline } from './runner/operations/pipeline/loaded-pipeline.ts';
export { type Problem, Refusal, renderProblem } from './runner/operations/pipeline/problem.ts';
export {
  type Planned,
  type PlanOptions,
  plan,
  UnrunnablePlan,
} from './runner/operations/plan.ts';
export type { SelectionOptions } from './runner/operations/planning/item-selection.ts';
export type { PrepareOptions } from './runner/operations/planning/prepare.ts';
export type { SavedChoices } from './runner/plan/plan-record.ts';
export {
  readSavedPlan,
  type SavedPlan,
} from './runner/operations/planning/saved-plan.ts';
export {
  type Orphans,
  orphans,
  type Prunable,
  type Pruned,
  type PruneOptions,
  prune,
  type Refused,
} from './runner/operations/prune.ts';
export {
  type ExportedReceipts,
  exportReceipts,
  type ForgetReceiptsOptions,
  type ForgottenReceipts,
  forgetReceipts,
  type ImportedReceipts,
  importReceipts,
  type ReceiptFacts,
  type ReceiptList,
  type ReceiptsOptions,
  receipts,
} from './runner/operations/receipts.ts';
export { type RefreshOptions, refresh } from './runner/operations/refresh.ts';
export {
  type Proposal,
  type Repaired,
  type RepairOptions,
  repair,
} from './runner/operations/repair.ts';
export { type Reported, type ReportOptions, report } from './runner/operations/report.ts';
export {
  planReroll,
  type Rerolled,
  type RerollOptions,
  reroll,
} from './runner/operations/reroll.ts';
export {
  type Judge,
  type OpenDoubt,
  type Resolution,
  type Resolved,
  type ResolvedAll,
  resolve,
  resolveAll,
  type Verdict,
} from './runner/operations/resolve.ts';
export { type ResolvedPipeline, resolvedPipeline } from './runner/operations/resolved.ts';
export type { RunQuestion } from './runner/operations/run/run-question.ts';
export { type Ran, type RunOptions, run } from './runner/operations/run.ts';
export {
  type RunEnd,
  type Scheduled,
  type ScheduledRunOptions,
  type ScheduleOptions,
  schedule,
} from './runner/operations/schedule.ts';
export type { Balance } from './runner/operations/service/balance.ts';
export type { Speed } from './runner/operations/service/local-service.ts';
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
export {
  type Proposals,
  type ProposedTool,
  proposeTools,
} from './runner/operations/starting/proposals.ts';
export type { EditOptions } from './runner/operations/state/edit-state.ts';
export type { LocateOptions } from './runner/operations/state/locate-state.ts';
export {
  type StatusItems,
  type StatusOptions,
  type StatusReport,
  status,
} from './runner/operations/status.ts';
export { type TickOptions, tick } from './runner/operations/tick.ts';
export {
  type Consent,
  distrust,
  type Trusted,
  type TrustOptions,
  trust,
  trustedFiles,
} from './runner/operations/trust.ts';
export { type Validated, type ValidStep, validate } from './runner/operations/validate.ts';
export {
  type Watched,
  type WatchedRunOptions,
  type WatchOptions,
  watch,
} from './runner/operations/watch.ts';
export type { CalendarLimit } from './runner/plan/calendar-budget.ts';
export type { EnvUse } from './runner/plan/env-uses.ts';
export type { OrphanCounts } from './runner/plan/orphan.ts';
export type { PaidAlready, PaidBy, PaidSource, PaidTask } from './runner/plan/paid-already.ts';
export type { Plan, PlanNote, PlannedTake, PlanRow } from './runner/plan/plan.ts';
export type { PlanReading } from './runner/plan/plan-reading.ts';
export type { PlanReason } from './runner/plan/plan-reasons.ts';
export type { Damage } from './runner/repair/damage.ts';
export type { Audited, Difference, DriftChange, Refreshed } from './runner/report/drift.ts';
export type { FileStory, ResultStory, UploadStory } from './runner/report/file-story.ts';
export type { GraphFormat } from './runner/report/graph/graph-format.ts';
export type {
  GraphEdge,
  GraphItems,
  GraphStep,
  PipelineGraph,
} from './runner/report/graph/pipeline-graph.ts';
export type { LiveFacts } from './runner/report/live/live-facts.ts';
export type { LogLine } from './runner/report/log-line.ts';
export type { Origin, OriginInput } from './runner/report/origin.ts';
export type { RunEvent, RunOutcome, Summary, TaskEnding } from './runner/report/run-event.ts';
export type { RunObserver, RunWatch } from './runner/report/run-watch.ts';
export type { ScheduleEvent, ScheduleProblem } from './runner/report/schedule-event.ts';
export type { Status } from './runner/report/status.ts';
export type {
  ItemStatus,
  ItemsStatus,
  StepStatus,
  TaskStatus,
} from './runner/report/status-items.ts';
export type { Take, Takes } from './runner/report/takes.ts';
export type { WatchEvent } from './runner/report/watch-event.ts';
export type { Clock } from './runner/run/jobs/ports.ts';
