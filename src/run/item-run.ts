// One item (or the shared steps, or one element of a fan-out) in progress, in a run or in a plan: how far its steps are, and the
// outputs of its finished tasks. Item runs are inside each other: the elements of a fan-out in their item, the items in the shared
// steps. A step waits for steps of its own item run and of those around it, and a fan-in for all item runs one level inside.
import type { Json, JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Ending, endingFacts } from '../core/ending.ts';
import type { FileCounts } from '../core/file-counts.ts';
import type { Times } from '../core/planned-action.ts';
import type { TaskEnding } from '../core/run-event.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { eachOf, elementsOf } from '../model/element.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { Item } from '../model/item.ts';
import { type JobLine, resultOf } from '../model/line.ts';
import { namedByContent } from '../model/outputs.ts';
import { type TaskId, taskId } from '../model/task.ts';
import type { Names } from '../model/task-request.ts';
import type { Phase } from '../plan/ending.ts';
import type { PlannedTask } from '../plan/planned-action.ts';
import {
  Barrier,
  type Contributor,
  type Gathering,
  isFinal,
  saversOf,
  type Turn,
  turnOf,
} from '../plan/turn.ts';

type Base = Pick<Scope, 'inputs' | 'env' | 'run'>;

/** The outputs of a finished task. */
interface TaskOutputs {
  readonly fingerprint: Fingerprint;
  /** The outputs as requests see them; undefined if they must be refreshed before a request can contain them. */
  live: JsonObject | undefined;
  content: unknown;
  liveCel: unknown;
}

/** How the end of a task was reported. `files`: of a reused download, unless all are whole. */
export interface ReportedEnd {
  readonly ending: TaskEnding;
  readonly files: FileCounts | undefined;
}

/** What a plan expects of a task. */
interface ExpectedTask {
  readonly planned: PlannedTask;
  /** Its outputs by content, as far as they are known; undefined if it will have none, or has given them. */
  readonly content: unknown;
  /** True if it will have outputs that only the run knows. */
  readonly isOpen: boolean;
}

/** Which element of a fan-out an item run stands for. No `index`: the fan-out has no elements, or only the run knows them. */
export interface ElementOf {
  readonly fan: FanOut;
  readonly index?: number;
  /** The number of elements. */
  readonly of: number;
  /** By content. */
  readonly value?: Json;
  /** In a plan, if only the run will know the elements: the step that tells them, and how many there may be. */
  readonly unknown?: { readonly after: string; readonly times: Times };
}

/** The items, as the shared steps see them that wait for them. */
export interface ItemsInside {
  /** Resolves when no item is in progress, and none will be; undefined from then on. */
  readonly over: () => Promise<void> | undefined;
  /** The combined phase of a step over all items. */
  phase(step: string): Phase;
  /** The steps of which a shared step reads `all` outputs. */
  readonly gathered: readonly Step[];
  /** In the order of the items. */
  runs(): readonly ItemRun[];
  rest(): Gathering['rest'];
}

export interface ItemRunOptions {
  readonly steps: readonly Step[];
  readonly item: Item | undefined;
  /** The item run of the shared steps; for an element, that of its item. */
  readonly around?: ItemRun;
  readonly element?: ElementOf;
  /** For the shared steps. */
  readonly items?: ItemsInside;
}

/** What a step waits for, and what becomes of it then. */
type Waiting = Parameters<typeof turnOf>[0];

/** One step of an item run. */
class StepPhase {
  phase: Phase = 'waiting';
  #over: PromiseWithResolvers<void> | undefined;

  get isOver(): boolean {
    return this.phase !== 'waiting' && this.phase !== 'started';
  }

  /** Resolves when the task has ended for the first time; undefined from then on. */
  get over(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    this.#over ??= Promise.withResolvers();
    return this.#over.promise;
  }

  end(ending: Ending): void {
    this.phase = ending;
    this.#over?.resolve();
  }
}

/** The steps of items of which a shared step reads `all` outputs. */
export const gatheredSteps = (steps: readonly Step[]): readonly Step[] =>
  steps.filter(({ isGathered, fan }) => isGathered && fan === undefined);

/** The steps of an item run in their order; a fan-out stands where its first step does. */
interface Shape {
  readonly own: readonly Step[];
  readonly fans: readonly { readonly fan: FanOut; readonly steps: readonly Step[] }[];
}

const shapes = new WeakMap<readonly Step[], Shape>();

/** The same for a million items. */
function shapeOf(steps: readonly Step[]): Shape {
  const known = shapes.get(steps);
  if (known !== undefined) return known;
  const fans = new Map<string, FanOut>();
  for (const { fan } of steps) if (fan !== undefined) fans.set(fan.step, fan);
  const shape = {
    own: steps.filter(({ fan }) => fan === undefined),
    fans: [...fans.values()].map((fan) => ({
      fan,
      steps: steps.filter((step) => step.fan?.step === fan.step),
    })),
  };
  shapes.set(steps, shape);
  return shape;
}

export class ItemRun {
  readonly item: Item | undefined;
  /** The steps that run once in it. Those of its fan-outs run in `elementRuns`. */
  readonly steps: readonly Step[];
  readonly fans: readonly FanRun[];
  readonly element: ElementOf | undefined;
  readonly #around: ItemRun | undefined;
  readonly #items: ItemsInside | undefined;
  readonly #progress = new Map<string, StepPhase>();
  /** Steps whose outputs are being refreshed for others. */
  readonly refreshing = new Map<string, Promise<void>>();
  /** Free tasks to repeat although the journal has them, because their values are no longer in storage. */
  readonly #redone = new Set<string>();
  /** The reported ending of each step's task. A task that is repeated for another step ends twice. */
  readonly #reported = new Map<string, ReportedEnd>();
  /** Steps whose tasks were reported as begun. */
  readonly #begun = new Set<string>();
  /** Steps whose inputs were already supplied a second time. */
  readonly #resupplied = new Set<string>();
  #changed = false;
  #unfinished = false;
  /** By step. */
  readonly #outputs = new Map<string, TaskOutputs>();
  /** For a plan: what is expected of each task. */
  readonly #expected = new Map<string, ExpectedTask>();
  readonly #itemCel: Pick<Scope, 'item' | 'matrix'>;

  constructor({ steps, item, around, element, items }: ItemRunOptions) {
    const { own, fans } = shapeOf(steps);
    this.steps = element === undefined ? own : steps;
    this.fans = element === undefined ? fans.map(({ fan, steps }) => new FanRun(fan, steps)) : [];
    this.item = item;
    this.element = element;
    this.#around = around;
    this.#items = items;
    for (const { name } of this.steps) this.#progress.set(name, new StepPhase());
    const { fields, matrix } = item ?? {};
    this.#itemCel = { item: toCel(fields), matrix: toCel(matrix) };
  }

  /** True if no step waits any more, in its elements either. */
  get isOver(): boolean {
    for (const { phase } of this.#progress.values()) if (phase === 'waiting') return false;
    return this.fans.every(
      ({ elementRuns }) => elementRuns?.every((elementRun) => elementRun.isOver) ?? false,
    );
  }

  /** The item run of the item, or of the shared steps. */
  get root(): ItemRun {
    return this.element === undefined || this.#around === undefined ? this : this.#around;
  }

  /** True if it performs steps that are done once for all items. */
  get isShared(): boolean {
    return this.element === undefined ? this.#around === undefined : this.root.isShared;
  }

  /** The item runs of all its elements. */
  get elementRuns(): readonly ItemRun[] {
    return this.fans.flatMap(({ elementRuns = [] }) => elementRuns);
  }

  task(step: Step): TaskId {
    return taskId(step.name, this.item, this.element?.index);
  }

  step(name: string): Step | undefined {
    return this.steps.find((step) => step.name === name);
  }

  fanWith(step: string): FanRun | undefined {
    return this.fans.find((fan) => fan.has(step));
  }

  phase(step: string): Phase {
    const own = this.#progress.get(step)?.phase ?? this.fanWith(step)?.phase(step);
    if (own !== undefined) return own;
    return this.#around?.phase(step) ?? this.#items?.phase(step) ?? 'waiting';
  }

  /** True if a step of its own has ended. */
  hasEnded(step: string): boolean {
    return this.#progress.get(step)?.isOver === true;
  }

  /** Resolves when a step that another one waits for is over; undefined if it is. */
  over(step: string): Promise<void> | undefined {
    const own = this.#progress.get(step);
    if (own !== undefined) return own.over;
    const fan = this.fanWith(step);
    if (fan !== undefined) return fan.over(step);
    return this.#around === undefined ? this.#items?.over() : this.#around.over(step);
  }

  /** Resolves when it is known what a step does: when all steps that it waits for are over. Undefined if they are. */
  ready({ after }: Waiting): Promise<void> | undefined {
    for (const [place, before] of after.entries()) {
      const over = this.over(before);
      if (over !== undefined) return this.#readyAfter(over, after.slice(place + 1));
    }
    return undefined;
  }

  async #readyAfter(first: Promise<void>, others: readonly string[]): Promise<void> {
    await first;
    for (const before of others) await this.over(before);
  }

  /** What a step does that is ready. */
  turn(step: Waiting): Turn {
    const turn = turnOf(
      step,
      (before) => this.phase(before),
      (before) => this.#gathering(before),
    );
    if (turn === undefined)
      throw new Error('bug: a step takes its turn before the steps before it');
    return turn;
  }

  #gathering(step: string): Gathering {
    const fan = this.fanWith(step);
    if (fan !== undefined) return fan.gathering(step);
    if (this.#around !== undefined) return this.#around.#gathering(step);
    const rest = this.#items?.rest() ?? 'done';
    if (rest === 'waiting') return { contributors: [], rest };
    return { contributors: this.#contributorsOf(step).map((run) => run.contributor(step)), rest };
  }

  /** What it adds to a fan-in. */
  contributor(name: string): Contributor {
    const lasting = (step: string): Phase => this.#lastingPhase(step);
    const settled = isFinal(name, lasting, (step) => this.#anyStep(step)?.after ?? []);
    const step = this.step(name);
    if (step === undefined) throw new Error(`bug: ${name} does not run here`);
    const perhaps = this.#expected.get(name)?.planned.action === 'maybe';
    return { task: this.task(step), phase: this.phase(name), isFinal: settled, perhaps };
  }

  /** The phase of a step, but `pending` for a fan-out of which a later run may do more: over all elements, it is only blocked. */
  #lastingPhase(step: string): Phase {
    if (this.step(step) !== undefined) return this.phase(step);
    const fan = this.fanWith(step);
    if (fan === undefined)
      return this.#around === undefined ? this.phase(step) : this.#around.#lastingPhase(step);
    const isOpen = fan.gathering(step).contributors.some((one) => !one.isFinal);
    return isOpen ? 'pending' : this.phase(step);
  }

  #anyStep(name: string): Step | undefined {
    const ofFans = this.fanWith(name)?.steps.find((step) => step.name === name);
    if (this.#around === undefined) return this.step(name) ?? ofFans;
    return this.step(name) ?? ofFans ?? this.#around.#anyStep(name);
  }

  /** The item runs whose outputs `steps.<name>.all` lists, if they have any. */
  #contributorsOf(step: string): readonly ItemRun[] {
    const fan = this.fanWith(step);
    if (fan !== undefined) return fan.elementRuns ?? [];
    if (this.#around !== undefined) return this.#around.#contributorsOf(step);
    return this.#items?.runs() ?? [];
  }

  /**
   * Begins a fan-out. No `elements`: it has none, because of its list, or they are `unknown` to a plan; one item run stands
   * for them, so that its steps still end.
   */
  open(
    fan: FanRun,
    elements: readonly Json[] | undefined,
    unknown?: ElementOf['unknown'],
  ): readonly ItemRun[] {
    const elementRunOf = (more: Partial<ElementOf>): ItemRun =>
      new ItemRun({
        steps: fan.steps,
        item: this.item,
        around: this,
        element: { fan: fan.fan, of: elements?.length ?? 0, ...more },
      });
    const one = (): ItemRun => elementRunOf(unknown === undefined ? {} : { unknown });
    fan.open(elements?.map((value, index) => elementRunOf({ index, value })) ?? [one()]);
    return fan.elementRuns ?? [];
  }

  /** True if a task of this item did something or failed in this run. */
  get hasChanged(): boolean {
    return this.#changed;
  }

  /** True if some of its tasks did not end well. */
  get isUnfinished(): boolean {
    return this.#unfinished;
  }

  /** A task that is repeated for another step ends again. */
  end(step: string, ending: Ending): void {
    const progress = this.#progress.get(step);
    if (progress === undefined) throw new Error(`bug: ${step} does not run here`);
    progress.end(ending);
    const { dependents } = endingFacts[ending];
    if (dependents === 'blocked' || dependents === 'later') this.root.#unfinished = true;
  }

  /** Records how a task's end was reported. Returns how it was reported before, if it was. */
  report(step: string, end: ReportedEnd): ReportedEnd | undefined {
    const { ending } = end;
    if (ending !== 'reused' && endingFacts[ending].acted) this.root.#changed = true;
    const before = this.#reported.get(step);
    this.#reported.set(step, end);
    return before;
  }

  /** True the first time, unless the task was already reported: one that is repeated for another step began before. */
  begin(step: string): boolean {
    if (this.#begun.has(step) || this.#reported.has(step)) return false;
    this.#begun.add(step);
    return true;
  }

  /** Marks a free task for repetition although the journal has it. */
  redo(step: string): void {
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

  /** The steps that download the project of a delete, including those that the run excludes. */
  saversOf(step: Step): readonly Step[] {
    return saversOf(step, this.steps);
  }

  /** The item run that performs a step: this one, or the shared one. */
  ownerOf(step: string): ItemRun | undefined {
    if (this.#outputs.has(step) || this.step(step) !== undefined) return this;
    return this.#around?.ownerOf(step);
  }

  /** The item runs that perform a step whose outputs another step of this item run uses. */
  suppliersOf(step: Step, name: string): readonly ItemRun[] {
    if (step.gathers.includes(name)) return this.#contributorsOf(name);
    const owner = this.ownerOf(name);
    return owner === undefined ? [] : [owner];
  }

  /**
   * Stores a finished task's outputs for later steps. `live`: the outputs as requests see them now; undefined if they
   * are refreshed on demand.
   */
  setOutputs(
    step: Step,
    fingerprint: Fingerprint,
    job: JobLine | undefined,
    live: JsonObject | undefined,
  ): void {
    const { name, isRead, kind } = step;
    if (job === undefined) throw new Error(`bug: ${this.task(step)} gave without a job`);
    this.#redone.delete(name);
    const saved = kind.operation === 'download' || kind.operation === 'delete';
    if (!isRead) {
      this.#outputs.set(name, { fingerprint, live: saved ? {} : live, content: {}, liveCel: {} });
      return;
    }
    const content = saved
      ? savedOutputs(job, this.task(step))
      : namedByContent(kind.operation, fingerprint, resultOf(job), job.credits ?? 0);
    const values = saved ? content : live;
    const [contentCel, liveCel] = [toCel(content), toCel(values)];
    this.#outputs.set(name, { fingerprint, live: values, content: contentCel, liveCel });
  }

  /**
   * Notes what a plan expects of a task. `outputs`: by content, as far as they are known; undefined if it will have none, or
   * has given them. `isOpen`: it will have others, which only the run knows.
   */
  expect(planned: PlannedTask, outputs?: JsonObject, isOpen = false): void {
    const { name, isRead } = planned.step;
    const content = outputs === undefined ? undefined : toCel(isRead ? outputs : {});
    this.#expected.set(name, { planned, content, isOpen: isOpen && isRead });
  }

  /** What a plan expects of a task, here or around. */
  planned(step: string): PlannedTask | undefined {
    return this.#expected.get(step)?.planned ?? this.#around?.planned(step);
  }

  /** What a plan expects of a task of its own. */
  plannedHere(step: string): PlannedTask | undefined {
    return this.#expected.get(step)?.planned;
  }

  /** The item runs of the elements for which a step is done; undefined if it belongs to no fan-out. */
  elementRunsWith(step: string): readonly ItemRun[] | undefined {
    const fan = this.fanWith(step);
    return fan === undefined ? this.#around?.elementRunsWith(step) : (fan.elementRuns ?? []);
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
      const phase = this.phase(name);
      return phase === 'waiting' || phase === 'started';
    });
    return own || this.elementRuns.some((elementRun) => elementRun.stillUses(fingerprint, asking));
  }

  #isProject(step: string, fingerprint: Fingerprint): boolean {
    const elementRuns = this.fanWith(step)?.elementRuns;
    if (elementRuns !== undefined)
      return elementRuns.some((elementRun) => elementRun.#isProject(step, fingerprint));
    if (this.outputsOf(step)?.fingerprint !== fingerprint) return false;
    return this.ownerOf(step)?.step(step)?.kind.operation === 'create';
  }

  /** True if this item run itself has the step's outputs, fresh or not. */
  hasOutputs(step: string): boolean {
    return this.#outputs.has(step);
  }

  /** The outputs of a finished task, here or around. */
  outputsOf(step: string): TaskOutputs | undefined {
    return this.#outputs.get(step) ?? this.#around?.outputsOf(step);
  }

  /** Sets the live outputs of a step of this item run. */
  setLive(step: string, live: JsonObject | undefined): void {
    const outputs = this.#outputs.get(step);
    if (outputs === undefined) throw new Error(`bug: ${step} has given nothing yet`);
    outputs.live = live;
    outputs.liveCel = toCel(live);
  }

  /** The names for fingerprints. */
  byContent(base: Base): Names {
    const { value, index } = this.element ?? {};
    const each = value === undefined || index === undefined ? undefined : eachOf(value, index);
    return {
      scope: this.#scope(base, 'content', each),
      fingerprintOfStep: (step) =>
        this.outputsOf(step)?.fingerprint ?? this.planned(step)?.fingerprint,
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
    const steps: Record<string, unknown> = {};
    const open = new Set<string>();
    this.#addOutputs(steps, open, which);
    this.#addGathered(this.root.#items?.gathered ?? [], steps, open, which);
    return {
      ...base,
      ...this.#itemCel,
      steps,
      ...(each === undefined ? {} : { each: toCel(each) }),
      ...(open.size === 0 ? {} : { open }),
    };
  }

  /** What is nearer comes later, and takes the place of what is around it. Only the shared steps see all items. */
  #addOutputs(
    outputs: Record<string, unknown>,
    open: Set<string>,
    which: 'content' | 'liveCel',
  ): void {
    if (this.#around !== undefined) this.#around.#addOutputs(outputs, open, which);
    for (const { steps, elementRuns } of this.fans)
      if (elementRuns !== undefined) this.#addGathered(steps, outputs, open, which);
    for (const [step, { content, isOpen }] of this.#expected) {
      if (content !== undefined) outputs[step] = content;
      if (isOpen) open.add(step);
      else open.delete(step);
    }
    for (const [step, own] of this.#outputs) outputs[step] = own[which];
  }

  /** The list `all` of steps, unless a plan does not know it yet. */
  #addGathered(
    steps: readonly Step[],
    outputs: Record<string, unknown>,
    open: Set<string>,
    which: 'content' | 'liveCel',
  ): void {
    for (const { name, isGathered } of steps) {
      if (!isGathered) continue;
      const done = this.#contributorsOf(name).filter((run) => run.phase(name) === 'done');
      if (done.some((run) => run.#expected.get(name)?.isOpen)) open.add(name);
      const all = done.map(
        (run) => run.#outputs.get(name)?.[which] ?? run.#expected.get(name)?.content,
      );
      if (done.some((run) => run.#isUnnamed(name))) delete outputs[name];
      else outputs[name] = { all };
    }
  }

  /** True if a plan does not know by which content a task will be done. */
  #isUnnamed(step: string): boolean {
    const foreseen = this.#expected.get(step);
    return foreseen !== undefined && foreseen.planned.fingerprint === undefined;
  }
}

const readsList = ({ uses }: Step, fan: FanOut): boolean =>
  fan.uses.every((name) => uses.includes(name));

/** The elements of one fan-out, for one item or for the shared steps. Each is an item run inside the one of the item. */
export class FanRun {
  readonly fan: FanOut;
  readonly steps: readonly Step[];
  readonly #opened = Promise.withResolvers<readonly ItemRun[]>();
  #elementRuns: readonly ItemRun[] | undefined;

  constructor(fan: FanOut, steps: readonly Step[]) {
    this.fan = fan;
    this.steps = steps;
  }

  /** The elements; undefined if the list is not known yet. */
  get elementRuns(): readonly ItemRun[] | undefined {
    return this.#elementRuns;
  }

  open(elementRuns: readonly ItemRun[]): void {
    if (this.#elementRuns !== undefined) throw new Error(`bug: ${this.fan.step} was opened twice`);
    this.#elementRuns = elementRuns;
    this.#opened.resolve(elementRuns);
  }

  has(step: string): boolean {
    return this.steps.some(({ name }) => name === step);
  }

  /** Resolves when a step is over for all elements; undefined if it is. */
  over(step: string): Promise<void> | undefined {
    if (this.#elementRuns === undefined) return this.#opened.promise.then(() => this.over(step));
    const waiting = this.#elementRuns.flatMap((elementRun) => elementRun.over(step) ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting).then(() => undefined);
  }

  /** The phase of a step over all elements, as the barrier has it over all items. */
  phase(step: string): Phase {
    const barrier = new Barrier(false);
    for (const elementRun of this.#elementRuns ?? []) {
      const phase = elementRun.phase(step);
      if (phase === 'waiting' || phase === 'started') return 'waiting';
      barrier.note(step, phase);
    }
    return barrier.phase(step, { over: this.#elementRuns !== undefined, rest: undefined });
  }

  gathering(step: string): Gathering {
    const contributors = (this.#elementRuns ?? []).map((elementRun) =>
      elementRun.contributor(step),
    );
    return { contributors, rest: this.#elementRuns === undefined ? 'waiting' : 'done' };
  }
}

/** The outputs of a finished download for later steps: its paths are relative to the pipeline file, as in an `upload` step. */
export function savedOutputs(job: JobLine, task: string): JsonObject {
  const outputs = (job.outputs ?? []).filter((output) => output.task === task);
  const paths = outputs.map(({ path }) => path);
  return {
    paths,
    bytes: outputs.reduce((sum, output) => sum + output.bytes, 0),
    ...(paths[0] === undefined ? {} : { path: paths[0] }),
    ...(outputs[0] === undefined ? {} : { sha256: outputs[0].sha256 }),
    ...(outputs[0]?.duration === undefined ? {} : { duration: outputs[0].duration }),
  };
}
