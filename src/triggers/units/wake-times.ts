// When something outside must start shotlist, for schedulers that know only UTC or only the machine's own time. They start
// shotlist at every time of day at which a run may be due, in summer and in winter; a start at which nothing is due ends
// at once.
import { dueTimes } from '../../language/schedule.ts';
import type { UnitFacts } from './unit.ts';

const halfYearMs = 183 * 86_400_000;
/** After so many due times in a row at times of day that are known, all are. */
const enough = 400;

/**
 * Cron lines of five fields that together cover all due times, at most one for each minute of an hour.
 * `offset`: the minutes that the scheduler's clock is ahead of UTC.
 */
export function wakeTimes({ schedule, now }: UnitFacts, offset: number): readonly string[] {
  const hoursByMinute = new Map<number, Set<number>>();
  // Half a year apart, so that both summer and winter time are seen.
  for (const from of [now, now + halfYearMs]) {
    let known = 0;
    for (const due of dueTimes(schedule, from)) {
      const time = new Date(due + offset * 60_000);
      const hours = hoursByMinute.get(time.getUTCMinutes()) ?? new Set();
      known = hours.has(time.getUTCHours()) ? known + 1 : 0;
      if (due > from + halfYearMs || known > enough) break;
      hoursByMinute.set(time.getUTCMinutes(), hours.add(time.getUTCHours()));
    }
  }
  const minutesByHours = new Map<string, number[]>();
  for (const [minute, hours] of hoursByMinute) {
    const list = hours.size === 24 ? '*' : ascending(hours).join(',');
    minutesByHours.set(list, [...(minutesByHours.get(list) ?? []), minute]);
  }
  return [...minutesByHours]
    .map(([hours, minutes]) => `${minuteField(minutes)} ${hours} * * *`)
    .sort();
}

function minuteField(minutes: readonly number[]): string {
  const sorted = ascending(minutes);
  const step = 60 / sorted.length;
  const regular = sorted.every((minute, index) => minute === index * step);
  if (sorted.length === 60) return '*';
  return regular && sorted.length > 2 ? `*/${step}` : sorted.join(',');
}

const ascending = (numbers: Iterable<number>): readonly number[] =>
  [...numbers].sort((a, b) => a - b);
