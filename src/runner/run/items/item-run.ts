// One item (or the shared steps, or one element of a fan-out) in progress: its schedule, and the outputs of its finished
// tasks.
import type { Json, JsonObject } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { resultOf } from '../../journal/line.ts';
import { type Scope, toCel } from '../../language/expression.ts';
import type { FanOut, Step } from '../../language/pipeline.ts';
import { type Ending, endingFacts } from '../../plan/ending.ts';
import { savedOutputs } from '../../plan/saved-outputs.ts';
import { saversOf } from '../../plan/turn.ts';
import type { TaskEnding } from '../../report/run-event.ts';
import { eachOf, elementsOf } from '../../task/element.ts';
import type { Fingerprint } from '../../task/fingerprint.ts';
import { namedByContent } from '../../task/outputs.ts';
import type { Names } from '../../task/task-request.ts';
import type { ElementOf, FanRun } from './fan-run.ts';
import { type ItemRunOptions, RunTree } from './run-tree.ts';

type Base = Pick<Scope, 'inputs' | 'env' | 'run'>;

/** The outputs of a finished task. */
interface Given {
  readonly fingerprint: Fingerprint;
  /** The outputs as requests see them; undefined if they must be refreshed before a request can contain them. */
  live: JsonObject | undefined;
  content: unknown;
  liveCel: unknown;
}

export class ItemRun extends RunTree<ItemRun> {
  /** Free tasks to repeat although the journal has them, because their values are no longer in storage. */
  readonly #redone = new Set<string>();
  /** The reported ending of each step's task. A task that is repeated for another step ends twice. */
  readonly #shown = new Map<string, TaskEnding>();
  /** Steps whose tasks were reported as begun. */
  readonly #begun = new Set<string>();
  /** Steps whose inputs were already supplied a second time. */
  readonly #resupplied = new Set<string>();
  #changed = false;
  #unfinished = false;
  readonly #given = new Map<string, Given>();
  readonly #itemCel: Pick<Scope, 'item' | 'matrix'>;

  constructor(options: ItemRunOptions<ItemRun>) {
    super(options);
    const { fields, matrix } = options.item ?? {};
    this.#itemCel = { item: toCel(fields), matrix: toCel(matrix) };
  }

  protected get self(): ItemRun {
    return this;
  }

  /** Begins a fan-out. No `elements`: it has none, because of its list; its steps still end. */
  open(fan: FanRun<ItemRun>, elements: readonly Json[] | undefined): readonly ItemRun[] {
    const laneOf = (more: Partial<ElementOf>): ItemRun =>
      new ItemRun({
        ...{ steps: fan.steps, item: this.item, shared: this },
        outside: (step) => this.schedule.phase(step),
        element: { fan: fan.fan, of: elements?.length ?? 0, ...more },
      });
    fan.open(elements?.map((value, index) => laneOf({ index, value })) ?? [laneOf({})]);
    return fan.lanes ?? [];
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
    if (dependents === 'blocked' || dependents === 'later') this.root.#unfinished = true;
  }

  /** Records the reported ending of a task. Returns the ending that was reported before, if any. */
  show(step: string, shown: TaskEnding): TaskEnding | undefined {
    if (shown !== 'reused' && endingFacts[shown].acted) this.root.#changed = true;
    const before = this.#shown.get(step);
    this.#shown.set(step, shown);
    return before;
  }

  /** True the first time, unless the task was already reported: one that is repeated for another step began before. */
  begin(step: string): boolean {
    if (this.#begun.has(step) || this.#shown.has(step)) return false;
    this.#begun.add(step);
    return true;
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

  /** The tasks that download the project of a delete, including tasks that the run excludes. */
  saversOf(step: Step): readonly string[] {
    return saversOf(step, this.steps).map((other) => this.task(other));
  }

  /** The item run that performs a step: this one, or the shared one. */
  ownerOf(step: string): ItemRun | undefined {
    if (this.#given.has(step) || this.step(step) !== undefined) return this;
    return this.around?.ownerOf(step);
  }

  /** The item runs that perform a step whose outputs another step of this item run uses. */
  suppliersOf(step: Step, name: string): readonly ItemRun[] {
    if (step.gathers.includes(name)) return this.contributorsOf(name);
    const owner = this.ownerOf(name);
    return owner === undefined ? [] : [owner];
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
    const steps = [...this.steps, ...this.fans.flatMap((fan) => fan.steps)];
    const own = steps.some(({ name, kind, uses, after }) => {
      if (after.some((before) => waiting.has(before))) {
        waiting.add(name);
        return false;
      }
      if (kind.operation === 'delete') return false;
      if (!uses.some((used) => this.#isProject(used, fingerprint))) return false;
      const phase = this.schedule.phase(name);
      return phase === 'waiting' || phase === 'started';
    });
    return own || this.lanes.some((lane) => lane.stillUses(fingerprint, asking));
  }

  #isProject(step: string, fingerprint: Fingerprint): boolean {
    const lanes = this.fanWith(step)?.lanes;
    if (lanes !== undefined) return lanes.some((lane) => lane.#isProject(step, fingerprint));
    if (this.given(step)?.fingerprint !== fingerprint) return false;
    return this.ownerOf(step)?.step(step)?.kind.operation === 'create';
  }

  /** True if this item run itself has the step's outputs, fresh or not. */
  hasGiven(step: string): boolean {
    return this.#given.has(step);
  }

  given(step: string): Given | undefined {
    return this.#given.get(step) ?? this.around?.given(step);
  }

  /** Sets the live outputs of a step of this item run. */
  enliven(step: string, live: JsonObject | undefined): void {
    const given = this.#given.get(step);
    if (given === undefined) throw new Error(`bug: ${step} has given nothing yet`);
    given.live = live;
    given.liveCel = toCel(live);
  }

  /** The names for fingerprints. */
  byContent(base: Base): Names {
    const { value, index } = this.element ?? {};
    const each = value === undefined || index === undefined ? undefined : eachOf(value, index);
    return {
      scope: this.#scope(base, 'content', each),
      fingerprintOfStep: (step) => this.given(step)?.fingerprint,
    };
  }

  /** The names for requests, without `each`. */
  live(base: Base): Scope {
    return this.#scope(base, 'liveCel', undefined);
  }

  /** The names for a step's request. Error: the list of the fan-out has changed, so the element cannot be found. */
  liveFor(step: Step, base: Base): Result<Scope, string> {
    const { fan, index, of } = this.element ?? {};
    if (fan === undefined || index === undefined || !readsList(step, fan))
      return ok(this.live(base));
    const elements = elementsOf(fan, this.root.live(base));
    if (!elements.ok) return err(`${elements.error.text.trim()}: ${elements.error.message}`);
    const value = elements.value[index];
    if (value === undefined || elements.value.length !== of)
      return err(`the list of for_each has ${elements.value.length} elements now, and had ${of}`);
    return ok(this.#scope(base, 'liveCel', eachOf(value, index)));
  }

  #scope(base: Base, which: 'content' | 'liveCel', each: JsonObject | undefined): Scope {
    const steps = this.#outputs(which);
    const more = each === undefined ? {} : { each: toCel(each) };
    return { ...base, ...this.#itemCel, steps, ...more };
  }

  #outputs(which: 'content' | 'liveCel'): Record<string, unknown> {
    const outputs = this.around === undefined ? {} : this.around.#outputs(which);
    const fanned = this.fans.flatMap(({ steps, lanes }) => (lanes === undefined ? [] : steps));
    for (const { name, isGathered } of [...fanned, ...(this.gathered?.steps ?? [])]) {
      if (!isGathered) continue;
      const done = this.contributorsOf(name).filter(
        ({ schedule }) => schedule.phase(name) === 'done',
      );
      outputs[name] = { all: done.map((run) => run.#given.get(name)?.[which]) };
    }
    for (const [step, given] of this.#given) outputs[step] = given[which];
    return outputs;
  }
}

const readsList = ({ uses }: Step, fan: FanOut): boolean =>
  fan.uses.every((name) => uses.includes(name));
