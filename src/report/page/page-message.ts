// What the server of a live page tells the page.
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { ReportData, ReportItem, ReportTask, Spending } from './report-data.ts';

/**
 * `data` is JSON: of `report` a `ReportData`, of `change` a `ReportChange`, of `trouble` why the page shows an earlier state, or
 * null if it no longer does, of `pulse` a `PagePulse`, or null while nobody runs, of `ended` null: nothing follows.
 */
export interface PageMessage {
  readonly type: 'report' | 'change' | 'trouble' | 'pulse' | 'ended';
  readonly data: string;
}

// What a run says about itself while a live page follows it: what no state file has.

export interface PagePulse
  extends Pick<LiveFacts, 'elapsedMs' | 'timeLeftMs' | 'charged' | 'budget'> {
  readonly stage: LiveFacts['stage']['is'];
  /** Why it waits or stops. */
  readonly why?: string;
  /** The tasks that have been at work the longest: the name of the step, and the item, unless the task is shared. */
  readonly atWork: readonly { readonly step: string; readonly item?: string }[];
}

/** The report with the tasks at work, of which the state file may not know yet. What did not change stays the same object. */
export function withPulse(data: ReportData, pulse: PagePulse | null): ReportData {
  if (pulse === null || pulse.atWork.length === 0) return data;
  const steps = new Map(data.steps.map(({ name }, index) => [name, index]));
  const byItem = new Map<string, Set<number>>();
  for (const { step, item = '' } of pulse.atWork) {
    const number = steps.get(step);
    if (number === undefined) continue;
    const known = byItem.get(item) ?? new Set();
    byItem.set(item, known.add(number));
  }
  const atWork = (item: ReportItem): ReportItem => {
    const own = byItem.get(item.key);
    if (own === undefined) return item;
    const isNew = ({ step, state }: ReportTask): boolean => state === 'waiting' && own.has(step);
    if (!item.tasks.some(isNew)) return item;
    const tasks = item.tasks.map((task): ReportTask => {
      return isNew(task) ? { ...task, state: 'running' } : task;
    });
    return { ...item, tasks, ...(item.state === 'waiting' ? { state: 'running' } : {}) };
  };
  return { ...data, shared: atWork(data.shared), items: data.items.map(atWork) };
}

// What changed from one state of a report to the next: a page that is open gets the changed items, and not all of them.

export interface ReportChange {
  /** Everything else that changed, whole. */
  readonly fields: Partial<Omit<ReportData, 'items' | 'spending'>>;
  /** How many items there are now, and those that changed, with their numbers. */
  readonly items: {
    readonly count: number;
    readonly changed: readonly (readonly [number, ReportItem])[];
  };
  /** The first `keep` entries stay as they are, and these follow. */
  readonly spending: { readonly keep: number; readonly add: readonly Spending[] };
}

/** The report after a change. What did not change stays the same object. */
export function changed(before: ReportData, { fields, items, spending }: ReportChange): ReportData {
  const all = before.items.slice(0, items.count);
  for (const [number, item] of items.changed) all[number] = item;
  return {
    ...before,
    ...fields,
    items: all,
    spending: [...before.spending.slice(0, spending.keep), ...spending.add],
  };
}

/** A report as text, in parts that are compared with those of the next one. */
export class ReportText {
  readonly #fields: ReadonlyMap<string, string>;
  readonly #items: readonly string[];
  readonly #spending: readonly string[];

  constructor({ items, spending, ...fields }: ReportData) {
    const text = (value: unknown): string => JSON.stringify(value);
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    this.#fields = new Map(entries.map(([name, value]) => [name, text(value)]));
    this.#items = items.map(text);
    this.#spending = spending.map(text);
  }

  /** The JSON of the report. */
  get whole(): string {
    const items = `"items":[${this.#items.join(',')}]`;
    return `{${members(this.#fields)},${items},"spending":[${this.#spending.join(',')}]}`;
  }

  /** The JSON of a `ReportChange`; undefined if only the time of the report is another. */
  changeSince(before: ReportText): string | undefined {
    const fields = [...this.#fields].filter(([name, text]) => before.#fields.get(name) !== text);
    const items = this.#items.flatMap((text, number) =>
      before.#items[number] === text ? [] : [`[${number},${text}]`],
    );
    const differs = this.#spending.findIndex((text, index) => before.#spending[index] !== text);
    const keep = differs < 0 ? this.#spending.length : differs;
    const isSame =
      fields.every(([name]) => name === 'at') &&
      items.length === 0 &&
      this.#items.length === before.#items.length &&
      this.#spending.length === before.#spending.length &&
      differs < 0;
    if (isSame) return undefined;
    return [
      `{"fields":{${members(new Map(fields))}}`,
      `"items":{"count":${this.#items.length},"changed":[${items.join(',')}]}`,
      `"spending":{"keep":${keep},"add":[${this.#spending.slice(keep).join(',')}]}}`,
    ].join(',');
  }
}

const members = (texts: ReadonlyMap<string, string>): string =>
  [...texts].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',');
