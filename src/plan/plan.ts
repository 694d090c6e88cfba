// The plan as plain data: for each step, what would run, what it would cost, and what is reused.

import { DigestSet } from '../base/digest.ts';
import { type FileCounts, sumOf } from '../core/file-counts.ts';
import type {
  Plan,
  PlanNote,
  PlannedExtra,
  PlannedLate,
  PlannedPair,
  PlannedTake,
  PlanRow,
} from '../core/plan-table.ts';
import type { PlannedAction, Times } from '../core/planned-action.ts';
import { withoutPaths } from '../language/body.ts';
import type { Step } from '../language/pipeline.ts';
import { fingerprintOf } from '../model/fingerprint.ts';
import type { Estimate } from './estimate.ts';
import type { PlannedTask } from './planned-action.ts';

const maxNotes = 100;

type MutableRow = { -readonly [Name in keyof Omit<PlanRow, 'tasks'>]: PlanRow[Name] };

interface RowCounts {
  readonly row: MutableRow;
  readonly tasks: Partial<Record<PlannedAction, number>>;
}

/** Counts tasks without storing them: a plan of a million tasks is a few rows. */
export class PlanTally {
  readonly #rows = new Map<string, RowCounts>();
  readonly #why = new Set<string>();
  readonly #notes: PlanNote[] = [];
  readonly #takes: PlannedTake[] = [];
  /** By step, field and source: a million items are a few lines. */
  readonly #late = new Map<string, PlannedLate>();
  /** Jobs that are already counted: a copy of a photo is not paid for again. */
  readonly #seen = new DigestSet();
  /** Projects whose deletion is already counted. */
  readonly #deleted = new DigestSet();
  readonly #hasExtra: boolean;
  readonly #extras = new Map<string, PlannedExtra>();
  /** The first task of each request without its unknown fields. Empty if no step has any. */
  readonly #known = new Map<string, PlannedTask>();
  readonly #pairs: PlannedPair[] = [];
  #items = 0;
  #badItems = 0;
  #noted = 0;
  #files: FileCounts = { changed: 0, elsewhere: 0, stored: 0 };

  constructor(steps: readonly Pick<Step, 'extra'>[] = []) {
    this.#hasExtra = steps.some(({ extra }) => extra.length > 0);
  }

  /** `bad`: one of the item's tasks cannot run. */
  addItem(bad: boolean): void {
    this.#items += 1;
    if (bad) this.#badItems += 1;
  }

  /** Returns the action that the task counts as. */
  add(planned: PlannedTask): PlannedAction {
    const { step, task, estimate, files, take, late = [] } = planned;
    const isOneOf = take !== undefined && take.known > 1 && take.saveTo === undefined;
    if (isOneOf && this.#takes.length < maxNotes)
      this.#takes.push({ task, known: take.known, picked: take.number });
    if (this.#hasExtra) this.#addExtra(planned);
    for (const value of late) this.#addLate({ step: step.name, ...value });
    if (files !== undefined) this.#files = sumOf(this.#files, files);
    const twin = this.#isTwin(planned);
    const action = twin && planned.action !== 'maybe' ? 'reuse' : planned.action;
    const { row, tasks } = this.#entry(step);
    tasks[action] = (tasks[action] ?? 0) + 1;
    if (twin && action === 'reuse') row.twins = (row.twins ?? 0) + 1;
    if (planned.times !== undefined) row.times = joined(row.times, planned.times);
    if (!twin && action !== 'lost' && estimate !== undefined) {
      if (estimate.known) {
        addCredits(row, estimate.credits, planned.times);
        addSource(row, estimate);
      } else {
        row.unpriced += 1;
        this.#why.add(`${step.name} (${step.kind.name}): ${estimate.why}`);
      }
    }
    const waits = step.gathers.length > 0 && (action === 'blocked' || action === 'excluded');
    if (action === 'doubt' || action === 'lost' || action === 'keep' || waits) this.note(planned);
    return action;
  }

  /** Credits that are set aside for a task in doubt. */
  hold({ step }: PlannedTask, credits: number): void {
    const { row } = this.#entry(step);
    row.held = (row.held ?? 0) + credits;
  }

  #addExtra(planned: PlannedTask): void {
    const { step, task, action, fingerprint } = planned;
    if (action !== 'begin' && action !== 'maybe') return;
    const { name, extra } = step;
    if (extra.length > 0 && !this.#extras.has(name))
      this.#extras.set(name, { step: name, fields: extra.map((path) => path.join('.')) });
    const manifest = step.kind.operation === 'create' ? planned.manifest?.() : undefined;
    if (manifest?.body === undefined) return;
    const known = fingerprintOf({ ...manifest, body: withoutPaths(manifest.body, extra) });
    const first = this.#known.get(known);
    if (first === undefined) this.#known.set(known, planned);
    else if (first.fingerprint !== fingerprint && this.#pairs.length < maxNotes)
      this.#pairs.push([first.task, task]);
  }

  /** The highest of several bounds is shown. */
  #addLate(value: PlannedLate): void {
    const key = JSON.stringify([value.step, value.field, value.from]);
    const before = this.#late.get(key);
    if (before === undefined || (before.pricedAs ?? 0) < (value.pricedAs ?? 0))
      this.#late.set(key, value);
  }

  /** Something that a person should look at. */
  note({ task, action, why, problem }: PlannedTask): void {
    this.#noted += 1;
    if (this.#notes.length >= maxNotes) return;
    this.#notes.push({
      task,
      action,
      why,
      code: problem?.code,
    });
  }

  /** Turns a reused task into one that runs again, because a step needs its values. */
  renew(planned: PlannedTask): void {
    if (this.#isTwin(planned)) return;
    const { tasks } = this.#entry(planned.step);
    tasks.reuse = (tasks.reuse ?? 0) - 1;
    if (tasks.reuse === 0) delete tasks.reuse;
    tasks.begin = (tasks.begin ?? 0) + 1;
  }

  #entry(step: Step): RowCounts {
    const row = { step: step.name, kind: step.kind.name, credits: 0, unpriced: 0 };
    const entry = this.#rows.get(step.name) ?? { row, tasks: {} };
    this.#rows.set(step.name, entry);
    return entry;
  }

  /** True if another task of this plan does the same job. */
  #isTwin({ action, fingerprint, alike, step }: PlannedTask): boolean {
    const content = fingerprint ?? alike;
    if (!['begin', 'attach', 'maybe'].includes(action) || content === undefined) return false;
    if (step.kind.operation === 'download') return false;
    const seen = step.kind.operation === 'delete' ? this.#deleted : this.#seen;
    return !seen.add(content);
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
      uncounted: rows.reduce((sum, row) => sum + (row.uncounted?.fanOuts ?? 0), 0),
      unpricedWhy: [...this.#why],
      ...(this.#late.size === 0 ? {} : { late: [...this.#late.values()] }),
      ...(this.#extras.size === 0 ? {} : { unknownFields: [...this.#extras.values()] }),
      ...(this.#pairs.length === 0 ? {} : { alikeButExtra: this.#pairs }),
      ...(this.#takes.length === 0 ? {} : { takes: this.#takes }),
      files: this.#files,
      badItems: this.#badItems,
      notes: this.#notes,
      noted: this.#noted,
    };
  }
}

type PricedTask = Extract<Estimate, { known: true }>;

/** A fan-out counts with the most elements that it may have. */
function addCredits(row: MutableRow, credits: number, times: Times | undefined): void {
  if (times?.open !== true) row.credits += credits;
  else if (times.most !== undefined) row.credits += credits * times.most;
  else {
    const { fanOuts, each } = row.uncounted ?? { fanOuts: 0, each: 0 };
    row.uncounted = { fanOuts: fanOuts + 1, each: Math.max(each, credits) };
  }
}

function addSource(row: MutableRow, { from, unset = [] }: PricedTask): void {
  const { prices = [], unset: known = [] } = row;
  if (from !== undefined && !prices.includes(from)) row.prices = [...prices, from];
  const fields = new Set([...known, ...unset]);
  if (fields.size > 0) row.unset = [...fields];
}

function joined(one: Times | undefined, other: Times): Times {
  if (one === undefined) return other;
  const least = Math.min(one.least, other.least);
  const open = one.open || other.open;
  if (one.most === undefined || other.most === undefined) return { least, open };
  return { least, most: Math.max(one.most, other.most), open };
}
