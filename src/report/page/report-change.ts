// What changed from one state of a report to the next: a page that is open gets the changed items, and not all of them.
import type { ReportData, ReportItem, Spending } from './report-data.ts';

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
    ...{ ...before, ...fields, items: all },
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
