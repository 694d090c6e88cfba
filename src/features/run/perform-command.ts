// The common part of the commands that run a pipeline. Ctrl-C once: requests in flight are completed. Twice: the command ends
// immediately. Both are safe.
import { resolve } from 'node:path';
import { realClock } from '../../core/clock.ts';
import type { Clock } from '../../core/ports.ts';
import type { RunEvent } from '../../core/run-event.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { type Problem, resultOf } from '../../language/load/refusal.ts';
import { stateFilesOf } from '../../state/locate-state.ts';
import { planPaint, summaryPaint } from '../../terminal/colors.ts';
import { checkCreditPrice, withOwnPrice } from '../../terminal/credit-price.ts';
import { exitCodes, withExitCode } from '../../terminal/exit-code.ts';
import { filterOf, type TickFlags } from '../../terminal/flags.ts';
import { keepDrawn, type ReadingMode, readingMode } from '../../terminal/live-screen.ts';
import { type Log, logFileOf, openLog } from '../../terminal/log.ts';
import { stopWhenAsked } from '../../terminal/stop.ts';
import {
  complainProse,
  fail,
  print,
  printJson,
  printPainted,
  printProse,
  printWarnings,
} from '../../terminal/terminal.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { liveLines, progressText } from '../../views/live/live-lines.ts';
import { shownNotes } from '../../views/plan-text.ts';
import { runEventText, troubleText } from '../../views/run-text.ts';
import { fallbackLine } from '../../views/service-text.ts';
import { summaryText } from '../../views/summary-text.ts';
import { pipelineFor, stopGrowth } from '../command.ts';
import { refuse } from '../refuse.ts';
import type { run } from './run.ts';

/** The flags that `run` and `tick` share. */
export type RunFlags = Omit<TickFlags, 'yes'>;

/** What differs between `run` and `tick`. */
interface RunVariant {
  readonly operate: typeof run;
  /** Whether a person sees this event. */
  readonly shows: (event: RunEvent) => boolean;
  /** Says why the command failed; returns the exit code. */
  readonly onProblem: (problem: Problem, json: boolean) => number;
}

export const asRun: Pick<RunVariant, 'shows' | 'onProblem'> = {
  shows: () => true,
  onProblem: (problem, json) => {
    if (problem.declined !== true) return fail(problem, json);
    print('Nothing was bought.');
    return exitCodes.interrupted;
  },
};

/** The common part of `run` and `tick`. */
export async function performCommand(
  file: string,
  flags: RunFlags,
  variant: RunVariant,
): Promise<number> {
  stopGrowth();
  checkCreditPrice();
  const pipeline = await pipelineFor(file, flags);
  const logFile = logFileOf(flags);
  if (logFile !== undefined && stateFilesOf(pipeline, flags).includes(resolve(logFile)))
    refuse(`--log ${logFile} names a state file: name another file`);
  const opened = openLog(flags);
  if (!opened.ok) refuse(opened.error);
  try {
    return await perform(pipeline, flags, opened.value, variant);
  } finally {
    opened.value.close();
  }
}

async function perform(
  pipeline: LoadedPipeline,
  flags: RunFlags,
  log: Log,
  { operate, shows, onProblem }: RunVariant,
): Promise<number> {
  const json = flags.json === true;
  const { speed, pictures, detachAfter, ...others } = flags;
  const stop = stopWhenAsked();
  const { signal } = stop;
  let live: (() => LiveFacts) | undefined;
  const reader = json ? facts : runReader(pipeline, flags, shows, signal);
  try {
    const ran = await resultOf(() =>
      operate(pipeline, {
        ...others,
        signal,
        items: filterOf(flags),
        detachAfterMs: detachAfter,
        rehearsalSpeed: speed,
        rehearsalPictures: pictures,
        onLive(facts) {
          live = () => withOwnPrice(facts());
          reader.begin(live);
        },
        onEvent: (event) => {
          log.write(withExitCode(event));
          reader.event(event);
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

// Shows a run to a person: a live view on a terminal, plain lines elsewhere, and little with --quiet.

interface RunReader {
  /** The run begins: `facts` says how far it is. */
  begin(facts: () => LiveFacts): void;
  event(event: RunEvent): void;
  /** Call before anything is printed after the run. */
  end(): void;
}

/** Events that go to standard error, separate from the facts. */
const aside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

/** Failures that are printed at once; the progress and the summary count the others. */
const maxTroubles = 100;

/** `stop`: aborted when the user asked to stop. */
function runReader(
  pipeline: LoadedPipeline,
  flags: RunFlags,
  shows: RunVariant['shows'],
  stop: AbortSignal,
): RunReader {
  const mode = readingMode(flags, process.env);
  const asked = flags.rehearse === true;
  /** Tasks of which the plan has said that they cannot run. */
  const reported = new Set<string>();
  let troubles = 0;
  const showTask = (event: Extract<RunEvent, { type: 'task' }>): void => {
    const text = troubleText(event);
    // What the plan has said, the summary says again: that is enough.
    if (text === undefined || mode === 'live' || reported.has(event.task)) return;
    troubles += 1;
    if (troubles <= maxTroubles) print(text);
    if (troubles === maxTroubles)
      print('  More failures are only counted, here and in the summary.');
  };
  const show = (event: RunEvent): void => {
    // Already reported when the user asked for it.
    if (event.type === 'stopping' && stop.aborted) return;
    if (event.type === 'planned' && mode !== 'quiet' && shows(event))
      for (const { task, action } of shownNotes(event.plan))
        if (action === 'problem') reported.add(task);
    if (event.type === 'started' && event.rehearsal && !asked) printProse(fallbackLine);
    else if (!shows(event)) return;
    else if (event.type === 'task') showTask(event);
    else if (event.type !== 'item') printEvent(event, mode);
    if (event.type === 'started') printWarnings(pipeline.warnings, pipeline.text);
  };
  let progress: Progress | undefined;
  return {
    begin(facts) {
      progress = progressOf(mode, facts);
    },
    event(event) {
      show(event);
      if (event.type === 'item' && event.changed) progress?.itemOver();
    },
    end: () => progress?.end(),
  };
}

function printEvent(event: RunEvent, mode: ReadingMode): void {
  const text = runEventText(event, 0);
  if (text === undefined) return;
  if (aside.has(event.type)) complainProse(text);
  else if (mode === 'quiet') return;
  else if (event.type === 'planned') printPainted(text, planPaint);
  else printProse(text);
}

interface Progress {
  /** The run did something for an item. */
  itemOver(): void;
  end(): void;
}

function progressOf(mode: ReadingMode, facts: () => LiveFacts): Progress | undefined {
  if (mode === 'plain') return progressLines(facts, realClock, print);
  if (mode !== 'live') return undefined;
  const screen = keepDrawn(
    (size) => liveLines(facts(), size),
    () => facts().version,
  );
  return { itemOver: () => undefined, end: () => screen.end() };
}

// The progress of a run in a log or a pipe: a line now and then.

/** Between two lines, in milliseconds. */
const pauseMs = 10_000;
/** While nothing happens, only one of so many lines is printed. */
const quietTurns = 6;

export function progressLines(
  facts: () => LiveFacts,
  clock: Pick<Clock, 'sleep'>,
  print: (text: string) => void,
): Progress {
  const over = new AbortController();
  let isTold = false;
  const tell = (): void => {
    const text = progressText(facts());
    if (text === undefined) return;
    isTold = true;
    print(text);
  };
  const follow = async (): Promise<void> => {
    let [{ version }, quiet] = [facts(), 0];
    for (;;) {
      await clock.sleep(pauseMs, over.signal);
      if (over.signal.aborted) return;
      const now = facts().version;
      quiet = version === now ? quiet + 1 : 0;
      version = now;
      if (quiet % quietTurns === 0) tell();
    }
  };
  void follow();
  return {
    // The first item shows at once that the run works, and whether anybody still reads.
    itemOver() {
      if (!isTold) tell();
    },
    end: () => over.abort(),
  };
}
