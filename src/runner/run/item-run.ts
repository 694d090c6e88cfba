// One item (or the shared steps) in progress: its schedule, and the outputs of its finished tasks.
import type { JsonObject } from '../../contract/base/json.ts';
import type { Ledger } from '../journal/ledger.ts';
import { resultOf } from '../journal/line.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { type Ending, endingFacts, type Phase } from '../plan/ending.ts';
import { savedOutputs } from '../plan/saved-outputs.ts';
import { Schedule } from '../plan/schedule.ts';
import { saversOf } from '../plan/turn.ts';
import type { TaskEnding } from '../report/run-event.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import { namedByContent } from '../task/outputs.ts';
import { type TaskId, taskId } from '../task/task.ts';
import type { Names } from '../task/task-request.ts';

/** The outputs of a finished task. */
interface Given {
  readonly fingerprint: Fingerprint;
  /** The outputs as requests see them; undefined if they must be refreshed before a request can contain them. */
  live: JsonObject | undefined;
  content: unknown;
  liveCel: unknown;
}

export class ItemRun {
  readonly item: Item | undefined;
  readonly steps: readonly Step[];
  readonly schedule: Schedule;
  readonly shared: ItemRun | undefined;
  /** Free tasks to repeat although the journal has them, because their values are no longer in storage. */
  readonly #redone = new Set<string>();
  /** The reported ending of each step's task. A task that is repeated for another step ends twice. */
  readonly #shown = new Map<string, TaskEnding>();
  /** Steps whose inputs were already supplied a second time. */
  readonly #resupplied = new Set<string>();
  #changed = false;
  #unfinished = false;
  readonly #given = new Map<string, Given>();
  readonly #itemCel: Pick<Scope, 'item' | 'matrix'>;

  constructor(options: {
    readonly steps: readonly Step[];
    readonly item: Item | undefined;
    readonly shared: ItemRun | undefined;
    readonly outside: (step: string) => Phase;
  }) {
    this.steps = options.steps;
    this.item = options.item;
    this.shared = options.shared;
    this.schedule = new Schedule(options.steps, options.outside);
    const { fields, matrix } = options.item ?? {};
    this.#itemCel = { item: toCel(fields), matrix: toCel(matrix) };
  }

  /** True if it performs the steps that are done once for all items. */
  get isShared(): boolean {
    return this.shared === undefined;
  }

  /** True if a task of this item did something or failed in this run. */
  get hasChanged(): boolean {
    return this.#changed;
  }

  /** True if some of its tasks did not end well. */
  get isUnfinished(): boolean {
    return this.#unfinished;
  }

  end(step: string, ending: Ending): void {
    this.schedule.end(step, ending);
    const { dependents } = endingFacts[ending];
    if (dependents === 'blocked' || dependents === 'later') this.#unfinished = true;
  }

  /** Records the reported ending of a task. Returns the ending that was reported before, if any. */
  show(step: string, shown: TaskEnding): TaskEnding | undefined {
    if (shown !== 'reused' && endingFacts[shown].acted) this.#changed = true;
    const before = this.#shown.get(step);
    this.#shown.set(step, shown);
    return before;
  }

  /** Marks a free task for repetition although the journal has it. */
  redo(step: string): void {
    this.schedule.reopen(step);
    this.#redone.add(step);
  }

  /** True if the task is still to be repeated. */
  isRedone(step: string): boolean {
    return this.#redone.has(step);
  }

  /** Allows one more supply of a step's inputs: true the first time, then false. */
  mayResupply(step: string): boolean {
    if (this.#resupplied.has(step)) return false;
    this.#resupplied.add(step);
    return true;
  }

  task(step: Step): TaskId {
    return taskId(step.name, this.item);
  }

  /** The tasks that download the project of a delete, including tasks that the run excludes. */
  saversOf(step: Step): readonly string[] {
    return saversOf(step, this.steps).map((other) => this.task(other));
  }

  step(name: string): Step | undefined {
    return this.steps.find((step) => step.name === name);
  }

  /** The item run that performs a step: this one, or the shared one. */
  ownerOf(step: string): ItemRun | undefined {
    if (this.#given.has(step) || this.step(step) !== undefined) return this;
    return this.shared?.ownerOf(step);
  }

  /**
   * Stores a finished task's outputs for later steps. `live`: the outputs as requests see them now; undefined if they
   * are refreshed on demand.
   */
  give(
    step: Step,
    fingerprint: Fingerprint,
    { live, ledger }: { readonly live: JsonObject | undefined; readonly ledger: Ledger },
  ): void {
    const { name, isRead, kind } = step;
    const job = ledger.job(fingerprint);
    if (job === undefined) throw new Error(`bug: ${this.task(step)} gave without a job`);
    this.#redone.delete(name);
    const saved = kind.operation === 'download' || kind.operation === 'delete';
    const content = saved
      ? savedOutputs(job, this.task(step))
      : namedByContent(kind.operation, fingerprint, resultOf(job), job.credits ?? 0);
    const given = saved ? content : live;
    const seen = { content: isRead ? toCel(content) : {}, liveCel: isRead ? toCel(given) : {} };
    this.#given.set(name, { fingerprint, live: given, ...seen });
  }

  /**
   * True if a step that uses a project, under any step name, is not over yet. Deletes do not count, nor do steps that
   * wait for the asking delete: they would wait for each other.
   */
  stillUses(fingerprint: Fingerprint, asking: Step): boolean {
    const waiting = new Set([asking.name]);
    return this.steps.some(({ name, kind, uses, after }) => {
      if (after.some((before) => waiting.has(before))) {
        waiting.add(name);
        return false;
      }
      if (kind.operation === 'delete') return false;
      if (!uses.some((used) => this.#isProject(used, fingerprint))) return false;
      const phase = this.schedule.phase(name);
      return phase === 'waiting' || phase === 'started';
    });
  }

  #isProject(step: string, fingerprint: Fingerprint): boolean {
    if (this.given(step)?.fingerprint !== fingerprint) return false;
    return this.ownerOf(step)?.step(step)?.kind.operation === 'create';
  }

  /** True if this item run itself has the step's outputs, fresh or not. */
  hasGiven(step: string): boolean {
    return this.#given.has(step);
  }

  given(step: string): Given | undefined {
    return this.#given.get(step) ?? this.shared?.given(step);
  }

  /** Sets the live outputs of a step of this item run. */
  enliven(step: string, live: JsonObject | undefined): void {
    const given = this.#given.get(step);
    if (given === undefined) throw new Error(`bug: ${step} has given nothing yet`);
    given.live = live;
    given.liveCel = toCel(live);
  }

  /** The names for fingerprints. */
  byContent(base: Pick<Scope, 'inputs' | 'env' | 'run'>): Names {
    return {
      scope: { ...base, ...this.#itemCel, steps: this.#outputs('content') },
      fingerprintOfStep: (step) => this.given(step)?.fingerprint,
    };
  }

  /** The names for requests. */
  live(base: Pick<Scope, 'inputs' | 'env' | 'run'>): Scope {
    return { ...base, ...this.#itemCel, steps: this.#outputs('liveCel') };
  }

  #outputs(which: 'content' | 'liveCel'): Record<string, unknown> {
    const outputs = this.shared === undefined ? {} : this.shared.#outputs(which);
    for (const [step, given] of this.#given) outputs[step] = given[which];
    return outputs;
  }
}
