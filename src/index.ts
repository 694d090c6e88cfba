// shotlist as a library: the same operations as the command line, with typed results.
export type { JsonObject } from './contract/base/json.ts';
export type { Result } from './contract/base/result.ts';
export type { CharacterReplaceRequest } from './contract/kinds/character-replace.ts';
export type { FaceSwapPhotoRequest } from './contract/kinds/face-swap-photo.ts';
export type { Diagnostic } from './contract/yaml/diagnostic.ts';
export type { PipelineDocument } from './runner/language/schema.ts';
export { audit } from './runner/operations/audit.ts';
export { type Forgettable, type Forgotten, forget } from './runner/operations/forget.ts';
export {
  type LoadedPipeline,
  type LoadOptions,
  loadPipeline,
} from './runner/operations/pipeline/load.ts';
export { type Problem, renderProblem } from './runner/operations/pipeline/problem.ts';
export { type Planned, type PlanOptions, plan } from './runner/operations/plan.ts';
export { type RefreshOptions, refresh } from './runner/operations/refresh.ts';
export { type Repaired, type RepairOptions, repair } from './runner/operations/repair.ts';
export { type Resolution, type Resolved, resolve } from './runner/operations/resolve.ts';
export { type Ran, type RunOptions, run } from './runner/operations/run.ts';
export {
  type LocalService,
  type ServiceOptions,
  startService,
} from './runner/operations/service/local-service.ts';
export type { EditOptions } from './runner/operations/state/edit-state.ts';
export {
  type Consent,
  distrust,
  type Trusted,
  type TrustOptions,
  trust,
  trustedFiles,
} from './runner/operations/trust.ts';
export type { Plan, PlanNote, PlanRow } from './runner/plan/plan.ts';
export type { Audited, Change, Difference, Refreshed } from './runner/report/drift.ts';
export type { RunEvent, Summary, TaskEnding } from './runner/report/run-event.ts';
