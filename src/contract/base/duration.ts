// A length of time as people write it: 200ms, 90s, 10m, 1h, 7d.

/** For schemas. Up to 999999d: what is added to a date is still a date. */
export const durationPattern = '^[0-9]{1,6}(\\.[0-9]{1,6})?(ms|s|m|h|d)$';

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** In milliseconds; NaN when the text is no length of time. */
export function milliseconds(text: string): number {
  const [, amount, unit = ''] = /^([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount ?? Number.NaN) * (units[unit] ?? Number.NaN);
}
