// The long torture of `schedule`: months around the changes of summer time.
import { chanceOf } from '../src/base/chance.ts';
import type { Schedule } from '../src/language/pipeline.ts';
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

interface Place extends Schedule {
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

export async function tortureSchedules({ rounds, seed, onEvent }: Options): Promise<Tortured> {
  const violations: string[] = [];
  let [runs, starts, interrupted] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    const chance = chanceOf(seed, round);
    const terms = {
      ...(places[round % places.length] ?? places[0]),
      longestPause: chance() * 7 * 24 * hour,
      longestCreation: chance() * 40 * hour,
    };
    const done = await tortureSchedule({ ...terms, days: 31, seed: Math.floor(chance() * 1e9) });
    runs += done.runs;
    starts += done.starts;
    interrupted += done.interrupted;
    const about = `${terms.cron.join(', ')} ${terms.timeZone}`;
    violations.push(...done.violations.map((one) => `round ${round}, ${about}: ${one}`));
    onEvent(`round ${round}: ${about}: ${done.runs} runs, ${done.violations.length} violations`);
  }
  return { runs, starts, interrupted, violations };
}
