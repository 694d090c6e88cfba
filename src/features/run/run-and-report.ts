// shotlist run: runs the pipeline. Ctrl-C once: requests in flight are completed. Twice: the command ends immediately.
// Both are safe.
import { resolve } from 'node:path';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, problem, Refusal, resultOf } from '../../language/load/refusal.ts';
import type { RunEvent } from '../../run/run-event.ts';
import { stateFilesOf } from '../../state/locate-state.ts';
import { summaryPaint } from '../../terminal/colors.ts';
import { withOwnPrice, wrongCreditPrice } from '../../terminal/credit-price.ts';
import { exitCodes, withExitCode } from '../../terminal/exit-code.ts';
import { filterOf, type TickFlags } from '../../terminal/flags.ts';
import { type Log, logFileOf, openLog } from '../../terminal/log.ts';
import { readingMode } from '../../terminal/reading-mode.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import { printJson, printPainted } from '../../terminal/terminal.ts';
import { stopGrowth } from '../../terminal/young-generation.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { summaryText } from '../../views/run-text.ts';
import { withPipeline } from '../command.ts';
import { announce, withMonitor } from '../monitor/flags.ts';
import type { run } from './run.ts';
import type { RunPage } from './run-page.ts';
import { type RunReader, runReader } from './run-reader.ts';

/** The flags that `run` and `tick` share. */
export interface RunFlags extends Omit<TickFlags, 'yes'> {
  /** `--open`. */
  readonly page?: RunPage | undefined;
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
  stopGrowth();
  const wrong = wrongCreditPrice();
  if (wrong !== undefined) throw new Refusal(wrong);
  return await withPipeline(file, flags, async (pipeline) => {
    const logFile = logFileOf(flags);
    if (logFile !== undefined && stateFilesOf(pipeline, flags).includes(resolve(logFile)))
      throw new Refusal(problem(`--log ${logFile} names a state file: name another file`));
    const opened = openLog(flags);
    if (!opened.ok) throw new Refusal(problem(opened.error));
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
  const { speed, pictures, detachAfter, monitor: _monitor, page, ...others } = flags;
  const stop = stopWhenAsked();
  const { signal } = stop;
  let live: (() => LiveFacts) | undefined;
  const reader = json
    ? facts
    : runReader({
        ...{ pipeline, mode: readingMode(flags, process.env), shows, stop: signal },
        asked: flags.rehearse === true,
      });
  try {
    return await withMonitor(flags, signal, async (monitor) => {
      const ran = await resultOf(() =>
        operate(pipeline, {
          ...others,
          ...{ monitor, signal, items: filterOf(flags), detachAfterMs: detachAfter },
          ...{ rehearsalSpeed: speed, rehearsalPictures: pictures },
          onLive(facts) {
            live = () => withOwnPrice(facts());
            reader.begin(live);
          },
          onEvent: (event) => {
            log.write(withExitCode(event));
            reader.event(event);
            page?.event(event);
            if (event.type === 'started' && monitor !== undefined) announce(monitor, json);
          },
        }),
      );
      reader.end();
      if (!ran.ok) return onProblem(ran.error, json);
      const { summary } = ran.value;
      const creditDollars = live?.().creditDollars;
      if (!json)
        printPainted(summaryText(summary, { ...ran.value, creditDollars }), summaryPaint(summary));
      return exitCodes[summary.outcome];
    });
  } finally {
    reader.end();
    stop.off();
  }
}

/** The stack of a bug is for the log. */
const facts: RunReader = {
  event: (event) =>
    printJson(event.type === 'bug' ? { ...event, stack: undefined } : withExitCode(event)),
  begin: () => undefined,
  end: () => undefined,
};
