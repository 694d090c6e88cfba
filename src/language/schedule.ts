// When a pipeline is due: checks `schedule:`, and lists its due times.
import { Cron } from 'croner';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { Code } from '../contract/codes.ts';
import { type Diagnostic, errorAt, type Path } from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Schedule } from './pipeline.ts';

/**
 * The due times after a moment, in ascending order, without an end if the schedule has none. All times are in epoch
 * milliseconds. A time that a change to summer time leaves out is due when the clocks have moved; a time that occurs twice
 * is due the first time. An expression for every hour or every few minutes is due at each of them.
 */
export function* dueTimes({ cron, timeZone }: Schedule, after: number): Generator<number, void> {
  const expressions = cron.map((expression) => cronOf(expression, timeZone));
  const next = expressions.map((expression) => nextOf(expression, after));
  for (;;) {
    const due = Math.min(...next);
    if (due === Number.POSITIVE_INFINITY) return;
    yield due;
    expressions.forEach((expression, index) => {
      if (next[index] === due) next[index] = nextOf(expression, due);
    });
  }
}

/** The day of a moment in a time zone: YYYY-MM-DD. */
export function dayIn(timeZone: string, moment: number): string {
  return daysIn(timeZone)(moment);
}

/** The same for many moments: a formatter takes long to make. */
export function daysIn(timeZone: string): (moment: number) => string {
  // The most frequent time zone needs no formatter.
  if (timeZone === 'UTC') return (moment) => new Date(moment).toISOString().slice(0, 10);
  // Swedish dates are written as ISO dates.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  return (moment) => format.format(moment);
}

/** A moment in ISO 8601, as the clocks of a time zone show it: 2026-11-22T07:00:00+01:00. */
export function isoIn(timeZone: string, moment: number): string {
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }).format(moment);
  return `${dayIn(timeZone, moment)}T${time}${offsetsIn(timeZone)(moment)}`;
}

/** How far the clocks of a time zone are ahead of UTC: +01:00. For many moments, because a formatter takes long to make. */
function offsetsIn(timeZone: string): (moment: number) => string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (moment) => {
    const parts = format.formatToParts(moment);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return name.replace('GMT', '') || '+00:00';
  };
}

/** The values of `run` in expressions. */
type RunValues = {
  readonly date: string;
  /** Empty if no schedule started the run. */
  readonly due: string;
};

/** The schemas of the fields of `run`, for checks before there is a run. */
export const runFields: Readonly<Record<keyof RunValues, Schema>> = {
  date: { type: 'string' },
  due: { type: 'string' },
};

/** `due` and `now`: epoch milliseconds. */
export function runValues(
  schedule: Schedule | undefined,
  run: { readonly due: number | undefined; readonly now: number },
): RunValues {
  const { timeZone = 'UTC' } = schedule ?? {};
  return {
    date: dayIn(timeZone, run.due ?? run.now),
    due: run.due === undefined ? '' : isoIn(timeZone, run.due),
  };
}

export function checkSchedule({ schedule }: JsonObject, source: Source): readonly Diagnostic[] {
  if (!isObject(schedule)) return [];
  const found: Diagnostic[] = [];
  const report = (code: Code, path: Path, message: string, hint: string): void =>
    void found.push(errorAt(source.file, source.spanOf(path), { code, message, hint }));
  const { time_zone: written = 'UTC', cron } = schedule;
  const known = typeof written === 'string' && isTimeZone(written);
  if (typeof written === 'string' && !known)
    report(
      'SL116',
      ['schedule', 'time_zone'],
      `${JSON.stringify(written)} is not a time zone`,
      'write an IANA name such as Europe/Berlin, or UTC',
    );
  const expressions = Array.isArray(cron) ? cron : [cron];
  expressions.forEach((expression, index) => {
    const problem = typeof expression === 'string' ? cronProblem(expression) : undefined;
    const path: Path = Array.isArray(cron) ? ['schedule', 'cron', index] : ['schedule', 'cron'];
    if (problem !== undefined)
      report('SL115', path, problem, 'write five fields, for example "0 7 * * 1-5"');
  });
  return found;
}

/** Why a cron expression cannot be used, or undefined. */
function cronProblem(expression: string): string | undefined {
  // It is printed into files of other programs, in which a line break begins something else.
  if (/[^\S \t]/.test(expression))
    return `a cron expression is one line, and ${JSON.stringify(expression)} has more`;
  const fields = expression.trim().split(/\s+/).length;
  if (fields !== 5 && !/^@[a-z]+$/.test(expression))
    return `a cron expression has five fields, and ${JSON.stringify(expression)} has ${fields}`;
  try {
    return cronOf(expression, 'UTC').nextRun() === null
      ? `${JSON.stringify(expression)} is never due`
      : undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^\w+: /, '') : String(error);
    return `${JSON.stringify(expression)} is not a cron expression: ${why}`;
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // Intl has no other way to ask.
    return false;
  }
}

const cronOf = (expression: string, timezone: string): Cron =>
  new Cron(expression, { timezone, mode: '5-part', paused: true });

const nextOf = (cron: Cron, after: number): number =>
  cron.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;
