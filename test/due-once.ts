/**
 * A cron expression, in UTC, for the minute before this one: `schedule --once` runs it once, however long the run takes.
 * With `* * * * *`, another run is due as soon as the minute ends.
 */
export function dueAMinuteAgo(): string {
  const ago = new Date(Date.now() - 60_000);
  return `${ago.getUTCMinutes()} ${ago.getUTCHours()} * * *`;
}
