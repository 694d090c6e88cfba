// The long torture of `schedule`: months around the changes of summer time, under each combination of `catch_up` and
// `overlap` in turn.
import { chanceOf } from '../src/base/chance.ts';
import type { ScheduleTerms } from './promised-due.ts';
import { tortureSchedule } from './schedule.ts';

interface Options {
  readonly rounds: number;
  readonly seed: number;
  readonly onEvent: (text: string) => void;
}

interface Tortured {
  readonly runs: number;
  readonly starts: number;
  readonly interrupted: number;
  readonly violations: readonly string[];
}

interface Place extends Pick<ScheduleTerms, 'cron' | 'timeZone'> {
  readonly from: string;
}

const hour = 3_600_000;

/** In the missing or doubled hour, around both changes of a year. */
const places: readonly [Place, ...Place[]] = [
  { cron: ['30 2 * * *'], timeZone: 'Europe/Berlin', from: '2026-03-14T12:00:00Z' },
  { cron: ['30 2 * * *'], timeZone: 'Europe/Berlin', from: '2026-10-10T12:00:00Z' },
  { cron: ['30 2 * * *'], timeZone: 'America/New_York', from: '2026-02-22T12:00:00Z' },
  { cron: ['30 1 * * *'], timeZone: 'America/New_York', from: '2026-10-18T12:00:00Z' },
  { cron: ['15 1,2,3 * * *'], timeZone: 'Europe/Berlin', from: '2026-10-10T12:00:00Z' },
  { cron: ['0 7 * * 1-5', '30 19 * * *'], timeZone: 'UTC', from: '2026-05-01T12:00:00Z' },
];
const catchUps = ['none', 'last', 'all'] as const;
const overlaps = ['skip', 'queue'] as const;

const pick = <T>(all: readonly [T, ...T[]], index: number): T => all[index % all.length] ?? all[0];

export async function tortureSchedules({ rounds, seed, onEvent }: Options): Promise<Tortured> {
  const violations: string[] = [];
  let [runs, starts, interrupted] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const chance = chanceOf(seed, round);
    const terms = {
      ...pick(places, round),
      catchUp: pick(catchUps, Math.floor(round / places.length)),
      overlap: pick(overlaps, Math.floor(round / places.length / catchUps.length)),
      longestPause: chance() * 7 * 24 * hour,
      longestCreation: chance() * 40 * hour,
    };
    const done = await tortureSchedule({ ...terms, days: 31, seed: Math.floor(chance() * 1e9) });
    runs += done.runs;
    starts += done.starts;
    interrupted += done.interrupted;
    const { cron, timeZone, catchUp, overlap } = terms;
    const about = `${cron.join(', ')} ${timeZone}, ${catchUp}, ${overlap}`;
    violations.push(...done.violations.map((one) => `round ${round}, ${about}: ${one}`));
    onEvent(`round ${round}: ${about}: ${done.runs} runs, ${done.violations.length} violations`);
  }
  return { runs, starts, interrupted, violations };
}
