// What would happen for one item: the plan's view, a pure walk over its steps with what is known now.
import { isObject, type JsonObject } from '../base/json.ts';
import { unreachable } from '../base/result.ts';
import { type JobLine, resultOf } from '../journal/line.ts';
import type { Deed } from '../kinds/kind.ts';
import type { Scope } from '../language/expression.ts';
import { toCel } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { fillKnown } from '../language/template.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import { namedByContent, predicted } from '../task/outputs.ts';
import { type TaskId, taskId } from '../task/task.ts';
import { type Answer, ask, type Trouble } from './ask.ts';
import type { Act } from './decide.ts';
import type { Estimate } from './estimate.ts';
import type { Facts } from './facts.ts';
import { type Renewal, renewalOf } from './renew.ts';
import { savedOutputs } from './saved-outputs.ts';
import type { Phase } from './schedule.ts';

/**
 * `maybe`: it depends on what an earlier step finds. `skip`, `block`: it will not be done.
 * `exclude`: this run leaves it out. `trouble`: it cannot be done as things are.
 */
export type Outlook = Act | 'maybe' | 'skip' | 'exclude' | 'block' | 'trouble';

/** Kinds whose requests carry other steps' outputs; downloads and deletes only name a project. */
const sendsValues: readonly Deed[] = ['detect', 'create'];

export interface Foreseen {
  readonly step: Step;
  readonly task: TaskId;
  readonly outlook: Outlook;
  readonly why: string;
  readonly fingerprint?: Fingerprint;
  /** Set for a tool's task that would be, or may be, paid. */
  readonly estimate?: Estimate;
  readonly trouble?: Trouble;
  /** A download: where to. */
  readonly to?: string;
  /** An upload: which file. */
  readonly file?: string;
}

export interface Ground {
  readonly facts: Facts;
  readonly jobOf: (fingerprint: Fingerprint) => JobLine | undefined;
  readonly estimate: (step: Step, body: JsonObject) => Estimate;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Steps that the run leaves out. */
  readonly leftOut: ReadonlySet<string>;
  /** How a step of the items stands over all of them, once they are foreseen: some shared steps wait for that. */
  readonly overItems?: (step: string) => Phase;
}

/** Foresees one item's steps (or the shared ones), given what was foreseen of the shared ones. */
export function foresee(
  steps: readonly Step[],
  item: Item | undefined,
  ground: Ground,
  shared: Foresight | undefined,
): Foresight {
  const walk = new Foresight(item, ground, shared);
  for (const step of steps) walk.visit(step);
  walk.renew();
  return walk;
}

/** What is left out is still reused where it is done, and skipped where it is not wanted. */
function withoutDoing(foreseen: Foreseen): Foreseen {
  const { step, task, outlook, fingerprint } = foreseen;
  if (outlook === 'reuse' || outlook === 'skip' || outlook === 'block') return foreseen;
  const known = fingerprint === undefined ? {} : { fingerprint };
  return { step, task, outlook: 'exclude', why: 'this run leaves it out', ...known };
}

/** What can be said of a body before the steps that it uses have run. */
function knownBody(step: Step, scope: Scope): JsonObject {
  const known = fillKnown(step.with, scope) ?? null;
  return isObject(known) ? known : {};
}

export class Foresight {
  readonly tasks: Foreseen[] = [];
  readonly #byStep = new Map<string, Foreseen>();
  readonly #outputs: Record<string, unknown>;
  readonly #scope: Scope;
  readonly #item: Item | undefined;
  readonly #ground: Ground;
  readonly #shared: Foresight | undefined;
  /** True when a file must be hashed before this can be said; then it is asked again. */
  unread = false;

  constructor(item: Item | undefined, ground: Ground, shared: Foresight | undefined) {
    this.#item = item;
    this.#ground = ground;
    this.#shared = shared;
    this.#outputs = shared === undefined ? {} : { ...shared.#outputs };
    this.#scope = { ...ground.base, item: toCel(item?.fields), steps: this.#outputs };
  }

  of(step: string): Foreseen | undefined {
    return this.#byStep.get(step) ?? this.#shared?.of(step);
  }

  visit(step: Step): void {
    const task = taskId(step.name, step.shared ? undefined : this.#item);
    const early = this.#before(step, task);
    const asked = early ?? this.#asked(step, task, this.#scope);
    const foreseen = this.#ground.leftOut.has(step.name) ? withoutDoing(asked) : asked;
    this.#byStep.set(step.name, foreseen);
    this.tasks.push(foreseen);
    if (step.isRead) this.#outputs[step.name] = toCel(this.#outputsOf(foreseen));
  }

  /** What the steps before it already decide. */
  #before(step: Step, task: TaskId): Foreseen | undefined {
    for (const name of step.after) {
      const before = this.of(name);
      const over = before === undefined ? this.#ground.overItems?.(name) : undefined;
      if (over === 'blocked') return { step, task, outlook: 'block', why: `waits for ${name}` };
      if (before?.outlook === 'exclude' || over === 'excluded')
        return { step, task, outlook: 'exclude', why: `${name} is left out` };
      if (before === undefined) continue;
      if (before.outlook === 'skip' && step.uses.includes(name))
        return { step, task, outlook: 'skip', why: `${name} is skipped` };
      if (['hold', 'lost', 'refuse', 'block', 'trouble'].includes(before.outlook))
        return { step, task, outlook: 'block', why: `waits for ${name}` };
    }
    return undefined;
  }

  #asked(step: Step, task: TaskId, scope: Scope): Foreseen {
    const { deed } = step.kind;
    const uncertain = step.after.find((name) => this.#comesLater(name));
    if (uncertain !== undefined && (deed === 'download' || deed === 'delete')) {
      const { to } = knownBody(step, scope);
      const outlook = this.of(uncertain)?.outlook === 'maybe' ? 'maybe' : 'begin';
      return {
        step,
        task,
        outlook,
        why: `after ${uncertain}`,
        ...(typeof to === 'string' ? { to } : {}),
      };
    }
    const answer = ask({
      step,
      task,
      names: { scope, fingerprintOfStep: (name) => this.of(name)?.fingerprint },
      facts: this.#ground.facts,
      jobOf: this.#ground.jobOf,
      savers: this.tasks
        .filter((other) => other.step.kind.deed === 'download' && other.step.of === step.of)
        .map((other) => other.task),
    });
    if (answer.is === 'trouble' && uncertain !== undefined)
      return this.#priced({ step, task, outlook: 'maybe', why: `depends on ${uncertain}` }, scope);
    return this.#answered(answer, step, task, scope);
  }

  #answered(answer: Answer, step: Step, task: TaskId, scope: Scope): Foreseen {
    switch (answer.is) {
      case 'skip':
        return { step, task, outlook: 'skip', why: 'its if: is false' };
      case 'trouble':
        return {
          step,
          task,
          outlook: 'trouble',
          why: answer.trouble.message,
          trouble: answer.trouble,
        };
      case 'unread':
        this.unread = true;
        return { step, task, outlook: 'begin', why: 'to be read' };
      case 'decided': {
        const { decision, fingerprint, wish } = answer;
        const to = wish.deed === 'download' ? { to: wish.to } : {};
        const file = wish.deed === 'upload' ? { file: wish.file } : {};
        const foreseen = {
          step,
          task,
          outlook: decision.act,
          why: decision.why,
          fingerprint,
          ...to,
          ...file,
        };
        return this.#priced(foreseen, scope);
      }
      default:
        return unreachable(answer);
    }
  }

  /** Will this step's outputs only be known while it runs? */
  #comesLater(name: string): boolean {
    const outlook = this.of(name)?.outlook;
    return outlook === 'begin' || outlook === 'maybe' || outlook === 'attach' || outlook === 'copy';
  }

  #priced(foreseen: Foreseen, scope: Scope): Foreseen {
    const { step, outlook } = foreseen;
    if (
      step.kind.tool === undefined ||
      (outlook !== 'begin' && outlook !== 'maybe' && outlook !== 'lost')
    )
      return foreseen;
    return { ...foreseen, estimate: this.#ground.estimate(step, knownBody(step, scope)) };
  }

  #outputsOf({ step, task, fingerprint, outlook }: Foreseen): JsonObject {
    if (fingerprint === undefined) return {};
    const { deed } = step.kind;
    const job = this.#ground.jobOf(fingerprint);
    if (outlook !== 'reuse' || job === undefined) return predicted(deed, fingerprint);
    if (deed === 'download' || deed === 'delete') return savedOutputs(job, task);
    return namedByContent(deed, fingerprint, resultOf(job), job.credits ?? 0);
  }

  /** What is about to begin needs live values: those that went stale are renewed first. */
  renew(): void {
    for (let index = this.tasks.length - 1; index >= 0; index--) {
      const task = this.tasks[index];
      if (task?.outlook !== 'begin' || !sendsValues.includes(task.step.kind.deed)) continue;
      const lost = task.step.uses.find((name) => this.#renewOne(name) === 'lost');
      if (lost !== undefined && this.#byStep.get(lost) === undefined)
        this.tasks[index] = { ...task, outlook: 'block', why: `waits for ${lost}, which is lost` };
    }
  }

  /** Shows what renewing a step's values takes; the shared steps' own rows are not this item's to change. */
  #renewOne(name: string): Renewal | undefined {
    const foreseen = this.of(name);
    if (foreseen?.outlook !== 'reuse' || foreseen.fingerprint === undefined) return undefined;
    const job = this.#ground.jobOf(foreseen.fingerprint);
    if (job === undefined) return undefined;
    const renewal = renewalOf(foreseen.step.kind.deed, job, this.#ground.now, this.#ground.facts);
    const index = this.tasks.findIndex(({ step }) => step.name === name);
    if (index >= 0 && renewal === 'redo')
      this.tasks[index] = { ...foreseen, outlook: 'begin', why: 'its upload has expired' };
    if (index >= 0 && renewal === 'lost')
      this.tasks[index] = {
        ...foreseen,
        outlook: 'lost',
        why: 'a later step needs it, its project was deleted and its file is gone',
        estimate: this.#ground.estimate(foreseen.step, {}),
      };
    return renewal;
  }
}
