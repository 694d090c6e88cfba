// shotlist watch: runs the pipeline for every file that arrives or changes, until it is stopped.
import { resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import { count, duration, grouped } from '../../base/text.ts';
import type { Summary } from '../../core/run-event.ts';
import { stopGrowth } from '../../features/command.ts';
import { loadPipeline } from '../../language/load/load.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { stateFilesOf } from '../../state/locate-state.ts';
import { exitCodes, withExitCode } from '../../terminal/exit-code.ts';
import type { WatchFlags } from '../../terminal/flags.ts';
import { type Log, logFileOf, openLog } from '../../terminal/log.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { complainProse, fail, print, printJson } from '../../terminal/terminal.ts';
import { creditsText } from '../../views/credits-text.ts';
import { runEventText } from '../../views/run-text.ts';
import { fallbackLine, rehearsalLine, serviceLine } from '../../views/service-text.ts';
import { summaryText } from '../../views/summary-text.ts';
import type { WatchEvent } from '../../views/trigger-events.ts';
import { graceMs } from '../follow.ts';
import { type Watched, watch } from './watch.ts';

// A watch as text: what it waits for, what each run takes, and how it ended.

interface WatchText {
  /** `aside`: not a fact, but something that a person should know. */
  readonly to: 'facts' | 'aside';
  readonly text: string;
}

/** The text of a watch event; undefined if nothing is shown. Problems are rendered by the command. */
function watchEventText(
  event: Exclude<WatchEvent, { type: 'refused' | 'invalid' }>,
): WatchText | undefined {
  switch (event.type) {
    case 'watching': {
      const { pipeline, glob, files } = event;
      return facts(
        `Watching ${printable(glob)} for ${printable(pipeline)}: ${count(files, 'file')} now. Ctrl-C stops it.`,
      );
    }
    case 'batch':
      return facts(batchText(event));
    case 'run':
      return eventText(event.event);
    case 'ran':
      return facts(ranText(event));
    case 'again':
      return facts(`The rest is tried again at ${event.at}, or when a file changes.`);
    case 'paused':
      return aside(
        `paused: ${printable(event.why)}; nothing runs until you change the pipeline file or start watch again`,
      );
    case 'notice':
      return aside(`warning: ${printable(event.message)}`);
  }
}

const facts = (text: string): WatchText => ({ to: 'facts', text });
const aside = (text: string): WatchText => ({ to: 'aside', text });

const reasons = {
  files: '',
  pipeline: ', because the pipeline has changed',
  again: ', to finish what is open',
} as const;

function batchText(event: Extract<WatchEvent, { type: 'batch' }>): string {
  const { why, added, changed, items, settling, failed } = event;
  const news = [
    ...(added > 0 ? [`${grouped(added)} new`] : []),
    ...(changed > 0 ? [`${grouped(changed)} changed`] : []),
    ...(settling > 0 ? [`${grouped(settling)} still being written`] : []),
    ...(failed > 0 ? [`${grouped(failed)} left out until they change`] : []),
  ];
  const parts = news.length === 0 ? '' : ` (${news.join(', ')})`;
  return `Running ${count(items, 'file')}${parts}${reasons[why]}.`;
}

/** The plan and the account of every run would fill the screen; the log has them. */
function eventText(event: Extract<WatchEvent, { type: 'run' }>['event']): WatchText | undefined {
  switch (event.type) {
    case 'planned':
    case 'started':
    case 'account':
      return undefined;
    case 'item':
      return event.changed
        ? facts(`  ${printable(event.item)}${event.ok ? '' : ' (not finished)'}`)
        : undefined;
    default: {
      const text = runEventText(event, 0);
      if (text === undefined) return undefined;
      const isAside = ['warning', 'waiting', 'back', 'stopping', 'bug'].includes(event.type);
      return isAside ? aside(text) : facts(text);
    }
  }
}

function ranText({ summary, removed, ...places }: Extract<WatchEvent, { type: 'ran' }>): string {
  if (summary.outcome === 'done') return doneText(summary);
  const gone =
    removed === 0
      ? []
      : [
          `  ${count(removed, 'file')} of them ${removed === 1 ? 'was' : 'were'} removed meanwhile.`,
        ];
  return [summaryText(summary, places), ...gone].join('\n');
}

function doneText({ items, credits, elapsedMs }: Summary): string {
  return `Done: ${items.done} of ${count(items.total, 'item')} finished, ${creditsText(credits)}, ${duration(elapsedMs)}.`;
}

export async function watchCommand(file: string, flags: WatchFlags): Promise<number> {
  stopGrowth();
  const { input: inputs = {}, profile } = flags;
  const logFile = logFileOf(flags);
  const loaded = await loadPipeline(file, { inputs, profile });
  if (logFile !== undefined && stateFilesOf(loaded, flags).includes(resolve(logFile)))
    throw new Refusal(problem(`--log ${logFile} names a state file: name another file`));
  const opened = openLog(flags);
  if (!opened.ok) throw new Refusal(problem(opened.error));
  try {
    return await follow(file, flags, opened.value);
  } finally {
    opened.value.close();
  }
}

async function follow(file: string, flags: WatchFlags, log: Log): Promise<number> {
  const {
    json = false,
    input: inputs = {},
    profile,
    settle,
    poll,
    items,
    speed,
    pictures,
    ...rest
  } = flags;
  const stop = stopWhenAsked(graceMs / 1000);
  const show = json ? printJson : reader(flags.rehearse === true, stop.signal);
  try {
    let runLog = log;
    const watched = await watch(file, {
      run: {
        ...rest,
        items: { only: items },
        rehearsalSpeed: speed,
        rehearsalPictures: pictures,
      },
      inputs,
      profile,
      settleMs: settle,
      pollMs: poll,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'batch') runLog = log.child({});
        if (event.type === 'run') runLog.write(withExitCode(event.event));
        else log.write(event);
        show(withCode(event));
      },
    });
    if (!json) print(endText(watched));
    return codes[watched.outcome];
  } finally {
    stop.off();
  }
}

const codes: Readonly<Record<Watched['outcome'], number>> = {
  stopped: 0,
  interrupted: exitCodes.interrupted,
  unauthorized: exitCodes.unauthorized,
};

/** The JSON stream and the log have the exit code of a run beside its outcome. */
const withCode = (event: WatchEvent): WatchEvent =>
  event.type === 'run' ? { type: 'run', event: withExitCode(event.event) } : event;

/** Prints events for a person. `asked`: the user asked for a rehearsal. */
function reader(asked: boolean, stop: AbortSignal): (event: WatchEvent) => void {
  let service: string | undefined;
  return (event) => {
    if (event.type === 'refused' || event.type === 'invalid') {
      fail(event.problem, false);
      return;
    }
    if (event.type === 'run' && event.event.type === 'started') {
      const { rehearsal, service: address = '' } = event.event;
      const line = rehearsal ? (asked ? rehearsalLine : fallbackLine) : serviceLine(address);
      if (line !== service) print(line);
      service = line;
      return;
    }
    // Already reported when the user asked for it.
    if (event.type === 'run' && event.event.type === 'stopping' && stop.aborted) return;
    const shown = watchEventText(event);
    if (shown === undefined) return;
    if (shown.to === 'aside') complainProse(shown.text);
    else print(shown.text);
  };
}

function endText({ runs, credits, outcome }: Watched): string {
  const totals = `${runs} ${runs === 1 ? 'run' : 'runs'}, ${credits} credits charged`;
  switch (outcome) {
    case 'stopped':
      return `Stopped: ${totals}.`;
    case 'interrupted':
      return `Stopped: ${totals}. Start it again to continue; nothing is paid twice.`;
    case 'unauthorized':
      return `Ended, because the service refused the API key: ${totals}.`;
  }
}
