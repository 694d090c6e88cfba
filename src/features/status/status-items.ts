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

/** What status needs to know of a step of the pipeline. */
export interface KnownStep {
  readonly name: string;
  readonly kind: { readonly name: string };
  readonly shared: boolean;
  /** Set if the step belongs to a fan-out. */
  readonly fan?: unknown;
}

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

type WhyUnrecorded = (step: string, item: string | undefined) => Unrecorded;

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

type States = ReadonlyMap<string, TaskFacts>;

/** The steps of the pipeline in their order, then steps that only the state file knows. */
export function stepsStatus(
  steps: readonly KnownStep[],
  states: States,
  why: WhyUnrecorded,
): readonly StepStatus[] {
  const isFannedOut = fannedOutIn(steps);
  const counts = new Map<string, Partial<Record<TaskState, number>>>();
  for (const { name } of steps) counts.set(name, {});
  const items = new Set<string>();
  /** The number of items that have a record of a step. */
  const recorded = new Map<string, number>();
  for (const [task, { state }] of states) {
    const step = stepOf(task);
    const count = counts.get(step) ?? {};
    count[state] = (count[state] ?? 0) + 1;
    counts.set(step, count);
    const item = itemOf(task, isFannedOut(task));
    if (item === undefined) continue;
    items.add(item);
    recorded.set(step, (recorded.get(step) ?? 0) + 1);
  }
  const known = new Map(steps.map((step) => [step.name, step]));
  return [...counts].map(([step, tasks]): StepStatus => {
    const declared = known.get(step);
    if (declared === undefined) return { step, tasks };
    const uses = declared.kind.name;
    if (declared.fan !== undefined) return { step, uses, tasks };
    const unrecorded: Partial<Record<Unrecorded, number>> = {};
    if (!declared.shared && recorded.get(step) === items.size)
      return { step, uses, tasks, unrecorded };
    for (const item of declared.shared ? [undefined] : items) {
      if (states.has(item === undefined ? step : `${step}:${item}`)) continue;
      const reason = why(step, item);
      unrecorded[reason] = (unrecorded[reason] ?? 0) + 1;
    }
    return { step, uses, tasks, unrecorded };
  });
}

export function itemsStatus(
  ledger: Ledger,
  steps: readonly KnownStep[],
  states: States,
  filter: ItemFilter,
  why: WhyUnrecorded,
): ItemsStatus {
  const { only, failed } = filter;
  const isFannedOut = fannedOutIn(steps);
  const shared: string[] = [];
  const items = new Map<string, string[]>();
  for (const task of states.keys()) {
    const item = itemOf(task, isFannedOut(task));
    const tasks = item === undefined ? shared : (items.get(item) ?? []);
    if (item !== undefined) items.set(item, tasks);
    tasks.push(task);
  }
  const isShown = (tasks: readonly string[]): boolean =>
    tasks.length > 0 && (!failed || tasks.some((task) => isTrouble(states.get(task)?.state)));
  const wants = itemChoice(only, items);
  const places = new Map(steps.map(({ name }, place) => [name, place]));
  const placeOf = (task: string): number => places.get(stepOf(task)) ?? places.size;
  const expected = steps.filter(({ fan }) => fan === undefined);
  /** `item`: undefined for the tasks that all items share. */
  const group = (tasks: readonly string[], item: string | undefined): TaskGroup => {
    const names = new Set(tasks.map(stepOf));
    const unrecorded = expected
      .filter((one) => one.shared === (item === undefined) && !names.has(one.name))
      .map(({ name }) => ({ step: name, why: why(name, item) }));
    const ordered = [...tasks].sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
    const statuses = ordered.map((task) => taskStatus(task, states, ledger));
    return { state: worstOf(statuses, unrecorded), tasks: statuses, unrecorded };
  };
  return {
    known: items.size,
    matching: [...items]
      .filter(([item, tasks]) => wants(item) && isShown(tasks))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([item, tasks]) => ({ item, ...group(tasks, item) })),
    ...(only === undefined && isShown(shared) ? { shared: group(shared, undefined) } : {}),
  };
}

/** A pattern that equals a key selects that item alone. */
function itemChoice(
  only: ItemFilter['only'],
  items: ReadonlyMap<string, unknown>,
): (item: string) => boolean {
  if (only === undefined) return () => true;
  return items.has(only.key) ? (item) => item === only.key : only.matches;
}

const isTrouble = (state: TaskState | undefined): boolean =>
  state === 'failed' || state === 'doubt';

const urgent = ['doubt', 'failed', 'running', 'sent', 'forgotten'] as const;

function worstOf(tasks: readonly TaskStatus[], unrecorded: TaskGroup['unrecorded']): ItemState {
  const states = new Set(tasks.map(({ state }) => state));
  const worst = urgent.find((state) => states.has(state));
  return worst ?? (unrecorded.every((one) => one.why === 'skipped') ? 'done' : 'partial');
}

function taskStatus(task: string, states: States, ledger: Ledger): TaskStatus {
  const facts: TaskFacts = states.get(task) ?? { state: 'forgotten' };
  const line = facts.job === undefined ? undefined : viewIn(ledger, facts.job);
  const own = standingTask(ledger, task);
  // The own line of a task is newer than its jobs, unless the job is in doubt.
  const error =
    own?.ending === facts.state
      ? { message: own.fault.message, code: codeOf(own) }
      : isTrouble(facts.state)
        ? line?.error
        : undefined;
  return {
    task,
    step: stepOf(task),
    ...facts,
    project: line?.project,
    credits: line?.credits,
    at: line?.at,
    why: error?.message,
    code: error?.code,
    advice: adviceFor(error?.code),
  };
}

// Why a task has no record in the state file: its `if:` skipped it, or no run has reached it. A state file does not list what
// was skipped, so the condition is asked again, as far as recorded results answer it.

/** `unknown`: only a plan can tell, which reads the items. */
export type Unrecorded = 'skipped' | 'notReached' | 'unknown';

/** A condition that reads anything but recorded results is not asked. */
const nothingElse = { item: undefined, inputs: undefined, env: undefined, run: undefined };

export class UnrecordedTasks {
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #states: ReadonlyMap<string, TaskFacts>;
  readonly #ledger: Ledger;

  constructor(steps: readonly Step[], states: ReadonlyMap<string, TaskFacts>, ledger: Ledger) {
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    this.#states = states;
    this.#ledger = ledger;
  }

  /** `item`: the item's key; undefined for a shared step. The step has no record for it. */
  why(name: string, item: string | undefined): Unrecorded {
    const step = this.#steps.get(name);
    return step === undefined ? 'unknown' : this.#why(step, item);
  }

  #why(step: Step, item: string | undefined): Unrecorded {
    if (step.fan !== undefined || step.gathers.length > 0) return 'unknown';
    let [isSkipped, isOpen] = [false, false];
    for (const name of step.after) {
      const before = this.#steps.get(name);
      if (before === undefined) continue;
      if (before.fan !== undefined) isOpen = true;
      else {
        const state = this.#stateOf(before, item);
        if (state === 'notReached') return state;
        if (state === 'unknown') isOpen = true;
        if (state === 'skipped' && step.uses.includes(name)) isSkipped = true;
      }
    }
    if (isOpen) return 'unknown';
    return isSkipped ? 'skipped' : this.#byCondition(step, item);
  }

  #stateOf(step: Step, item: string | undefined): Unrecorded | 'done' {
    const key = step.shared ? undefined : item;
    const facts = this.#states.get(key === undefined ? step.name : `${step.name}:${key}`);
    if (facts === undefined) return this.#why(step, key);
    if (facts.state === 'skipped') return 'skipped';
    return facts.state === 'done' || facts.state === 'pruned' ? 'done' : 'notReached';
  }

  /** Everything before the step is done. */
  #byCondition(step: Step, item: string | undefined): Unrecorded {
    const { condition } = step;
    if (condition === undefined) return 'notReached';
    if (condition.references.some(({ root }) => root !== 'steps')) return 'unknown';
    const outputs: Record<string, unknown> = {};
    for (const { key = '' } of condition.references) {
      const content = this.#contentOf(key, item);
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
    const task = step.shared || item === undefined ? name : `${name}:${item}`;
    const key = this.#states.get(task)?.job;
    const job = key === undefined ? undefined : this.#ledger.job(key);
    return recordedOutputs(step.kind.operation, job, true);
  }
}
