// The status of a state file by step, and by item and step.

import type { JsonObject } from '../../base/json.ts';
import { adviceFor } from '../../contract/api/failure.ts';
import { recordedOutputs } from '../../core/outputs.ts';
import { toCel } from '../../language/expression.ts';
import type { Step } from '../../language/pipeline.ts';
import { conditionHolds } from '../../model/condition.ts';
import { codeOf, standingTask } from '../../model/failures.ts';
import { viewIn } from '../../model/job-view.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { fannedOutIn, itemOf, stepOf } from '../../model/task.ts';
import type { TaskFacts, TaskState } from '../../model/task-states.ts';

export interface StepStatus {
  readonly step: string;
  /** The step kind; absent if the pipeline no longer has the step. */
  readonly uses?: string;
  /** The number of tasks by state; states without a task are left out. */
  readonly tasks: Readonly<Partial<Record<TaskState, number>>>;
  /**
   * The number of items without a record of this step, by reason; reasons without an item are left out. Absent in a fan-out,
   * because the state file does not say how many elements there are.
   */
  readonly unrecorded?: Readonly<Partial<Record<Unrecorded, number>>>;
}

/**
 * Why a task has no record: its `if:` skipped it, or no run has reached it. A state file does not list what was skipped, so the
 * condition is asked again, as far as recorded results answer it. `unknown`: only a plan can tell, which reads the items.
 */
export type Unrecorded = 'skipped' | 'notReached' | 'unknown';

export interface TaskStatus extends TaskFacts {
  readonly task: string;
  readonly step: string;
  readonly project?: string;
  /** What the task's job was charged in the end. */
  readonly credits?: number;
  /** When the job entered its state, ISO 8601. */
  readonly at?: string;
  /** Why the task failed, was skipped, or is in doubt. */
  readonly why?: string;
  readonly code?: string;
  /** What a person can do. */
  readonly advice?: string;
}

/** The most urgent state of the item's tasks. `partial`: nothing is wrong, and some steps are not reached. */
export type ItemState = 'doubt' | 'failed' | 'running' | 'sent' | 'forgotten' | 'partial' | 'done';

export interface ItemStatus extends TaskGroup {
  /** The item's key. */
  readonly item: string;
}

interface TaskGroup {
  readonly state: ItemState;
  /** The tasks that the state file knows, in the order of the steps. */
  readonly tasks: readonly TaskStatus[];
  /** Steps without a record, and why. Steps of a fan-out are left out. */
  readonly unrecorded: readonly { readonly step: string; readonly why: Unrecorded }[];
}

export interface ItemsStatus {
  /** All items that the state file knows. */
  readonly known: number;
  /** Those that match the filter, sorted by key. */
  readonly matching: readonly ItemStatus[];
  /** The tasks that are done once for all items; absent if the filter leaves none. */
  readonly shared?: TaskGroup;
}

export interface ItemFilter {
  /** Only these items: a key, or a pattern with the rule that it stands for. */
  readonly only?: { readonly key: string; readonly matches: (item: string) => boolean } | undefined;
  /** Only items with tasks that failed or are in doubt. */
  readonly failed: boolean;
}

/** The tasks that a state file knows, by step and by item. */
export class RecordedTasks {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #states: ReadonlyMap<string, TaskFacts>;
  readonly #ledger: Ledger;
  /** By item. Those of all items together: undefined. */
  readonly #tasks = new Map<string | undefined, string[]>();

  constructor(steps: readonly Step[], states: ReadonlyMap<string, TaskFacts>, ledger: Ledger) {
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.#states = states;
    this.#ledger = ledger;
    const isFannedOut = fannedOutIn(steps);
    for (const task of states.keys()) {
      const item = itemOf(task, isFannedOut(task));
      const tasks = this.#tasks.get(item) ?? [];
      tasks.push(task);
      this.#tasks.set(item, tasks);
    }
  }

  /** The steps of the pipeline in their order, then steps that only the state file knows. */
  steps(): readonly StepStatus[] {
    const counts = new Map<string, Partial<Record<TaskState, number>>>();
    for (const name of this.#steps.keys()) counts.set(name, {});
    for (const [task, { state }] of this.#states) {
      const count = counts.get(stepOf(task)) ?? {};
      count[state] = (count[state] ?? 0) + 1;
      counts.set(stepOf(task), count);
    }
    const items = [...this.#tasks.keys()].filter((item) => item !== undefined);
    return [...counts].map(([name, tasks]): StepStatus => {
      const step = this.#steps.get(name);
      if (step === undefined) return { step: name, tasks };
      const uses = step.kind.name;
      if (step.fan !== undefined) return { step: name, uses, tasks };
      const unrecorded: Partial<Record<Unrecorded, number>> = {};
      for (const item of step.shared ? [undefined] : items) {
        if (this.#states.has(taskOf(step, item))) continue;
        const why = this.#why(step, item);
        unrecorded[why] = (unrecorded[why] ?? 0) + 1;
      }
      return { step: name, uses, tasks, unrecorded };
    });
  }

  items({ only, failed }: ItemFilter): ItemsStatus {
    const { shared = [], items } = this.#grouped();
    // A pattern that equals a key selects that item alone.
    const isKey = only !== undefined && this.#tasks.has(only.key);
    const wants = (item: string): boolean =>
      only === undefined || (isKey ? item === only.key : only.matches(item));
    const isShown = (tasks: readonly string[]): boolean =>
      !failed || tasks.some((task) => isTrouble(this.#states.get(task)?.state));
    const hasShared = only === undefined && shared.length > 0 && isShown(shared);
    return {
      known: items.length,
      matching: items
        .filter(([item, tasks]) => wants(item) && isShown(tasks))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([item, tasks]) => ({ item, ...this.#group(tasks, item) })),
      shared: hasShared ? this.#group(shared, undefined) : undefined,
    };
  }

  #grouped() {
    const items: (readonly [string, readonly string[]])[] = [];
    for (const [item, tasks] of this.#tasks) if (item !== undefined) items.push([item, tasks]);
    return { shared: this.#tasks.get(undefined), items };
  }

  /** `item`: undefined for the tasks that all items share. */
  #group(tasks: readonly string[], item: string | undefined): TaskGroup {
    const names = new Set(tasks.map(stepOf));
    const steps = [...this.#steps.values()];
    const places = new Map(steps.map(({ name }, place) => [name, place]));
    const placeOf = (task: string): number => places.get(stepOf(task)) ?? places.size;
    const unrecorded = steps
      .filter((step) => step.fan === undefined && step.shared === (item === undefined))
      .filter(({ name }) => !names.has(name))
      .map((step) => ({ step: step.name, why: this.#why(step, item) }));
    const statuses = [...tasks]
      .sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
      .map((task) => this.#statusOf(task));
    return { state: worstOf(statuses, unrecorded), tasks: statuses, unrecorded };
  }

  #statusOf(task: string): TaskStatus {
    const facts: TaskFacts = this.#states.get(task) ?? { state: 'forgotten' };
    const job = facts.job === undefined ? undefined : viewIn(this.#ledger, facts.job);
    const own = standingTask(this.#ledger, task);
    // The own line of a task is newer than its jobs, unless the job is in doubt.
    const error =
      own?.ending === facts.state
        ? { message: own.fault.message, code: codeOf(own) }
        : isTrouble(facts.state)
          ? job?.error
          : undefined;
    return {
      task,
      step: stepOf(task),
      ...facts,
      project: job?.project,
      credits: job?.credits,
      at: job?.at,
      why: error?.message,
      code: error?.code,
      advice: adviceFor(error?.code),
    };
  }

  /** The step has no record for the item. */
  #why(step: Step, item: string | undefined): Unrecorded {
    if (step.fan !== undefined || step.gathers.length > 0) return 'unknown';
    const before = step.after.flatMap((name) => this.#steps.get(name) ?? []);
    const standings = before.map((one) => this.#standingOf(one, item));
    if (standings.includes('notReached')) return 'notReached';
    if (standings.includes('unknown')) return 'unknown';
    const isSkipped = before.some(
      ({ name }, index) => standings[index] === 'skipped' && step.uses.includes(name),
    );
    return isSkipped ? 'skipped' : this.#byCondition(step, item);
  }

  #standingOf(step: Step, item: string | undefined): Unrecorded | 'done' {
    if (step.fan !== undefined) return 'unknown';
    const facts = this.#states.get(taskOf(step, item));
    if (facts === undefined) return this.#why(step, item);
    if (facts.state === 'skipped') return 'skipped';
    return facts.state === 'done' || facts.state === 'pruned' ? 'done' : 'notReached';
  }

  /** Everything before the step is done. A condition that reads anything but recorded results is not asked. */
  #byCondition(step: Step, item: string | undefined): Unrecorded {
    if (step.condition === undefined) return 'notReached';
    const outputs: Record<string, unknown> = {};
    for (const { root, key = '' } of step.condition.references) {
      const content = root === 'steps' ? this.#contentOf(key, item) : undefined;
      if (content === undefined) return 'unknown';
      outputs[key] = toCel(content);
    }
    const holds = conditionHolds(step, { ...nothingElse, steps: outputs });
    if (!holds.ok) return 'unknown';
    return holds.value ? 'notReached' : 'skipped';
  }

  #contentOf(name: string, item: string | undefined): JsonObject | undefined {
    const step = this.#steps.get(name);
    if (step === undefined || step.kind.operation === 'download') return undefined;
    const { job = '' } = this.#states.get(taskOf(step, item)) ?? {};
    return recordedOutputs(step.kind.operation, this.#ledger.job(job), true);
  }
}

const nothingElse = { item: undefined, inputs: undefined, env: undefined, run: undefined };

const taskOf = ({ name, shared }: Step, item: string | undefined): string =>
  shared || item === undefined ? name : `${name}:${item}`;

const isTrouble = (state: TaskState | undefined): boolean =>
  state === 'failed' || state === 'doubt';

const urgent = ['doubt', 'failed', 'running', 'sent', 'forgotten'] as const;

function worstOf(tasks: readonly TaskStatus[], unrecorded: TaskGroup['unrecorded']): ItemState {
  const states = new Set(tasks.map(({ state }) => state));
  const worst = urgent.find((state) => states.has(state));
  return worst ?? (unrecorded.every((one) => one.why === 'skipped') ? 'done' : 'partial');
}
