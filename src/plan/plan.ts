// The plan: what would run, for each step, what it would cost, and what is reused. Plain data.
import type { Foreseen, Outlook } from './foresee.ts';

export interface PlanRow {
  readonly step: string;
  readonly kind: string;
  /** How many tasks have which outlook. */
  readonly tasks: Readonly<Partial<Record<Outlook, number>>>;
  /** Credits of the tasks that would be paid; what may turn out not to be needed is counted. */
  readonly credits: number;
  /** Tasks that would be paid and whose price is not known. */
  readonly unpriced: number;
}

export interface PlanNote {
  readonly task: string;
  readonly outlook: Outlook;
  readonly why: string;
}

export interface Plan {
  readonly items: number;
  readonly rows: readonly PlanRow[];
  readonly credits: number;
  readonly unpriced: number;
  /** Why a price is not known, each reason once. */
  readonly unpricedWhy: readonly string[];
  /** Tasks that a person should look at: in doubt, lost, kept. The first hundred. */
  readonly notes: readonly PlanNote[];
}

/** Adds tasks up without keeping them: a plan of a million tasks is a few rows. */
export class PlanTally {
  readonly #rows = new Map<
    string,
    { row: Omit<PlanRow, 'tasks'>; tasks: Partial<Record<Outlook, number>> }
  >();
  readonly #why = new Set<string>();
  readonly #notes: PlanNote[] = [];
  /** Jobs counted already: a copy of a photo is not paid again. */
  readonly #seen = new Set<string>();
  #items = 0;

  addItem(): void {
    this.#items += 1;
  }

  add(foreseen: Foreseen): void {
    const { step, estimate } = foreseen;
    const twin = this.#isTwin(foreseen);
    const outlook = twin ? 'reuse' : foreseen.outlook;
    const entry = this.#rows.get(step.name) ?? {
      row: { step: step.name, kind: step.kind.name, credits: 0, unpriced: 0 },
      tasks: {},
    };
    entry.tasks[outlook] = (entry.tasks[outlook] ?? 0) + 1;
    if (!twin && outlook !== 'lost' && estimate !== undefined) {
      if (estimate.known)
        entry.row = { ...entry.row, credits: entry.row.credits + estimate.credits };
      else {
        entry.row = { ...entry.row, unpriced: entry.row.unpriced + 1 };
        this.#why.add(`${step.name} (${step.kind.name}): ${estimate.why}`);
      }
    }
    this.#rows.set(step.name, entry);
    if (['hold', 'lost', 'refuse', 'trouble'].includes(outlook) && this.#notes.length < 100)
      this.#notes.push({ task: foreseen.task, outlook, why: foreseen.why });
  }

  #isTwin({ outlook, fingerprint, step }: Foreseen): boolean {
    const { deed } = step.kind;
    if (
      outlook !== 'begin' ||
      fingerprint === undefined ||
      deed === 'download' ||
      deed === 'delete'
    )
      return false;
    if (this.#seen.has(fingerprint)) return true;
    this.#seen.add(fingerprint);
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
      notes: this.#notes,
    };
  }
}
