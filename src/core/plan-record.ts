// What a plan would do, task by task, and its digest: two plans with the same digest do the same. The order in which tasks
// end does not count: while a file is read, the plan goes on with others.
import type { FromSchema } from 'json-schema-to-ts';
import { type Digest, digestFrom, digestOfBytes } from '../base/digest.ts';
import type { PlannedAction } from './planned-action.ts';

const text = { type: 'string', maxLength: 4096 } as const;
const texts = { type: 'array', items: text } as const;
const flag = { type: 'boolean' } as const;

/** The choices that a saved plan repeats: the flags that decide a plan. They name parts of the pipeline, and no file or place. */
export const savedChoicesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    profile: text,
    items: texts,
    limit: { type: 'integer', minimum: 1 },
    only: texts,
    until: texts,
    exclude: texts,
    requireOutputs: flag,
    rehearse: flag,
    budget: { type: 'integer', minimum: 0 },
  },
} as const;
export type SavedChoices = Readonly<FromSchema<typeof savedChoicesSchema>>;

/** A task that a run would not just reuse. */
export interface RecordedTask {
  readonly task: string;
  readonly action: PlannedAction;
  readonly fingerprint?: string;
  /** A download: the path below the output folder. */
  readonly to?: string;
  readonly credits?: number;
}

interface Recordable {
  readonly task: string;
  readonly fingerprint?: string | undefined;
  readonly to?: string | undefined;
  readonly estimate?:
    | { readonly known: true; readonly credits: number }
    | { readonly known: false }
    | undefined;
}

export class PlanRecord {
  readonly tasks: RecordedTask[] = [];
  #sum = 0n;

  /** Of all tasks, with those that are reused. */
  get digest(): Digest {
    return digestFrom(this.#sum.toString(16).padStart(64, '0'));
  }

  /** For a plan that begins again. */
  clear(): void {
    this.tasks.length = 0;
    this.#sum = 0n;
  }

  readonly add = ({ task, fingerprint, to, estimate }: Recordable, action: PlannedAction): void => {
    const recorded: RecordedTask = {
      task,
      action,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      ...(to === undefined ? {} : { to }),
      ...(estimate?.known === true && estimate.credits > 0 ? { credits: estimate.credits } : {}),
    };
    // Of two tasks with the same content, either may be the one that does it.
    const about = fingerprint === undefined ? recorded : { ...recorded, task: '' };
    const digest = BigInt(`0x${digestOfBytes(JSON.stringify(about))}`);
    this.#sum = BigInt.asUintN(256, this.#sum + digest);
    if (action !== 'reuse') this.tasks.push(recorded);
  };
}

/** The first task that another plan would treat differently; undefined if only reused tasks differ. */
export function firstDifference(
  before: readonly RecordedTask[],
  now: readonly RecordedTask[],
): string | undefined {
  const known = new Map(before.map((one) => [one.task, JSON.stringify(one)]));
  for (const one of now) {
    if (known.get(one.task) !== JSON.stringify(one)) return one.task;
    known.delete(one.task);
  }
  return known.keys().next().value;
}
