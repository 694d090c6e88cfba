// shotlist run: runs the pipeline. Ctrl-C once: requests in flight are completed. Twice: the command ends immediately.
// Both are safe.
import { resolve } from 'node:path';
import type { LoadedPipeline } from '../operations/pipeline/loaded-pipeline.ts';
import { type Problem, problem } from '../operations/pipeline/problem.ts';
import type { RunOptions, run } from '../operations/run.ts';
import { stateFilesOf } from '../operations/state/locate-state.ts';
import type { RunEvent } from '../report/run-event.ts';
import { runEventText, summaryText } from '../report/run-text.ts';
import { fallbackLine } from '../report/service-text.ts';
import { withPipeline } from './command.ts';
import { exitCodes, withExitCode } from './exit-code.ts';
import type { CommitFlags } from './git-commands.ts';
import { type Log, logFileOf, openLog } from './log.ts';
import { announce, type MonitorFlags, withMonitor } from './monitor.ts';
import { filterOf, type PipelineFlags } from './options.ts';
import { stopWhenAsked } from './stop.ts';
import { complain, fail, print, printJson, printWarnings } from './terminal.ts';

export interface RunFlags extends PipelineFlags, MonitorFlags, CommitFlags {
  readonly budget?: number;
  readonly payAgain?: boolean;
  readonly runId?: string;
  /** In milliseconds. */
  readonly detachAfter?: number;
  readonly verbose?: boolean;
  readonly log?: string;
  readonly listen?: NonNullable<RunOptions['listen']>;
  readonly speed?: NonNullable<RunOptions['rehearsalSpeed']>;
  readonly pictures?: NonNullable<RunOptions['rehearsalPictures']>;
}

/** What differs between `run` and `tick`. */
export interface Manner {
  readonly operate: typeof run;
  /** Whether a person sees this event. */
  readonly shows: (event: RunEvent) => boolean;
  /** Says why the command failed; returns the exit code. */
  readonly onProblem: (problem: Problem, json: boolean) => number;
}

/** The common part of `run` and `tick`. */
export async function performCommand(
  file: string,
  flags: RunFlags,
  manner: Manner,
): Promise<number> {
  const json = flags.json === true;
  return await withPipeline(file, flags, async (pipeline) => {
    const logFile = logFileOf(flags);
    if (logFile !== undefined && stateFilesOf(pipeline, flags).includes(resolve(logFile)))
      return fail(problem(`--log ${logFile} names a state file: name another file`), json);
    const opened = openLog(flags);
    if (!opened.ok) return fail(problem(opened.error), json);
    try {
      return await perform(pipeline, flags, opened.value, manner);
    } finally {
      opened.value.close();
    }
  });
}

async function perform(
  pipeline: LoadedPipeline,
  flags: RunFlags,
  log: Log,
  { operate, shows, onProblem }: Manner,
): Promise<number> {
  const json = flags.json === true;
  const { speed, pictures, detachAfter, monitor: _monitor, ...others } = flags;
  const stop = stopWhenAsked();
  const show = json ? facts : reader(pipeline, flags.rehearse === true, stop.signal, shows);
  const { signal } = stop;
  try {
    return await withMonitor(flags, signal, async (monitor) => {
      const ran = await operate(pipeline, {
        ...others,
        ...{ monitor, signal, items: filterOf(flags), detachAfterMs: detachAfter },
        ...(speed === undefined ? {} : { rehearsalSpeed: speed }),
        ...(pictures === undefined ? {} : { rehearsalPictures: pictures }),
        onEvent: (event) => {
          log.write(withExitCode(event));
          show(event);
          if (event.type === 'started' && monitor !== undefined) announce(monitor, json);
        },
      });
      if (!ran.ok) return onProblem(ran.error, json);
      if (!json) print(summaryText(ran.value.summary, ran.value));
      return exitCodes[ran.value.summary.outcome];
    });
  } finally {
    stop.off();
  }
}

/** The stack of a bug is for the log. */
const facts = (event: RunEvent): void =>
  printJson(event.type === 'bug' ? { ...event, stack: undefined } : withExitCode(event));

/** Events that go to standard error, separate from the facts. */
const aside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

/** Prints events for a person. `asked`: the user asked for a rehearsal. */
function reader(
  loaded: LoadedPipeline,
  asked: boolean,
  stop: AbortSignal,
  shows: Manner['shows'],
): (event: RunEvent) => void {
  let items = 0;
  return (event) => {
    if (event.type === 'planned') items = event.plan.items;
    // Already reported when the user asked for it.
    if (event.type === 'stopping' && stop.aborted) return;
    const fallback = event.type === 'started' && event.rehearsal && !asked;
    const text = fallback ? fallbackLine : runEventText(event, items);
    if (text === undefined || !shows(event)) return;
    if (aside.has(event.type)) complain(text);
    else print(text);
    if (event.type === 'started') printWarnings(loaded.warnings, loaded);
  };
}
