// What `plan` is asked, and what it says.

import type { CalendarLimit } from '../../core/calendar-budget.ts';
import type { EnvUse } from '../../core/env-uses.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { Clock } from '../../core/ports.ts';
import { type Problem, Refusal } from '../../language/load/refusal.ts';
import type { Balance } from '../../service-api/check-service.ts';
import type { TargetOptions } from '../../service-api/target.ts';
import type { PrepareOptions } from '../planning/options.ts';
import type { PlanReading } from '../planning/reading.ts';
import type { OrphanCounts } from '../prune/orphan.ts';

export interface PlanOptions extends TargetOptions, PrepareOptions {
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with the address of the hosted service before anything is sent there. */
  readonly onConnect?: (address: string) => void;
  /** `--explain`: says why this task runs, or does not. */
  readonly explain?: string | undefined;
}

export interface Planned extends PlanReading {
  readonly plan: Plan;
  /** For the option `plan` of `run`, which then buys what this plan says or nothing. */
  readonly digest: string;
  /** What budget.per_day and budget.per_month leave; empty without them. */
  readonly calendar: readonly CalendarLimit[];
  readonly warnings: readonly string[];
  /** The account's balance by the service; read only if the plan costs something there. */
  readonly balance?: Balance;
  /** The address of the hosted service; absent in a rehearsal. */
  readonly service?: string;
  readonly rehearsal: boolean;
  /** The environment variables that the pipeline uses, and which steps send them. */
  readonly env: readonly EnvUse[];
  /** The files that were read outside the repository because `allowOutside` is set: at most a thousand real paths. */
  readonly outside: readonly string[];
  readonly state: string;
  /** What `prune` would remove; absent if the plan covers only some items or steps. */
  readonly orphans?: OrphanCounts;
}

/** A run would refuse to begin, and this is what it would do if it did not. */
export class UnrunnablePlan extends Refusal {
  readonly planned: Planned;

  constructor(problem: Problem, planned: Planned) {
    super(problem);
    this.planned = planned;
  }
}
