// Shows a run to a person: a live view on a terminal, plain lines elsewhere, and little with --quiet.

import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { realClock } from '../../run/clock.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { RunEvent } from '../../run/run-event.ts';
import { planPaint } from '../../terminal/colors.ts';
import type { ReadingMode } from '../../terminal/reading-mode.ts';
import { keepDrawn } from '../../terminal/screen-lines.ts';
import {
  complainProse,
  print,
  printPainted,
  printProse,
  printWarnings,
} from '../../terminal/terminal.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { liveLines } from '../../views/live/live-lines.ts';
import { progressText } from '../../views/live/progress-text.ts';
import { shownNotes } from '../../views/plan-text.ts';
import { runEventText, troubleText } from '../../views/run-text.ts';
import { fallbackLine } from '../../views/service-text.ts';

export interface RunReader {
  /** The run begins: `facts` says how far it is. */
  begin(facts: () => LiveFacts): void;
  event(event: RunEvent): void;
  /** Call before anything is printed after the run. */
  end(): void;
}

export interface ReaderOptions {
  readonly pipeline: LoadedPipeline;
  readonly mode: ReadingMode;
  /** The user asked for a rehearsal. */
  readonly asked: boolean;
  /** Aborted when the user asked to stop. */
  readonly stop: AbortSignal;
  /** Whether a person sees this event. */
  readonly shows: (event: RunEvent) => boolean;
}

/** Events that go to standard error, separate from the facts. */
const aside: ReadonlySet<RunEvent['type']> = new Set([
  ...(['warning', 'waiting', 'back', 'stopping', 'bug'] as const),
]);

/** Failures that are printed at once; the progress and the summary count the others. */
const mostTroubles = 100;
export function runReader(options: ReaderOptions): RunReader {
  const { pipeline, mode, asked, stop, shows } = options;
  let troubles = 0;
  const show = (event: RunEvent): void => {
    // Already reported when the user asked for it.
    if (event.type === 'stopping' && stop.aborted) return;
    if (event.type === 'planned' && mode !== 'quiet' && shows(event))
      for (const { task, action } of shownNotes(event.plan))
        if (action === 'problem') planned.add(task);
    if (event.type === 'started' && event.rehearsal && !asked) printProse(fallbackLine);
    else if (!shows(event)) return;
    else if (event.type === 'task') tell(event);
    else if (event.type !== 'item') printEvent(event, mode);
    if (event.type === 'started') printWarnings(pipeline.warnings, pipeline);
  };
  const planned = new Set<string>();
  const tell = (event: Extract<RunEvent, { type: 'task' }>): void => {
    const text = troubleText(event);
    // What the plan has said, the summary says again: that is enough.
    if (text === undefined || mode === 'live' || planned.has(event.task)) return;
    troubles += 1;
    if (troubles <= mostTroubles) print(text);
    if (troubles === mostTroubles)
      print('  More failures are only counted, here and in the summary.');
  };
  let shown: Shown | undefined;
  return {
    begin(facts) {
      shown = shownBy(mode, facts);
    },
    event(event) {
      show(event);
      if (event.type === 'item' && event.changed) shown?.itemOver();
    },
    end: () => shown?.end(),
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

interface Shown {
  /** The run did something for an item. */
  itemOver(): void;
  end(): void;
}

function shownBy(mode: ReadingMode, facts: () => LiveFacts): Shown | undefined {
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
): Shown {
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
