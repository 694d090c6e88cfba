// shotlist as a library: the same operations as the command line, with typed results.
export type { JsonObject } from './base/json.ts';
export type { Result } from './base/result.ts';
export type { CharacterReplaceRequest } from './kinds/character-replace.ts';
export type { FaceSwapPhotoRequest } from './kinds/face-swap-photo.ts';
export type { Diagnostic } from './language/diagnostic.ts';
export type { PipelineDocument } from './language/schema.ts';
export type { Plan, PlanNote, PlanRow } from './plan/plan.ts';
export type { Audited, Change, Difference, Refreshed } from './report/drift.ts';
export type { Happening, Summary, TaskEnding } from './report/happening.ts';
export { type LocalService, type ServiceOptions, startService } from './service/start.ts';
export { audit } from './workspace/audit.ts';
export { type Forgettable, type Forgotten, forget } from './workspace/forget.ts';
export { type LoadedPipeline, type LoadOptions, loadPipeline } from './workspace/load.ts';
export type { MendOptions } from './workspace/mend.ts';
export { type Planned, type PlanOptions, plan } from './workspace/plan.ts';
export { type Problem, renderProblem } from './workspace/problem.ts';
export { type RefreshOptions, refresh } from './workspace/refresh.ts';
export { type Repaired, type RepairOptions, repair } from './workspace/repair.ts';
export { type Resolution, type Resolved, resolve } from './workspace/resolve.ts';
export { type Ran, type RunOptions, run } from './workspace/run.ts';
export {
  type Consent,
  distrust,
  type Trusted,
  type TrustOptions,
  trust,
  trustedFiles,
} from './workspace/trust.ts';
