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

/** What a finished task gave. */
interface Given {
  readonly fingerprint: Fingerprint;
  /** Its outputs as requests see them; undefined: they must be renewed before a request can carry them. */
  live: JsonObject | undefined;
  content: unknown;
  liveCel: unknown;
}

export class ItemRun {
  readonly item: Item | undefined;
  readonly steps: readonly Step[];
  readonly schedule: Schedule;
  readonly shared: ItemRun | undefined;
  /** Free tasks that are done again although the journal has them: their values are no longer in storage. */
  readonly #redone = new Set<string>();
  /** How each step's task was shown to have ended; one that is done again for another step ends twice. */
  readonly #shown = new Map<string, TaskEnding>();
  /** Steps whose inputs were supplied again once already. */
  readonly #resupplied = new Set<string>();
  #changed = false;
  #unfinished = false;
  readonly #given = new Map<string, Given>();
  readonly #itemCel: unknown;

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
    this.#itemCel = toCel(options.item?.fields);
  }

  /** It performs the steps that are done once for all items. */
  get isShared(): boolean {
    return this.shared === undefined;
  }

  /** Something was done, or went wrong, for it in this run. */
  get hasChanged(): boolean {
    return this.#changed;
  }

  /** Some of its tasks did not end well. */
  get isUnfinished(): boolean {
    return this.#unfinished;
  }

  end(step: string, ending: Ending): void {
    this.schedule.end(step, ending);
    if (endingFacts[ending].dependents === 'blocked') this.#unfinished = true;
  }

  /** Notes how a task is shown to have ended. Answers how it was shown before, if it was. */
  show(step: string, shown: TaskEnding): TaskEnding | undefined {
    if (shown !== 'reused' && endingFacts[shown].acted) this.#changed = true;
    const before = this.#shown.get(step);
    this.#shown.set(step, shown);
    return before;
  }

  /** A free task that is done is done again although the journal has it. */
  redo(step: string): void {
    this.schedule.reopen(step);
    this.#redone.add(step);
  }

  /** Is the task to be done again, and not yet? */
  isRedone(step: string): boolean {
    return this.#redone.has(step);
  }

  /** A step's inputs are supplied again once: false from the second time on. */
  mayResupply(step: string): boolean {
    if (this.#resupplied.has(step)) return false;
    this.#resupplied.add(step);
    return true;
  }

  task(step: Step): TaskId {
    return taskId(step.name, this.item);
  }

  /** The tasks that download what a delete is about to remove, also those that the run leaves out. */
  saversOf(step: Step): readonly string[] {
    return saversOf(step, this.steps).map((other) => this.task(other));
  }

  step(name: string): Step | undefined {
    return this.steps.find((step) => step.name === name);
  }

  /** The work that performs a step: this one, or the shared one. */
  ownerOf(step: string): ItemRun | undefined {
    if (this.#given.has(step) || this.step(step) !== undefined) return this;
    return this.shared?.ownerOf(step);
  }

  /**
   * Puts a finished task's outputs where later steps look for them. `live`: as requests see them now; undefined: they
   * are made fresh when something needs them.
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
   * Is a step that uses a project, under whatever step name, not over yet? Deletes do not count, nor do steps that wait
   * for the delete that asks: they would wait for each other.
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

  /** This work itself has the step's outputs, fresh or not. */
  hasGiven(step: string): boolean {
    return this.#given.has(step);
  }

  given(step: string): Given | undefined {
    return this.#given.get(step) ?? this.shared?.given(step);
  }

  /** Sets the live outputs of a step of this work. */
  enliven(step: string, live: JsonObject | undefined): void {
    const given = this.#given.get(step);
    if (given === undefined) throw new Error(`bug: ${step} has given nothing yet`);
    given.live = live;
    given.liveCel = toCel(live);
  }

  /** Names as fingerprints see them. */
  byContent(base: Pick<Scope, 'inputs' | 'env' | 'run'>): Names {
    return {
      scope: { ...base, item: this.#itemCel, steps: this.#outputs('content') },
      fingerprintOfStep: (step) => this.given(step)?.fingerprint,
    };
  }

  /** Names as requests see them. */
  live(base: Pick<Scope, 'inputs' | 'env' | 'run'>): Scope {
    return { ...base, item: this.#itemCel, steps: this.#outputs('liveCel') };
  }

  #outputs(which: 'content' | 'liveCel'): Record<string, unknown> {
    const outputs = this.shared === undefined ? {} : this.shared.#outputs(which);
    for (const [step, given] of this.#given) outputs[step] = given[which];
    return outputs;
  }
}
