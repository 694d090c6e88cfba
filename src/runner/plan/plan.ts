// The plan: what would run, for each step, what it would cost, and what is reused. Plain data.
import type { Step } from '../language/pipeline.ts';
import type { PlannedAction, PlannedTask } from './planned-action.ts';

export interface PlanRow {
  readonly step: string;
  readonly kind: string;
  /** How many tasks have which outlook. */
  readonly tasks: Readonly<Partial<Record<PlannedAction, number>>>;
  /** Credits of the tasks that would be paid; what may turn out not to be needed is counted. */
  readonly credits: number;
  /** Tasks that would be paid and whose price is not known. */
  readonly unpriced: number;
}

export interface PlanNote {
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
}

export interface Plan {
  readonly items: number;
  readonly rows: readonly PlanRow[];
  readonly credits: number;
  readonly unpriced: number;
  /** Why a price is not known, each reason once. */
  readonly unpricedWhy: readonly string[];
  /** Items with a task that cannot run: a run buys nothing for them, and the others go on. */
  readonly badItems: number;
  /** Tasks that a person should look at: in doubt, lost, kept, unable to run. The first hundred of `noted`. */
  readonly notes: readonly PlanNote[];
  readonly noted: number;
}

const notesMax = 100;

interface Entry {
  row: Omit<PlanRow, 'tasks'>;
  tasks: Partial<Record<PlannedAction, number>>;
}

/** Adds tasks up without keeping them: a plan of a million tasks is a few rows. */
export class PlanTally {
  readonly #rows = new Map<string, Entry>();
  readonly #why = new Set<string>();
  readonly #notes: PlanNote[] = [];
  /** Jobs counted already: a copy of a photo is not paid again. */
  readonly #seen = new Set<string>();
  #items = 0;
  #badItems = 0;
  #noted = 0;

  /** `bad`: one of its tasks cannot run. */
  addItem(bad: boolean): void {
    this.#items += 1;
    if (bad) this.#badItems += 1;
  }

  add(planned: PlannedTask): void {
    const { step, estimate } = planned;
    const twin = this.#isTwin(planned);
    const action = twin && planned.action !== 'maybe' ? 'reuse' : planned.action;
    const entry = this.#entry(step);
    entry.tasks[action] = (entry.tasks[action] ?? 0) + 1;
    if (!twin && action !== 'lost' && estimate !== undefined) {
      if (estimate.known)
        entry.row = { ...entry.row, credits: entry.row.credits + estimate.credits };
      else {
        entry.row = { ...entry.row, unpriced: entry.row.unpriced + 1 };
        this.#why.add(`${step.name} (${step.kind.name}): ${estimate.why}`);
      }
    }
    if (action === 'doubt' || action === 'lost' || action === 'keep') this.note(planned);
  }

  /** Something that a person should look at. */
  note({ task, action, why }: PlannedTask): void {
    this.#noted += 1;
    if (this.#notes.length < notesMax) this.#notes.push({ task, action, why });
  }

  /** What was added as reused is done again after all, for the sake of what uses it. */
  renew(planned: PlannedTask): void {
    if (this.#isTwin(planned)) return;
    const { tasks } = this.#entry(planned.step);
    tasks.reuse = (tasks.reuse ?? 0) - 1;
    if (tasks.reuse === 0) delete tasks.reuse;
    tasks.begin = (tasks.begin ?? 0) + 1;
  }

  #entry(step: Step): Entry {
    const row = { step: step.name, kind: step.kind.name, credits: 0, unpriced: 0 };
    const entry = this.#rows.get(step.name) ?? { row, tasks: {} };
    this.#rows.set(step.name, entry);
    return entry;
  }

  /** Will another task of this plan have done it? */
  #isTwin({ action, fingerprint, alike, step }: PlannedTask): boolean {
    const content = fingerprint ?? alike;
    if (!['begin', 'attach', 'maybe'].includes(action) || content === undefined) return false;
    if (step.kind.operation === 'download') return false;
    const key = step.kind.operation === 'delete' ? `delete ${content}` : content;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  plan(order: readonly string[]): Plan {
    const rows = order.flatMap((step) => {
      const entry = this.#rows.get(step);
      return entry === undefined ? [] : [{ ...entry.row, tasks: entry.tasks }];
    });
    return {
      items: this.#items,
      rows,
      credits: rows.reduce((sum, row) => sum + row.credits, 0),
      unpriced: rows.reduce((sum, row) => sum + row.unpriced, 0),
      unpricedWhy: [...this.#why],
      badItems: this.#badItems,
      notes: this.#notes,
      noted: this.#noted,
    };
  }
}
