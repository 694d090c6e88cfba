// What the planning of all items takes and gives.
import type { Complaint } from '../../contract/yaml/diagnostic.ts';
import type { FileStamps } from '../../files/file-stamps.ts';
import type { MadeFiles } from '../../files/saved-files.ts';
import type { Item } from '../../model/item.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { TaskId } from '../../model/task.ts';
import type { ItemsToDo } from '../../plan/items-to-do.ts';
import type { ItemNeeds } from '../../plan/needs.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PlanFindings } from '../../plan/plan-findings.ts';
import type { PlanReasons } from '../../plan/plan-reasons.ts';
import type { PlanReferences } from '../../plan/plan-references.ts';
import type { PlannedAction, PlannedTask } from '../../plan/planned-action.ts';
import type { PlanContext } from '../../plan/planning.ts';
import type { Remembered } from '../../plan/remembered.ts';
import type { SettledItems } from '../../plan/settled-items.ts';
import type { Takes } from '../../plan/takes.ts';
import type { UnrunnableItems } from '../../run/action.ts';
import type { DryItem } from '../../run/dry-run.ts';
import type { Clock, Disk } from '../../run/jobs/ports.ts';

export interface PlannedItems {
  readonly plan: Plan;
  /** Why a run must not begin. */
  readonly problems: readonly Complaint[];
  /** What a person should know before anything is paid. */
  readonly warnings: readonly string[];
  /** The steps of which `warnings` say that their files have the wrong extension. */
  readonly misnaming: ReadonlySet<string>;
  /** Items that cannot run as they are, by key, with the verdicts for their steps. */
  readonly unrunnable: UnrunnableItems;
  /** What the account’s plan may refuse. */
  readonly findings: PlanFindings;
  /**
   * Items with paid projects that are not saved, and the time after which a result may be lost: the expiry of an
   * address if it is known, else the creation time of the project. They are saved before anything is bought. The key ""
   * stands for the shared steps.
   */
  readonly unsaved: ReadonlyMap<string, string>;
  /** Items that earlier runs have begun to pay for: they come next. */
  readonly inProgress: ReadonlySet<string>;
  /** True if every task that could begin now rests. */
  readonly asleep: boolean;
  /** What the tasks refer to in the state file. */
  readonly references: PlanReferences;
  /** Why the tasks run. */
  readonly reasons: PlanReasons;
  readonly toDo: ItemsToDo;
  /** The adopted jobs whose results are nowhere, by fingerprint. */
  readonly lost: ReadonlySet<string>;
  /** What the run would replace. */
  readonly foreign: ForeignFiles;
  /** The items with nothing to do, if no other step depends on what the run finds out about them. */
  readonly settled: SettledItems;
  /** What each item may still cost; undefined if nobody asked for it. */
  readonly needs: ItemNeeds | undefined;
}

/** Files that stand where results will go, and that shotlist did not make. */
export interface ForeignFiles {
  readonly count: number;
  /** The first of them, relative to the pipeline file. */
  readonly paths: readonly string[];
}

export interface PlanningInputs {
  /** The names in expressions that are the same for all items. */
  readonly base: PlanContext['base'];
  readonly ledger: Ledger;
  readonly disk: Disk;
  /** Default: any file may be replaced by a result. */
  readonly made?: Pick<MadeFiles, 'mayReplace'> | undefined;
  /** Of the files that the planning looks at; abandoned as soon as there is something to do. */
  readonly stamps?: Pick<FileStamps, 'abandon'> | undefined;
  readonly clock: Clock;
  /** If it is aborted, the planning ends with its reason as the error. */
  readonly stop?: AbortSignal | undefined;
  /** Called for each item: so many of them were looked at before. */
  readonly onLook?: ((seen: number, of: number) => void) | undefined;
  /** Steps that the run excludes. */
  readonly excluded: ReadonlySet<string>;
  /** Default: the picked ones. */
  readonly takes?: Takes | undefined;
  /** Default: nothing. */
  readonly remembered?: Remembered | undefined;
  /** True to find out what each item may still cost, for a cap. */
  readonly findsNeeds?: boolean;
  /** True if every output must be in this checkout. */
  readonly requireOutputs: boolean;
  /** As in `DryRunOptions`. */
  readonly payAgain?: Set<TaskId> | undefined;
  /** For a tick: true for a task that has nothing to do now. */
  readonly rests?: ((planned: PlannedTask) => boolean) | undefined;
  /** The task that a person asks about. */
  readonly explain?: string | undefined;
  /** Hears of every task, and of the action that it counts as. */
  readonly onTask?: ((planned: PlannedTask, action: PlannedAction) => void) | undefined;
  /** The plan begins again: what `onTask` heard counts no more. */
  readonly onAgain?: (() => void) | undefined;
  /** Sees the plan of each item in their order, and of the shared steps (no item) before and after them. */
  readonly seen?: (plan: DryItem, item: Item | undefined) => void;
  /** The platform decides which file names are equal or usable. */
  readonly platform?: string;
}
