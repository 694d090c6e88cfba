// The one walk over steps, items and lists. A plan and a run are this code; they differ in the performer, which acts or does
// nothing. Whoever waits awaits a promise: of a step before it, of the task that makes the same, of the end of its scope.
import { elementsOf, mostElements } from '../model/element.ts';
import type { Item } from '../model/item.ts';
import { type Asked, Asking, lengthOf } from './ask.ts';
import { done, type End, type Ending, isGraver } from './ending.ts';
import type { Named } from './names.ts';
import { memberOf } from './naming.ts';
import { endOf, problemAt, problemOf, type TaskProblem } from './problems.ts';
import { type Fan, isFan, type Part, type PlannedStep, type Program } from './program.ts';
import { isOfFile, lostText, type ReasonCode, textOf } from './reason.ts';
import { type Done, type Held, Scope, Task } from './scope.ts';

export interface Performer {
  /** It does nothing: a creation that it is asked for is not there afterwards. */
  readonly isDry: boolean;
  /** Items in their order; sets aside what nobody else pays for. */
  admit(scope: Scope): Promise<true | Held> | true | Held;
  /** Called once for a fingerprint: who wants the same awaits the same promise. Rejects for a bug only. */
  act(task: Task): Promise<End>;
  /** It waits for what another task makes. */
  joins?(task: Task, other: Task): void;
  /** The steps that run once, before all items are over, are. */
  settled?(): void;
  /** Nothing more is created in it. */
  leave?(scope: Scope): void;
  /** Its deletes are over, too. */
  over?(scope: Scope, end: End): void;
}

export interface Setting extends Asked {
  /** Steps that this run excludes: what they made before counts, and nothing is begun. */
  readonly excluded: ReadonlySet<string>;
  /** Projects that several items want, by the plan: a discard of these comes last. */
  readonly shared: ReadonlySet<string>;
  readonly window: number;
  /** False for a run of some of the items: then nothing is gathered. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

/** Hears of each task before it acts, and of its end. */
export type See = (task: Task, end?: End) => void;

/** Items are gathered by their place among all items of the pipeline, whoever goes first. */
export interface WalkItem {
  readonly item: Item;
  readonly at: number;
}

interface Elements {
  readonly children: readonly Scope[];
  readonly work: readonly Promise<Done>[];
  readonly stop?: End;
}

const notReached: Done = {
  end: { ending: 'later', why: 'its turn has not come' },
  task: undefined,
};

const othersOf = (step: string): Done => ({
  end: { ending: 'excluded', why: `needs ${step} of every item, and this run has only some` },
  task: undefined,
});

export class Walk {
  readonly #program: Program;
  readonly #setting: Setting;
  readonly #performer: Performer;
  readonly #see: See;
  readonly #asking: Asking;
  /** By fingerprint. */
  readonly #running = new Map<string, { readonly end: Promise<End>; readonly by: Task }>();
  /** Steps of lists that wait for all items. */
  readonly #after: (() => Promise<Done>)[] = [];
  #isAfter = false;

  constructor(program: Program, setting: Setting, performer: Performer, see: See) {
    this.#program = program;
    this.#setting = setting;
    this.#performer = performer;
    this.#see = see;
    this.#asking = new Asking(setting, performer.isDry);
  }

  async run(items: Iterable<WalkItem>): Promise<void> {
    const { before, after } = this.#program;
    const run = new Scope(undefined);
    run.admitted = await this.#performer.admit(run);
    const first = heard(this.#open(before, run).finally(() => this.#performer.settled?.()));
    await this.#items(items, run);
    this.#isAfter = true;
    const rest = this.#after.splice(0).map((begin) => begin());
    const last = this.#open(after, run);
    const ends = await Promise.all([first, last, Promise.all(rest).then(worstOf)]);
    await this.#tidy(run);
    this.#performer.leave?.(run);
    this.#performer.over?.(run, worstOf(ends.map((end) => ({ end }))));
  }

  async #items(items: Iterable<WalkItem>, run: Scope): Promise<void> {
    const { window, signal, isWhole } = this.#setting;
    const gathered = new Map<string, Promise<Done>[]>();
    for (const step of this.#program.gathered) gathered.set(step, []);
    const queue = items[Symbol.iterator]();
    let isDrained = false;
    const work = async (): Promise<void> => {
      while (!signal.aborted) {
        const next = queue.next();
        if (next.done === true) {
          isDrained = true;
          return;
        }
        const { item, at } = next.value;
        const scope = await this.#item(item, run);
        for (const [step, ends] of gathered) ends[at] = scope.endOf(step);
      }
    };
    await Promise.all(Array.from({ length: window }, work));
    for (const [step, ends] of gathered) {
      const rest = !isDrained ? [notReached] : isWhole ? [] : [othersOf(step)];
      run.all.set(
        step,
        Promise.all(ends.filter((end) => end !== undefined)).then((all) => [...all, ...rest]),
      );
    }
  }

  async #item(item: Item, run: Scope): Promise<Scope> {
    const scope = new Scope(item, run);
    scope.admitted = await this.#performer.admit(scope);
    const end = await this.#open(this.#program.own, scope);
    // What comes after a delete may still have to be paid.
    const buysLast = scope.tail.some(({ step }) => step.step.kind.operation === 'create');
    if (!buysLast) this.#performer.leave?.(scope);
    await this.#tidy(scope);
    if (buysLast) this.#performer.leave?.(scope);
    this.#performer.over?.(scope, end);
    return scope;
  }

  async #tidy(scope: Scope): Promise<void> {
    const ends = scope.tail.map(({ step, scope: own }) => {
      const end = this.#task(step, own);
      own.ends.set(step.step.name, end);
      return end;
    });
    await Promise.all(ends);
  }

  async #open(parts: readonly Part[], scope: Scope): Promise<End> {
    const work: Promise<Done>[] = [];
    for (const part of parts) {
      if (isFan(part)) work.push(this.#fan(part, scope));
      else this.#begin(part, scope, work);
    }
    return worstOf(await Promise.all(work));
  }

  #begin(step: PlannedStep, scope: Scope, work: Promise<Done>[]): void {
    const { payer } = scope;
    if (step.step.kind.operation === 'delete') {
      const last = step.isLate ? (payer.parent ?? payer) : payer;
      last.tail.push({ step, scope });
      return;
    }
    // It needs a delete, and comes after it.
    const behind = [payer, payer.parent].find((one) => one?.tail.some((late) => needs(step, late)));
    if (behind !== undefined) {
      behind.tail.push({ step, scope });
      return;
    }
    if (step.isAfter && !this.#isAfter) {
      const { promise, resolve } = Promise.withResolvers<Done>();
      scope.ends.set(step.step.name, promise);
      this.#after.push(() => {
        const end = this.#task(step, scope);
        resolve(end);
        return end;
      });
      return;
    }
    const end = this.#task(step, scope);
    scope.ends.set(step.step.name, end);
    work.push(end);
  }

  // Lists

  #fan(fan: Fan, scope: Scope): Promise<Done> {
    const opened = this.#elements(fan, scope);
    for (const { step } of fan.steps) {
      if (step.kind.operation === 'delete') continue;
      const all = opened.then(({ children, stop }) =>
        stop === undefined
          ? Promise.all(children.map((child) => child.endOf(step.name)))
          : [{ end: stop, task: undefined }],
      );
      scope.all.set(step.name, heard(all));
    }
    return opened.then(async ({ work, stop }) => ({
      end: stop ?? worstOf(await Promise.all(work)),
      task: undefined,
    }));
  }

  async #elements(fan: Fan, scope: Scope): Promise<Elements> {
    const gate = { needs: new Set<Task>(), perhaps: false };
    const stop = await scope.ready(fan.needs, fan.fan.onMissing, gate);
    if (stop !== undefined) return this.#stopped(fan, scope, stop);
    const list = this.#list(fan, scope);
    if ('problem' in list) return this.#stopped(fan, scope, endOf(list.problem), list.problem);
    const { named, count, most } = list;
    const work: Promise<Done>[] = [];
    const children = Array.from({ length: count ?? 1 }, (_, index) => {
      const place = count === undefined ? '?' : index;
      const each = memberOf(named, place);
      const child = new Scope(scope.item, scope, { index: place, fan, each });
      child.admitted = scope.admitted;
      child.perhaps = count === undefined || gate.perhaps;
      child.elements =
        count === undefined
          ? { least: 0, ...(most === undefined ? {} : { most }), open: true }
          : { least: count, most: count, open: false };
      for (const step of fan.steps) this.#begin(step, child, work);
      return child;
    });
    return { children, work };
  }

  /** The steps of a list that does not begin end with it, as tasks without an element. */
  #stopped({ steps }: Fan, scope: Scope, stop: End, problem?: TaskProblem): Elements {
    for (const planned of steps) {
      const task = new Task(planned, scope);
      const isFirst = planned === steps[0];
      if (problem !== undefined && isFirst)
        task.problem = problemOf(problem, planned.step, scope.item);
      const end: End =
        problem === undefined || isFirst
          ? stop
          : { ending: 'blocked', why: `waits for ${steps[0]?.step.name ?? ''}` };
      task.end = end;
      this.#see(task);
      this.#see(task, end);
    }
    return { children: [], work: [], stop };
  }

  /** `count`: undefined if only the run knows it, and `most` at most. */
  #list(
    fan: Fan,
    scope: Scope,
  ):
    | { problem: TaskProblem }
    | { named: Named; count: number | undefined; most: number | undefined } {
    const named = fan.list(scope.names(this.#setting.base, fan.needs));
    if (!named.ok) return { problem: problemAt(named.error) };
    const { count, most } = lengthOf(named.value);
    const values = this.#asking.recordedValues(scope, fan.needs);
    if (values === undefined) {
      if (count === undefined || count <= mostElements)
        return { named: named.value, count, most: most && Math.min(most, mostElements) };
    }
    const elements =
      values === undefined || !values.ok ? values : elementsOf(fan.fan, values.value);
    if (elements === undefined || elements.ok)
      return { named: named.value, count: elements?.value.length ?? count, most };
    const { code, message, hint } = elements.error;
    const at = problemAt(elements.error);
    return { problem: { ...at, code, message, hint: hint ?? at.hint } };
  }

  // Tasks

  async #task(planned: PlannedStep, scope: Scope): Promise<Done> {
    const task = new Task(planned, scope);
    if (planned.step.kind.operation !== 'delete') scope.payer.tasks.push(task);
    const end = await this.#act(task);
    // It comes once more, last of all.
    if (end === undefined) return notReached;
    task.end = end;
    this.#asking.ended(task, end);
    this.#see(task, end);
    return { end, task };
  }

  async #act(task: Task): Promise<End | undefined> {
    const { planned, step, scope } = task;
    let stop = await scope.ready(planned.needs, step.onMissing, task);
    const isSpared = this.#setting.takes.spares(step, task.id);
    // What it needs is not bought because of it.
    const held = scope.admitted === true ? undefined : scope.admitted;
    if (stop?.ending === 'blocked' && held?.bad?.task === task.id) {
      task.problem = held.bad.problem;
      stop = endOf(held.bad.problem);
    }
    if (isSpared && step.kind.operation === 'delete') stop = excludedStep;
    if (stop?.ending === 'blocked' && this.#isExcluded(task)) stop = excludedStep;
    if (stop === undefined) {
      const named = this.#asking.name(task);
      stop = named instanceof Promise ? await named : named;
    }
    if (stop === undefined && this.#isForLater(task)) return undefined;
    // From here to the promise is one turn: whoever wants the same finds it running.
    const running = stop === undefined ? this.#running.get(task.fingerprint) : undefined;
    if (running !== undefined && this.#isExcluded(task)) stop = excludedStep;
    // Whoever comes first: nothing begins for an item that cannot run.
    else if (held?.bad !== undefined && begins(running?.by)) stop = { ending: 'pending', ...held };
    else if (running !== undefined) this.#join(task, running.by);
    else if (stop === undefined) stop = this.#asking.decide(task) ?? this.#unlessOfOthers(task);
    this.#see(task);
    if (stop !== undefined) return stop;
    const end = await (running?.end ?? this.#once(task));
    return end.action === undefined ? { ...end, action: task.action } : end;
  }

  /** A project that others want and that nobody saves goes last. */
  #isForLater({ planned, step, scope, source }: Task): boolean {
    const run = scope.payer.parent;
    if (step.kind.operation !== 'delete' || !step.discard || run === undefined) return false;
    if (source === undefined || !this.#setting.shared.has(source.fingerprint)) return false;
    if (run.tail.some((one) => one.step === planned && one.scope === scope)) return false;
    run.tail.push({ step: planned, scope });
    return true;
  }

  /** Items that are not of this run use the project, too. */
  #unlessOfOthers({ planned, action, step }: Task): End | undefined {
    const isOfOthers = planned.isOfItems && !this.#setting.isWhole && action !== 'reuse';
    return isOfOthers ? othersOf(step.of ?? step.name).end : undefined;
  }

  #join(task: Task, other: Task): void {
    task.isShared = true;
    task.action = 'reuse';
    task.reason = { code: 'same-content' };
    task.known = other.known;
    if (other.perhaps) task.perhaps = true;
    this.#performer.joins?.(task, other);
  }

  #isExcluded({ id, step }: Task): boolean {
    const { excluded, takes } = this.#setting;
    return excluded.has(step.name) || takes.spares(step, id);
  }

  #once(task: Task): Promise<End> | End {
    const { action, reason, scope } = task;
    const why = reason === undefined ? '' : textOf(reason);
    switch (action) {
      case 'reuse':
        return done;
      case 'keep':
        if (this.#isExcluded(task)) return excludedStep;
        return { ending: (reason && keptEndings[reason.code]) ?? 'failed', why };
      case 'lost':
        return {
          ending: 'failed',
          why: this.#performer.isDry || isOfFile(reason) ? why : lostText(why),
        };
      case 'doubt':
        return { ending: 'doubt', why };
    }
    if (this.#isExcluded(task)) return excludedStep;
    if (isNew(task) && scope.admitted !== true) return { ending: 'pending', ...scope.admitted };
    const end = this.#performer.act(task).then((one) => ({ ...one, action }));
    this.#running.set(task.fingerprint, { end, by: task });
    return end;
  }
}

/** Whoever waits for it hears of a bug, and whoever began it, too. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const isNew = (task: Task | undefined): boolean =>
  task?.action === 'create' || task?.action === 'supply';

const begins = (task: Task | undefined): boolean => isNew(task) || task?.action === 'remove';

const needs = ({ needs: all }: PlannedStep, { step }: { readonly step: PlannedStep }): boolean =>
  all.some((one) => one.step === step.step.name);

const excludedStep: End = { ending: 'excluded', why: 'this run excludes it' };

/** How a delete ends that keeps its project. All others are for a person to look at. */
const keptEndings: Readonly<Partial<Record<ReasonCode, Ending>>> = {
  'not-complete': 'blocked',
  'still-needed': 'blocked',
  'reader-excluded': 'excluded',
  'payer-has-not-saved': 'skipped',
  'files-elsewhere': 'skipped',
};

const worstOf = (list: readonly Pick<Done, 'end'>[]): End =>
  list.reduce((worst, { end }) => (isGraver(end.ending, worst.ending) ? end : worst), done);

/** For a plan: nothing is done, and everything that can be done ends well. */
export class DryPerformer implements Performer {
  readonly isDry = true;
  readonly admit: (scope: Scope) => true | Held;

  constructor(admit: (scope: Scope) => true | Held = () => true) {
    this.admit = admit;
  }

  act(): Promise<End> {
    return Promise.resolve(done);
  }
}
