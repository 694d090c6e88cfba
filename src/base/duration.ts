// Durations as people write them: 200ms, 90s, 10m, 1h, 7d.

/** For schemas. At most 999999d, so that a date plus a duration is still a date. */
export const durationPattern = '^[0-9]{1,6}(\\.[0-9]{1,6})?(ms|s|m|h|d)$';

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** In milliseconds; NaN if the text is not a duration. */
export function milliseconds(text: string): number {
  const [, amount, unit = ''] = /^([0-9]{1,6}(?:\.[0-9]{1,6})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount ?? Number.NaN) * (units[unit] ?? Number.NaN);
}
