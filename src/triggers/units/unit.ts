// What a unit file is made from. A unit file lets a machine or a CI service run a pipeline by its schedule.
import { printable } from '../../base/printable.ts';
import type { Schedule } from '../../language/pipeline.ts';
import { dueTimes, offsetsIn } from '../../language/schedule.ts';

export interface UnitFacts {
  /** The pipeline's name: letters, digits, ".", "_" and "-". */
  readonly name: string;
  readonly description: string | undefined;
  readonly schedule: Schedule;
  /** Absolute: the repository, or the pipeline file's folder where there is none. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly file: string;
  /** The other flags that `shotlist schedule` was given; paths are relative to the root. */
  readonly given: readonly string[];
  /** The runs are rehearsals: they need no key, and leave nothing for git. */
  readonly rehearsal: boolean;
  readonly state: string;
  readonly output: string;
  /** Where results are kept besides the output folder. */
  readonly store: string | undefined;
  /** The address of the service; undefined: the user's environment names it. */
  readonly service: string | undefined;
  /** Environment variables that the pipeline reads. */
  readonly variables: readonly string[];
  /** How shotlist is started on this machine: absolute paths of Node.js and of the command. */
  readonly program: readonly string[];
  /** Epoch milliseconds: summer and winter time are looked up in the year after it. */
  readonly now: number;
  /** Minutes that this machine's clock is ahead of UTC, at a moment in epoch milliseconds. */
  readonly hostOffset: (moment: number) => number;
}

/**
 * What shotlist is asked to do, without the program. Nobody watches, so a run that is meant for the hosted service never becomes
 * a rehearsal, and its record is committed.
 */
export const scheduleArguments = (
  { file, given, rehearsal }: UnitFacts,
  ...more: readonly string[]
): string[] => {
  const needed = rehearsal ? [] : ['--hosted', '--commit'];
  return ['schedule', file, ...given, ...needed.filter((flag) => !given.includes(flag)), ...more];
};

/** The first line of a unit file's comment. */
export const madeBy = ({ file, given }: UnitFacts, kind: string): string =>
  printable(`made by: ${shellCommand(['shotlist', 'schedule', file, '--print', kind, ...given])}`);

/** The schedule as a person reads it. */
export const inWords = ({ cron, timeZone }: Schedule): string =>
  `${cron.map((expression) => `"${expression}"`).join(' and ')}, ${timeZone}`;

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A path as a pattern for itself, relative to the repository. GitHub and GitLab know the same patterns. */
export const globOf = (path: string): string =>
  `./${path.replaceAll('\\', '\\\\').replaceAll(/[*?[{]/g, '[$&]')}`;

export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ');

// What a job in CI needs besides the API key, where results are kept in a bucket.

/** The names of the environment variables that hold a bucket's credentials. */
export const storeVariables = (store: string | undefined): readonly string[] =>
  isBucket(store)
    ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3']
    : [];

/**
 * A machine that begins empty does not know whom its user trusts: it must trust the pipeline file before a bucket that the
 * file names is used.
 */
export const trustArguments = ({ store, file }: UnitFacts): readonly string[] | undefined =>
  isBucket(store) ? ['trust', file] : undefined;

const isBucket = (store: string | undefined): boolean => store?.startsWith('s3://') === true;

// When something outside must start shotlist, for schedulers that know only UTC or only the machine's own time. They start
// shotlist at every time of day at which a run may be due, in summer and in winter; a start at which nothing is due ends
// at once.

const dayMs = 86_400_000;
const yearDays = 366;

/**
 * Cron lines of five fields that together cover all due times, at most one for each minute of an hour.
 * `offset`: the minutes that the scheduler's clock is ahead of UTC, at a moment.
 */
export function wakeTimes(
  { schedule: { cron, timeZone }, now }: UnitFacts,
  offset: UnitFacts['hostOffset'],
): readonly string[] {
  const hoursByMinute = new Map<number, Set<number>>();
  const moments = momentsToLookAt(timeZone, offset, now);
  for (const expression of cron) {
    const own = new Map<number, Set<number>>();
    for (const from of moments) {
      let first: number | undefined;
      for (const due of dueTimes({ cron: [expression], timeZone }, from)) {
        first ??= due;
        const time = new Date(due + offset(due) * 60_000);
        const hours = own.get(time.getUTCMinutes()) ?? new Set();
        // An expression is due at the same times on each of its days; the second day is for a change of a clock.
        const isWhole = hours.size === 24 && (due === first || due >= first + dayMs);
        if (isWhole || due > first + 2 * dayMs) break;
        own.set(time.getUTCMinutes(), hours.add(time.getUTCHours()));
      }
    }
    for (const [minute, hours] of own)
      hoursByMinute.set(minute, new Set([...(hoursByMinute.get(minute) ?? []), ...hours]));
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

/** Now, and the day before and after each change of one of the two clocks in the year that follows. */
function momentsToLookAt(
  timeZone: string,
  offset: UnitFacts['hostOffset'],
  now: number,
): readonly number[] {
  const moments = [now];
  const zoneOffset = offsetsIn(timeZone);
  const clocksAt = (moment: number): string => `${offset(moment)} ${zoneOffset(moment)}`;
  let clocks = clocksAt(now);
  for (let day = now + dayMs; day <= now + yearDays * dayMs; day += dayMs) {
    const then = clocksAt(day);
    if (then !== clocks) moments.push(day - dayMs, day);
    clocks = then;
  }
  return moments;
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
