// The events of `shotlist schedule` as text: a few lines for each run, with the pipeline's name in front.
import { printable } from '../../contract/base/printable.ts';
import type { RunEvent } from './run-event.ts';
import { runEventText, summaryText } from './run-text.ts';
import type { ScheduleEvent } from './schedule-event.ts';

/** Undefined if nothing is shown. The texts of problems have code frames, so the caller renders them. */
export function scheduleEventText(event: Exclude<ScheduleEvent, { problem: unknown }>) {
  switch (event.type) {
    case 'scheduled':
      return `${named(event.file)} is scheduled, ${serviceText(event.service)}: ${nextText(event.next)}`;
    case 'unscheduled':
      return event.why === 'removed'
        ? `${named(event.file)} is gone: nothing of it runs until it is back`
        : `${named(event.file)} has no schedule any more: nothing of it runs`;
    case 'unauthorized':
      return `${named(event.file)}: the service refused the API key; nothing of this file runs until the file changes or you restart schedule with a valid key`;
    case 'notice':
      return `warning: ${named(event.file)}: ${printable(event.message)}`;
    case 'due':
      return `${named(event.pipeline)}: the run due at ${event.due} begins`;
    case 'locked':
      return `${named(event.pipeline)}: the run due at ${event.due} waits, because another process works on the state file`;
    case 'run': {
      const text = shownInside.has(event.event.type) ? runEventText(event.event, 0) : undefined;
      return text === undefined ? undefined : `${named(event.pipeline)}: ${text.trim()}`;
    }
    case 'ran': {
      const again = event.open ? '; it will be continued' : '';
      return `${named(event.pipeline)}: the run due at ${event.due} has ended${again}\n${summaryText(event.summary, event)}\n${nextText(event.next)}`;
    }
    case 'left-out':
      return event.why === 'overlap'
        ? `${named(event.pipeline)}: the run due at ${event.due} is left out, because another run was in progress (overlap: skip)`
        : `${named(event.pipeline)}: missed runs are left out, as catch_up says; the first was due at ${event.due}`;
  }
}

/** The first words of an event with a problem. */
export function problemTitle(event: Extract<ScheduleEvent, { problem: unknown }>): string {
  if (event.type === 'invalid')
    return `${named(event.file)}: nothing of this file runs until this is fixed`;
  const again = event.again ? ', and is tried again' : '';
  return `${named(event.pipeline)}: the run due at ${event.due} did not take place${again}`;
}

/** Of a run, only what needs attention is shown; the log and the JSON stream have everything. */
const shownInside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'task', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

const serviceText = (service: string | undefined): string =>
  service === undefined
    ? 'as a rehearsal that costs nothing'
    : `at the service ${printable(service)}`;

const nextText = (next: string | undefined): string =>
  next === undefined ? 'it is never due again' : `next due at ${next}`;

const named = (name: string): string => printable(name);
