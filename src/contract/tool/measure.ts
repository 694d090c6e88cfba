// Measures the size of an order. Two orders with the same tool and settings differ only in size, so
// the charge for one predicts the charge for the other.
import { fieldOf, isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Price } from './price.ts';
import { priceEdition } from './price-rule.ts';

export interface Measured {
  /**
   * The tool, the settings that may decide its price, and the edition of the list that the amount
   * is measured by.
   */
  readonly of: string;
  /** Above 0: credits by the price list where it has a price, else seconds, else 1. */
  readonly amount: number;
}

/** Fields that decide the content of the result, not its size. */
const contents: ReadonlySet<string> = new Set([
  'name',
  'assets',
  'prompt',
  'start_seconds',
  'end_seconds',
]);

/** Longer texts are content, too. */
const settingMax = 40;

export function measureOf(tool: string, body: JsonObject, listed: Price): Measured {
  const of = [tool, ...settingsOf(body, '')].join(' ');
  if (listed.known && listed.credits > 0)
    return { of: `${of} list=${priceEdition}`, amount: finite(listed.credits) };
  const start = fieldOf(body, 'start_seconds') ?? 0;
  const end = fieldOf(body, 'end_seconds');
  const seconds = typeof end === 'number' && typeof start === 'number' ? end - start : 0;
  return { of, amount: seconds > 0 ? finite(seconds) : 1 };
}

/** JSON has no infinity. */
const finite = (amount: number): number => Math.min(amount, Number.MAX_SAFE_INTEGER);

function settingsOf(body: JsonObject, prefix: string): readonly string[] {
  return Object.entries(body)
    .filter(([key]) => !contents.has(key))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([key, value]) => settingOf(value, `${prefix}${key}`));
}

function settingOf(value: Json, key: string): readonly string[] {
  if (isObject(value)) return settingsOf(value, `${key}.`);
  if (value === null || typeof value === 'object') return [];
  const text = String(value);
  return text.length > settingMax ? [] : [`${key}=${text}`];
}
