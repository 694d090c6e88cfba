// What a kind of step knows about itself: plain data and pure functions. Nothing here waits or remembers.
import type { RecordKind } from '../api/project.ts';
import type { JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';

/** How the runner performs a kind: the five things that one can ask of the service. */
export type Operation = 'upload' | 'detect' | 'create' | 'download' | 'delete';

/** One of the 27 tools, as the catalogue lists it. Paid: each creation costs credits. */
export interface Tool {
  /** Its name, which is also its path: `face-swap-photo` is created with POST /v1/face-swap-photo. */
  readonly name: string;
  /** What it does, in a line. */
  readonly title: string;
  /** Which details endpoint knows its projects. */
  readonly record: RecordKind;
  /** The `type` that its project records carry (facts.md; free-form, only shown). */
  readonly type: string;
  /** Observed end-to-end median (interface.md, What the service does), in seconds. */
  readonly medianSeconds: number;
  /** True where interface.md gives the body in full: unknown fields are then refused, not passed on. */
  readonly contractual: boolean;
  /** The request body. Asset fields carry `x-asset`, `name` carries `x-cosmetic`. */
  readonly request: Schema;
  /** Request bodies that the schema accepts; asset fields hold `asset:image`, `asset:video`, `asset:audio`. */
  readonly examples: readonly JsonObject[];
  /** Rules that a schema says badly; each broken one is a sentence. */
  readonly rules?: (body: JsonObject) => readonly RuleBreach[];
}

/** A broken rule and the field it is about, as a path into the body: `assets.face_mappings`. */
export interface RuleBreach {
  readonly field: string;
  readonly message: string;
}

/** A kind of step: what `uses:` may name. */
export interface StepKind {
  readonly name: string;
  readonly title: string;
  readonly operation: Operation;
  /** What stands under `with:`. */
  readonly with: Schema;
  /** The outputs that later steps may name, with what they are; `'*'` lets any field through. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Set on the 27 tools only. */
  readonly tool?: Tool;
}
