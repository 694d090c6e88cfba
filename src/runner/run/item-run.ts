// One item (or the shared steps) in progress: its schedule, and the outputs of its finished tasks.
import type { JsonObject } from '../../contract/base/json.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { Schedule } from '../plan/schedule.ts';
import { type Phase, saversOf } from '../plan/turn.ts';
import type { TaskEnding } from '../report/run-event.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
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
  readonly forced = new Set<string>();
  /** How each step's task was shown to have ended; one that is done again for another step ends twice. */
  readonly shown = new Map<string, TaskEnding>();
  /** Steps whose inputs were supplied again once already. */
  readonly resupplied = new Set<string>();
  /** Credits that this item's tasks charged or hold: what `budget.per_item` caps. */
  credits = 0;
  /** Credits that this run charged for it, refunds taken off. */
  paid = 0;
  /** One of its tasks has failed. */
  failed = false;
  /** Something was done, or went wrong, for it in this run. */
  changed = false;
  /** Some of its tasks did not end well. */
  unfinished = false;
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

  /** A charge, or a refund below zero; `difference`: by how much more that is than what was set aside for it. */
  pay(charge: number, difference: number): void {
    this.paid += charge;
    this.credits += difference;
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

  give(
    { name, isRead }: Step,
    fingerprint: Fingerprint,
    content: JsonObject,
    live: JsonObject | undefined,
  ): void {
    const seen = { content: isRead ? toCel(content) : {}, liveCel: isRead ? toCel(live) : {} };
    this.#given.set(name, { fingerprint, live, ...seen });
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
