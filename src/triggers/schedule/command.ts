import { printable } from '../../base/printable.ts';
import { renderDiagnostics } from '../../contract/yaml/diagnostic.ts';
import type { RunEvent } from '../../core/run-event.ts';
import { stopGrowth } from '../../features/command.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { exitCodes, problemCode, withExitCode } from '../../terminal/exit-code.ts';
import type { ScheduleFlags } from '../../terminal/flags.ts';
import { type Log, openLog } from '../../terminal/log.ts';
import { type Stop, stopWhenAsked } from '../../terminal/stop.ts';
import { complain, complainProse, print, printJson } from '../../terminal/terminal.ts';
import { runEventText } from '../../views/run-text.ts';
import { summaryText } from '../../views/summary-text.ts';
import type { ScheduleEvent } from '../../views/trigger-events.ts';
import { graceMs } from '../follow.ts';
import { type RunEnd, type Scheduled, type ScheduleOptions, schedule } from './schedule.ts';

export async function scheduleCommand(
  names: readonly string[],
  flags: ScheduleFlags,
): Promise<number> {
  const { json = false } = flags;
  stopGrowth();
  const opened = openLog(flags);
  if (!opened.ok) throw new Refusal(problem(opened.error));
  const log = opened.value;
  const stop = stopWhenAsked(graceMs / 1000);
  try {
    const write = writerTo(log);
    const scheduled = await schedule(names, {
      ...optionsOf(flags, stop),
      onEvent: (event) => {
        write(event);
        if (json) printJson(factsOf(event));
        else show(event, flags.once === true);
      },
    });
    if (flags.once !== true) return 0;
    showNext(scheduled, json);
    return Math.max(0, ...scheduled.ends.map(codeOf));
  } finally {
    stop.off();
    log.close();
  }
}

/** Lines about a run have the fields that its own log would have, and the pipeline and the due time. */
function writerTo(log: Log): (event: ScheduleEvent) => void {
  const runs = new Map<string, Log>();
  return (event) => {
    if (event.type !== 'run') return log.write(factsOf(event));
    const { file, pipeline, due, event: inner } = event;
    const known = inner.type === 'started' ? undefined : runs.get(file);
    const own = known ?? log.child({ pipeline, due });
    runs.set(file, own);
    own.write(withExitCode(inner));
  };
}

function optionsOf(flags: ScheduleFlags, { signal }: Stop): ScheduleOptions {
  const { input = {}, profile, once, speed, pictures, budget, commit } = flags;
  const { state, output, allowOutside, service, rehearse, hosted } = flags;
  return {
    inputs: input,
    profile,
    once,
    signal,
    run: {
      state,
      output,
      service,
      rehearse,
      hosted,
      budget,
      commit,
      allowOutside,
      rehearsalSpeed: speed,
      rehearsalPictures: pictures,
    },
  };
}

const codeOf = (end: RunEnd): number =>
  end === 'input' || end === 'locked' || end === 'system' || end === 'unreachable'
    ? problemCode({ reason: end })
    : exitCodes[end];

interface Facts {
  readonly type: ScheduleEvent['type'];
  readonly [name: string]: unknown;
}

/** For the JSON stream and the log. The stack of a bug is in the log of `run` only. */
function factsOf(event: ScheduleEvent): Facts {
  switch (event.type) {
    case 'run': {
      const inner = event.event;
      const shown = inner.type === 'bug' ? { ...inner, stack: undefined } : withExitCode(inner);
      return { ...event, event: shown };
    }
    case 'ran': {
      const summary = { ...event.summary, exitCode: exitCodes[event.summary.outcome] };
      return { ...event, summary };
    }
    case 'invalid':
    case 'refused': {
      const { text: _text, ...facts } = event.problem;
      return { ...event, problem: facts };
    }
    default:
      return { ...event };
  }
}

/** Events that say what is done; all others go to standard error. */
const done: ReadonlySet<ScheduleEvent['type']> = new Set(['scheduled', 'due', 'ran'] as const);

function show(event: ScheduleEvent, once: boolean): void {
  // With --once, the last line says what is due next.
  if (event.type === 'scheduled' && once) return;
  if (event.type === 'invalid' || event.type === 'refused') {
    const { diagnostics, text } = event.problem;
    const shown = renderDiagnostics(diagnostics, text, process.stderr.columns);
    complain(`${problemTitle(event)}:\n${shown}`);
    return;
  }
  const text = scheduleEventText(event);
  if (text === undefined) return;
  if (done.has(event.type)) print(text);
  else complainProse(text);
}

function showNext({ ends, next }: Scheduled, json: boolean): void {
  const due = ends.length > 0;
  if (json) printJson({ type: 'next', due, next });
  else if (!due)
    print(
      next === undefined ? 'Nothing is due, now or later.' : `Nothing is due. Next due at ${next}.`,
    );
}

// The events of `shotlist schedule` as text: a few lines for each run, with the pipeline's name in front.

/** Undefined if nothing is shown. The texts of problems have code frames, so the caller renders them. */
function scheduleEventText(event: Exclude<ScheduleEvent, { problem: unknown }>) {
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
        ? `${named(event.pipeline)}: the run due at ${event.due} is left out, because another run was in progress`
        : `${named(event.pipeline)}: only the last of the missed runs takes place; the first was due at ${event.due}`;
  }
}

/** The first words of an event with a problem. */
function problemTitle(event: Extract<ScheduleEvent, { problem: unknown }>): string {
  if (event.type === 'invalid')
    return `${named(event.file)}: nothing of this file runs until this is fixed`;
  const again = event.again ? ', and is tried again' : '';
  return `${named(event.pipeline)}: the run due at ${event.due} did not take place${again}`;
}

/** Of a run, only what needs attention is shown; the log and the JSON stream have everything. */
const shownInside: ReadonlySet<RunEvent['type']> = new Set([
  'warning',
  'task',
  'waiting',
  'back',
  'stopping',
  'bug',
]);

const serviceText = (service: string | undefined): string =>
  service === undefined
    ? 'as a rehearsal that costs nothing'
    : `at the service ${printable(service)}`;

const nextText = (next: string | undefined): string =>
  next === undefined ? 'it is never due again' : `next due at ${next}`;

const named = (name: string): string => printable(name);
