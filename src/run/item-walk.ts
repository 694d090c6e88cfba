// How an item moves through its steps, in a run and in a plan alike: each task waits for the steps before it, then takes its turn.
// A fan-out opens once its list is known, and its elements move in the same way.
import type { Step } from '../language/pipeline.ts';
import type { End } from '../plan/ending.ts';
import type { Turn } from '../plan/turn.ts';
import type { FanRun, ItemRun } from './item-run.ts';

/** A task of an item run. */
export interface ItemTask {
  readonly itemRun: ItemRun;
  readonly step: Step;
}

/** Decides what is done when a turn has come: a run acts, a plan only foresees. */
export interface Actor {
  /** Brings a task to its end. Undefined: it has ended. */
  act(itemTask: ItemTask): Promise<void> | undefined;
  /**
   * Opens a fan-out. `head`: its step with `for_each`, which ends here if the fan-out has no elements. Undefined: it is open.
   */
  open(fan: FanRun, head: ItemTask, turn: Turn): Promise<void> | undefined;
}

/** What a step comes to that the run excludes, and that no earlier run has done. */
export const excludedEnd: End = { ending: 'excluded', why: 'this run excludes the step' };

/** How a step ends before its turn. One that the run excludes would not begin either way. */
export const endOf = (turn: End, isExcluded: boolean): End =>
  isExcluded && turn.ending !== 'skipped' ? excludedEnd : turn;

/** Resolves when all tasks of an item run have ended, those of its elements, too. Undefined: they have. */
export function walk(itemRun: ItemRun, actor: Actor): Promise<void> | undefined {
  const { steps, fans } = itemRun;
  return all([
    ...steps.map((step) => walkTask({ itemRun, step }, actor)),
    ...fans.map((fan) => walkFan(itemRun, fan, actor)),
  ]);
}

function walkTask(itemTask: ItemTask, actor: Actor): Promise<void> | undefined {
  const { itemRun, step } = itemTask;
  if (itemRun.hasEnded(step.name)) return undefined;
  const ready = itemRun.ready(step);
  return ready === undefined ? actor.act(itemTask) : ready.then(() => actor.act(itemTask));
}

function walkFan(itemRun: ItemRun, fan: FanRun, actor: Actor): Promise<void> | undefined {
  const { fan: list, steps } = fan;
  const step = steps.find(({ name }) => name === list.step);
  if (step === undefined) throw new Error(`bug: the fan-out of ${list.step} lacks its step`);
  const waiting = { ...list, after: list.uses };
  const elements = () => all((fan.elementRuns ?? []).map((elementRun) => walk(elementRun, actor)));
  const open = (): Promise<void> | undefined => {
    const opening = actor.open(fan, { itemRun, step }, itemRun.turn(waiting));
    return opening === undefined ? elements() : opening.then(elements);
  };
  const ready = itemRun.ready(waiting);
  return ready === undefined ? open() : ready.then(open);
}

function all(tasks: readonly (Promise<void> | undefined)[]): Promise<void> | undefined {
  const waiting = tasks.filter((task) => task !== undefined);
  if (waiting.length === 0) return undefined;
  return waiting.length === 1 ? waiting[0] : Promise.all(waiting).then(() => undefined);
}
