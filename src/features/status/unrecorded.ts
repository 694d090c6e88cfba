// Why a task has no record in the state file: its `if:` skipped it, or no run has reached it. A state file does not list what
// was skipped, so the condition is asked again, as far as recorded results answer it.
import { digestFrom } from '../../base/digest.ts';
import type { JsonObject } from '../../base/json.ts';
import { toCel } from '../../language/expression.ts';
import type { Step } from '../../language/pipeline.ts';
import { fingerprintFrom } from '../../model/fingerprint.ts';
import type { Ledger } from '../../model/ledger.ts';
import { resultOf } from '../../model/line.ts';
import { namedByContent } from '../../model/outputs.ts';
import { conditionHolds } from '../../model/task-request.ts';
import type { TaskFacts } from '../../model/task-states.ts';

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
    if (job === undefined) return undefined;
    const of = fingerprintFrom(digestFrom(job.job));
    return namedByContent(step.kind.operation, of, resultOf(job), job.credits ?? 0);
  }
}
